package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"regreen/internal/config"
)

// TestStateFolderGone holds that a daemon whose state folder was removed goes
// on, keeps others out, and gives way where another one took its place.
func TestStateFolderGone(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	gone := func() {
		t.Helper()
		if err := os.RemoveAll(filepath.Dir(f.cfg.LockFile)); err != nil {
			t.Skipf("the system keeps a file that is open: %v", err)
		}
	}
	gone()
	opened := false
	open := f.cfg.Open
	must(t, f.d.ask(t.Context(), func() {
		f.d.cfg.Open = func(ctx context.Context, c config.Config) (Worker, error) { opened = true; return open(ctx, c) }
	}))
	reopened := func(why string) {
		t.Helper()
		must(t, f.d.ask(t.Context(), func() {
			if !opened {
				t.Errorf("%s the sandbox is not opened anew", why)
			}
			opened = false
		}))
	}
	f.save("a.ts", "1")
	f.began()
	reopened("with the folder and the sandbox's lock gone, where another process may be at work,")
	var busy *BusyError
	if err := New(f.cfg).Run(t.Context()); !errors.As(err, &busy) || busy.PID != os.Getpid() {
		t.Errorf("a second daemon: %v", err)
	}
	f.work.fail <- errors.New("the worktree is gone")
	f.until(Idle)
	f.save("a.ts", "2")
	f.began()
	reopened("after an error")
	f.finish(passed())
	f.until(Idle)

	gone()
	other, err := takeLock(f.cfg.LockFile)
	must(t, err)
	defer func() { must(t, other.release()) }()
	l, err := listen(f.cfg.Socket)
	must(t, err)
	defer func() { _ = l.Close() }()
	f.save("a.ts", "3")
	if err := <-f.done; !errors.As(err, &busy) {
		t.Errorf("Run beside another daemon = %v", err)
	}
	for _, left := range []string{f.cfg.Socket, f.cfg.LockFile + ".pid"} {
		if _, err := os.Lstat(left); err != nil {
			t.Errorf("it took the other's %s along", filepath.Base(left))
		}
	}
}

// TestSocketGone holds that a daemon whose socket was removed can be reached
// again from the next save on, and that who was connected still is.
func TestSocketGone(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	if runtime.GOOS == "windows" {
		t.Skip("needs the inodes of Unix")
	}
	other := NewClient(f.cfg.Socket)
	defer other.Close()
	must(t, os.Remove(f.cfg.Socket))
	if _, err := other.Status(t.Context()); !errors.Is(err, ErrNone) {
		t.Fatalf("Status without a socket = %v", err)
	}
	f.save("a.ts", "1")
	f.began()
	for name, c := range map[string]*Client{"new": other, "old": f.c} {
		if s, err := c.Status(t.Context()); err != nil || s.PID != os.Getpid() {
			t.Errorf("the %s connection: %+v, %v", name, s, err)
		}
	}
	f.finish(passed())
	f.idle()
	f.cancel()
	must(t, <-f.done)
	if _, err := os.Lstat(f.cfg.Socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

// TestSilent holds that who asks a daemon that hangs is not kept for ever.
func TestSilent(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	hold, held := make(chan struct{}), make(chan struct{})
	go func() { _ = f.d.ask(context.Background(), func() { close(held); <-hold }) }()
	<-held
	defer close(hold)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := f.c.Status(ctx); !errors.Is(err, ErrSilent) {
		t.Errorf("Status = %v", err)
	}
	if err := f.c.Stop(ctx); !errors.Is(err, ErrSilent) {
		t.Errorf("Stop = %v", err)
	}
}
