package sandbox

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

func TestResetUndoesWhatTestsDid(t *testing.T) {
	r := newRig(t, gittest.New(t))
	r.Write("src/a.js", "a\n")
	r.Write("src/b.js", "b\n")
	r.Write("lib/deep/c.js", "c\n")
	r.Write("run.sh", "#!/bin/sh\n")
	if err := os.Chmod(r.Path("run.sh"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.Commit("one")
	r.ready()
	edits := map[string]Edit{"src/a.js": {Data: []byte("a, mended\n")}, "run.sh": {Data: []byte("#!/bin/sh\ntrue\n")},
		"lib/deep/c.js": {Gone: true}, "new/d.js": {Data: []byte("new\n"), Mode: 0o755}}
	for rel, e := range edits {
		if err := r.s.Put(rel, e); err != nil {
			t.Fatal(err)
		}
	}
	do := func(steps ...error) {
		t.Helper()
		for _, err := range steps {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := []struct {
		name string
		act  func()
	}{
		{"nothing", func() {}},
		{"an edited file is written", func() { do(os.WriteFile(r.s.boxPath("src/a.js"), []byte("litter"), 0o600)) }},
		{"an edited file is removed", func() { do(os.Remove(r.s.boxPath("run.sh"))) }},
		{"an edited file becomes a folder", func() { do(os.Remove(r.s.boxPath("src/a.js")), os.MkdirAll(r.s.boxPath("src/a.js/x"), 0o700)) }},
		{"a file is written", func() { do(os.WriteFile(r.s.boxPath("src/b.js"), []byte("litter"), 0o600)) }},
		{"a folder is removed", func() { do(os.RemoveAll(r.s.boxPath("lib"))) }},
		{"all folders are removed", func() { do(os.RemoveAll(r.s.boxPath("lib")), os.RemoveAll(r.s.boxPath("src"))) }},
		{"a folder becomes a link", func() {
			do(os.RemoveAll(r.s.boxPath("lib")), os.Symlink(r.Dir, r.s.boxPath("lib")))
		}},
		{"a file becomes a link to the user's", func() {
			do(os.Remove(r.s.boxPath("src/a.js")), os.Symlink(filepath.Join(r.Dir, "src", "a.js"), r.s.boxPath("src/a.js")))
		}},
		{"new files and folders", func() {
			do(os.MkdirAll(r.s.boxPath("out/x"), 0o700), os.WriteFile(r.s.boxPath("out/x/y"), nil, 0o600),
				os.WriteFile(r.s.boxPath("src/new.js"), nil, 0o600))
		}},
		{"a mode is changed", func() { do(os.Chmod(r.s.boxPath("src/b.js"), 0o400), os.Chmod(r.s.boxPath("run.sh"), 0o600)) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			c.act()
			if err := r.s.Reset(t.Context(), edits); err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			if exists(r.s.boxPath("lib/deep/c.js")) {
				t.Error("a removed file is there")
			}
			for _, rel := range []string{"src/a.js", "src/b.js", "new/d.js", "run.sh"} {
				fi, err := os.Lstat(r.s.boxPath(rel))
				if err != nil {
					t.Fatal(err)
				}
				got[rel] = fi.Mode().String() + " " + r.box(rel)
			}
			want := map[string]string{"src/a.js": "-rw-r--r-- a, mended\n", "src/b.js": "-rw-r--r-- b\n",
				"new/d.js": "-rwxr-xr-x new\n", "run.sh": "-rwxr-xr-x #!/bin/sh\ntrue\n"}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			var names []string
			for _, ch := range r.changes(r.s.current) {
				names = append(names, ch.Path)
			}
			if d := cmp.Diff([]string{"lib/deep/c.js", "new/d.js", "run.sh", "src/a.js"}, names); d != "" {
				t.Errorf("changed: %s", d)
			}
			if src, err := os.ReadFile(r.Path("src/a.js")); err != nil || string(src) != "a\n" {
				t.Errorf("the user's file is %q (%v)", src, err)
			}
		})
	}
	if err := r.s.Reset(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if c := r.changes(r.s.current); len(c) != 0 {
		t.Errorf("after a reset without edits %d files differ", len(c))
	}
}
