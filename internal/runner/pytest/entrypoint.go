package pytest

import (
	"path"
	"strings"

	"github.com/BurntSushi/toml"
)

// entryPoints are the modules of the project's own package that pytest loads
// as plugins because the installed package says so (the group pytest11). Every
// test runs with them, though none imports them.
func (l *layout) entryPoints() []string {
	var out []string
	for dir := path.Clean(l.project); ; dir = path.Dir(dir) {
		out = append(out, pyprojectPlugins(l.read(path.Join(dir, "pyproject.toml")))...)
		out = append(out, setupPlugins(l.read(path.Join(dir, "setup.cfg")))...)
		out = append(out, scriptPlugins(l.read(path.Join(dir, "setup.py")))...)
		if dir == "." || dir == "/" {
			return out
		}
	}
}

// pyprojectPlugins reads the standard table and poetry's.
func pyprojectPlugins(text []byte) []string {
	type groups struct {
		Pytest11 map[string]string `toml:"pytest11"`
	}
	var doc struct {
		Project struct {
			EntryPoints groups `toml:"entry-points"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Plugins groups `toml:"plugins"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}
	// A file that does not parse is told of elsewhere.
	if err := toml.Unmarshal(text, &doc); err != nil {
		return nil
	}
	var out []string
	for _, g := range []groups{doc.Project.EntryPoints, doc.Tool.Poetry.Plugins} {
		for _, target := range g.Pytest11 {
			out = append(out, entryModule(target))
		}
	}
	return out
}

// setupPlugins reads setup.cfg.
func setupPlugins(text []byte) []string {
	var out []string
	for line := range strings.Lines(parseINI(text)["options.entry_points"]["pytest11"]) {
		if _, target, ok := strings.Cut(line, "="); ok {
			out = append(out, entryModule(target))
		}
	}
	return out
}

// scriptPlugins reads the literal strings that follow "pytest11" in setup.py,
// up to the end of the list.
func scriptPlugins(text []byte) []string {
	var out []string
	for _, s := range scan(text) {
		in := false
		for _, t := range s.toks {
			switch {
			case t.kind == tokString && stringText(t.text) == "pytest11":
				in = true
			case t.text == "]" || t.text == "}" || t.text == ")":
				in = false
			case in && t.kind == tokString:
				if _, target, ok := strings.Cut(stringText(t.text), "="); ok {
					out = append(out, entryModule(target))
				}
			}
		}
	}
	return out
}

// entryModule is the module of "package.module:object [extra]".
func entryModule(target string) string {
	target, _, _ = strings.Cut(target, ":")
	target, _, _ = strings.Cut(target, "[")
	return strings.TrimSpace(target)
}
