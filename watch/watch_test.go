package watch

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git"
	"regreen/internal/git/gittest"
)

// fixture is a repository with a watcher over it.
type fixture struct {
	*gittest.Repo
	t    testing.TB
	w    *Watcher
	out  chan Batch
	warn chan string
	wait chan string
}

// start watches a repository; set changes the configuration first.
func start(t testing.TB, repo *gittest.Repo, set func(*Config)) *fixture {
	t.Helper()
	f := &fixture{Repo: repo, t: t, out: make(chan Batch), warn: make(chan string, 100), wait: make(chan string, 1000)}
	g, err := git.Open(t.Context(), repo.Dir, gittest.Environ())
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Repo: g, Environ: gittest.Environ(), OwnPrefixes: []string{".ours-"},
		Warn:    func(m, _ string) { f.warn <- m },
		Waiting: func(why string) { f.wait <- why }}
	if set != nil {
		set(&cfg)
	}
	if f.w, err = New(cfg); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.w.Run(ctx, f.out) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run = %v", err)
		}
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	select {
	case <-f.w.Ready():
	case err := <-done:
		done <- err
		t.Fatalf("Run = %v before it was ready", err)
	}
	eventually(t, func() bool {
		<-time.After(time.Millisecond)
		i := f.w.Info()
		return i.Known == i.Files
	})
	return f
}

const patience = 15 * time.Second

// next gives the next batch.
func (f *fixture) next() Batch {
	f.t.Helper()
	select {
	case b := <-f.out:
		return b
	case <-time.After(patience):
		f.t.Fatal("no batch came")
	}
	return Batch{}
}

// nothing says that no batch comes. It writes a file of its own, whose batch
// shows that everything before it was looked at.
func (f *fixture) nothing() {
	f.t.Helper()
	f.Write("sentinel.txt", time.Now().String())
	if b := f.next(); !cmp.Equal(b.Paths, []string{"sentinel.txt"}) || len(b.Deleted) > 0 {
		f.t.Fatalf("batch = %+v, want none", b)
	}
}

// collect gathers batches until the paths were all told, and no path twice.
func (f *fixture) collect(want []string) []Batch {
	f.t.Helper()
	left := map[string]bool{}
	for _, w := range want {
		left[w] = true
	}
	var bs []Batch
	for len(left) > 0 {
		b := f.next()
		bs = append(bs, b)
		for _, p := range slices.Concat(b.Paths, b.Deleted) {
			if !left[p] {
				f.t.Fatalf("%s was told twice or without need", p)
			}
			delete(left, p)
		}
	}
	return bs
}

func repoWith(t testing.TB, pairs ...string) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	r.Write(pairs...)
	r.Commit("first")
	return r
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSaves holds that each way in which editors save a file is one batch with
// that file alone. The steps are those of the editors' system calls.
//
// watchexec/watchexec#525, #179, fsnotify/fsnotify#17
func TestSaves(t *testing.T) {
	write := func(t *testing.T, path, s string) { t.Helper(); must(t, os.WriteFile(path, []byte(s), 0o644)) }
	rename := func(t *testing.T, a, b string) { t.Helper(); must(t, os.Rename(a, b)) }
	for _, c := range []struct {
		name string
		save func(t *testing.T, dir, file string)
	}{
		{"in place", func(t *testing.T, dir, file string) { write(t, file, "2") }},
		{"atomic", func(t *testing.T, dir, file string) {
			write(t, dir+"/a.ts.9f3Qx1", "2")
			rename(t, dir+"/a.ts.9f3Qx1", file)
		}},
		{"vim", func(t *testing.T, dir, file string) {
			write(t, dir+"/.a.ts.swp", "swap")
			write(t, dir+"/4913", "")
			must(t, os.Remove(dir+"/4913"))
			rename(t, file, file+"~")
			write(t, file, "2")
			must(t, os.Remove(file+"~"))
			must(t, os.Remove(dir+"/.a.ts.swp"))
		}},
		{"emacs", func(t *testing.T, dir, file string) {
			must(t, os.Symlink("me@host.1:1", dir+"/.#a.ts"))
			write(t, dir+"/#a.ts#", "auto")
			rename(t, file, file+"~")
			write(t, file, "2")
			must(t, os.Remove(dir+"/#a.ts#"))
			must(t, os.Remove(dir+"/.#a.ts"))
		}},
		{"jetbrains", func(t *testing.T, dir, file string) {
			write(t, file+"___jb_tmp___", "2")
			rename(t, file, file+"___jb_old___")
			rename(t, file+"___jb_tmp___", file)
			must(t, os.Remove(file+"___jb_old___"))
		}},
		{"vscode atomic", func(t *testing.T, dir, file string) {
			write(t, file+".vsctmp", "2")
			rename(t, file+".vsctmp", file)
		}},
		{"delete and create", func(t *testing.T, dir, file string) {
			must(t, os.Remove(file))
			write(t, file, "2")
		}},
		{"truncate and write", func(t *testing.T, dir, file string) {
			must(t, os.Truncate(file, 0))
			write(t, file, "2")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := start(t, repoWith(t, "src/a.ts", "1\n", "src/b.ts", "1\n"), nil)
			c.save(t, f.Path("src"), f.Path("src/a.ts"))
			if diff := cmp.Diff(Batch{Paths: []string{"src/a.ts"}, Reason: Saved}, f.next()); diff != "" {
				t.Errorf("batch (-want +got):\n%s", diff)
			}
			f.nothing()
		})
	}
}

// jestjs/jest#7389, #4635, #979: what writes the same again starts no loop
func TestUnchangedIsNoSave(t *testing.T) {
	f := start(t, repoWith(t, "a.ts", "1\n"), nil)
	f.Write("a.ts", "2\n")
	f.next()
	f.Write("a.ts", "2\n")
	f.nothing()
	must(t, os.Chtimes(f.Path("a.ts"), time.Now(), time.Now()))
	f.nothing()
	f.Write("b.ts.tmp", "2\n")
	must(t, os.Rename(f.Path("b.ts.tmp"), f.Path("a.ts")))
	f.nothing()
}

// TestRacyStamp holds that a second write of the same size within one tick of
// the file system's clock is seen.
func TestRacyStamp(t *testing.T) {
	f := start(t, repoWith(t, "a.ts", "1\n"), nil)
	at := time.Now()
	for _, s := range []string{"2\n", "3\n", "4\n"} {
		fi, err := os.OpenFile(f.Path("a.ts"), os.O_WRONLY, 0)
		must(t, err)
		_, err = fi.WriteString(s)
		must(t, err)
		must(t, os.Chtimes(f.Path("a.ts"), at, at))
		must(t, fi.Close())
		f.collect([]string{"a.ts"})
	}
}

func TestDeletedAndRenamed(t *testing.T) {
	f := start(t, repoWith(t, "a/x.ts", "1\n", "a/b/y.ts", "2\n", "z.ts", "3\n"), nil)
	must(t, os.Remove(f.Path("z.ts")))
	if diff := cmp.Diff(Batch{Deleted: []string{"z.ts"}, Reason: Saved}, f.next()); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
	must(t, os.Rename(f.Path("a"), f.Path("c")))
	want := Batch{Paths: []string{"c/b/y.ts", "c/x.ts"}, Deleted: []string{"a/b/y.ts", "a/x.ts"}, Reason: Saved}
	if diff := cmp.Diff(want, f.next()); diff != "" {
		t.Errorf("folder (-want +got):\n%s", diff)
	}
	f.Write("c/b/y.ts", "new\n")
	f.collect([]string{"c/b/y.ts"})
	f.Write("a/b/y.ts", "again\n")
	f.collect([]string{"a/b/y.ts"})
	must(t, os.RemoveAll(f.Path("c")))
	f.collect([]string{"c/b/y.ts", "c/x.ts"})
}

// TestReplacedFolder holds that a folder that is removed and made anew under
// its name is watched anew.
func TestReplacedFolder(t *testing.T) {
	f := start(t, repoWith(t, "a/b/x.ts", "1\n"), nil)
	for _, s := range []string{"2\n", "3\n", "4\n"} {
		must(t, os.RemoveAll(f.Path("a")))
		f.Write("a/b/x.ts", s)
		f.collect([]string{"a/b/x.ts"})
		f.Write("a/b/x.ts", "later "+s)
		f.collect([]string{"a/b/x.ts"})
	}
}

func TestNewNestedFolders(t *testing.T) {
	f := start(t, repoWith(t, "a.ts", "1\n"), nil)
	var want []string
	for i := range 200 {
		rel := filepath.ToSlash(filepath.Join("new", string(rune('a'+i%20)), string(rune('a'+i/20)), "deep", "f.ts"))
		want = append(want, rel)
		f.Write(rel, "x")
	}
	f.collect(want)
	f.nothing()
	f.Write(want[77], "y")
	f.collect(want[77:78])
}

func TestExpect(t *testing.T) {
	f := start(t, repoWith(t, "a.ts", "1\n", "b.ts", "1\n"), nil)
	const sum = "53c234e5e8472b6ac51c1ae1cab3fe06fad053beb8ebfd8977b010655bfdd3c3" // of "2\n"
	must(t, f.w.Expect("a.ts", sum))
	must(t, f.w.Expect("b.ts", ""))
	f.Write(".ours-1", "2\n")
	must(t, os.Rename(f.Path(".ours-1"), f.Path("a.ts")))
	must(t, os.Remove(f.Path("b.ts")))
	f.nothing()
	f.Write("a.ts", "3\n")
	f.collect([]string{"a.ts"})
	if err := f.w.Expect("a.ts", "no sum"); err == nil {
		t.Error("Expect took a sum that is none")
	}
}

func TestTouch(t *testing.T) {
	silent := func(c *Config) { c.newSource = func() (source, error) { return newFake(), nil } }
	f := start(t, repoWith(t, "a.ts", "1\n"), silent)
	f.Write("a.ts", "2\n")
	f.w.Touch("a.ts")
	f.collect([]string{"a.ts"})
}

func TestRootGone(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n")
	g, err := git.Open(t.Context(), r.Dir, gittest.Environ())
	must(t, err)
	defer func() { must(t, g.Close()) }()
	w, err := New(Config{Repo: g})
	must(t, err)
	done := make(chan error, 1)
	go func() { done <- w.Run(t.Context(), make(chan Batch)) }()
	<-w.Ready()
	must(t, os.RemoveAll(r.Dir))
	select {
	case err := <-done:
		if !cmp.Equal(err.Error(), "watch "+r.Dir+": "+ErrGone.Error()) {
			t.Errorf("Run = %v", err)
		}
	case <-time.After(patience):
		t.Fatal("Run goes on without a repository")
	}
}

func opened(t testing.TB, repo *gittest.Repo) *git.Repo {
	t.Helper()
	g, err := git.Open(t.Context(), repo.Dir, gittest.Environ())
	must(t, err)
	t.Cleanup(func() { must(t, g.Close()) })
	return g
}

// opened is a loop over the repository that watched everything and does not run.
func (f *fixture) opened(set func(*Config)) *loop {
	f.t.Helper()
	cfg := Config{Repo: opened(f.t, f.Repo), Environ: gittest.Environ(), OwnPrefixes: []string{".ours-"},
		newSource: func() (source, error) { return newFake(), nil }}
	if set != nil {
		set(&cfg)
	}
	w, err := New(cfg)
	must(f.t, err)
	l, err := w.begin(f.t.Context())
	must(f.t, err)
	must(f.t, l.open(f.t.Context()))
	return l
}

// eventually repeats until it holds.
func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); {
		if time.Now().After(end) {
			t.Fatal("it never held")
		}
	}
}
