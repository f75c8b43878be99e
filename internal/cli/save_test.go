package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"regreen/cycle"
)

// failureLine is what the printed configurations take for a failure.
var failureLine = regexp.MustCompile(`^(.+):([0-9]+):([0-9]+): error: (.*)$`)

// saveDeps is a cycle that fails in the given files.
func saveDeps(root string, doc cycle.Document) Deps {
	return Deps{
		Root:     func(context.Context, string, []string) (string, error) { return root, nil },
		RunCycle: func(context.Context, Repo, RunOptions, func(cycle.Event)) (*cycle.Document, error) { return &doc, nil },
	}
}

// TestSavePlaces holds that a place can be opened from where the command ran,
// whatever the file is called.
func TestSavePlaces(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, other := filepath.Join(base, "my repo"), filepath.Join(base, "other")
	for _, dir := range []string{filepath.Join(root, ".git"), filepath.Join(root, "src", "deep  er"), filepath.Join(other, ".git")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rel := "src/deep  er/ä [1]:b.js"
	abs := filepath.Join(root, filepath.FromSlash(rel))
	write(t, abs, "")
	link := filepath.Join(base, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Skip("links cannot be made here:", err)
	}
	tests := []struct {
		name, dir string
		args      []string
		want      string
	}{
		{"root", root, []string{rel}, filepath.FromSlash(rel)},
		{"subfolder", filepath.Join(root, "src"), []string{"deep  er/ä [1]:b.js"}, filepath.FromSlash("deep  er/ä [1]:b.js")},
		{"folder beside it", filepath.Join(root, ".git"), []string{"../" + rel}, filepath.FromSlash("../" + rel)},
		{"another repository", other, []string{abs}, abs},
		{"no repository", base, []string{abs}, abs},
		{"through a link", base, []string{filepath.Join(link, filepath.FromSlash(rel))}, abs},
		{"absolute", root, []string{"--absolute", rel}, abs},
		{"a file that is gone", other, []string{filepath.Join(root, "gone", "x.js")}, abs},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			deps := saveDeps(root, cycle.Document{Outcome: cycle.Failed, Remaining: []cycle.Remaining{
				{File: rel, Line: 3, Column: 7, Kind: "thrown_error", Message: "it\nbroke"}}})
			got := call(t, deps, tt.dir, append([]string{"save", "--wait"}, tt.args...)...)
			want := tt.want + ":3:7: error: it [thrown_error]\n"
			if got.stdout != want || got.exit != ExitFailed {
				t.Errorf("save = exit %d, %q, want %q\n%s", got.exit, got.stdout, want, got.stderr)
			}
		})
	}
	if got := call(t, saveDeps(root, cycle.Document{}), root, "save", rel, filepath.Join(other, "x.js")); got.exit != ExitUsage {
		t.Errorf("save of two repositories' files = %+v, want exit 2", got)
	}
}

// TestSaveNotes holds what is said beside the error list, and that no error
// list can take it for a place.
func TestSaveNotes(t *testing.T) {
	fix := []cycle.Iteration{{Fixes: []cycle.Fix{{Title: "add the import in src/a.js:3:4: error: x [y]", Kept: true}, {Title: "no good"}}}}
	merged := []cycle.Merged{{File: "src/a.js"}}
	tests := []struct {
		name string
		doc  cycle.Document
		exit int
		want []string
	}{
		{"passed", cycle.Document{Outcome: cycle.Passed, BestPassRate: 100}, ExitOK, []string{"regreen: verdict: passed"}},
		{"repaired", cycle.Document{Outcome: cycle.Repaired, Iterations: fix, Merged: merged, Undo: "u1"}, ExitOK,
			[]string{"regreen: repaired: add the import", "regreen: undo: regreen undo u1", "regreen: verdict: repaired"}},
		{"proposed", cycle.Document{Outcome: cycle.Proposed, Reason: "vim holds it", Proposals: []cycle.Proposal{{ID: "p1", Title: "t", Reason: "vim holds it"}}}, ExitProposed,
			[]string{"regreen: proposed: t (vim holds it)", "regreen: apply: regreen apply p1", "regreen: verdict: proposed"}},
		{"error", cycle.Document{Outcome: cycle.Errored, Error: &cycle.Problem{Code: "no_framework", Message: "none found", Hint: "set one"}}, ExitEnvironment,
			[]string{"regreen: error: none found", "regreen: hint: set one"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, ".git", "HEAD"), "")
			got := call(t, saveDeps(root, tt.doc), root, "save", "--wait", "a.js")
			lines := strings.Split(strings.TrimSpace(got.stderr), "\n")
			if got.exit != tt.exit || got.stdout != "" || len(lines) != len(tt.want) {
				t.Fatalf("save = %+v, want exit %d and %q", got, tt.exit, tt.want)
			}
			for i, l := range lines {
				if !strings.HasPrefix(l, tt.want[i]) || failureLine.MatchString(l) {
					t.Errorf("line %d = %q, want %q", i, l, tt.want[i])
				}
			}
			if quiet := call(t, saveDeps(root, tt.doc), root, "-q", "save", "--wait", "a.js"); quiet.stderr != "" {
				t.Errorf("with -q: %q", quiet.stderr)
			}
		})
	}
}

// TestSaveOutside holds that a place outside the repository stays as it is.
func TestSaveOutside(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, ".git", "HEAD"), "")
	outside := filepath.Join(t.TempDir(), "lib.js")
	deps := saveDeps(root, cycle.Document{Outcome: cycle.Failed, Remaining: []cycle.Remaining{{File: outside, Line: 3, Column: 7, Kind: "k", Message: "m"}}})
	if got := call(t, deps, root, "save", "--wait", "a.js"); got.stdout != outside+":3:7: error: m [k]\n" {
		t.Errorf("save = %q, %s", got.stdout, got.stderr)
	}
}

func TestLinePath(t *testing.T) {
	for in, want := range map[string]string{"a  b.js": "a  b.js", "a\nb\x1b[1m.js": "a\ufffdb\ufffd[1m.js", " x": " x"} {
		if got := linePath(in); got != want {
			t.Errorf("linePath(%q) = %q, want %q", in, got, want)
		}
	}
	var b bytes.Buffer
	printNotes(screen{w: &b}, &cycle.Document{Outcome: cycle.Passed})
	if strings.Contains(b.String(), "\n\n") {
		t.Errorf("notes hold an empty line: %q", b.String())
	}
}
