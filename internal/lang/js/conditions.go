package js

import (
	"bytes"
	"encoding/json"
	"sort"
	"strings"
)

// conditions is the value of exports or imports in a package.json, with the
// order of its keys kept, since the order decides.
type conditions struct {
	text string
	list []conditions
	keys []string
	vals []conditions
}

func (c conditions) empty() bool { return c.text == "" && c.list == nil && c.keys == nil }

// UnmarshalJSON keeps the order of an object's keys.
func (c *conditions) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		return json.Unmarshal(b, &c.text)
	case '[':
		return json.Unmarshal(b, &c.list)
	case '{':
		d := json.NewDecoder(bytes.NewReader(b))
		if _, err := d.Token(); err != nil {
			return err
		}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return err
			}
			var v conditions
			if err := d.Decode(&v); err != nil {
				return err
			}
			name, _ := key.(string)
			c.keys = append(c.keys, name)
			c.vals = append(c.vals, v)
		}
	}
	return nil
}

// subpath gives the targets of "." or "./sub" (exports) or "#name" (imports),
// whatever the condition, declarations last.
func (c conditions) subpath(want string) []string {
	if len(c.keys) == 0 || !strings.HasPrefix(c.keys[0], ".") && !strings.HasPrefix(c.keys[0], "#") {
		if want != "." {
			return nil
		}
		return c.targets("")
	}
	best, rest := -1, ""
	for i, k := range c.keys {
		if k == want {
			return c.vals[i].targets("")
		}
		a := newAlias(k, nil)
		if strings.HasSuffix(k, "/") {
			a.star = true
		}
		if !a.star {
			continue
		}
		if r, ok := a.match(want); ok && (best < 0 || len(a.prefix) > len(c.keys[best])) {
			best, rest = i, r
		}
	}
	if best < 0 {
		return nil
	}
	out := c.vals[best].targets(rest)
	if strings.HasSuffix(c.keys[best], "/") {
		for i := range out {
			out[i] += rest
		}
	}
	return out
}

// targets flattens the conditions.
func (c conditions) targets(star string) []string {
	type ranked struct {
		path string
		rank int
	}
	var all []ranked
	var walk func(c conditions, rank int)
	walk = func(c conditions, rank int) {
		if c.text != "" {
			all = append(all, ranked{strings.ReplaceAll(c.text, "*", star), rank})
		}
		for _, v := range c.list {
			walk(v, rank)
		}
		for i, k := range c.keys {
			sub := rank
			switch k {
			case "source", "development", "typescript", "src":
				sub = -1
			case "types", "typings":
				sub = 2
			case "browser", "react-native", "production":
				sub = max(sub, 1)
			}
			walk(c.vals[i], sub)
		}
	}
	walk(c, 0)
	sort.SliceStable(all, func(i, j int) bool { return all[i].rank < all[j].rank })
	out := make([]string, 0, len(all))
	for _, t := range all {
		out = append(out, t.path)
	}
	return out
}
