package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"regreen/internal/git/gittest"
)

func TestStaleAndUnfinished(t *testing.T) {
	state := t.TempDir()
	if got, err := Stale(filepath.Join(state, "not", "there")); got != nil || err != nil {
		t.Errorf("Stale of nothing = %q, %v", got, err)
	}
	put := func(rel, text string) {
		t.Helper()
		path := filepath.Join(state, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const alternates = "/shadow.git/objects/info/alternates"
	put("aaaaaaaaaaaa"+alternates, filepath.Join(state, "gone")+"\n")
	put("bbbbbbbbbbbb"+alternates, state+"\n")
	put("cccccccccccc/pid", "1")                          // half made
	put("another-folder"+alternates, "/nowhere/at/all\n") // not ours
	put("dddddddddddd"+alternates, "\"/odd\\npath\"\n")   // not for us to read
	want := []string{filepath.Join(state, "aaaaaaaaaaaa")}
	if got, err := Stale(state); err != nil || !slices.Equal(got, want) {
		t.Errorf("Stale = %q, %v, want %q", got, err, want)
	}
	home := filepath.Join(state, "bbbbbbbbbbbb")
	if Unfinished(home) {
		t.Error("Unfinished without a journal")
	}
	put("bbbbbbbbbbbb/journal/x/plan.json", "{}")
	if !Unfinished(home) {
		t.Error("a journal that is left is not told")
	}
}

// TestDamagedShadow: a shadow repository that a disk damaged, and a folder in the
// place of a file of ours, cost a second snapshot and no person's time.
func TestDamagedShadow(t *testing.T) {
	for name, damage := range map[string]func(shadow, pack string) error{
		"an index of a pack is cut short": func(_, pack string) error { return os.Truncate(pack, 100) },
		"an index of a pack is nothing":   func(_, pack string) error { return os.Truncate(pack, 0) },
		"an index of a pack is gone":      func(_, pack string) error { return os.Remove(pack) },
		"a folder is in its place":        func(_, pack string) error { return errors.Join(os.Remove(pack), os.Mkdir(pack, 0o700)) },
		"a folder is in another's place": func(shadow, _ string) error {
			file := filepath.Join(shadow, "packed-refs")
			return errors.Join(os.Remove(file), os.Mkdir(file, 0o700))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := gittest.New(t)
			g.Write("a.js", "one\n")
			g.Commit("one")
			g.Write("a.js", "two\n")
			r := newRig(t, g)
			r.ready()
			shadow := r.s.shadow.dir
			r.close()
			packs, err := filepath.Glob(filepath.Join(shadow, "objects", "pack", "*.idx"))
			if err != nil || len(packs) == 0 {
				t.Fatalf("packs %q, %v", packs, err)
			}
			for _, pack := range packs {
				if err := damage(shadow, pack); err != nil {
					t.Fatal(err)
				}
			}
			r.open()
			for range 2 {
				snap := r.snap()
				if err = r.s.Prepare(t.Context(), snap); !errors.Is(err, ErrShadowAnew) {
					break
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := r.box("a.js"); got != "two\n" {
				t.Errorf("the sandbox has %q", got)
			}
		})
	}
}

// TestStateFolderGone: a sandbox whose state folder was removed leaves what another
// process made there since alone.
func TestStateFolderGone(t *testing.T) {
	g := gittest.New(t)
	g.Write("a.js", "one\n")
	g.Commit("one")
	r := newRig(t, g)
	r.ready()
	first, repo := r.s, r.repo
	if err := removeAll(first.dir); err != nil {
		t.Skipf("the system keeps a file that is open: %v", err)
	}
	r.open()
	file := filepath.Join(r.s.Scratch(), "report.json")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(first.Close(), repo.Close()); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(file); err != nil {
		t.Errorf("the other's scratch folder: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(r.s.dir, "manifest")); err == nil {
		t.Error("the first one's manifest lies in the other's folder")
	}
}
