package engine

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/affected"
	"regreen/cycle"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// unchanged is a base from which nothing differs.
func unchanged(string) (string, bool) { return "", false }

// loadedIn is a store that saw a.test.js load all that it loads, and the trees of
// its present: at takes the files that differ from the run's.
func loadedIn(dir string) (s *executedStore, at func(differ map[string]string)) {
	s = openExecuted(dir)
	at = func(differ map[string]string) {
		files := map[string]sandbox.Entry{}
		for _, f := range []string{"a.test.js", "config.json", "plugin.js"} {
			files[f] = sandbox.Entry{Sum: sha256.Sum256([]byte(f + differ[f]))}
		}
		s.at(files)
	}
	at(nil)
	s.loaded("key", runner.Request{}, &runner.Report{Ended: true, Opened: []runner.Opened{{By: "a.test.js", File: "plugin.js", Kind: runner.OpenedLoad}},
		Tests: []runner.Test{{ID: runner.TestID{File: "a.test.js"}, Verdict: runner.Passed}}})
	return s, at
}

// TestLoads: what differs from the tree in which a test was seen to load is told,
// but for what is a change of today.
func TestLoads(t *testing.T) {
	project := func(string) string { return "key" }
	dir := t.TempDir()
	s, at := loadedIn(dir)
	apart := func(s *executedStore, in affected.Input) string {
		l := s.toSelect(project, before(in)).Loaded["a.test.js"]
		if l == nil {
			return "unknown"
		}
		return strings.Join(l.Apart, " ")
	}
	base := func(texts map[string]string, changed ...string) affected.Input {
		in := affected.Input{Base: func(rel string) ([]byte, bool) { return []byte(rel + texts[rel]), true }}
		for _, f := range changed {
			in.Changes = append(in.Changes, affected.Change{Path: f})
		}
		return in
	}
	is := func(name, want, got string) {
		t.Helper()
		if got != want {
			t.Errorf("%s: apart %q, want %q", name, got, want)
		}
	}
	is("the same tree", "", apart(s, base(nil)))
	at(map[string]string{"plugin.js": "!"})
	is("a change", "", apart(s, base(nil, "plugin.js")))
	is("a change that is not asked about", "plugin.js", apart(s, base(nil)))
	at(map[string]string{"plugin.js": "!", "config.json": "b"})
	is("a commit before the change", "config.json", apart(s, base(map[string]string{"config.json": "b"}, "plugin.js")))
	is("a commit in the changed file", "config.json plugin.js", apart(s, base(map[string]string{"config.json": "b", "plugin.js": "?"}, "plugin.js")))
	if err := s.save(func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	is("after a start", "config.json", apart(openExecuted(dir), base(map[string]string{"config.json": "b"}, "plugin.js")))
	if got := s.toSelect(func(string) string { return "another environment" }, unchanged).Loaded; len(got) != 0 {
		t.Errorf("known of another environment: %v", got)
	}
	s.loaded("key", runner.Request{}, &runner.Report{Opened: []runner.Opened{{By: "a.test.js"}}, Tests: []runner.Test{{ID: runner.TestID{File: "b.test.js"}, Verdict: runner.Passed}}})
	if got := s.toSelect(project, unchanged).Loaded["b.test.js"]; got != nil {
		t.Error("a run without its end counts")
	}
}

// TestExecutedDamaged: of a file that is damaged, or of another program, nothing
// is known.
func TestExecutedDamaged(t *testing.T) {
	for name, damage := range map[string]func(text string) string{
		"as it was":        func(text string) string { return text },
		"cut short":        func(text string) string { return text[:len(text)/2] },
		"a tree too many":  func(text string) string { return strings.Replace(text, `"Tree":0`, `"Tree":7`, 1) },
		"a tree before":    func(text string) string { return strings.Replace(text, `"Tree":0`, `"Tree":-7`, 1) },
		"trees that end":   func(text string) string { return strings.Replace(text, `"First":0`, `"First":9`, 1) },
		"no runs":          func(text string) string { return strings.Replace(text, `"Runs":{}`, `"Runs":null`, 1) },
		"another program":  func(text string) string { return strings.Replace(text, `"Build":"`, `"Build":"x`, 1) },
		"nothing":          func(string) string { return "" },
		"something else":   func(string) string { return "null" },
		"of another shape": func(string) string { return "[1]" },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, _ := loadedIn(dir)
			if err := s.save(func(string) bool { return true }); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(dir, "executed.json")
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(damage(string(text))), 0o600); err != nil {
				t.Fatal(err)
			}
			known := len(openExecuted(dir).toSelect(func(string) string { return "key" }, unchanged).Loaded)
			if want := map[bool]int{true: 1}[name == "as it was"]; known != want {
				t.Errorf("%d test files are known, want %d", known, want)
			}
		})
	}
}

// TestOpenedDamaged: what the tests were seen to open is not forgotten silently.
func TestOpenedDamaged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "opened.json")
	yes := func(string) bool { return true }
	if why := openOpened(dir).unreadable(); why != "" {
		t.Errorf("a first start: %s", why)
	}
	if err := os.WriteFile(file, []byte(`{"a.test.js":{"rea`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := openOpened(dir)
	s.ran(runner.Request{}, &runner.Report{Opened: []runner.Opened{{By: "a.test.js", File: "data.json", Kind: runner.OpenedRead}}})
	if err := s.save(yes); err != nil {
		t.Fatal(err)
	}
	if s.unreadable() == "" || openOpened(dir).unreadable() == "" {
		t.Error("a damaged file is taken for none before all tests ran")
	}
	s.regained()
	if err := s.save(yes); err != nil {
		t.Fatal(err)
	}
	if s = openOpened(dir); s.unreadable() != "" {
		t.Error("still unreadable after all tests ran")
	}
	if diff := cmp.Diff(map[string][]string{"data.json": {"a.test.js"}}, s.known().Read); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestMissesDamaged: as long as a miss is not understood all tests run, whatever
// becomes of the file that tells of it.
func TestMissesDamaged(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, missesName)
	if _, damaged := readMisses(dir); damaged {
		t.Error("no file is damaged")
	}
	for _, damage := range []func() error{
		func() error { return os.WriteFile(file, nil, 0o600) },
		func() error { return os.WriteFile(file, []byte(`[{"test":`), 0o600) },
		func() error { return os.Mkdir(file, 0o700) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if _, damaged := readMisses(dir); !damaged {
			t.Error("a damaged file is taken for none")
		}
		if err := (&Records{dir: dir}).Understood(); err != nil {
			t.Error(err)
		}
		if _, damaged := readMisses(dir); damaged {
			t.Error("still damaged after it was understood")
		}
	}
	if err := keepMisses(dir, []cycle.Miss{{Cycle: "1"}}); err != nil {
		t.Fatal(err)
	}
	if got := Misses(dir); len(got) != 1 || got[0].Cycle != "1" {
		t.Errorf("misses = %v", got)
	}
}
