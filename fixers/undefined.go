package fixers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// undefinedVariable mends names that nothing binds.
type undefinedVariable struct{}

func (undefinedVariable) Name() string { return "undefined_variable" }

func (undefinedVariable) Kinds() []runner.Kind { return []runner.Kind{runner.UndefinedVariable} }

// unbound is a use of a name that nothing binds.
type unbound struct {
	t    *text
	name string
	i    int // the use's token
}

func (u unbound) offset() int { return u.t.significant()[u.i].Start }

// Fix looks for a lost or missing import before it thinks of a misspelling: a
// name that is simply absent has a near neighbour in scope in up to 40 % of
// cases.
func (undefinedVariable) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	u, ok := v.unbound(c)
	if !ok {
		return nil, nil
	}
	var out []Fix
	for _, find := range []func(Cause, unbound) []Fix{
		v.lostImport, v.exportOfName, v.asOthersImport, v.frameworkGlobal, v.standardName, v.renamedDefinition, v.restoredName,
	} {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out = append(out, find(c, u)...)
	}
	if len(out) == 0 {
		out = v.spelling(u)
	}
	return out, nil
}

// unbound finds the use that a cause is about.
func (v *view) unbound(c Cause) (unbound, bool) {
	name := strings.TrimSpace(c.Symbol)
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || !v.own(p.File) || name == "" {
			continue
		}
		lines := []int{p.Line, 0}
		if p.Line == 0 {
			lines = lines[1:]
		}
		for _, line := range lines {
			best := -1
			for _, i := range t.idents(name, line) {
				if t.isMember(i) || boundAt(t, t.significant()[i].Start, name) {
					continue
				}
				col := t.significant()[i].Start - t.line(t.lineOf(t.significant()[i].Start)).Start + 1
				if best < 0 || line > 0 && col == p.Column {
					best = i
				}
			}
			if best >= 0 {
				return unbound{t, name, best}, true
			}
		}
	}
	return unbound{}, false
}

// boundAt tells whether the text binds the name for code at the offset. A
// builtin does not count: the run has shown that it is not there.
func boundAt(t *text, offset int, name string) bool {
	return slices.ContainsFunc(t.lang.InScope(t.path, t.src, offset), func(b lang.Binding) bool { return b.Name == name && b.Kind != "builtin" })
}

// usableAt tells whether code at the offset can use the name.
func usableAt(t *text, offset int, name string) bool {
	return slices.ContainsFunc(t.lang.InScope(t.path, t.src, offset), func(b lang.Binding) bool { return b.Name == name })
}

// exportOfName imports the name from the file of the project that exports it.
func (v *view) exportOfName(_ Cause, u unbound) []Fix {
	if strings.HasPrefix(u.name, "_") {
		return nil
	}
	targets := v.exporters(u.t.lang, u.name, u.t.path)
	imported, rank := u.name, 2
	if len(targets) == 0 {
		targets, imported, rank = v.defaultExporters(u), "default", 7
	}
	var out []Fix
	for _, to := range targets {
		edits, spec, ok := v.addImport(u.t, to, lang.Name{Imported: imported, Local: u.name})
		if !ok {
			continue
		}
		f := Fix{Title: fmt.Sprintf("import %s from %s", u.name, spec), Applicability: Safe, Rank: rank, Edits: inFile(u.t.path, edits),
			Evidence: fmt.Sprintf("%s exports %s, and no other file does", to, u.name)}
		if imported == "default" {
			f.Applicability = Likely
		}
		if len(targets) > 1 {
			f.Applicability, f.Evidence = Propose, fmt.Sprintf("%d files export %s", len(targets), u.name)
		} else if v.reaches(to, u.t.path) {
			f.Applicability, f.Evidence = Propose, fmt.Sprintf("%s exports %s, but imports %s itself", to, u.name, u.t.path)
		}
		out = append(out, f)
	}
	return out[:min(len(out), 6)]
}

// defaultExporters are files with the name's own name and a default export.
func (v *view) defaultExporters(u unbound) []string {
	var out []string
	for _, rel := range v.sources(u.t.lang) {
		if baseName(rel) != u.name || rel == u.t.path || v.IsTest(rel) {
			continue
		}
		if _, ok := v.offers(rel).names["default"]; ok {
			out = append(out, rel)
		}
	}
	return out
}

// addImport imports a name of a target in the file's own way: through an
// import that it has already, of the target or of a module that offers the
// name again, else through a new one.
func (v *view) addImport(t *text, to string, n lang.Name) ([]lang.TextEdit, string, bool) {
	specs := v.Resolver(t.lang).Specifiers(t.path, to, v.neighbourStyle(t))
	for _, imp := range t.scan().Imports {
		if imp.Kind != lang.Static && imp.Kind != lang.From && imp.Kind != lang.Require || imp.Lazy || n.Imported == "*" {
			continue
		}
		p := primary(imp, v.resolve(t, imp))
		if p == to {
			specs = append([]string{imp.Specifier}, specs...)
			break
		}
		if p != "" && p != t.path && v.offers(p).origin[n.Imported] == to {
			specs = append([]string{imp.Specifier}, specs...)
		}
	}
	for _, s := range specs {
		edits, err := t.lang.AddImport(t.path, t.src, s, []lang.Name{n})
		if err == nil && len(edits) > 0 {
			return edits, s, true
		}
	}
	return nil, "", false
}

// neighbourStyle is how another file of the folder, else of the project, writes
// an import of the project's own files, for a file that has none itself.
func (v *view) neighbourStyle(t *text) string {
	own := func(o *text) string {
		for _, imp := range o.scan().Imports {
			if (imp.Kind == lang.Static || imp.Kind == lang.Require) && strings.HasPrefix(imp.Specifier, ".") && len(v.resolve(o, imp).Files) > 0 {
				return imp.Specifier
			}
		}
		return ""
	}
	if t.lang.Name() != "js" || own(t) != "" {
		return ""
	}
	far := ""
	for _, rel := range v.sources(t.lang) {
		o := v.text(rel)
		if o == nil || o.scan().CommonJS != t.scan().CommonJS || far != "" && dirOf(rel) != dirOf(t.path) {
			continue
		}
		if s := own(o); s != "" {
			if dirOf(rel) == dirOf(t.path) {
				return s
			}
			far = s
		}
	}
	return far
}

// reaches tells whether loading a file loads another one.
func (v *view) reaches(from, to string) bool {
	seen := map[string]bool{from: true}
	queue := []string{from}
	for len(queue) > 0 && len(seen) < 2000 {
		t := v.text(queue[0])
		queue = queue[1:]
		if t == nil {
			continue
		}
		for _, imp := range t.scan().Imports {
			if imp.Lazy || imp.Kind == lang.TypeOnly || imp.Kind == lang.Mock || imp.Kind == lang.Asset || !loads(imp) || imp.Kind == lang.Dynamic {
				continue
			}
			for _, f := range v.resolve(t, imp).Files {
				if f == to {
					return true
				}
				if !seen[f] {
					seen[f] = true
					queue = append(queue, f)
				}
			}
		}
	}
	return false
}

// asOthersImport does what all other files of the project that have the name
// do.
func (v *view) asOthersImport(_ Cause, u unbound) []Fix {
	type way struct{ target, spec, imported string }
	ways := map[way]int{}
	for _, rel := range v.sources(u.t.lang) {
		t := v.text(rel)
		if t == nil || rel == u.t.path || !t.mentions(u.name) {
			continue
		}
		for _, imp := range t.scan().Imports {
			if imp.Kind != lang.Static && imp.Kind != lang.From && imp.Kind != lang.Require {
				continue
			}
			for _, n := range imp.Names {
				if n.Local != u.name || n.TypeOnly {
					continue
				}
				r := v.resolve(t, imp)
				w := way{imported: n.Imported, target: primary(imp, r)}
				if sub := v.submodule(w.target, n.Imported); w.target == "" || sub != "" {
					w = way{imported: n.Imported, spec: imp.Specifier}
				}
				if r.Missing || strings.HasPrefix(w.spec, ".") {
					continue
				}
				ways[w]++
			}
		}
	}
	var out []Fix
	for w, n := range ways {
		name := lang.Name{Imported: w.imported, Local: u.name}
		var edits []lang.TextEdit
		spec, ok := w.spec, false
		if w.target != "" {
			if w.target == u.t.path || v.reaches(w.target, u.t.path) {
				continue
			}
			edits, spec, ok = v.addImport(u.t, w.target, name)
		} else {
			es, err := u.t.lang.AddImport(u.t.path, u.t.src, spec, []lang.Name{name})
			edits, ok = es, err == nil && len(es) > 0
		}
		if !ok {
			continue
		}
		f := Fix{Title: importTitle(u.t.lang, spec, name.Imported, u.name), Applicability: Likely, Rank: 4, Edits: inFile(u.t.path, edits),
			Evidence: fmt.Sprintf("%d other files import %s so", n, u.name)}
		if len(ways) > 1 {
			f.Applicability = Propose
		}
		out = append(out, f)
	}
	return out
}

// frameworkGlobal imports a test function that the file's other test
// functions come from.
func (v *view) frameworkGlobal(c Cause, u unbound) []Fix {
	if !v.IsTest(u.t.path) {
		return nil
	}
	for spec, names := range testFunctions {
		if !slices.Contains(names, u.name) {
			continue
		}
		has := slices.ContainsFunc(u.t.scan().Imports, func(i lang.Import) bool { return i.Specifier == spec })
		if !has && !(c.Project.Framework == spec) || u.t.lang.Name() != "js" {
			continue
		}
		edits, err := u.t.lang.AddImport(u.t.path, u.t.src, spec, []lang.Name{{Imported: u.name, Local: u.name}})
		if err != nil || len(edits) == 0 {
			continue
		}
		return []Fix{{Title: fmt.Sprintf("import %s from %s", u.name, spec), Applicability: Likely, Rank: 3, Edits: inFile(u.t.path, edits),
			Evidence: spec + " offers " + u.name}}
	}
	return nil
}

// testFunctions are what the frameworks' modules offer to a test file.
var testFunctions = map[string][]string{
	"vitest": {"describe", "it", "test", "suite", "expect", "assert", "vi", "beforeEach", "afterEach", "beforeAll", "afterAll",
		"bench", "expectTypeOf", "assertType", "onTestFailed", "onTestFinished"},
	"@jest/globals": {"describe", "it", "test", "expect", "jest", "beforeEach", "afterEach", "beforeAll", "afterAll", "xit", "xdescribe",
		"xtest", "fit", "fdescribe"},
	"mocha":     {"describe", "it", "before", "after", "beforeEach", "afterEach", "context", "specify", "suite", "test", "setup", "teardown"},
	"node:test": {"describe", "it", "test", "before", "after", "beforeEach", "afterEach", "mock", "suite"},
	"chai":      {"expect", "assert", "should"},
}
