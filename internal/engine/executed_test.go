package engine

import (
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
	"regreen/internal/lang/py"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// TestExecutedStore: what a test executed is known with the tree that it ran in,
// however many trees later and after a restart, and nothing else is.
func TestExecutedStore(t *testing.T) {
	dir := t.TempDir()
	langs := lang.Set{py.New("")}
	tree := map[string]string{"app.py": "def one():\n    return 1\ndef two():\n    return 2\n", "test_a.py": "def test(): pass\n", "data.txt": ""}
	entries := func() map[string]sandbox.Entry {
		out := map[string]sandbox.Entry{}
		for file, text := range tree {
			out[file] = sandbox.Entry{Sum: sha256.Sum256([]byte(text))}
		}
		return out
	}
	read := func(rel string) ([]byte, error) {
		text, ok := tree[rel]
		if !ok {
			return nil, errors.New("not there")
		}
		return []byte(text), nil
	}
	saw := func(doubt string, lines ...int) *runner.Executed {
		return &runner.Executed{Shared: map[string][]int{"app.py": {0}}, Tests: map[string]runner.ExecutedTest{"test_a.py": {Ran: map[string][]int{"app.py": lines, "built.py": {3}}, Doubt: doubt}}}
	}
	key := func(string) string { return "key" }
	differ := func(s *executedStore) string {
		ran := s.toSelect(key, unchanged).Tests["test_a.py"]
		if ran == nil {
			return "unknown"
		}
		if ran.Doubt != "" {
			return ran.Doubt
		}
		out := ""
		for _, file := range slices.Sorted(maps.Keys(ran.Then.Differ)) {
			out += file
			if ran.Then.Differ[file] == nil {
				out += "?"
			}
			out += " "
		}
		for _, file := range ran.Then.Gone {
			out += "-" + file + " "
		}
		for i := range 2 {
			if ran.Bodies["app.py"].Has(i) {
				out += []string{"one", "two"}[i]
			}
		}
		return out
	}
	is := func(s *executedStore, want string) {
		t.Helper()
		if got := differ(s); got != want {
			t.Errorf("known %q, want %q", got, want)
		}
	}
	s := openExecuted(dir)
	is(s, "unknown")
	s.at(entries())
	s.ran("key", saw("", 1))
	s.take(read, langs)
	is(s, "one")
	tree["app.py"] = "def one():\n    return 1\ndef two():\n    return 3\n"
	s.at(entries())
	is(s, "app.py one")
	delete(tree, "data.txt")
	tree["new.py"] = ""
	s.at(entries())
	is(s, "app.py new.py? -data.txt one")
	if err := s.save(func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	s = openExecuted(dir)
	s.at(entries())
	is(s, "app.py new.py? -data.txt one")
	if got := s.toSelect(func(string) string { return "another interpreter" }, unchanged).Tests; len(got) != 0 {
		t.Errorf("known of another project: %v", got)
	}
	// The tree of the first run is there again.
	tree["app.py"], tree["data.txt"] = "def one():\n    return 1\ndef two():\n    return 2\n", ""
	delete(tree, "new.py")
	s.at(entries())
	is(s, "one")
	// Twice in one tree both count; a run in a tree before counts for nothing.
	s.ran("key", saw("", 3))
	s.take(read, langs)
	s.ran("key", saw("", 1))
	s.take(read, langs)
	is(s, "onetwo")
	s.ran("key", saw("", 1))
	tree["app.py"] += "\n"
	s.at(entries())
	s.take(read, langs)
	is(s, "app.py onetwo")
	s.ran("key", saw("starts processes", 1))
	s.take(read, langs)
	is(s, "starts processes")
	// What is older than the trees that are kept is forgotten.
	for range maxTrees + 1 {
		tree["app.py"] += "\n"
		s.at(entries())
	}
	is(s, "unknown")
	if diff := cmp.Diff(0, len(s.known.Parts)+len(s.known.Runs)); diff != "" {
		t.Errorf("left over (-want +got)\n%s", diff)
	}
	s.ran("key", saw("", 1))
	s.take(read, langs)
	if err := s.save(func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	is(openExecuted(dir), "unknown")
}
