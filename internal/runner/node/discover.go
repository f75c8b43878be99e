package node

import (
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/runner"
)

// Discover lists the tests that a file declares, also where it does not
// parse. names are test functions of the project's own ("effectTest") beside
// the usual ones. A title that is computed is "", and a table whose rows can
// be counted counts them.
func Discover(file string, src []byte, names ...string) []runner.Decl {
	var out []runner.Decl
	for _, d := range outline(js.Language{}, file, src, names) {
		if d.kind != declTest {
			continue
		}
		out = append(out, runner.Decl{Path: d.path, Line: d.line, Skipped: d.skipped, Count: d.count})
	}
	return out
}

// Declaration is where a test is declared: the call of it or test.
func Declaration(c Context, test runner.TestID) (runner.Place, bool) {
	d, ok := c.find(test.File, func(d decl) int {
		if d.kind != declTest {
			return 0
		}
		return likeness(d.path, test.Path)
	})
	return runner.Place{File: test.File, Line: d.line, Column: d.column}, ok
}

// HookCall is where the hook that a test ran is declared. hook is its name as
// the framework has it: beforeAll, "before all" hook, …; "" is any.
func HookCall(c Context, test runner.TestID, hook string) (runner.Place, bool) {
	want := hookNames(hook)
	d, ok := c.find(test.File, func(d decl) int {
		if d.kind != declHook || len(d.path) > len(test.Path) || want != nil && !slices.Contains(want, d.name) {
			return 0
		}
		if len(d.path) == 0 {
			return 1
		}
		return likeness(d.path, test.Path[:len(d.path)])
	})
	return runner.Place{File: test.File, Line: d.line, Column: d.column}, ok
}

// Enclosing is the test or the hook whose call a place of a test file stands
// in: the hook's name, or "" for a test.
func Enclosing(c Context, at runner.Place) (hook string, ok bool) {
	src, read := c.read(at.File)
	if !read || at.Line <= 0 {
		return "", false
	}
	for _, d := range outline(js.Language{}, at.File, src, nil) {
		if d.kind == declSuite || at.Line < d.line || at.Line > d.last {
			continue
		}
		ok, hook = true, "" // a later one that holds the line too is inside
		if d.kind == declHook {
			hook = d.name
		}
	}
	return hook, ok
}

// find gives the declaration that score likes best, the first of equals.
func (c Context) find(file string, score func(decl) int) (decl, bool) {
	src, ok := c.read(file)
	if !ok {
		return decl{}, false
	}
	best, at := 0, decl{}
	for _, d := range outline(js.Language{}, file, src, nil) {
		if s := score(d); s > best {
			best, at = s, d
		}
	}
	return at, best > 0
}

// likeness compares declared titles with a test's; 0 is another test. A
// computed title may be any.
func likeness(declared, titles []string) int {
	if len(declared) != len(titles) {
		return 0
	}
	n := 1 + len(declared)
	for i, d := range declared {
		switch d {
		case titles[i]:
			n += 2
		case "":
		default:
			return 0
		}
	}
	return n
}

func hookNames(hook string) []string {
	h := strings.ToLower(strings.NewReplacer(`"`, "", " ", "", "hook", "", "{", "", "}", "").Replace(hook))
	switch {
	case h == "":
		return nil
	case strings.HasPrefix(h, "beforeeach"), h == "setup":
		return []string{"beforeEach", "setup"}
	case strings.HasPrefix(h, "aftereach"), h == "teardown":
		return []string{"afterEach", "teardown"}
	case strings.HasPrefix(h, "before"), h == "suitesetup":
		return []string{"beforeAll", "before", "suiteSetup"}
	case strings.HasPrefix(h, "after"), h == "suiteteardown":
		return []string{"afterAll", "after", "suiteTeardown"}
	}
	return nil
}

type declKind int

const (
	declTest declKind = iota
	declSuite
	declHook
)

// decl is one call that declares something.
type decl struct {
	kind         declKind
	name         string // the function called
	path         []string
	line, column int
	last         int // the line of the closing bracket
	skipped      bool
	count        int
}

var declarers = map[string]declKind{
	"it": declTest, "test": declTest, "specify": declTest,
	"xit": declTest, "xtest": declTest, "xspecify": declTest, "fit": declTest, "ftest": declTest,
	"describe": declSuite, "context": declSuite, "suite": declSuite,
	"xdescribe": declSuite, "xcontext": declSuite, "fdescribe": declSuite, "fcontext": declSuite,
	"beforeAll": declHook, "afterAll": declHook, "beforeEach": declHook, "afterEach": declHook,
	"before": declHook, "after": declHook,
	"setup": declHook, "teardown": declHook, "suiteSetup": declHook, "suiteTeardown": declHook,
}

// open is a suite whose closing bracket was not seen yet.
type open struct {
	decl
	depth  int // of its opening bracket
	indent int // of its line
}

// outline walks a file's tokens for declarations.
func outline(l lang.Language, file string, src []byte, names []string) []decl {
	p := &pieces{src: src}
	for _, t := range l.Tokens(file, src) {
		if t.Kind != lang.Comment {
			p.toks = append(p.toks, t)
		}
	}
	own := map[string]declKind{}
	for _, n := range names {
		own[n] = declTest
	}
	balanced := p.balanced()
	isJSX := path.Ext(file) == ".jsx" || path.Ext(file) == ".tsx"
	var out []decl
	var suites []open
	depth := 0
	for i := 0; i < len(p.toks); i++ {
		switch s := p.punct(i); s {
		case "(", "[", "{":
			depth++
			continue
		case ")", "]", "}":
			depth--
			for len(suites) > 0 && balanced && depth < suites[len(suites)-1].depth {
				suites = suites[:len(suites)-1]
			}
			continue
		}
		kind, ok := own[p.text(i)]
		if !ok {
			kind, ok = declarers[p.text(i)]
		}
		if !ok || p.toks[i].Kind != lang.Ident && p.toks[i].Kind != lang.Keyword || !p.callable(i) || isJSX && p.text(i-1) == "<" {
			continue
		}
		c, ok := p.call(i)
		if c.extended {
			if n := p.assigned(i); n != "" {
				own[n] = kind
			}
			continue
		}
		if !ok {
			continue
		}
		d := decl{kind: kind, name: p.text(i), count: c.count, skipped: c.skipped || p.text(i)[0] == 'x'}
		d.line, d.column = lineAt(src, p.toks[i].Start)
		d.last = d.line
		if end := p.closing(c.open); end > 0 {
			d.last, _ = lineAt(src, p.toks[end].Start)
		}
		indent := p.indent(i)
		for !balanced && len(suites) > 0 && indent <= suites[len(suites)-1].indent {
			suites = suites[:len(suites)-1]
		}
		if n := len(suites); n > 0 {
			d.path = slices.Clone(suites[n-1].path)
			d.skipped = d.skipped || suites[n-1].skipped
			d.count *= suites[n-1].count
		}
		if kind != declHook {
			d.path = append(d.path, c.title)
		}
		out = append(out, d)
		if kind == declSuite {
			suites = append(suites, open{decl: d, depth: depth + 1, indent: indent})
		}
		// Go on inside the arguments: what stands there is declared too.
		i = c.open
		depth++
	}
	return out
}
