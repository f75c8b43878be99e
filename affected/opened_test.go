package affected_test

import (
	"strings"
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// TestOpened: what runs were seen to open is known from then on, and changes
// that only loading could see stay so (vitest-dev/vitest#3378,
// tarpas/pytest-testmon#49).
func TestOpened(t *testing.T) {
	now := tree("a.test.js", "read(name)\n", "b.test.js", "import './lib.js'\n", "c.test.js", "require('./load.js')\n",
		"lib.js", "", "data/x.json", "1", "data/y.json", "1", "data/new/deep/y.json", "1",
		"data/kept/k.json", "1", "data/kept/y.json", "1", "load.js", "module.exports = (n) => require(n)\n", "plugin.js", "", "other.js", "", "package.json", "{}", "tsconfig.build.json", "{}")
	seen := &affected.Opened{
		Read:     map[string][]string{"data/x.json": {"a.test.js"}, "lib.js": {"b.test.js", "gone.test.js"}, "package.json": {"a.test.js"}, "tsconfig.build.json": {"b.test.js"}},
		Listed:   map[string][]string{"data": {"b.test.js"}},
		Loaded:   map[string][]string{"plugin.js": {"load.js"}, "load.js": {"c.test.js"}},
		Requires: map[string]bool{"load.js": true},
		Whole:    map[string]bool{"c.test.js": true},
	}
	cases := []struct {
		name, change, want string
		traced             bool
	}{
		{name: "a file that a test read", change: "data/x.json", want: "a.test.js"},
		{name: "what says how to build, that a test read", change: "tsconfig.build.json", want: "b.test.js"},
		{name: "a file that no test read", change: "data/y.json"},
		{name: "what a computed import may load", change: "other.js", want: "c.test.js"},
		{name: "what a computed import was not seen to load", change: "other.js", traced: true},
		{name: "what a computed import was seen to load", change: "plugin.js", want: "c.test.js", traced: true},
	}
	// The same of a name of which a part is computed.
	part := tree("c.test.js", "require('./load.js')\n", "load.js", "module.exports = (n) => require('./plug/' + n)\n", "plug/one.js", "exports.a = 1\n", "plug/two.js", "")
	in := affected.Input{Tree: part, Languages: lang.Set{js.Language{}}, Projects: []affected.Project{node(".")},
		Opened: &affected.Opened{Requires: map[string]bool{"load.js": true}, Whole: map[string]bool{"c.test.js": true}, Loaded: map[string][]string{"plug/one.js": {"load.js"}}}}
	for change, want := range map[string]string{"M plug/one.js": "c.test.js", "M plug/two.js": "", "A plug/two.js": "c.test.js", "D plug/three.js": "c.test.js"} {
		in.Traced, in.Executed = true, ranAsNow("c.test.js")
		if got := selectInput(t, in, part, change); got != want {
			t.Errorf("%s: selected %q, want %q", change, got, want)
		}
		in.Traced = false
		if got := selectInput(t, in, part, change); got != "c.test.js" {
			t.Errorf("%s without traced: selected %q", change, got)
		}
	}
	// A source with import() counts where that was seen as well.
	withImport := tree("c.test.js", "import './load.js'\n", "load.js", "export default (n) => import(n)\n", "other.js", "")
	for _, imports := range []bool{false, true} {
		o := &affected.Opened{Requires: map[string]bool{"load.js": true}, Imports: map[string]bool{"load.js": imports}, Whole: map[string]bool{"c.test.js": true}}
		in := affected.Input{Tree: withImport, Languages: lang.Set{js.Language{}}, Projects: []affected.Project{node(".")}, Opened: o, Traced: true, Executed: ranAsNow("c.test.js")}
		if got := selectInput(t, in, withImport, "M other.js"); (got == "") != imports {
			t.Errorf("import() seen %v: selected %q", imports, got)
		}
	}
	// What one test was seen to load through it tells nothing of a test that was not
	// seen, at whatever distance, and be it that a computed import leads there.
	two := tree("c.test.js", "import './load.js'\n", "d.test.js", "import './far.js'\n", "far.js", "import './load.js'\n",
		"e.test.js", "export default (n) => import(n)\n", "load.js", "export default (n) => import(n)\n", "other.js", "")
	for whole, want := range map[string]string{
		"c.test.js d.test.js e.test.js": "",
		"c.test.js e.test.js":           "c.test.js d.test.js e.test.js",
		"c.test.js d.test.js":           "c.test.js d.test.js e.test.js",
	} {
		o := &affected.Opened{Imports: map[string]bool{"load.js": true, "e.test.js": true}, Whole: map[string]bool{}}
		for _, test := range strings.Fields(whole) {
			o.Whole[test] = true
		}
		in := affected.Input{Tree: two, Languages: lang.Set{js.Language{}}, Projects: []affected.Project{node(".")}, Opened: o, Traced: true, Executed: ranAsNow("c.test.js", "d.test.js", "e.test.js")}
		if got := selectInput(t, in, two, "M other.js"); got != want {
			t.Errorf("with whole runs of %q alone: selected %q, want %q", whole, got, want)
		}
	}
	languages := lang.Set{js.Language{}, py.New("")}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			set, err := affected.Select(t.Context(), affected.Input{Tree: now, Languages: languages, Projects: []affected.Project{node(".")},
				Changes: []affected.Change{{Path: tc.change}}, BaseFiles: now.Files(), Opened: seen, Traced: tc.traced, Executed: ranAsNow("c.test.js")})
			if err != nil {
				t.Fatal(err)
			}
			if got := names(set); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
	for _, tc := range []struct {
		name, change, want string
		traced             bool
	}{
		{name: "a new file in a folder that a test listed", change: "A data/y.json", want: "b.test.js"},
		{name: "a deleted one", change: "D data/z.json", want: "b.test.js"},
		{name: "a new file in a new folder there", change: "A data/new/deep/y.json", want: "b.test.js"},
		{name: "a deleted one whose folder goes with it", change: "D data/old/deep/z.json", want: "b.test.js"},
		{name: "a moved one whose folder goes with it", change: "R data/old/z.json > data/kept/k.json", want: "b.test.js"},
		{name: "a new file in a folder that was there", change: "A data/kept/y.json"},
		{name: "a deleted one of a folder that stays", change: "D data/kept/z.json"},
		{name: "a changed one", change: "M data/y.json"},
		{name: "a new file may be loaded by a computed import", change: "A other.js", want: "c.test.js", traced: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := selectInput(t, affected.Input{Tree: now, Languages: languages, Projects: []affected.Project{node(".")}, Opened: seen, Traced: tc.traced, Executed: ranAsNow("c.test.js")}, now, tc.change); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("a comment in what is loaded", func(t *testing.T) {
		base := func(string) ([]byte, bool) { return []byte("// a remark\n"), true }
		set, err := affected.Select(t.Context(), affected.Input{Tree: now, Languages: languages, Projects: []affected.Project{node(".")},
			Changes: []affected.Change{{Path: "lib.js"}}, Base: base, BaseFiles: now.Files(), Opened: seen})
		if err != nil {
			t.Fatal(err)
		}
		if got := names(set); got != "" {
			t.Errorf("selected %q, want nothing", got)
		}
	})
}

// ranAsNow is that tests loaded all that they load in a tree like the present one.
func ranAsNow(tests ...string) *affected.Executed {
	e := &affected.Executed{Loaded: map[string]*affected.Loaded{}}
	for _, test := range tests {
		e.Loaded[test] = &affected.Loaded{}
	}
	return e
}

// TestOpenedBefore: what a computed import was seen to load stands for what it may
// load only as long as the test that ran it would load the same again.
func TestOpenedBefore(t *testing.T) {
	now := tree("c.test.js", "require('./load.js')\n", "load.js", "const c = require('./config.json'); module.exports = require('./plug/' + c.name)\n", "config.json", `{"name":"two"}`,
		"plug/one.js", "", "plug/two.js", "", "README.md", "", "d.test.js", "")
	for _, tc := range []struct {
		name     string
		executed *affected.Executed
		want     string
	}{
		{name: "the tree is the same", executed: ranAsNow("c.test.js")},
		{name: "nothing is known of the test", executed: ranAsNow("d.test.js"), want: "c.test.js"},
		{name: "nothing is known", want: "c.test.js"},
		{name: "what it loads was another file", executed: &affected.Executed{Loaded: map[string]*affected.Loaded{"c.test.js": {Apart: []string{"config.json"}}}}, want: "c.test.js"},
		{name: "what it does not load was another file", executed: &affected.Executed{Loaded: map[string]*affected.Loaded{"c.test.js": {Apart: []string{"README.md"}}}}},
		{name: "what may be loaded was not there", executed: &affected.Executed{Loaded: map[string]*affected.Loaded{"c.test.js": {Apart: []string{"plug/two.js"}}}}, want: "c.test.js"},
		{name: "a file is gone since", executed: &affected.Executed{Loaded: map[string]*affected.Loaded{"c.test.js": {Apart: []string{"plug/gone.js"}}}}, want: "c.test.js"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := affected.Input{Tree: now, Languages: lang.Set{js.Language{}}, Projects: []affected.Project{node(".")}, Traced: true, Executed: tc.executed,
				Opened: &affected.Opened{Requires: map[string]bool{"load.js": true}, Whole: map[string]bool{"c.test.js": true}, Loaded: map[string][]string{"plug/one.js": {"load.js"}}}}
			if got := selectInput(t, in, now, "M plug/two.js"); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
		})
	}
}
