package config

import (
	"fmt"
	"maps"
	"math"
	"net"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
)

// checker walks the decoded values beside the schema and stops at the first
// thing that is wrong, in the order of the file.
type checker struct {
	file string
	keys []keyed
	errs []*Error
}

// first is the error that stands first in the file.
func (c *checker) first() error {
	if len(c.errs) == 0 {
		return nil
	}
	return slices.MinFunc(c.errs, func(a, b *Error) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
}

// fail notes an error at a key's place, or at the nearest table above it.
func (c *checker) fail(key, hint, format string, args ...any) {
	e := &Error{File: c.file, Key: key, Message: fmt.Sprintf(format, args...), Hint: hint}
	for at := key; at != ""; at = parent(at) {
		i := slices.IndexFunc(c.keys, func(k keyed) bool { return k.path == at || strings.HasPrefix(k.path, at+".") })
		if i >= 0 {
			e.Line, e.Column = c.keys[i].line, c.keys[i].column
			break
		}
	}
	c.errs = append(c.errs, e)
}

func parent(key string) string {
	if strings.HasSuffix(key, "]") {
		return key[:strings.LastIndexByte(key, '[')]
	}
	return key[:max(0, strings.LastIndexByte(key, '.'))]
}

func (c *checker) table(prefix string, n node, v any) {
	m, ok := v.(map[string]any)
	if !ok {
		c.fail(prefix, "write ["+prefix+"]", "is %s, want a table", typeName(v))
		return
	}
	valid := slices.Sorted(maps.Keys(n.keys))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		key := join(prefix, k)
		child, known := n.keys[k]
		if !known {
			c.fail(key, c.unknownHint(prefix, k, valid), "unknown key")
			continue
		}
		c.value(key, child, m[k])
	}
	for _, k := range n.must {
		if _, ok := m[k]; !ok {
			c.fail(prefix, "add "+k+" = …", "has no %s", k)
		}
	}
}

// unknownHint names the nearest valid key, here or in another table, else all.
func (c *checker) unknownHint(prefix, key string, valid []string) string {
	if near, ok := Nearest(strings.ToLower(key), valid); ok {
		return "did you mean " + join(prefix, near) + "?"
	}
	var elsewhere []string
	for name, n := range schema().keys {
		if _, ok := n.keys[key]; ok {
			elsewhere = append(elsewhere, name+"."+key)
		}
	}
	if len(elsewhere) == 1 {
		return "did you mean " + elsewhere[0] + "?"
	}
	return "valid keys here: " + strings.Join(valid, ", ")
}

func (c *checker) value(key string, n node, v any) {
	switch n.kind {
	case table:
		c.table(key, n, v)
	case tables:
		list, ok := tableList(v)
		if !ok {
			c.fail(key, "write [["+key+"]]", "is %s, want an array of tables", typeName(v))
			return
		}
		for i, t := range list {
			c.table(fmt.Sprintf("%s[%d]", key, i), n, t)
		}
	case textMap, globMap:
		c.mapping(key, n, v)
	case boolean:
		if _, ok := v.(bool); !ok {
			c.fail(key, "write true or false", "is %s, want a boolean", typeName(v))
		}
	case integer, percent, amount:
		c.number(key, n, v)
	case texts, globs, words, folders:
		c.list(key, n, v)
	case codes:
		c.codes(key, v)
	default:
		s, ok := v.(string)
		if !ok {
			hint := `write it in quotes`
			if n.kind == duration {
				hint = `write a string such as "120s"`
			}
			c.fail(key, hint, "is %s, want a string", typeName(v))
			return
		}
		c.text(key, n, s)
	}
}

func (c *checker) number(key string, n node, v any) {
	i, isInt := v.(int64)
	if n.kind == integer {
		switch {
		case !isInt:
			c.fail(key, "write a whole number", "is %s, want an integer", typeName(v))
		case i < n.min:
			c.fail(key, fmt.Sprintf("the smallest valid value is %d", n.min), "is %d", i)
		case i > math.MaxInt32:
			c.fail(key, fmt.Sprintf("the largest valid value is %d", math.MaxInt32), "is %d", i)
		}
		return
	}
	f, isFloat := v.(float64)
	if isInt {
		f = float64(i)
	}
	switch {
	case n.kind == amount && !isInt && !isFloat:
		c.fail(key, "write a number", "is %s, want a number", typeName(v))
	case n.kind == amount && (math.IsNaN(f) || math.IsInf(f, 0) || f < 0):
		c.fail(key, "an amount is 0 or more", "is %v", v)
	case n.kind == amount:
	case !isInt && !isFloat:
		c.fail(key, "write a number from 0 to 100", "is %s, want a number", typeName(v))
	case math.IsNaN(f) || f < 0 || f > 100:
		c.fail(key, "percent go from 0 to 100", "is %v", v)
	}
}

func (c *checker) text(key string, n node, s string) {
	switch n.kind {
	case word:
		if slices.Contains(n.words, s) {
			return
		}
		hint := "valid values: " + strings.Join(n.words, ", ")
		if near, ok := Nearest(s, n.words); ok {
			hint = fmt.Sprintf("did you mean %q? %s", near, hint)
		}
		c.fail(key, hint, "is %q", s)
	case duration:
		d, err := time.ParseDuration(s)
		switch {
		case err != nil:
			c.fail(key, `write a duration such as "120s", "15m" or "250ms"`, "%q is not a duration", s)
		case d < 0:
			c.fail(key, "a duration is 0 or more", "is %s", s)
		}
	case size:
		if _, err := ParseSize(s); err != nil {
			c.fail(key, `write a size such as "512M" or "2G", or "" for no limit`, "%q is not a size", s)
		}
	case folder:
		if s == "" || path.IsAbs(s) || strings.Contains(s, `\`) || path.Clean(s) == ".." || strings.HasPrefix(path.Clean(s), "../") {
			c.fail(key, `write a folder relative to the repository's root, with "/"; "." is the root`, "%q is not inside the repository", s)
		}
	case text:
		if s == "" && n.min > 0 {
			c.fail(key, "", "is empty")
		}
	}
}

func (c *checker) list(key string, n node, v any) {
	items, ok := v.([]any)
	if !ok {
		c.fail(key, `write a list such as ["a", "b"]`, "is %s, want a list of strings", typeName(v))
		return
	}
	if int64(len(items)) < n.min {
		c.fail(key, "", "is empty")
	}
	for _, it := range items {
		s, ok := it.(string)
		switch {
		case !ok:
			c.fail(key, `write a list such as ["a", "b"]`, "holds %s, want strings", typeName(it))
		case s == "":
			c.fail(key, "", "holds an empty string")
		case n.kind == globs && !doublestar.ValidatePattern(strings.TrimPrefix(s, "!")):
			c.fail(key, `close every "[" and "{" of the pattern`, "%q is not a glob", s)
		case n.kind == folders:
			c.text(key, node{kind: folder}, s)
		case n.kind == words:
			c.text(key, node{kind: word, words: n.words}, s)
		}
		if len(c.errs) > 0 && c.errs[len(c.errs)-1].Key == key {
			return
		}
	}
}

func (c *checker) codes(key string, v any) {
	items, ok := v.([]any)
	if !ok {
		c.fail(key, "write a list such as [0, 1]", "is %s, want a list of numbers", typeName(v))
		return
	}
	for _, it := range items {
		if i, ok := it.(int64); !ok || i < 0 || i > 255 {
			c.fail(key, "exit codes go from 0 to 255", "holds %v", it)
			return
		}
	}
}

func (c *checker) mapping(key string, n node, v any) {
	m, ok := v.(map[string]any)
	if !ok {
		c.fail(key, "write { name = value }", "is %s, want a table", typeName(v))
		return
	}
	for _, k := range slices.Sorted(maps.Keys(m)) {
		child := join(key, k)
		if n.kind == globMap {
			if !doublestar.ValidatePattern(k) {
				c.fail(child, `close every "[" and "{" of the pattern`, "%q is not a glob", k)
			}
			c.list(child, node{kind: globs}, m[k])
			continue
		}
		if _, ok := m[k].(string); !ok {
			c.fail(child, "write it in quotes", "is %s, want a string", typeName(m[k]))
		}
	}
}

// whole checks what no single key shows.
func (c *checker) whole(cfg Config) {
	c.projects(cfg)
	c.commands(cfg)
	c.chat(cfg.Fixers.Chat)
}

// chat checks where the prompts go: a key and code in the clear are for this
// machine and its own network only.
func (c *checker) chat(cfg Chat) {
	switch {
	case cfg.URL == "" && (cfg.Model != "" || cfg.KeyEnv != ""):
		c.fail("fixers.chat", `add url = "https://…/v1"`, "has no url")
		return
	case cfg.URL == "":
		return
	case cfg.Model == "":
		c.fail("fixers.chat", "add model = …", "has no model")
	case strings.ContainsAny(cfg.KeyEnv, "= "):
		c.fail("fixers.chat.key_env", "name the variable that holds the key", "%q is not a variable's name", cfg.KeyEnv)
	}
	u, err := url.Parse(cfg.URL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		c.fail("fixers.chat.url", `write the base address, such as "https://api.openai.com/v1"`, "%q is not an address", cfg.URL)
	case u.User != nil:
		c.fail("fixers.chat.url", "name the variable that holds the key in key_env", "holds a password")
	case u.Scheme == "http" && !isNear(u.Hostname()):
		c.fail("fixers.chat.url", "write https://", "%q would send code and the key in the clear", cfg.URL)
	}
}

// isNear tells this machine and addresses that lead no further than its own
// network.
func isNear(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") || host == "host.docker.internal" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast())
}

func (c *checker) projects(cfg Config) {
	type id struct{ root, framework string }
	seen := map[id]int{}
	for i, p := range cfg.Project {
		k := id{path.Clean(p.Root), p.Framework}
		if first, dup := seen[k]; dup {
			c.fail(fmt.Sprintf("project[%d]", i), "keep one of the two, or give them different roots",
				"%s in %q is already set by project[%d]", p.Framework, p.Root, first)
		}
		seen[k] = i
		c.args(i, p)
		for name, value := range p.Env {
			if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(value, "\x00") {
				c.fail(fmt.Sprintf("project[%d].env", i), `write NAME = "value"`, "%q is not a variable that a process can have", name)
			}
		}
	}
}

func (c *checker) commands(cfg Config) {
	fixers := append(FixerNames(), "chat")
	names := map[string]bool{"chat": true}
	for i, f := range cfg.Fixers.Command {
		if slices.Contains(FixerNames(), f.Name) {
			c.fail(fmt.Sprintf("fixers.command[%d].name", i), "names tell fixers apart", "%q is the name of a built-in fixer", f.Name)
		}
		if names[f.Name] {
			c.fail(fmt.Sprintf("fixers.command[%d].name", i), "names tell fixers apart", "%q is used twice", f.Name)
		}
		names[f.Name] = true
		for _, e := range f.Env {
			if strings.ContainsAny(e, "= ") {
				c.fail(fmt.Sprintf("fixers.command[%d].env", i), "list names of variables to pass on, without values", "%q is not a variable's name", e)
			}
		}
		fixers = append(fixers, f.Name)
	}
	for _, d := range cfg.Fixers.Disabled {
		c.text("fixers.disabled", node{kind: word, words: fixers}, d)
	}
}

func tableList(v any) ([]any, bool) {
	switch l := v.(type) {
	case []map[string]any:
		out := make([]any, len(l))
		for i := range l {
			out[i] = l[i]
		}
		return out, true
	case []any:
		return l, true
	}
	return nil, false
}

func typeName(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case bool:
		return "a boolean"
	case int64:
		return "an integer"
	case float64:
		return "a float"
	case time.Time:
		return "a date"
	case []any, []map[string]any:
		return "a list"
	}
	return "a table"
}

// ParseSize reads a size in bytes such as "512M"; "" is 0, no limit. Suffixes
// are powers of 1024.
func ParseSize(s string) (int64, error) {
	if s == "" {
		return 0, nil
	}
	digits := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(s, "B"), "i"), "KMGT")
	unit := strings.TrimSuffix(strings.TrimSuffix(s[len(digits):], "B"), "i")
	shift, ok := map[string]uint{"": 0, "K": 10, "M": 20, "G": 30, "T": 40}[unit]
	n, err := strconv.ParseInt(digits, 10, 64)
	if !ok || err != nil || n <= 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	return n << shift, nil
}
