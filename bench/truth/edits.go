package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// edit is one change of the repository. Its functions write to the tree.
type edit struct {
	kind, what string
	// plausible is what the selection sees.
	plausible func() error
	// loud makes it one that no test that depends on it can miss; nil where the
	// plausible one is.
	loud func() error
	// site throws where the edit is, when the function around it runs; nil where
	// it is in none.
	site func() error
	// silent: nothing can depend on it.
	silent bool
}

// kinds of edits with their weights.
var kinds = []struct {
	name   string
	weight int
}{{"body", 36}, {"delete", 12}, {"move", 12}, {"add", 12}, {"config", 10}, {"data", 10}, {"comment", 8}}

// editor makes edits of a tree.
type editor struct {
	root  string
	files []string
	tests map[string]bool
	langs lang.Set
	rand  *rand.Rand
	n     int
}

func newEditor(root string, files, tests []string, seed uint64) *editor {
	e := &editor{root: root, files: files, tests: map[string]bool{}, langs: lang.Set{js.Language{}, py.New("")}, rand: rand.New(rand.NewPCG(seed, 7))}
	for _, t := range tests {
		e.tests[t] = true
	}
	return e
}

func (e *editor) abs(rel string) string { return filepath.Join(e.root, filepath.FromSlash(rel)) }

// next makes an edit; only names the kind, "" for any.
func (e *editor) next(only string) (edit, bool) {
	for range 1000 {
		kind := only
		if kind == "" {
			sum := 0
			for _, k := range kinds {
				sum += k.weight
			}
			at := e.rand.IntN(sum)
			for _, k := range kinds {
				if kind, at = k.name, at-k.weight; at < 0 {
					break
				}
			}
		}
		e.n++
		if ed, ok := e.make(kind); ok {
			ed.kind = kind
			return ed, true
		}
	}
	return edit{}, false
}

func (e *editor) make(kind string) (edit, bool) {
	switch kind {
	case "body":
		return e.body(e.source())
	case "delete":
		f := e.source()
		return edit{what: f, plausible: func() error { return os.Remove(e.abs(f)) }}, f != ""
	case "move":
		return e.move(e.source())
	case "add":
		return e.add(e.source())
	case "config":
		return e.config()
	case "data":
		return e.data()
	case "comment":
		return e.comment(e.source())
	}
	return edit{}, false
}

// source picks a source file, seldom a test.
func (e *editor) source() string {
	wantTest := e.rand.IntN(8) == 0
	var of []string
	for _, f := range e.files {
		if e.langs.For(f) == nil || e.tests[f] != wantTest || isConfig(f) || strings.HasSuffix(f, ".d.ts") || strings.HasSuffix(f, ".pyi") || e.aside(f) {
			continue
		}
		of = append(of, f)
	}
	return e.pick(of)
}

// aside are folders of programs that are no part of what is tested; a few of
// their files are edited all the same.
func (e *editor) aside(f string) bool {
	first, _, deep := strings.Cut(f, "/")
	return deep && slices.Contains([]string{"docs", "website", "scripts", "tools", "benchmarks", "benchmark", "bench", "perf"}, first) && e.rand.IntN(8) > 0
}

func (e *editor) pick(of []string) string {
	if len(of) == 0 {
		return ""
	}
	return of[e.rand.IntN(len(of))]
}

// body changes a number or a string inside something that the file exports, or
// anywhere where there is none.
func (e *editor) body(f string) (edit, bool) {
	if f == "" {
		return edit{}, false
	}
	src, err := os.ReadFile(e.abs(f))
	l := e.langs.For(f)
	if err != nil {
		return edit{}, false
	}
	var inside, any []lang.Token
	exports := l.Scan(f, src).Exports
	imports := l.Scan(f, src).Imports
	for _, t := range l.Tokens(f, src) {
		text := src[t.Start:t.End]
		if t.Kind != lang.Number && (t.Kind != lang.String || len(text) < 3 || text[0] != '"' && text[0] != '\'') || bytes.HasPrefix(text, []byte(`"""`)) {
			continue
		}
		if slices.ContainsFunc(imports, func(i lang.Import) bool { return i.Span.Start <= t.Start && t.End <= i.Span.End }) {
			continue
		}
		any = append(any, t)
		if slices.ContainsFunc(exports, func(x lang.Export) bool { return x.Body.Start < t.Start && t.End <= x.Body.End }) {
			inside = append(inside, t)
		}
	}
	if len(inside) == 0 {
		inside = any
	}
	if len(inside) == 0 {
		return edit{}, false
	}
	t := inside[e.rand.IntN(len(inside))]
	text := string(src[t.Start:t.End])
	next := text[:1] + "x" + text[1:]
	if t.Kind == lang.Number {
		next = "7"
		if text == "7" {
			next = "8"
		}
	}
	now := lang.Apply(src, []lang.TextEdit{{Span: t.Span, New: next}})
	line := 1 + bytes.Count(src[:t.Start], []byte("\n"))
	return edit{what: f + ":" + strconv.Itoa(line), plausible: e.write(f, now), loud: e.write(f, append(bytes.Clone(src), throws(f)...)), site: e.site(l, f, src, t)}, true
}

// site makes a value inside a function of a module throw when it is asked for.
func (e *editor) site(l lang.Language, f string, src []byte, t lang.Token) func() error {
	if path.Ext(f) == ".py" {
		return nil // nothing of Python is spared
	}
	inside := slices.ContainsFunc(l.Scan(f, src).Defs, func(d lang.Export) bool {
		before := src[max(d.Body.Start, 0):max(d.Body.Start, min(t.Start, len(src)))]
		return d.Body.Start < t.Start && t.End <= d.Body.End &&
			(d.Kind == "Func" || d.Kind == "Class" || bytes.Contains(before, []byte("=>")) || bytes.Contains(before, []byte("function")))
	})
	now := lang.Apply(src, []lang.TextEdit{{Span: t.Span, New: "(() => { throw new Error('regreen truth') })()"}})
	if bad, err := l.Check(context.Background(), f, now); !inside || bad != nil || err != nil {
		return nil // a type, or a key
	}
	return e.write(f, now)
}

// throws is code that stops whoever loads the file.
func throws(f string) string {
	if path.Ext(f) == ".py" {
		return "\nraise RuntimeError('regreen truth')\n"
	}
	return "\n;throw new Error('regreen truth');\n"
}

func (e *editor) write(f string, text []byte) func() error {
	return func() error {
		if err := os.MkdirAll(filepath.Dir(e.abs(f)), 0o755); err != nil {
			return err
		}
		return os.WriteFile(e.abs(f), text, 0o644)
	}
}

func (e *editor) move(f string) (edit, bool) {
	if f == "" {
		return edit{}, false
	}
	dir, base := path.Split(f)
	to := dir + "moved_" + base
	if e.tests[f] {
		to = dir + strings.Replace(base, "test_", "test_moved_", 1)
	}
	if to == f {
		to = dir + "moved-" + base
	}
	return edit{what: f + " to " + to, plausible: func() error { return os.Rename(e.abs(f), e.abs(to)) }}, true
}

// add makes a file that throws: a new test, or one that stands where an import
// of another would find it first.
func (e *editor) add(f string) (edit, bool) {
	if f == "" {
		return edit{}, false
	}
	dir, base := path.Split(f)
	ext := path.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	var to string
	switch e.rand.IntN(4) {
	case 0: // a new test
		tests := make([]string, 0, len(e.tests))
		for t := range e.tests {
			tests = append(tests, t)
		}
		slices.Sort(tests)
		t := e.pick(tests)
		to = path.Dir(t) + "/" + strings.Replace(path.Base(t), "test_", "test_new_", 1)
		if to == t {
			to = path.Dir(t) + "/new-" + path.Base(t)
		}
	case 1: // of the same name with another ending
		switch ext {
		case ".py":
			to = dir + stem + "/__init__.py"
		case ".ts", ".tsx", ".mts":
			to = dir + stem + ".js"
		default:
			to = dir + stem + ".ts"
		}
	case 2: // beside a folder with an index
		parent := path.Clean(dir)
		if parent == "." || stem != "index" && stem != "__init__" {
			return edit{}, false
		}
		to = parent + ext
	default: // loaded by its name alone, or by nobody
		to = dir + map[bool]string{true: "conftest.py", false: "new" + ext}[ext == ".py"]
	}
	if _, err := os.Stat(e.abs(to)); err == nil {
		return edit{}, false
	}
	return edit{what: to, plausible: e.write(to, []byte(throws(to)))}, true
}

// isConfig knows files that a runner, a compiler or a package manager reads.
func isConfig(f string) bool {
	base := path.Base(f)
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasSuffix(stem, ".config") || strings.HasPrefix(base, ".") || slices.Contains([]string{"setup.py", "noxfile.py", "conf.py"}, base)
}

// config breaks or deletes a file by which tests are run.
func (e *editor) config() (edit, bool) {
	var of []string
	for _, f := range e.files {
		base := path.Base(f)
		if isConfig(f) || strings.HasPrefix(base, "tsconfig") || slices.Contains([]string{"package.json", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "conftest.py"}, base) {
			of = append(of, f)
		}
	}
	f := e.pick(of)
	if f == "" {
		return edit{}, false
	}
	src, err := os.ReadFile(e.abs(f))
	if err != nil {
		return edit{}, false
	}
	if e.rand.IntN(4) == 0 {
		return edit{what: f + " is deleted", plausible: func() error { return os.Remove(e.abs(f)) }}, true
	}
	if l := e.langs.For(f); l != nil {
		return edit{what: f, plausible: e.write(f, append(bytes.Clone(src), throws(f)...))}, true
	}
	return edit{what: f, plausible: e.write(f, append(bytes.Clone(src), "\n]] rubbish\n"...))}, true
}

// data fills a file that is no source with rubbish, deletes or moves it, or adds
// one beside it.
func (e *editor) data() (edit, bool) {
	var of []string
	for _, f := range e.files {
		base := path.Base(f)
		fi, err := os.Lstat(e.abs(f))
		if err != nil || !fi.Mode().IsRegular() || e.langs.For(f) != nil || isConfig(f) || strings.HasPrefix(base, "tsconfig") || strings.HasPrefix(f, ".") || strings.Contains(base, "lock") ||
			slices.Contains([]string{"package.json", "pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini", "requirements.txt"}, base) || e.aside(f) {
			continue
		}
		of = append(of, f)
	}
	f := e.pick(of)
	if f == "" {
		return edit{}, false
	}
	rubbish := []byte("regreen truth {{[[\n")
	dir, base := path.Split(f)
	switch e.rand.IntN(8) {
	case 0:
		return edit{what: f + " is deleted", plausible: func() error { return os.Remove(e.abs(f)) }}, true
	case 1:
		return e.move(f)
	case 2:
		return edit{what: dir + "new-" + base + " is added", plausible: e.write(dir+"new-"+base, rubbish)}, true
	}
	return edit{what: f, plausible: e.write(f, rubbish)}, true
}

// comment adds a comment and breaks lines where that means nothing.
func (e *editor) comment(f string) (edit, bool) {
	if f == "" {
		return edit{}, false
	}
	src, err := os.ReadFile(e.abs(f))
	if err != nil {
		return edit{}, false
	}
	mark := "//"
	if path.Ext(f) == ".py" {
		mark = "#"
	}
	return edit{what: f, silent: true, plausible: e.write(f, append(bytes.Clone(src), fmt.Sprintf("\n%s a remark\n\n", mark)...))}, true
}
