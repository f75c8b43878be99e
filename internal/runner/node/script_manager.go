package node

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// managerFlags are flags of the package managers that take a value.
var managerFlags = []string{"-w", "--workspace", "--filter", "-F", "-C", "--dir", "--cwd", "--prefix", "--loglevel",
	"--workspace-concurrency", "--network-concurrency", "--jobs", "-j", "--include", "--exclude", "--from"}

// managed is one command of npm, pnpm, yarn or bun while it is read.
type managed struct {
	w       *walker
	name    string
	dir     string
	env     map[string]string
	rest    []word
	targets []string // workspaces by name, folder or glob; "*" is all
}

// manager reads a package manager's command. It follows scripts itself and
// returns what is left to look at: the words of an exec.
func (w *walker) manager(name, dir string, env map[string]string, words []word) []word {
	m := &managed{w: w, name: name, dir: dir, env: env, rest: words}
	m.flags()
	if len(m.rest) == 0 {
		return nil
	}
	verb := m.next()
	switch verb {
	case "test", "t", "tst", "it":
		if name == "bun" {
			return nil
		}
		m.follow("test")
		return nil
	case "run", "run-script", "rum", "urn":
		if m.flags(); len(m.rest) == 0 {
			return nil
		}
		script := m.next()
		mf := w.repo.manifests[m.dir]
		if name != "npm" && len(m.targets) == 0 && mf != nil && mf.scripts[script] == "" {
			// All but npm fall back to a binary of that name.
			return append([]word{{text: script}}, m.rest...)
		}
		m.follow(script)
		return nil
	case "exec", "x", "dlx":
		return m.exec()
	case "workspace": // yarn workspace NAME [run] SCRIPT
		if len(m.rest) > 0 {
			m.targets = []string{m.next()}
			m.again()
		}
		return nil
	case "workspaces": // yarn workspaces run|foreach [flags] [run] SCRIPT
		if len(m.rest) > 0 && (m.rest[0].text == "run" || m.rest[0].text == "foreach") {
			m.next()
		}
		m.rest, _ = skipFlags(m.rest, managerFlags...)
		m.targets = []string{"*"}
		m.again()
		return nil
	case "node":
		return append([]word{{text: "node"}}, m.rest...)
	}
	// yarn SCRIPT, pnpm SCRIPT, bun SCRIPT, or a binary of the project.
	if name == "npm" {
		return nil
	}
	if mf := w.repo.manifests[m.dir]; len(m.targets) > 0 || mf != nil && mf.scripts[verb] != "" {
		m.follow(verb)
		return nil
	}
	return append([]word{{text: verb}}, m.rest...)
}

func (m *managed) next() string {
	t := m.rest[0].text
	m.rest = m.rest[1:]
	return t
}

// flags takes the leading flags.
func (m *managed) flags() {
	for len(m.rest) > 0 && strings.HasPrefix(m.rest[0].text, "-") && m.rest[0].text != "--" {
		m.flag()
	}
}

// flag takes one flag, with its value.
func (m *managed) flag() {
	key, value, has := strings.Cut(m.next(), "=")
	root := m.name == "pnpm" && key == "-w" // pnpm's -w is the workspace's root
	if !has && !root && slices.Contains(managerFlags, key) && len(m.rest) > 0 {
		value = m.next()
	}
	switch key {
	case "-w", "--workspace", "--filter", "-F":
		if !root {
			m.targets = append(m.targets, strings.Trim(value, "{}."))
		}
	case "-r", "--recursive", "--workspaces", "-ws":
		m.targets = append(m.targets, "*")
	case "-C", "--dir", "--cwd", "--prefix":
		m.dir = path.Join(m.dir, value)
	}
}

// follow goes on in a script, of this folder or of the targets. npm hands only
// what stands after "--" to the script; the others hand on everything.
func (m *managed) follow(script string) {
	var extra []word
	for len(m.rest) > 0 {
		t := m.rest[0].text
		switch {
		case t == "--":
			extra = append(extra, m.rest[1:]...)
			m.rest = nil
		case strings.HasPrefix(t, "-") && (m.name == "npm" || t == "-r" || t == "--recursive" || strings.HasPrefix(t, "--filter")):
			m.flag()
		case m.name == "npm":
			m.next()
		default:
			extra = append(extra, m.rest[0])
			m.next()
		}
	}
	if notUnit.MatchString(script) {
		return
	}
	if len(m.targets) == 0 {
		m.w.script(m.dir, script, m.env, extra)
		return
	}
	m.each(func(sub string) { m.w.script(sub, script, m.env, extra) })
}

// exec gives the words that an exec starts here; in targets it follows them.
func (m *managed) exec() []word {
	rest, call := skipFlags(m.rest, "-p", "--package", "-c", "--call", "-w", "--workspace", "--filter")
	if call != "" {
		m.w.shell(m.dir, call, m.env, nil)
		return nil
	}
	if len(m.targets) > 0 {
		m.each(func(sub string) { m.w.command(sub, m.env, rest) })
		return nil
	}
	return rest
}

// again reads what is left as a command of the same manager in the targets.
func (m *managed) again() {
	if len(m.rest) > 0 {
		m.each(func(sub string) { m.w.command(sub, m.env, append([]word{{text: m.name}}, m.rest...)) })
	}
}

func (m *managed) each(fn func(dir string)) { m.w.each(m.dir, m.targets, fn) }

// each calls fn for the packages that the targets name.
func (w *walker) each(dir string, targets []string, fn func(dir string)) {
	w.delegated = true
	for _, p := range w.repo.packages(dir) {
		rel := strings.TrimPrefix(p.dir, strings.TrimPrefix(dir+"/", "./"))
		if slices.ContainsFunc(targets, func(t string) bool {
			t = strings.TrimSuffix(strings.TrimPrefix(t, "./"), "/")
			byName, _ := doublestar.Match(t, p.name)
			byDir, _ := doublestar.Match(t, rel)
			return t == "*" || t == "" || byName || byDir
		}) {
			fn(p.dir)
		}
	}
}

// named follows the scripts that a name or a pattern such as "test:*" means.
func (w *walker) named(dir, pattern string, env map[string]string) {
	m := w.repo.manifests[dir]
	if m == nil {
		return
	}
	pattern, _, _ = strings.Cut(pattern, " ")
	for _, n := range slices.Sorted(maps.Keys(m.scripts)) {
		ok, _ := path.Match(strings.ReplaceAll(pattern, "**", "*"), n)
		if ok && !notUnit.MatchString(n) {
			w.script(dir, n, env, nil)
		}
	}
}

// runAll reads npm-run-all and its short forms.
func (w *walker) runAll(dir string, env map[string]string, words []word) {
	for _, x := range words {
		if x.text == "--" {
			return
		}
		if !strings.HasPrefix(x.text, "-") {
			w.named(dir, x.text, env)
		}
	}
}

// delegate reads a task runner: every word that is a script of some package
// is followed there.
func (w *walker) delegate(dir string, env map[string]string, words []word) {
	w.delegated = true
	for i, x := range words {
		t := strings.TrimPrefix(x.text, "--target=")
		if t == "exec" && i+1 < len(words) {
			rest, _ := skipFlags(words[i+1:])
			w.each(dir, []string{"*"}, func(sub string) { w.command(sub, env, rest) })
			return
		}
		if strings.HasPrefix(t, "-") || t == "run" || t == "run-many" || t == "affected" || notUnit.MatchString(t) {
			continue
		}
		for _, m := range w.repo.packages(dir) {
			if _, ok := m.scripts[t]; ok {
				w.script(m.dir, t, env, nil)
			}
		}
	}
}
