package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
)

// TestOverflow holds that the state is right after the kernel dropped events:
// the reader is held up while more files are written than its queue holds.
//
// fsnotify/fsnotify#97, facebook/buck2#1131
func TestOverflow(t *testing.T) {
	n := 60_000
	if testing.Short() {
		n = 2_000
	}
	r := repoWith(t, "src/a.ts", "1\n", "src/b.ts", "1\n")
	must(t, os.MkdirAll(r.Path("many"), 0o755))
	hold := make(chan struct{})
	f := start(t, r, func(c *Config) { c.hold = hold })
	var want []string
	for i := range n {
		rel := fmt.Sprintf("many/f%d", i)
		want = append(want, rel)
		must(t, os.WriteFile(r.Path(rel), nil, 0o644))
	}
	r.Write("src/a.ts", "2\n", "new/deep/c.ts", "1\n")
	must(t, os.Remove(r.Path("src/b.ts")))
	close(hold)
	bs := f.collect(append(want, "src/a.ts", "new/deep/c.ts", "src/b.ts"))
	full := slices.ContainsFunc(bs, func(b Batch) bool { return b.Full && b.Reason == Rescan })
	if !full && !testing.Short() {
		t.Error("no batch says that the whole tree was compared")
	}
	f.nothing()
	r.Write("new/deep/c.ts", "2\n")
	f.collect([]string{"new/deep/c.ts"})
}

// TestWatchLimit holds that folders beyond the kernel's limit are polled, and
// that the limit is named.
//
// jestjs/jest#3254
func TestWatchLimit(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"watches", syscall.ENOSPC, "inotify watches"},
		{"instances", syscall.EMFILE, "inotify instances"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := repoWith(t, "a.ts", "1\n", "sub/b.ts", "1\n", "sub/deep/c.ts", "1\n")
			src := newFake()
			src.fail = func(dir string) error {
				if strings.HasSuffix(dir, "sub") {
					return fmt.Errorf("add: %w", c.err)
				}
				return nil
			}
			f := start(t, r, func(c *Config) { c.newSource = func() (source, error) { return src, nil } })
			if got := <-f.warn; !strings.Contains(got, c.want) {
				t.Errorf("warning = %q, want it to name %s", got, c.want)
			}
			if i := f.w.Info(); i.Polled != 2 || i.Folders != 3 {
				t.Errorf("info = %+v, want 2 of 3 polled", i)
			}
			r.Write("sub/deep/c.ts", "2\n", "sub/new/d.ts", "1\n")
			f.collect([]string{"sub/deep/c.ts", "sub/new/d.ts"})
			r.Write("a.ts", "2\n")
			src.events <- fsnotify.Event{Name: r.Path("a.ts"), Op: fsnotify.Write}
			f.collect([]string{"a.ts"})
		})
	}
}

func TestNoInstance(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n")
	f := start(t, r, func(c *Config) { c.newSource = func() (source, error) { return nil, syscall.EMFILE } })
	if got := <-f.warn; !strings.Contains(got, "instances") {
		t.Errorf("warning = %q", got)
	}
	r.Write("a.ts", "2\n")
	f.collect([]string{"a.ts"})
}

// TestPoll holds that everything works without events as well.
func TestPoll(t *testing.T) {
	r := repoWith(t, ".gitignore", "*.log\n", "a.ts", "1\n", "sub/b.ts", "1\n")
	f := start(t, r, func(c *Config) { c.Poll = PollAlways })
	r.Write("a.ts", "2\n", "x/y/c.ts", "1\n", "d.log", "1\n")
	must(t, os.Remove(r.Path("sub/b.ts")))
	f.collect([]string{"a.ts", "x/y/c.ts", "sub/b.ts"})
	must(t, os.RemoveAll(r.Path("x")))
	f.collect([]string{"x/y/c.ts"})
	must(t, os.Chtimes(r.Path("a.ts"), time.Now(), time.Now()))
	f.nothing()
}

// TestDeafFileSystem holds that what lies on a mount that stays silent is
// polled, and that it is said once.
//
// jestjs/jest#7383, #4531
func TestDeafFileSystem(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n", "sub/b.ts", "1\n")
	f := start(t, r, func(c *Config) {
		c.deaf = func(string) string { return "it is on NFS" }
		c.newSource = func() (source, error) { return newFake(), nil }
	})
	if got := <-f.warn; got != "the repository is polled: it is on NFS" {
		t.Errorf("warning = %q", got)
	}
	r.Write("sub/b.ts", "2\n")
	f.collect([]string{"sub/b.ts"})
	if len(f.warn) > 0 {
		t.Errorf("and %q", <-f.warn)
	}
}

// TestNeverPolled holds that watch.poll = "never" is kept to, and that what it
// costs is said.
func TestNeverPolled(t *testing.T) {
	r := repoWith(t, "a.ts", "1\n", "sub/b.ts", "1\n")
	src := newFake()
	src.fail = func(dir string) error {
		if strings.HasSuffix(dir, "sub") {
			return fmt.Errorf("add: %w", syscall.ENOSPC)
		}
		return nil
	}
	f := start(t, r, func(c *Config) {
		c.Poll, c.deaf = PollNever, func(string) string { return "it is on NFS" }
		c.newSource = func() (source, error) { return src, nil }
	})
	if got := <-f.warn; !strings.Contains(got, "are not seen") || !strings.Contains(got, "inotify watches") {
		t.Errorf("warning = %q", got)
	}
	if i := f.w.Info(); i.Polled != 0 {
		t.Errorf("%d folders are polled", i.Polled)
	}
	r.Write("a.ts", "2\n")
	src.events <- fsnotify.Event{Name: r.Path("a.ts"), Op: fsnotify.Write}
	f.collect([]string{"a.ts"})
	w, err := New(Config{Repo: f.w.cfg.Repo, Poll: PollNever, newSource: func() (source, error) { return nil, syscall.EMFILE }})
	must(t, err)
	if err := w.Run(t.Context(), make(chan Batch)); err == nil || !strings.Contains(err.Error(), "fs.inotify.max_user_instances") {
		t.Errorf("without any instance: %v", err)
	}
}

func TestSentinelHears(t *testing.T) {
	if why := deaf(t.TempDir()); why != "" {
		t.Skipf("the temporary folder is on a silent file system: %s", why)
	}
	if why := deaf(filepath.Join(t.TempDir(), "none")); why != "" {
		t.Errorf("a folder that is not there is deaf: %s", why)
	}
}
