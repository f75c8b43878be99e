package affected

import (
	"encoding/json"
	"path"
	"strings"

	"regreen/internal/lazyregexp"
)

// relativeName is a quoted or bare relative path in a configuration.
var relativeName = lazyregexp.New(`(?m)(?:["'\s=])(\.{1,2}/[\w@./-]+)(?:["'\s,]|$)`)

// toolKeys are the parts of a package.json that set up what runs the tests.
var toolKeys = []string{"jest", "mocha", "babel", "vitest", "ava", "nyc", "c8"}

// presets makes what a configuration without code (.babelrc, .mocharc.yml, the
// jest part of a package.json) names by a relative path something that it
// depends on: presets, plugins, reporters.
func (g *Graph) presets(id int32) {
	file := g.nodes[id].name
	base := path.Base(file)
	// Babel takes plugins by name in code too; of another configuration in code
	// the framework tells what it is made of.
	babel := strings.HasPrefix(base, "babel.config.") || strings.HasPrefix(base, ".babelrc.")
	if g.nodes[id].owned && !babel || base != "package.json" && !isToolConfig(base) {
		return
	}
	src, err := g.in.Tree.ReadFile(file)
	if err != nil || len(src) > maxScan {
		return
	}
	text := string(src)
	if base == "package.json" {
		var m map[string]json.RawMessage
		if json.Unmarshal(src, &m) != nil {
			return
		}
		text = ""
		for _, k := range toolKeys {
			text += string(m[k]) + "\n"
		}
	}
	l := g.label("names", "")
	for _, m := range relativeName.FindAllStringSubmatch(text, -1) {
		for _, ending := range []string{"", ".js", ".cjs", ".mjs", ".ts", ".json", "/index.js", "/jest-preset.js", "/jest-preset.cjs", "/jest-preset.json"} {
			if to, ok := g.ids[path.Join(path.Dir(file), m[1])+ending]; ok {
				g.always(id, to, l)
			}
		}
	}
}
