package affected_test

import (
	"maps"
	"os/exec"
	"strings"
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/py"
)

// TestTracedSpares: with what tests were seen to execute, those that call nothing
// that differs are spared, and no others (tarpas/pytest-testmon is the bar).
func TestTracedSpares(t *testing.T) {
	const app = "LIMIT = 1\ndef one():\n    return 1\ndef two():\n    return 2\n"
	old := files{"app.py": app, "mid.py": "import app\ndef go():\n    return app.one()\n", "conftest.py": "import pytest\n@pytest.fixture\ndef cost():\n    return 1\n@pytest.fixture\ndef price():\n    return 1\n",
		"test_one.py": "import mid\ndef test(cost):\n    mid.go()\n", "test_two.py": "import app\ndef test():\n    app.two()\n", "test_new.py": "import app\n", "test_far.py": "def test(): pass\n"}
	interpreter, err := exec.LookPath("python3")
	if err != nil {
		t.Fatal(err)
	}
	python3 := py.New(interpreter)
	t.Cleanup(func() { _ = python3.Close() })
	parts := func(text string) *lang.Parts {
		p, ok := python3.Divide("x.py", []byte(text))
		if !ok {
			t.Fatalf("%q is not taken apart", text)
		}
		return &p
	}
	bits := func(n ...int) (b affected.Bits) {
		for _, i := range n {
			b = b.With(i)
		}
		return b
	}
	edited := func(file, from, to string) map[string]string {
		return map[string]string{file: strings.Replace(old[file], from, to, 1)}
	}
	for _, tc := range []struct {
		name    string
		change  map[string]string // "" deletes
		then    affected.Then
		doubt   string
		loose   []string
		opened  *affected.Opened
		want    string
		without string // without anything that was executed
	}{
		{name: "a body", change: edited("app.py", "return 2", "return 3"), want: "test_new.py test_two.py", without: "test_new.py test_one.py test_two.py"},
		{name: "the other body", change: edited("app.py", "return 1", "return 3"), want: "test_new.py test_one.py", without: "test_new.py test_one.py test_two.py"},
		{name: "the module", change: edited("app.py", "LIMIT = 1", "LIMIT = 2"), want: "test_new.py test_one.py test_two.py"},
		{name: "a header", change: edited("app.py", "def two()", "def two(a=1)"), want: "test_new.py test_one.py test_two.py"},
		{name: "a function more", change: edited("app.py", "def two", "def three():\n    pass\ndef two"), want: "test_new.py test_one.py test_two.py"},
		{name: "what does not parse", change: edited("app.py", "return 2", "return 2 +"), want: "test_new.py test_one.py test_two.py"},
		{name: "two files", change: map[string]string{"app.py": strings.Replace(app, "return 2", "return 3", 1), "mid.py": strings.Replace(old["mid.py"], "app.one()", "-app.one()", 1)},
			want: "test_new.py test_one.py test_two.py"},
		{name: "a fixture", change: edited("conftest.py", "def cost():\n    return 1", "def cost():\n    return 2"), want: "test_new.py test_one.py", without: "test_far.py test_new.py test_one.py test_two.py"},
		{name: "a test", change: edited("test_two.py", "app.two()", "app.two() + 1"), want: "test_two.py"},
		{name: "a deleted file", change: map[string]string{"mid.py": ""}, want: "test_one.py"},
		{name: "a doubt", change: edited("app.py", "return 2", "return 3"), doubt: "starts processes", want: "test_new.py test_one.py test_two.py"},
		{name: "chance at loading", change: edited("app.py", "return 2", "return 3"), loose: []string{"mid.py"}, want: "test_new.py test_one.py test_two.py"},
		{name: "chance at loading elsewhere", change: edited("app.py", "return 2", "return 3"), loose: []string{"test_far.py"}, want: "test_new.py test_two.py"},
		{name: "a source that a test reads", change: edited("app.py", "return 2", "return 3"), want: "test_new.py test_one.py test_two.py",
			opened: &affected.Opened{Read: map[string][]string{"app.py": {"test_one.py"}}}},
		// What the test ran in is another tree than the base and the present one.
		{name: "another body was there", change: edited("app.py", "return 2", "return 3"), want: "test_new.py test_two.py",
			then: affected.Then{Differ: map[string]*lang.Parts{"app.py": parts(strings.Replace(app, "return 2", "return 4", 1))}}},
		{name: "another body was called", change: edited("app.py", "return 2", "return 3"), want: "test_new.py test_one.py test_two.py",
			then: affected.Then{Differ: map[string]*lang.Parts{"mid.py": parts("import app\ndef go():\n    return 1\n")}}},
		{name: "another module was there", change: edited("app.py", "return 2", "return 3"), want: "test_new.py test_one.py test_two.py",
			then: affected.Then{Differ: map[string]*lang.Parts{"mid.py": nil}}},
		{name: "something else differed", change: edited("app.py", "return 2", "return 3"), want: "test_new.py test_two.py",
			then: affected.Then{Differ: map[string]*lang.Parts{"test_far.py": nil}}},
		{name: "a file that is gone was there", change: edited("app.py", "return 2", "return 3"), want: "test_new.py test_one.py test_two.py",
			then: affected.Then{Gone: []string{"other.py"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			now := maps.Clone(old)
			var changes []affected.Change
			for file, text := range tc.change {
				if now[file] = text; text == "" {
					delete(now, file)
				}
				changes = append(changes, affected.Change{Path: file, Deleted: text == ""})
			}
			then := tc.then
			ran := func(bodies map[string]affected.Bits) *affected.Ran {
				return &affected.Ran{Then: &then, Bodies: bodies, Doubt: tc.doubt, Shared: map[string]affected.Bits{}}
			}
			in := affected.Input{Tree: now, Languages: lang.Set{python3}, Projects: []affected.Project{python(now, ".")}, Changes: changes, BaseFiles: old.Files(),
				Base: func(rel string) ([]byte, bool) { text, ok := old[rel]; return []byte(text), ok }, Opened: tc.opened, Traced: true,
				Executed: &affected.Executed{Loose: tc.loose, Tests: map[string]*affected.Ran{
					"test_one.py": ran(map[string]affected.Bits{"app.py": bits(0), "mid.py": bits(0), "conftest.py": bits(0), "test_one.py": bits(0)}),
					"test_two.py": ran(map[string]affected.Bits{"app.py": bits(1), "test_two.py": bits(0)}),
					"test_far.py": ran(map[string]affected.Bits{"test_far.py": bits(0)}),
				}}}
			set, err := affected.Select(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(set); got != tc.want {
				t.Errorf("selected %q, want %q", got, tc.want)
			}
			if tc.name == "a body" {
				if why := set.WhyTest("test_one.py"); len(why) != 1 || why[0] != "when test_one.py last ran it called nothing of app.py that differs (two)" {
					t.Errorf("why %q", why)
				}
			}
			in.Traced = false
			if set, err = affected.Select(t.Context(), in); err != nil {
				t.Fatal(err)
			}
			if got := names(set); tc.without != "" && got != tc.without {
				t.Errorf("selected %q without it, want %q", got, tc.without)
			}
		})
	}
}
