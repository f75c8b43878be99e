package fixers

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

func TestIsProtected(t *testing.T) {
	for rel, want := range map[string]bool{
		"src/calc.ts": false, "shop/calc.py": false, "src/config.ts": false, "src/requirements_parser.py": false, "test/a.test.js": false,
		"src/environment.ts": false, "tests/conftest.py": false, "src/vite.ts": false, "src/jest-helpers.ts": false,
		"package.json": true, "web/package.json": true, "package-lock.json": true, "yarn.lock": true, "pyproject.toml": true, "pytest.ini": true,
		"setup.cfg": true, "setup.py": true, "requirements-dev.txt": true, "vitest.config.ts": true, "jest.config.cjs": true, ".mocharc.yml": true,
		"vitest.workspace.ts": true, "tsconfig.build.json": true, ".env.test": true, ".github/workflows/ci.yml": true, ".ci/run": true,
		"node_modules/x/index.js": true, "a/node_modules/x/index.js": true, "test/__snapshots__/a.snap": true, ".venv/lib/x.py": true,
		"": true, "../x.js": true, "/x.js": true, "a/../b.js": true, "a\\b.js": true, "regreen.toml": true, "Makefile": true,
	} {
		if got := IsProtected(rel); got != want {
			t.Errorf("IsProtected(%q) = %v, want %v", rel, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"abc", "abc", 0}, {"abc", "acb", 2}, {"total", "totl", 2}, {"total", "Total", 1}, {"abc", "", 6}, {"größe", "grösse", 4},
		{"kitten", "sitting", 6},
	} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != got {
			t.Errorf("distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestClearWin(t *testing.T) {
	for _, c := range []struct {
		wrong string
		names []string
		want  string
	}{
		{"totl", []string{"total", "print", "title"}, "total"},
		{"item", []string{"items", "itemx"}, ""},
		{"ab", []string{"abc"}, ""},
		{"path", []string{"patterns"}, ""},
		{"getUsers", []string{"getUsers", "getUser"}, "getUser"},
		{"user", []string{"use"}, "use"},
		{"result", []string{"request", "resolve"}, ""},
		{"sub", []string{"sum", "subtotal"}, ""},
	} {
		if got, _ := clearWin(nearest(c.wrong, c.names)); got != c.want {
			t.Errorf("the name meant by %q among %v = %q, want %q", c.wrong, c.names, got, c.want)
		}
	}
}

func TestFixApply(t *testing.T) {
	read := func(rel string) ([]byte, error) {
		if rel != "a.js" {
			return nil, errors.New("no such file")
		}
		return []byte("let a = b;\n"), nil
	}
	f := Fix{Edits: []Edit{{"a.js", 8, 9, "c"}, {"a.js", 4, 5, "x"}, {"a.js", 0, 0, "// y\n"}}}
	got, err := f.Apply(read)
	if err != nil || string(got["a.js"]) != "// y\nlet x = c;\n" {
		t.Errorf("Apply = %q, %v", got, err)
	}
	for _, bad := range []Fix{
		{Edits: []Edit{{"a.js", 4, 9, ""}, {"a.js", 8, 9, ""}}},
		{Edits: []Edit{{"a.js", 4, 99, ""}}},
		{Edits: []Edit{{"a.js", -1, 0, ""}}},
		{Edits: []Edit{{"b.js", 0, 0, ""}}},
	} {
		if got, err := bad.Apply(read); err == nil {
			t.Errorf("Apply(%v) = %q, want an error", bad.Edits, got)
		}
	}
}

func TestSealIsStable(t *testing.T) {
	a := Fix{Rule: "r", Title: "one", Edits: []Edit{{"b.js", 1, 2, "x"}, {"a.js", 3, 3, "y"}}}
	b := Fix{Rule: "r", Title: "two", Edits: []Edit{{"a.js", 3, 3, "y"}, {"b.js", 1, 2, "x"}}}
	a.Seal()
	b.Seal()
	if a.ID != b.ID || a.ID == "" {
		t.Errorf("the same edits have the IDs %q and %q", a.ID, b.ID)
	}
	b.Rule = "other"
	b.Seal()
	if a.ID == b.ID {
		t.Error("two rules share an ID")
	}
}

// wild is a fixer that proposes what it must not.
type wild struct{ fixes []Fix }

func (wild) Name() string                                           { return "wild" }
func (wild) Kinds() []runner.Kind                                   { return []runner.Kind{runner.Unknown} }
func (w wild) Fix(context.Context, Cause, Workspace) ([]Fix, error) { return w.fixes, nil }

func TestCandidatesHoldsTheRules(t *testing.T) {
	now := map[string]string{"src/a.js": "export const a = 1;\n", "package.json": "{}\n", "node_modules/x/i.js": "let a;\n"}
	w := newMemory(languages(t), now, now)
	good := Fix{Title: "good", Rank: 2, Applicability: Likely, Edits: []Edit{{"src/a.js", 17, 18, "2"}}}
	twin := Fix{Title: "a twin", Rank: 3, Applicability: Likely, Edits: []Edit{{"src/a.js", 17, 18, "2"}}}
	first := Fix{Title: "first", Rank: 1, Applicability: Propose, Edits: []Edit{{"src/a.js", 13, 14, "b"}}}
	fs := []Fixer{wild{[]Fix{twin, good, first,
		{Title: "breaks the syntax", Edits: []Edit{{"src/a.js", 0, 0, "("}}},
		{Title: "no change", Edits: []Edit{{"src/a.js", 17, 18, "1"}}},
		{Title: "no edits", Applicability: Likely},
		{Title: "manifest", Edits: []Edit{{"package.json", 0, 0, " "}}},
		{Title: "installed code", Edits: []Edit{{"node_modules/x/i.js", 0, 0, " "}}},
		{Title: "no such file", Edits: []Edit{{"src/b.js", 0, 0, " "}}},
		{Title: "outside", Edits: []Edit{{"../a.js", 0, 0, " "}}},
		{Title: "overlap", Edits: []Edit{{"src/a.js", 0, 5, "x"}, {"src/a.js", 3, 6, "y"}}},
	}}}
	got, err := Candidates(t.Context(), Cause{Kind: runner.Unknown}, w, fs)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, f := range got {
		titles = append(titles, f.Title)
		if f.ID == "" || f.Rule != "wild" || f.Kind != runner.Unknown {
			t.Errorf("%q is not sealed: %+v", f.Title, f)
		}
	}
	if diff := cmp.Diff([]string{"first", "good"}, titles); diff != "" {
		t.Errorf("candidates differ (-want +got):\n%s", diff)
	}
}

func TestNewLeavesOutTheDisabled(t *testing.T) {
	all, some := New(Options{}), New(Options{Disabled: []string{"missing_await", "syntax_error"}})
	if len(some) != len(all)-2 {
		t.Errorf("%d fixers without two of %d", len(some), len(all))
	}
	for _, f := range some {
		if f.Name() == "missing_await" || f.Name() == "syntax_error" {
			t.Errorf("%s is disabled and there", f.Name())
		}
	}
}

// TestUnreadableInput: texts that no tokenizer likes must cost nothing but a
// candidate.
func TestUnreadableInput(t *testing.T) {
	langs := languages(t)
	for _, src := range []string{"", "\xff\xfe\x00", "((((((((", "'\n`${`${", "\"\"\"", "def\n\tdef\n  def", "import {", "from . import (", "a\r\nb\rc", "\ufeffimport x"} {
		for _, file := range []string{"src/a.js", "shop/a.py", "src/a.tsx", "src/a.vue"} {
			w := newMemory(langs, map[string]string{file: "x = 1\n"}, map[string]string{file: src})
			for _, k := range []runner.Kind{runner.MissingImport, runner.MissingExport, runner.UndefinedVariable, runner.AttributeError,
				runner.SyntaxError, runner.Timeout, runner.AssertionMismatch, runner.SnapshotMismatch} {
				c := Cause{Kind: k, Place: runner.Place{File: file, Line: 1, Column: 1}, Symbol: "a", Failures: []runner.Failure{{}}}
				if _, err := Candidates(t.Context(), c, w, New(Options{UpdateAssertions: true})); err != nil {
					t.Errorf("%s with %q: %v", k, src, err)
				}
			}
		}
	}
}
