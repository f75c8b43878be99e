package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

// TestParity asks every reader of every shape of repository, and git's own
// status beside them. Either all say the same, or go-git was not asked.
func TestParity(t *testing.T) {
	for _, s := range gittest.Shapes() {
		t.Run(s.Name, func(t *testing.T) {
			at := s.Make(gittest.Bare(t), map[string]string{"src/kept.js": "kept\n", "src/gone.js": "gone\n", "src/edit.js": "one\ntwo\n",
				"src/staged.js": "1\n", "src/é \"x\".js": "odd\n", ".gitignore": "*.log\n"}, map[string]string{"src/module.js": "module\n"})
			if !s.Unborn {
				if err := os.Remove(at.Path("src/gone.js")); err != nil {
					t.Fatal(err)
				}
				at.Write("src/edit.js", "one\n2\n", s.Prefix+"src/module.js", "edited\n")
			}
			at.Write("src/staged.js", "2\n")
			at.Git("add", "src/staged.js")
			at.Write("src/new.js", "new\n", "src/debug.log", "ignored\n")
			at.Write("src/kept.js", "kept\n") // a new time, the same bytes
			untouched(t, at)
			r := open(t, at.Dir)
			if r.Root() != at.Dir {
				t.Errorf("Root = %s, want %s", r.Root(), at.Dir)
			}
			heads(t, r, s)
			status(t, r, at, s)
			base(t, r, at, s)
		})
	}
}

// heads compares the ways to read HEAD, and both with git.
func heads(t *testing.T, r *Repo, s gittest.Shape) {
	t.Helper()
	want, err := cliHead{r}.head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want.Unborn != s.Unborn || (want.OID == "") != s.Unborn {
		t.Errorf("head = %+v", want)
	}
	asked := false
	for _, hr := range r.heads {
		if _, ok := hr.(goHead); ok {
			asked = true
		}
		got, err := hr.head(t.Context())
		if err != nil {
			t.Errorf("%T: %v", hr, err)
		} else if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%T (-git +got):\n%s", hr, d)
		}
	}
	if asked == s.CommandLine {
		t.Errorf("go-git is asked: %v, want %v", asked, !s.CommandLine)
	}
}

// status compares with what git itself says of the working tree.
func status(t *testing.T, r *Repo, at *gittest.Repo, s gittest.Shape) {
	t.Helper()
	want := map[string]Status{}
	for _, prefix := range slices.Compact([]string{"", s.Prefix}) {
		out := gittest.At(t, filepath.Join(at.Dir, prefix)).Git("--no-optional-locks", "-c", "status.renames=false", "status", "--porcelain", "-z",
			"-uall", "--ignore-submodules=all")
		for _, e := range split([]byte(out)) {
			code, rel := e[:2], prefix+e[3:]
			switch {
			case strings.HasSuffix(rel, "/"): // an embedded repository
			case code == "??" || code[0] == 'A':
				want[rel] = Added
			case strings.Contains(code, "D"):
				want[rel] = Deleted
			default:
				want[rel] = Modified
			}
		}
	}
	got := map[string]Status{}
	changes, err := r.Modified(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		got[c.Path] = c.Status
	}
	if s.Prefix == "emb/" {
		// Its files are new to the repository around it and known to itself.
		delete(got, ".gitmodules")
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Modified (-git +got):\n%s", d)
	}
}

// base compares the committed files with what git shows of them.
func base(t *testing.T, r *Repo, at *gittest.Repo, s gittest.Shape) {
	t.Helper()
	files, err := r.BaseFiles(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{}
	if !s.Unborn {
		for _, e := range split([]byte(at.Git("ls-tree", "-r", "-z", "HEAD"))) {
			if meta, rel, _ := strings.Cut(e, "\t"); !strings.HasPrefix(meta, "160000") {
				want = append(want, rel)
			}
		}
		slices.Sort(want)
		src, ok, err := r.BaseFile(t.Context(), "HEAD", "src/edit.js")
		if err != nil || !ok || string(src) != "one\ntwo\n" {
			t.Errorf("BaseFile = %q, %v, %v", src, ok, err)
		}
	}
	if d := cmp.Diff(want, files); d != "" {
		t.Errorf("BaseFiles (-git +got):\n%s", d)
	}
	g, err := r.Guard(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if g.Busy() != "" || g.Stash != "" {
		t.Errorf("Guard = %+v", g)
	}
}
