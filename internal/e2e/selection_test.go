package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// selection is a row of the table of what peers miss or select too much for:
// one change to a project, and the tests that it must select.
type selection struct {
	name string
	// ref is the public issue that the row answers; "-" where there is none.
	ref string
	// on are the frameworks that the row is for; "" is all of the project's.
	on     string
	change func(r *repo)
	// want are the tests to select, sorted, separated by blanks.
	want string
	// fails are the tests that fail in a real run after the change, where they
	// are not just those of want: a file that is loaded and of which nothing is
	// used is selected, and fails nothing.
	fails string
	// learned runs the suite first, for what only a run can tell.
	learned bool
}

// none is a row's fails where a run fails nothing.
const none = "-"

// project is the same little project for one framework.
type project struct {
	framework, deps string
	files           map[string]string
	// links are links of the repository, with what they lead to.
	links map[string]string
	// prepare adds what is no file of the repository; may be nil.
	prepare func(r *repo)
	// failing runs the framework itself, without regreen, and gives the test
	// files that do not pass.
	failing func(r *repo) []string
}

// holds tries every row: the selection is exactly what the row says, and no
// test outside it fails in a run of the framework.
func (p project) holds(t *testing.T, rows []selection) {
	t.Helper()
	r := newRepo(t, p.deps, p.files)
	for name, to := range p.links {
		if err := os.Symlink(to, r.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	r.start("git", "add", "-A")
	r.start("git", "commit", "-q", "--allow-empty", "-m", "links")
	r.git = hashGit(t, r.dir)
	if p.prepare != nil {
		p.prepare(r)
	}
	start := r.files()
	if got := p.failing(r); len(got) > 0 {
		t.Fatalf("before any change %s fails: %q", p.framework, got)
	}
	slices.SortStableFunc(rows, func(a, b selection) int { // what was learned stays
		switch {
		case a.learned == b.learned:
			return 0
		case b.learned:
			return -1
		}
		return 1
	})
	for _, row := range rows {
		if row.on != "" && !slices.Contains(strings.Fields(row.on), p.framework) {
			continue
		}
		t.Run(row.name, func(t *testing.T) {
			on := *r
			on.t = t
			t.Cleanup(func() { on.restore(start) })
			if row.learned {
				if d, res := on.run("--all"); d.Outcome != "passed" {
					t.Fatalf("outcome %q of the run to learn from\n%s", d.Outcome, res.stderr)
				}
			}
			row.change(&on)
			selected, document := on.affected()
			if got := strings.Join(selected, " "); got != row.want {
				t.Errorf("%s: selected %q, want %q\n%s", row.ref, got, row.want, document)
			}
			want := row.fails
			switch want {
			case "":
				want = row.want
			case none:
				want = ""
			}
			if got := strings.Join(p.failing(&on), " "); got != want {
				t.Errorf("%s: %s itself fails %q, want %q", row.ref, p.framework, got, want)
			}
		})
	}
}

// restore brings back the files of an earlier state.
func (r *repo) restore(state map[string]string) {
	r.t.Helper()
	for _, name := range changed(state, r.files()) {
		was, ok := state[name]
		if !ok {
			r.remove(name)
			continue
		}
		_, text, _ := strings.Cut(was, "\n")
		r.write(name, text)
	}
}

// affected is regreen affected --json: the selected files, sorted, and the
// whole document.
func (r *repo) affected(args ...string) (tests []string, document string) {
	r.t.Helper()
	res := r.regreen(append([]string{"affected", "--json"}, args...)...)
	var d struct {
		Tests []struct{ File string } `json:"affected_tests"`
	}
	if err := json.Unmarshal([]byte(res.stdout), &d); err != nil || res.exit != 0 {
		r.t.Fatalf("regreen affected ended with %d (%v)\nstdout: %s\nstderr: %s", res.exit, err, res.stdout, res.stderr)
	}
	for _, t := range d.Tests {
		tests = append(tests, t.File)
	}
	slices.Sort(tests)
	return tests, res.stdout
}

// replaced replaces the only occurrence of a text.
func replaced(name, old, now string) func(*repo) {
	return func(r *repo) {
		r.t.Helper()
		text := r.read(name)
		if n := strings.Count(text, old); n != 1 {
			r.t.Fatalf("%s holds %q %d times, want once", name, old, n)
		}
		r.write(name, strings.Replace(text, old, now, 1))
	}
}

// deleted removes a file.
func deleted(name string) func(*repo) {
	return func(r *repo) { r.t.Helper(); r.remove(name) }
}

// moved gives a file another path, as git mv without the index does.
func moved(from, to string) func(*repo) {
	return func(r *repo) { r.t.Helper(); r.write(to, r.read(from)); r.remove(from) }
}

// added makes a new file.
func added(name, text string) func(*repo) {
	return func(r *repo) { r.t.Helper(); r.write(name, text) }
}

// both makes two changes.
func both(a, b func(*repo)) func(*repo) {
	return func(r *repo) { r.t.Helper(); a(r); b(r) }
}

// start runs a program in the repository's folder, whatever its exit code, and
// gives what it prints.
func (r *repo) start(name string, args ...string) (out string) {
	r.t.Helper()
	cmd := exec.CommandContext(r.t.Context(), name, args...)
	cmd.Dir, cmd.Env = r.dir, append(r.environ, "PYTHONDONTWRITEBYTECODE=1", "CI=1")
	text, err := cmd.CombinedOutput()
	if err != nil && cmd.ProcessState == nil {
		r.t.Fatal(err)
	}
	return string(text)
}

// node is the Node that the repository's own path gives.
func (r *repo) node() string {
	r.t.Helper()
	for _, kv := range r.environ {
		if list, ok := strings.CutPrefix(kv, "PATH="); ok {
			for _, dir := range filepath.SplitList(list) {
				if name := filepath.Join(dir, "node"); executable(name) {
					return name
				}
			}
		}
	}
	r.t.Fatal("no node on the path")
	return ""
}

func executable(name string) bool {
	fi, err := os.Stat(name)
	return err == nil && !fi.IsDir()
}

// told reads the report of jest's and vitest's own JSON reporters, which a
// program with that output wrote.
func told(r *repo, file, output string) []string {
	r.t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		r.t.Fatalf("%v\n%s", err, output)
	}
	var d struct {
		TestResults []struct{ Name, Status string }
	}
	if err := json.Unmarshal(src, &d); err != nil || len(d.TestResults) == 0 {
		r.t.Fatalf("the framework told of no test file: %v\n%s", err, src)
	}
	var out []string
	for _, f := range d.TestResults {
		if f.Status == "passed" {
			continue
		}
		rel, err := filepath.Rel(r.dir, f.Name)
		if err != nil {
			r.t.Fatal(err)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	slices.Sort(out)
	return out
}
