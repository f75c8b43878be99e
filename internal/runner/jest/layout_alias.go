package jest

import (
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner/node"
)

var capture = lazyregexp.New(`\$\d`)

// aliases reads moduleNameMapper: "^@/(.*)$" to "<rootDir>/src/$1" is "@/*" to
// "src/*". What maps no literal beginning (styles, images) is of no use here.
func (r *reading) aliases(c config) {
	for _, m := range c.ModuleNameMapper {
		if len(m) < 2 {
			continue
		}
		pattern, _ := m[0].(string)
		var target string
		switch v := m[1].(type) {
		case string:
			target = v
		case []any:
			if len(v) > 0 {
				target, _ = v[0].(string)
			}
		}
		key, rest, _, ok := node.PatternPrefix(pattern)
		if !ok || target == "" {
			continue
		}
		at := capture.FindStringIndex(target)
		if rest != (at != nil) {
			continue // one file for many names, or a part of the name used
		}
		tail := ""
		if at != nil {
			target, tail = target[:at[0]], target[at[1]:]
		}
		rel, ok := node.Rel(r.context, strings.TrimSuffix(target, "/"))
		if !ok {
			continue
		}
		if strings.HasSuffix(target, "/") {
			rel += "/"
		}
		if r.layout.Aliases == nil {
			r.layout.Aliases = map[string]string{}
		}
		if rest {
			key += "*"
			rel += "*" + tail
		}
		r.layout.Aliases[key] = rel
	}
	for _, d := range append(append([]string{}, c.ModuleDirectories...), c.ModulePaths...) {
		if d != "node_modules" && !strings.HasSuffix(d, "/node_modules") {
			r.guess("modules are also looked for in %s", d)
		}
	}
}
