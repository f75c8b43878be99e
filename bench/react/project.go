//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// model is a project of modules in eight layers, the lower the fewer. Each
// module imports one to four of the layers below, and has a test file.
type model struct {
	framework
	n         int
	deps, rev [][]int
	leaf, mid int // one test file depends on the first, about ten on the second
}

func newModel(n int, f framework) *model {
	m := &model{framework: f, n: n}
	seed := uint32(12345)
	next := func(k int) int {
		seed = seed*1103515245 + 12345
		return int(seed>>8) % k
	}
	for i := range n {
		var deps []int
		for range 1 + next(4) {
			if low := m.below(i); low > 0 {
				dep := next(low)
				if next(5) > 0 { // mostly of the layer just below
					dep = max(low-1-next(1+low/3), 0)
				}
				deps = append(deps, dep)
			}
		}
		slices.Sort(deps)
		m.deps = append(m.deps, slices.Compact(deps))
	}
	m.rev = make([][]int, n)
	for i, deps := range m.deps {
		for _, d := range deps {
			m.rev[d] = append(m.rev[d], i)
		}
	}
	best := n
	for i := range n {
		c := len(m.dependents(i))
		if c == 1 {
			m.leaf = i
		}
		if off := max(c-10, 10-c); off < best {
			best, m.mid = off, i
		}
	}
	return m
}

// below is the first module of i's layer.
func (m *model) below(i int) int {
	first, sum := 0, 0
	for _, percent := range []int{2, 5, 8, 12, 18, 20, 20, 15} {
		sum += percent
		end := max(first+1, m.n*sum/100)
		if i < end {
			break
		}
		first = end
	}
	return first
}

// dependents are the modules whose tests a module can affect, itself first.
func (m *model) dependents(i int) []int {
	out := []int{i}
	have := map[int]bool{i: true}
	for at := 0; at < len(out); at++ {
		for _, j := range m.rev[out[at]] {
			if !have[j] {
				have[j] = true
				out = append(out, j)
			}
		}
	}
	return out
}

func (m *model) tests(i int) []string {
	var out []string
	for _, j := range m.dependents(i) {
		out = append(out, m.test(j))
	}
	slices.Sort(out)
	return out
}

func (m *model) file(i int) string {
	if m.python {
		return fmt.Sprintf("app/d%d/m%d.py", i%20, i)
	}
	return fmt.Sprintf("src/d%d/m%d.js", i%20, i)
}

func (m *model) test(i int) string {
	if m.python {
		return fmt.Sprintf("tests/test_m%d.py", i)
	}
	return strings.TrimSuffix(m.file(i), ".js") + ".test.js"
}

// text is a module, right or wrong; salt makes it another one of the kind.
func (m *model) text(i, salt int, wrong bool) string {
	var b strings.Builder
	one := 1
	if wrong {
		one = 2
	}
	for _, d := range m.deps[i] {
		switch {
		case m.python:
			fmt.Fprintf(&b, "from app.d%d.m%d import f%d\n", d%20, d, d)
		case m.modules:
			fmt.Fprintf(&b, "import { f%d } from '../d%d/m%d.js';\n", d, d%20, d)
		default:
			fmt.Fprintf(&b, "const { f%d } = require('../d%d/m%d.js');\n", d, d%20, d)
		}
	}
	uses := ""
	for _, d := range m.deps[i] {
		uses += fmt.Sprintf(" + f%d(x) * 0", d)
	}
	if m.python {
		fmt.Fprintf(&b, "\nSALT = %d\nTABLE = [k * %d for k in range(8)]\n\n\ndef f%d(x):\n    return x + %d%s\n\n\ndef get%d(k):\n    return TABLE[k %% 8]\n", salt, i, i, one, uses, i)
		return b.String()
	}
	export := "export "
	if !m.modules {
		export = ""
	}
	fmt.Fprintf(&b, "%sconst salt%d = %d;\nconst table = Array.from({ length: 8 }, (_, k) => k * %d);\n%sfunction f%d(x) {\n  return x + %d%s;\n}\n%sfunction get%d(k) {\n  return table[k %% 8];\n}\n",
		export, i, salt, i, export, i, one, uses, export, i)
	if !m.modules {
		fmt.Fprintf(&b, "module.exports = { salt%d, f%d, get%d };\n", i, i, i)
	}
	return b.String()
}

func (m *model) testText(i int) string {
	if m.python {
		return fmt.Sprintf("from app.d%d.m%d import f%d, get%d\n\n\ndef test_f():\n    assert f%d(1) == 2\n\n\ndef test_get():\n    assert get%d(3) == %d\n\n\ndef test_wraps():\n    assert get%d(11) == %d\n",
			i%20, i, i, i, i, i, 3*i, i, 3*i)
	}
	names := fmt.Sprintf("f%d, get%d", i, i)
	head := fmt.Sprintf("const { %s } = require('./m%d.js');\n", names, i)
	if m.modules {
		head = fmt.Sprintf("import { %s } from './m%d.js';\n", names, i)
	}
	equal := func(a string, b int) string { return fmt.Sprintf("expect(%s).toBe(%d)", a, b) }
	if m.assert {
		equal = func(a string, b int) string { return fmt.Sprintf("assert.strictEqual(%s, %d)", a, b) }
	}
	return m.head + head + fmt.Sprintf("describe('m%d', () => {\n  it('adds', () => { %s; });\n  it('gets', () => { %s; });\n  it('wraps', () => { %s; });\n});\n",
		i, equal(fmt.Sprintf("f%d(1)", i), 2), equal(fmt.Sprintf("get%d(3)", i), 3*i), equal(fmt.Sprintf("get%d(11)", i), 3*i))
}

// project is the model on the disk.
type project struct {
	*model
	dir, home string
	environ   []string
}

func newProject(dir string, m *model, deps string) (*project, error) {
	p := &project{model: m, dir: filepath.Join(dir, "project"), home: filepath.Join(dir, "home")}
	from := filepath.Join(deps, m.installed)
	search := os.Getenv("PATH")
	if bin := filepath.Join(from, "node_modules", "node", "bin"); exists(bin) {
		search = bin + ":" + search
	}
	p.environ = []string{"PATH=" + search, "HOME=" + p.home, "TERM=xterm", "LANG=C.UTF-8", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"TMPDIR=" + filepath.Join(p.home, "tmp"), "XDG_STATE_HOME=" + filepath.Join(p.home, "state"), "XDG_RUNTIME_DIR=" + filepath.Join(p.home, "run"),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
	for _, name := range []string{"PYENV_ROOT", "NVM_DIR", "ASDF_DATA_DIR"} { // what shims need
		if v, ok := os.LookupEnv(name); ok {
			p.environ = append(p.environ, name+"="+v)
		}
	}
	var errs []error
	for _, d := range []string{"tmp", "state", "run"} {
		errs = append(errs, os.MkdirAll(filepath.Join(p.home, d), 0o700))
	}
	for rel, text := range m.config {
		errs = append(errs, p.put(rel, text))
	}
	errs = append(errs, p.put(".gitignore", "node_modules/\n.venv/\n__pycache__/\n.pytest_cache/\n"))
	for i := range m.n {
		errs = append(errs, p.put(m.file(i), m.text(i, 0, false)), p.put(m.test(i), m.testText(i)))
		if m.python {
			errs = append(errs, p.put("app/__init__.py", ""), p.put(path.Dir(m.file(i))+"/__init__.py", ""))
		}
	}
	packages := "node_modules"
	if m.python {
		packages = ".venv"
	}
	errs = append(errs, install(filepath.Join(from, packages), filepath.Join(p.dir, packages)))
	return p, errors.Join(append(errs, p.git("init", "-q", "-b", "main"), p.git("add", "-A"), p.git("commit", "-q", "-m", "first"))...)
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// install copies a framework, without the node that may lie beside it. Times
// are kept: compiled Python is good for a source of one time.
func install(from, to string) error {
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copy %s: %w: %s", from, err, out)
	}
	return os.RemoveAll(filepath.Join(to, "node"))
}

func (p *project) put(rel, text string) error {
	abs := filepath.Join(p.dir, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		return err
	}
	return os.WriteFile(abs, []byte(text), 0o644)
}

func (p *project) git(args ...string) error {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, p.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
	}
	return nil
}
