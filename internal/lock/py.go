package lock

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/BurntSushi/toml"
)

// Normal is the normal form of a Python distribution's name.
func Normal(name string) string {
	var b strings.Builder
	dash := false
	for _, r := range strings.ToLower(strings.TrimSpace(name)) {
		if r == '-' || r == '_' || r == '.' {
			dash = true
			continue
		}
		if dash && b.Len() > 0 {
			b.WriteByte('-')
		}
		dash = false
		b.WriteRune(r)
	}
	return b.String()
}

// requirement is the distribution that a line such as "Name[extra]>=1 ; marker" asks for.
func requirement(line string) string {
	line = strings.TrimSpace(line)
	end := strings.IndexFunc(line, func(r rune) bool {
		return !(r == '-' || r == '_' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
	})
	if end >= 0 {
		line = line[:end]
	}
	return Normal(line)
}

// tomlLock reads poetry.lock, uv.lock and pdm.lock.
func tomlLock(src []byte) (*File, error) {
	var doc struct {
		Package []struct {
			Name, Version string
			Source        any
			Files         any
			Sdist         any
			Wheels        any
			Dependencies  any
			Optional      any `toml:"optional-dependencies"`
			Dev           any `toml:"dev-dependencies"`
		}
		Version  any
		Metadata any
	}
	if _, err := toml.Decode(string(src), &doc); err != nil {
		return nil, err
	}
	if doc.Package == nil && doc.Version == nil && doc.Metadata == nil && len(strings.TrimSpace(string(src))) > 0 {
		return nil, errors.New("no packages")
	}
	f := newFile("py")
	for _, p := range doc.Package {
		if p.Name == "" {
			return nil, errors.New("a package without a name")
		}
		content, err := json.Marshal([]any{p.Version, p.Source, p.Files, p.Sdist, p.Wheels})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name, err)
		}
		var needs []string
		for _, d := range []any{p.Dependencies, p.Optional, p.Dev} {
			needs = append(needs, tomlNeeds(d)...)
		}
		add := f.add(Normal(p.Name), string(content), needs...)
		if s, ok := p.Source.(map[string]any); ok {
			for _, k := range []string{"editable", "virtual", "directory"} {
				_, local := s[k]
				add.Local = add.Local || local
			}
		}
	}
	return f, nil
}

// tomlNeeds reads a table by name (poetry), a list of tables with names (uv)
// or of requirements (pdm), and tables of such lists (extras).
func tomlNeeds(v any) (out []string) {
	switch v := v.(type) {
	case map[string]any:
		for name, sub := range v {
			if list, ok := sub.([]map[string]any); ok {
				out = append(out, tomlNeeds(list)...)
			} else if list, ok := sub.([]any); ok && len(list) > 0 {
				if more := tomlNeeds(list); len(more) > 0 {
					out = append(out, more...)
				}
			}
			out = append(out, Normal(name))
		}
	case []map[string]any:
		for _, m := range v {
			if s, ok := m["name"].(string); ok {
				out = append(out, Normal(s))
			}
		}
	case []any:
		for _, e := range v {
			switch e := e.(type) {
			case string:
				out = append(out, requirement(e))
			case map[string]any:
				if s, ok := e["name"].(string); ok {
					out = append(out, Normal(s))
				}
			}
		}
	}
	return out
}

func pipenv(src []byte) (*File, error) {
	var doc map[string]map[string]json.RawMessage
	if err := json.Unmarshal(src, &doc); err != nil {
		return nil, err
	}
	f := newFile("py")
	f.Flat = true
	for section, packages := range doc {
		if section == "_meta" {
			continue
		}
		for name, raw := range packages {
			var e map[string]any
			if err := json.Unmarshal(raw, &e); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			delete(e, "index")
			content, err := json.Marshal(e)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			f.add(Normal(name), section+" "+string(content))
		}
	}
	return f, nil
}

// requirements reads pip's requirement and constraint files. Options and
// other files that are included are kept as a package of no name: a change
// there may change anything.
func requirements(src []byte) (*File, error) {
	f := newFile("py")
	f.Flat = true
	text := strings.ReplaceAll(strings.ReplaceAll(string(src), "\r\n", "\n"), "\\\n", " ")
	for _, line := range strings.Split(text, "\n") {
		if i := strings.Index(line, " #"); i >= 0 {
			line = line[:i]
		}
		line = strings.Join(strings.Fields(line), " ")
		if line == "" || line[0] == '#' {
			continue
		}
		name := requirement(line)
		if line[0] == '-' || strings.Contains(name, "://") || strings.Contains(line, "://") && !strings.Contains(line, "@") {
			name = ""
		}
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "/") {
			name = ""
		}
		if name == "" {
			f.add("", line)
			continue
		}
		f.add(name, line)
	}
	return f, nil
}
