package affected

import (
	order "cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

// parse reads "path: line; line" entries into a tree.
func parse(entries ...string) mem {
	m := mem{}
	for _, e := range entries {
		name, text, _ := strings.Cut(e, ": ")
		m[strings.TrimSuffix(name, ":")] = strings.ReplaceAll(text, "; ", "\n")
	}
	return m
}

// change reads "M path", "D path" and "R old > new".
func change(list ...string) []Change {
	var out []Change
	for _, c := range list {
		kind, p, _ := strings.Cut(c, " ")
		switch kind {
		case "D":
			out = append(out, Change{Path: p, Deleted: true})
		case "R":
			from, to, _ := strings.Cut(p, " > ")
			out = append(out, Change{Path: to, From: from})
		default:
			out = append(out, Change{Path: p})
		}
	}
	return out
}

func picked(s *Set) []string {
	var out []string
	for _, t := range s.Tests {
		out = append(out, t.File)
	}
	return out
}

var basic = []string{"t/a_test.x: use s/a", "t/b_test.x: use s/b", "t/c_test.x:", "s/a.x: use s/b", "s/b.x: use s/c", "s/c.x:", "README.md:"}

func TestSelect(t *testing.T) {
	for _, tc := range []struct {
		name     string
		files    []string
		changes  []string
		projects []Project
		want     string
		why      string // the first test's chain
		reason   string
		all      bool
		idle     string // Unreached
	}{
		{name: "nothing", files: basic},
		{name: "nearest first", files: basic, changes: []string{"M s/b.x"}, want: "t/b_test.x t/a_test.x", why: "t/b_test.x imports s/b.x (changed)"},
		{name: "chain", files: basic, changes: []string{"M s/c.x"}, want: "t/b_test.x t/a_test.x", why: "t/b_test.x imports s/b.x | s/b.x imports s/c.x (changed)"},
		{name: "a test selects itself", files: basic, changes: []string{"M t/c_test.x"}, want: "t/c_test.x", why: "t/c_test.x changed"},
		{name: "a document selects nothing", files: basic, changes: []string{"M README.md"}, idle: "README.md"},
		{name: "cycle of imports", files: []string{"a_test.x: use a", "a.x: use b", "b.x: use a"}, changes: []string{"M a.x"}, want: "a_test.x"},
		{name: "deleted", files: basic, changes: []string{"D s/d.x", "M s/c.x"}, want: "t/b_test.x t/a_test.x", idle: "s/d.x"},
		{name: "deleted with importers", files: []string{"a_test.x: use s/a", "b_test.x: use s/b"}, changes: []string{"D s/a.x"}, want: "a_test.x", why: "a_test.x imported s/a.x (deleted)"},
		{name: "deleted before another that takes over", files: []string{"a_test.x: use s/a", "s/a/main.x:"}, changes: []string{"D s/a.x"}, want: "a_test.x", why: "a_test.x imported s/a.x (deleted)"},
		{name: "deleted folder of a computed import", files: []string{"a_test.x: wide p/", "p/b.x:"}, changes: []string{"D p/c.x"}, want: "a_test.x"},
		{name: "renamed", files: []string{"a_test.x: use s/a", "b_test.x: use s/n", "s/n.x:"}, changes: []string{"R s/a.x > s/n.x"}, want: "a_test.x b_test.x", why: "a_test.x imported s/a.x (renamed to s/n.x)"},
		{name: "new file that shadows", files: []string{"a_test.x: use s/a", "s/a.x:", "s/a/main.x:"}, changes: []string{"M s/a.x"}, want: "a_test.x"},
		{name: "mock and types", files: []string{"a_test.x: mock s/a", "b_test.x: types s/a", "s/a.x:"}, changes: []string{"M s/a.x"}, want: "a_test.x b_test.x", why: "a_test.x mocks s/a.x (changed)"},
		{name: "computed with a prefix", files: []string{"a_test.x: wide p/", "p/b.x: use c", "c.x:"}, changes: []string{"M c.x"}, want: "a_test.x", why: "a_test.x may import p/b.x | p/b.x imports c.x (changed)", reason: "a_test.x may import p/b.x: all of p/"},
		{name: "computed without a prefix", files: []string{"w/a_test.x: use w/l", "w/l.x: wide ", "w/z.x: use w/y", "w/y.x:", "v/y.x:"}, projects: []Project{project("w", "*_test.x")}, changes: []string{"M w/y.x"},
			want: "w/a_test.x", why: "w/a_test.x imports w/l.x | w/l.x may import w/y.x (changed)", reason: "w/l.x may import w/y.x: line 1 imports a computed path, so any file below w"},
		{name: "computed, other project", files: []string{"w/a_test.x: wide ", "v/y.x:"}, projects: []Project{project("w", "*_test.x")}, changes: []string{"M v/y.x"}, idle: "v/y.x"},
		{name: "global", files: append(basic, "setup.x: use helper", "helper.x:"), projects: []Project{project(".", "*_test.x", "setup.x")}, changes: []string{"M helper.x"},
			want: "t/a_test.x t/b_test.x t/c_test.x", why: "t/a_test.x is run with setup.x | setup.x imports helper.x (changed)", all: true, reason: "every test of fw in the repository is run with setup.x"},
		{name: "manifest", files: append(basic, "package.json: {}"), changes: []string{"M package.json"}, want: "t/a_test.x t/b_test.x t/c_test.x", why: "t/a_test.x is below package.json (changed)", all: true,
			reason: "package.json changed: everything below the repository depends on it"},
		{name: "manifest of a package and its users", files: []string{"p/a/yarn.lock:", "p/a/m.x:", "p/a/m_test.x:", "p/b/n_test.x: use p/a/m", "p/c/o_test.x:"}, changes: []string{"M p/a/yarn.lock"},
			want: "p/a/m_test.x p/b/n_test.x"},
		{name: "snapshot", files: []string{"t/a_test.x:", "t/b_test.x:", "t/__snapshots__/a_test.x.snap:"}, changes: []string{"M t/__snapshots__/a_test.x.snap"}, want: "t/a_test.x", why: "t/a_test.x has the snapshots t/__snapshots__/a_test.x.snap (changed)"},
		{name: "snapshot of another extension", files: []string{"a_test.x:", "b_test.x:", "__snapshots__/a_test.ambr:"}, changes: []string{"D __snapshots__/a_test.ambr"}, want: "a_test.x"},
		{name: "data beside the file", files: []string{"t/a_test.x: data d/x.json", "t/d/x.json:"}, changes: []string{"M t/d/x.json"}, want: "t/a_test.x", why: "t/a_test.x reads t/d/x.json (changed)"},
		{name: "data below the project", files: []string{"w/t/a_test.x: data d/x.json", "w/d/x.json:"}, projects: []Project{project("w", "*_test.x")}, changes: []string{"M w/d/x.json"}, want: "w/t/a_test.x"},
		{name: "data deleted", files: []string{"t/a_test.x: data d/x.json"}, changes: []string{"D t/d/x.json"}, want: "t/a_test.x"},
		{name: "data through a module", files: []string{"t/a_test.x: use s/l", "s/l.x: data ../d/x.json", "d/x.json:"}, changes: []string{"M d/x.json"}, want: "t/a_test.x"},
		{name: "data in a computed folder", files: []string{"t/a_test.x: data f/x.json", "other/f/x.json:", "other/x.json:"}, changes: []string{"M other/f/x.json"}, want: "t/a_test.x", reason: "t/a_test.x may read other/f/x.json: the folder of f/x.json is computed"},
		{name: "data folder", files: []string{"t/a_test.x: data f/", "t/f/g/x.json:", "t/h/y.json:"}, changes: []string{"M t/f/g/x.json", "M t/h/y.json"}, want: "t/a_test.x", idle: "t/h/y.json"},
		{name: "a bare name that others have too", files: []string{"t/a_test.x: data x.json", "p/x.json:", "q/x.json:"}, changes: []string{"M p/x.json"}, idle: "p/x.json"},
		{name: "a bare name that nobody else has", files: []string{"t/a_test.x: data x.json", "p/x.json:"}, changes: []string{"M p/x.json"}, want: "t/a_test.x"},
		{name: "a test of types that is gone", files: []string{"t/a_test.x:"}, changes: []string{"D t/props.test-d.x"}, idle: "t/props.test-d.x"},
		{name: "configuration of coverage and linters", files: []string{"t/a_test.x:", ".coveragerc:", ".nycrc.json:", ".c8rc:", ".pylintrc:", "oxlint.config.ts:"}, changes: []string{"M .coveragerc", "M .nycrc.json", "M .c8rc", "D .pylintrc", "M oxlint.config.ts"}, idle: ".c8rc .coveragerc .nycrc.json .pylintrc oxlint.config.ts"},
		{name: "deleted and loaded by its name alone", files: []string{"t/a_test.x:", "u/b_test.x:"}, changes: []string{"D t/hooks.x"}, want: "t/a_test.x", reason: "t/hooks.x is gone and nobody is known to have imported it: the tests of t are run"},
		{name: "deleted test", files: basic, changes: []string{"D t/gone_test.x"}, idle: "t/gone_test.x"},
		{name: "node_modules", files: append(basic, "node_modules/p/package.json: {}", "node_modules/p/a_test.x:"), changes: []string{"M node_modules/p/package.json", "M node_modules/p/a_test.x"}},
		{name: "nested working tree", files: append(basic, "wt/.git: gitdir", "wt/t/a_test.x: use s/a", "wt/s/c.x:"), changes: []string{"M wt/s/c.x", "M wt/t/a_test.x", "M s/a.x"}, want: "t/a_test.x"},
		{name: "names of any kind", files: []string{"t é/a_test.x: use s p/größe", "s p/größe.x: data d ä/x y.json", "d ä/x y.json:"}, changes: []string{"M d ä/x y.json"}, want: "t é/a_test.x", why: "t é/a_test.x imports s p/größe.x | s p/größe.x reads d ä/x y.json (changed)"},
		{name: "tool configuration", files: append(basic, "eslint.config.js:", ".prettierrc:", "docs/mkdocs.yml:"), changes: []string{"M eslint.config.js", "M .prettierrc", "M docs/mkdocs.yml"}, idle: ".prettierrc docs/mkdocs.yml eslint.config.js"},
		{name: "runner configuration that is gone", files: basic, changes: []string{"D fw.config.ts"}, want: "t/a_test.x t/b_test.x t/c_test.x", all: true, reason: "fw.config.ts deleted: everything below the repository depends on it"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.projects == nil {
				tc.projects = []Project{project(".", "*_test.x")}
			}
			s, err := Select(t.Context(), Input{Tree: parse(tc.files...), Languages: lang.Set{fake{}}, Projects: tc.projects, Changes: change(tc.changes...)})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(picked(s), " "); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
			if got := strings.Join(s.Unreached, " "); got != tc.idle {
				t.Errorf("unreached %q, want %q", got, tc.idle)
			}
			if tc.why != "" && len(s.Tests) > 0 {
				if diff := cmp.Diff(tc.why, strings.Join(s.Tests[0].Why, " | ")); diff != "" {
					t.Errorf("why (-want +got):\n%s", diff)
				}
			}
			if tc.reason != "" && s.Reason != tc.reason || s.All != tc.all {
				t.Errorf("all %v for %q (%q), want %v for %q", s.All, s.Reason, s.Widened, tc.all, tc.reason)
			}
			for _, test := range s.Tests {
				if !s.Reaches(test.File) {
					t.Errorf("Reaches(%s) = false", test.File)
				}
			}
		})
	}
}

// vercel/turborepo#10869: white space in the root's package.json is no change.
func TestManifestThatIsOnlyFormatted(t *testing.T) {
	in := Input{Tree: parse(append(basic, `package.json: {"a": 1,  "b": [2]}`, `tsconfig.json: {/* c */ "x": 1,}`)...), Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")},
		Changes: change("M package.json", "M tsconfig.json"),
		Base: func(f string) ([]byte, bool) {
			return map[string][]byte{"package.json": []byte(`{"b":[2],"a":1}`), "tsconfig.json": []byte(`{"x":1}`)}[f], true
		}}
	s, err := Select(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Tests) > 0 || len(s.Unreached) != 2 {
		t.Errorf("selected %v, unreached %v", picked(s), s.Unreached)
	}
	in.Base = func(string) ([]byte, bool) { return []byte(`{"a":2}`), true }
	if s, err = Select(t.Context(), in); err != nil || !s.All {
		t.Errorf("All = %v, %v after a real change", s.All, err)
	}
}

func TestDataGlobs(t *testing.T) {
	s, err := Select(t.Context(), Input{Tree: parse("t/a_test.x:", "t/sql_test.x:", "db/x/y.sql:"), Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")},
		Changes: change("M db/x/y.sql"), Data: map[string][]string{"db/**/*.sql": {"**/sql_*"}}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t/sql_test.x"}, picked(s)); diff != "" {
		t.Error(diff)
	}
}

func TestSeveralProjects(t *testing.T) {
	one, two := project(".", "*_test.x"), project("w", "*_test.x", "w/setup.x")
	two.Implicit = func(test string) []string { return []string{"w/ambient.x", "w/notes.txt"} }
	in := Input{Tree: parse("a_test.x:", "w/b_test.x:", "w/setup.x:", "w/ambient.x:"), Languages: lang.Set{fake{}}, Projects: []Project{one, two}}
	for change, want := range map[string]string{"w/setup.x": "w/b_test.x", "w/ambient.x": "w/b_test.x", "w/notes.txt": "w/b_test.x", "a_test.x": "a_test.x"} {
		in.Changes = []Change{{Path: change}}
		s, err := Select(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(picked(s), " "); got != want || s.All {
			t.Errorf("%s selects %q, all %v", change, got, s.All)
		}
	}
	in.Changes = nil
	s, err := All(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{0, 1}, s.Tests[1].Projects); diff != "" {
		t.Error(diff)
	}
}

func TestAll(t *testing.T) {
	s, err := All(t.Context(), Input{Tree: parse(basic...), Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")}, Changes: change("M s/a.x")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t/a_test.x", "t/b_test.x", "t/c_test.x"}, picked(s)); diff != "" || !s.All {
		t.Error(diff, s.All)
	}
	if !s.Reaches("t/a_test.x") || s.Reaches("t/b_test.x") {
		t.Error("All forgets which tests the changes reach")
	}
}

func TestQuestions(t *testing.T) {
	in := Input{Tree: parse(basic...), Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")}, Changes: change("M s/a.x"), BaseFiles: []string{"s/b.x"}}
	s, err := Select(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	g := s.Graph()
	if !g.Reaches("t/a_test.x", "s/c.x") || g.Reaches("t/c_test.x", "s/c.x") || g.Reaches("t/a_test.x", "no/such.x") {
		t.Error("Reaches is wrong")
	}
	if diff := cmp.Diff([]string{"t/a_test.x imports s/a.x (new)"}, s.WhyTest("t/a_test.x")); diff != "" {
		t.Error(diff)
	}
	for test, want := range map[string]string{"t/c_test.x": "leads from", "s/a.x": "not a test file", "nope": "not a file"} {
		if got := strings.Join(s.WhyTest(test), ""); !strings.Contains(got, want) {
			t.Errorf("WhyTest(%s) = %q, want %q in it", test, got, want)
		}
	}
	if got := s.WhyFile("s/b.x"); len(got) != 2 || got[0].File != "t/b_test.x" {
		t.Errorf("WhyFile = %v", got)
	}
}

func TestSelectIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Select(ctx, Input{Tree: parse(basic...), Languages: lang.Set{fake{}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Select with a context that is over: %v", err)
	}
}

// vitest-dev/vitest#7834: what failed last comes first.
func TestOrder(t *testing.T) {
	in := Input{Tree: parse(basic...), Languages: lang.Set{fake{}}, Projects: []Project{project(".", "*_test.x")}, Changes: change("M s/c.x", "M t/c_test.x"),
		Past: func(test string) (bool, time.Duration) {
			return test == "t/a_test.x", map[string]time.Duration{"t/b_test.x": time.Second}[test]
		}}
	s, err := Select(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t/a_test.x", "t/c_test.x", "t/b_test.x"}, picked(s)); diff != "" {
		t.Error(diff)
	}
	in.Changes = nil
	in.Past = func(test string) (bool, time.Duration) {
		return false, map[string]time.Duration{"t/b_test.x": time.Second, "t/c_test.x": time.Millisecond}[test]
	}
	if s, err = All(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t/c_test.x", "t/b_test.x", "t/a_test.x"}, picked(s)); diff != "" {
		t.Error(diff)
	}
}

// TestOrderAgainstPlain holds that the order is the one that Set.Tests tells,
// for random pasts and distances.
func TestOrderAgainstPlain(t *testing.T) {
	type past struct {
		failed bool
		took   time.Duration
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var tests []Test
		pasts := map[string]past{}
		for n := range 1 + r.IntN(40) {
			f := fmt.Sprintf("t%02d", n)
			tests = append(tests, Test{File: f, Distance: r.IntN(5) - 1})
			pasts[f] = past{r.IntN(3) == 0, time.Duration(r.IntN(4)) * time.Hour}
		}
		g := &Graph{}
		if seed%4 > 0 {
			g.in.Past = func(f string) (bool, time.Duration) { return pasts[f].failed, pasts[f].took }
		} else {
			clear(pasts)
		}
		unknownLast := func(n int64) int64 {
			if n <= 0 {
				return math.MaxInt64
			}
			return n
		}
		want := slices.Clone(tests)
		slices.SortStableFunc(want, func(a, b Test) int {
			x, y := pasts[a.File], pasts[b.File]
			switch {
			case x.failed != y.failed && x.failed:
				return -1
			case x.failed != y.failed:
				return 1
			}
			return order.Or(order.Compare(unknownLast(int64(a.Distance)+1), unknownLast(int64(b.Distance)+1)),
				order.Compare(unknownLast(int64(x.took)), unknownLast(int64(y.took))), strings.Compare(a.File, b.File))
		})
		if diff := cmp.Diff(want, g.sorted(tests)); diff != "" {
			t.Fatalf("seed %d (-plain +sorted):\n%s", seed, diff)
		}
	}
}

// TestBlind has a project whose configuration could not be read: any change
// selects all of its tests, says why, and selects no other's for it.
func TestBlind(t *testing.T) {
	blind := project("t", "*_test.x")
	blind.Blind = "its configuration does not load"
	in := Input{Tree: parse(append([]string{"u/u_test.x:"}, basic...)...), Languages: lang.Set{fake{}},
		Projects: []Project{blind, project("u", "*_test.x")}, Changes: change("M README.md")}
	s, err := Select(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t/a_test.x", "t/b_test.x", "t/c_test.x"}, picked(s)); diff != "" {
		t.Error(diff)
	}
	if want := "every test of fw in t may depend on README.md: its configuration does not load"; s.Reason != want {
		t.Errorf("Reason = %q, want %q", s.Reason, want)
	}
	if want := "t/a_test.x may depend on README.md (changed)"; len(s.Tests) == 0 || s.Tests[0].Why[0] != want {
		t.Errorf("Why = %v, want %q", s.Tests, want)
	}
}
