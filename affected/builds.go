package affected

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// tscRunners are packages with which code may compile by any configuration, beside
// starters.
var tscRunners = []string{"typescript", "ts-node", "ts-morph"}

// buildEffect narrows a change of a compiler's configuration of a build to those
// who may start the build, beside those who name the file. What loads TypeScript
// for tests goes by tsconfig.json, what that extends or refers to, and what its
// own configuration names.
func (g *Graph) buildEffect(file string) (e effect, ok bool) {
	if !g.buildOnly(file, nil) {
		return effect{}, false
	}
	e = effect{narrow: true, verb: "may compile by", note: fmt.Sprintf("%s says how to build: only what may start that", file)}
	for _, s := range slices.Concat(tscRunners, starters) {
		e.packages = append(e.packages, g.pkg(g.languageOf("js"), s))
	}
	return e, true
}

// buildOnly tells whether a file is called as the configuration of a build and no
// configuration names it but such ones. over are the files that are asked about
// already.
func (g *Graph) buildOnly(file string, over []string) bool {
	base := path.Base(file)
	if !lang.ForBuild(base) || g.languageOf("js") < 0 {
		return false
	}
	for _, p := range g.in.Projects {
		if p.Blind != "" || slices.Contains(p.Global, file) {
			return false
		}
		text := strings.Join(slices.Concat(p.Command, p.Args), "\n")
		for k, v := range p.Env {
			text += "\n" + k + "=" + v
		}
		for _, env := range []string{".env", ".env.local", ".env.test", ".env.test.local"} {
			if src, err := g.in.Tree.ReadFile(path.Join(p.Root, env)); err == nil {
				text += "\n" + string(src)
			}
		}
		if mayName(text, base) {
			return false
		}
	}
	over = append(over, file)
	for _, c := range g.configs() {
		text := string(c.text)
		if path.Base(c.file) == "package.json" {
			text = withoutScripts(c.text)
		}
		if !slices.Contains(over, c.file) && mayName(text, base) && !g.buildOnly(c.file, over) {
			return false
		}
	}
	return true
}

// withoutScripts is what a manifest says beside its scripts: those that run tests
// are a project's arguments, others are started by code.
func withoutScripts(text []byte) string {
	var m map[string]json.RawMessage
	if json.Unmarshal(text, &m) != nil {
		return string(text)
	}
	delete(m, "scripts")
	out, err := json.Marshal(m)
	if err != nil {
		return string(text)
	}
	return string(out)
}

// mayName tells whether a text names a tsconfig file, with or without its ending,
// or puts together a name that could be its.
func mayName(text, base string) bool {
	const word = "tsconfig"
	for {
		_, rest, found := strings.Cut(text, word)
		if !found {
			return false
		}
		text = rest
		end := 0
		for end < len(rest) && (rest[end] == '.' || rest[end] == '-' || rest[end] == '_' || rest[end] >= '0' && rest[end] <= '9' || rest[end] >= 'a' && rest[end] <= 'z' || rest[end] >= 'A' && rest[end] <= 'Z') {
			end++
		}
		name := word + rest[:end]
		after := strings.TrimLeft(rest[end:], "\"'` \t)")
		switch {
		case name == base || name+".json" == base:
			return true
		case end > 0 && rest[0] != '.': // another word: tsconfigPaths, vite-tsconfig-paths
		case end > 0 && strings.HasSuffix(name, "."), strings.HasPrefix(rest[end:], "$"), strings.HasPrefix(after, "+"), end < len(rest) && strings.ContainsRune("*?{[", rune(rest[end])):
			return true
		}
	}
}
