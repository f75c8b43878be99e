package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/engine"
	"regreen/watch"
)

func passed() *cycle.Document { return &cycle.Document{ID: "c1", Outcome: cycle.Passed} }

func failed(file string) *cycle.Document {
	return &cycle.Document{ID: "c2", Outcome: cycle.Failed, AffectedTests: []cycle.Affected{{File: file}},
		Remaining: []cycle.Remaining{{Test: cycle.TestRef{File: file}, Message: file}}}
}

func TestBeginsWithWhatIsModified(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.idle()
	f.save("a.ts", "1")
	if diff := cmp.Diff([]string{"a.ts"}, files(f.began())); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	f.finish(passed())
	f.batches <- watch.Batch{Paths: []string{"a.ts"}} // the same content
	f.idle()
}

// TestLateCheckout holds that a checkout that is told after its files is taken
// up, and one whose files are all known, as after a commit, is not.
func TestLateCheckout(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	f.save("a.ts", "1")
	f.began()
	f.finish(passed())
	f.until(Idle)
	f.batches <- watch.Batch{Paths: []string{"a.ts"}, Checkout: true, Reason: watch.Checkout}
	f.idle()
	f.batches <- watch.Batch{Checkout: true, Reason: watch.Checkout}
	if got := f.began(); len(got.Files) > 0 || got.All {
		t.Errorf("the cycle is about %+v, want what differs from the last commit", got)
	}
	f.finish(passed())
	f.idle()
}

// TestNewestWins saves twenty times during a cycle: the last cycle is about
// all of it, and nothing else runs.
func TestNewestWins(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	want := map[string]bool{}
	for i := range 20 {
		rel := fmt.Sprintf("f%d.ts", i)
		want[rel] = true
		f.save(rel, "1")
		got := f.began()
		if len(got.Files) != len(want) {
			t.Fatalf("after %d saves the cycle is about %v", i+1, got.Files)
		}
	}
	f.save("f3.ts", "2")
	f.began()
	f.finish(passed())
	f.idle()
}

// TestQueued holds that a save that cannot change the verdict waits its turn.
func TestQueued(t *testing.T) {
	f := begin(t, nil)
	f.save("README.md", "1")
	f.told(EventBatch)
	f.finish(passed())
	if diff := cmp.Diff([]string{"README.md"}, files(f.began())); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	f.finish(passed())
	f.idle()
}

func TestFailuresStayUntilTheyPass(t *testing.T) {
	f := begin(t, nil)
	f.finish(failed("a.test.ts"))
	f.until(Idle)
	f.save("b.ts", "1")
	f.began()
	f.finish(failed("b.test.ts"))
	f.until(Idle)
	names := func() (out []string) {
		s, err := f.c.Status(t.Context())
		must(t, err)
		for _, r := range s.Failing {
			out = append(out, r.Message)
		}
		return out
	}
	if diff := cmp.Diff([]string{"a.test.ts", "b.test.ts"}, names()); diff != "" {
		t.Errorf("failing (-want +got):\n%s", diff)
	}
	f.save("a.ts", "1")
	f.began()
	f.finish(&cycle.Document{Outcome: cycle.Passed, AffectedTests: []cycle.Affected{{File: "a.test.ts"}}})
	f.until(Idle)
	if diff := cmp.Diff([]string{"b.test.ts"}, names()); diff != "" {
		t.Errorf("failing (-want +got):\n%s", diff)
	}
	f.batches <- watch.Batch{Deleted: []string{"b.test.ts"}}
	f.began()
	f.finish(passed())
	f.until(Idle)
	if got := names(); len(got) > 0 {
		t.Errorf("failing = %v after the file is gone", got)
	}
}

// TestOwnMerge holds that what a cycle merged is expected, and is no save.
func TestOwnMerge(t *testing.T) {
	f := begin(t, nil)
	f.work.merge <- []cycle.Change{{File: "a.ts", After: []byte("fixed")}}
	must(t, <-f.work.met)
	if got := <-f.expects; got != "a.ts" {
		t.Errorf("expected %q", got)
	}
	f.finish(&cycle.Document{Outcome: cycle.Repaired, Merged: []cycle.Merged{{File: "a.ts", After: hexSum([]byte("fixed"))}}})
	f.until(Idle)
	f.save("a.ts", "fixed")
	f.idle()
	f.save("a.ts", "fixed and more")
	f.began()
}

// TestMergeWaitsForQuiet holds that a merge waits while somebody saves, and
// that a save in that time keeps it from happening.
func TestMergeWaitsForQuiet(t *testing.T) {
	f := begin(t, func(c *Config) { c.Config.Cycle.MergeQuiet = config.Duration(time.Hour) })
	f.save("README.md", "1") // cancels nothing
	f.told(EventBatch)
	f.work.merge <- []cycle.Change{{File: "a.ts", After: []byte("fixed")}}
	select {
	case err := <-f.work.met:
		t.Fatalf("the merge went on: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	f.save("a.ts", "1")
	var not *cycle.NotMerged
	if err := <-f.work.met; !errors.As(err, &not) {
		t.Errorf("BeforeMerge = %v, want *cycle.NotMerged", err)
	}
	f.began()
}

func TestSaveHook(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	must(t, os.WriteFile(filepath.Join(f.cfg.Root, "a.ts"), []byte("1"), 0o644))
	// It returns although the cycle that it starts has not ended.
	if _, err := f.c.Save(t.Context(), []string{"a.ts"}, false); err != nil {
		t.Fatal(err)
	}
	f.began()
	verdict := make(chan *cycle.Document)
	go func() {
		doc, _ := f.c.Save(t.Context(), []string{"a.ts"}, true)
		verdict <- doc
	}()
	f.batches <- watch.Batch{Paths: []string{"a.ts"}} // the watcher comes later, with the same content
	f.finish(failed("a.test.ts"))
	if doc := <-verdict; doc == nil || doc.Outcome != cycle.Failed {
		t.Errorf("verdict = %+v", doc)
	}
	f.idle()
	if _, err := f.c.Save(t.Context(), []string{"../x"}, false); err == nil {
		t.Error("a file outside the repository was taken")
	}
}

// TestBorrow holds that a command gets the sandbox, that the cycle under way
// comes again afterwards, and that a command that dies gives it back.
func TestBorrow(t *testing.T) {
	f := begin(t, nil)
	f.save("a.ts", "1")
	f.began()
	loan, err := f.c.Borrow(t.Context())
	must(t, err)
	if f.work.isOpen() {
		t.Error("the sandbox is still held")
	}
	f.until(Waiting)
	must(t, os.WriteFile(filepath.Join(f.cfg.Root, "b.ts"), []byte("repaired"), 0o644))
	f.batches <- watch.Batch{Paths: []string{"b.ts"}}
	must(t, loan.Wrote(t.Context(), &engine.Written{ID: "u1", Files: []cycle.Merged{{File: "b.ts", After: hexSum([]byte("repaired"))}}}))
	must(t, loan.Ran(t.Context(), &cycle.Document{ID: "c9", Outcome: cycle.Failed, Undo: "u1"}))
	if s, err := f.c.Status(t.Context()); err != nil || s.Cycle != "c9" || s.Undo != "u1" {
		t.Errorf("status = %+v, %v", s, err)
	}
	must(t, loan.Wrote(t.Context(), &engine.Written{ID: "u1"}))
	if s, err := f.c.Status(t.Context()); err != nil || s.Undo != "" {
		t.Errorf("status after the undo = %+v, %v", s, err)
	}
	loan.Return()
	if r := f.began(); !r.All && len(r.Files) > 0 {
		t.Errorf("the cancelled cycle was about what was modified; now about %v", r.Files)
	}
	f.finish(passed())
	f.idle()

	ctx, cancel := context.WithCancel(t.Context())
	_, err = f.c.Borrow(ctx)
	must(t, err)
	f.until(Waiting)
	cancel()
	f.until(Idle)
	if l, err := NewClient(f.cfg.Socket + ".none").Borrow(t.Context()); l != nil || err != nil {
		t.Errorf("Borrow without a daemon = %v, %v", l, err)
	}
}

func TestPauseAndUndo(t *testing.T) {
	f := begin(t, nil)
	paused, err := f.d.Pause(t.Context())
	if err != nil || !paused {
		t.Fatalf("Pause = %v, %v", paused, err)
	}
	f.until(Paused)
	f.save("a.ts", "1")
	w, err := f.d.Undo(t.Context(), "x")
	if err != nil || w.ID != "x" {
		t.Errorf("Undo = %v, %v", w, err)
	}
	if _, err := f.d.Apply(t.Context(), ""); err == nil {
		t.Error("Apply gave no error")
	}
	f.until(Paused)
	if len(f.work.begun) > 0 {
		t.Error("a cycle began in the pause")
	}
	if _, err := f.c.Save(t.Context(), []string{"a.ts"}, true); err != nil {
		t.Errorf("save --wait in the pause: %v", err)
	}
	_, err = f.d.Pause(t.Context())
	must(t, err)
	f.began()
	f.finish(passed())
	must(t, f.d.RunAll(t.Context()))
	if !f.began().All {
		t.Error("it is not the whole suite")
	}
}

func TestWaitsForGit(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	f.waiting("a rebase is in progress")
	f.until(Waiting)
	s, err := f.c.Status(t.Context())
	must(t, err)
	if s.Why != "a rebase is in progress" {
		t.Errorf("why = %q", s.Why)
	}
	f.waiting("")
	f.until(Idle)
}

func TestReload(t *testing.T) {
	broken := errors.New("regreen.toml:1: broken")
	var loadErr error
	f := begin(t, func(c *Config) {
		load := c.Load
		c.Load = func() (config.Config, error) {
			cfg, err := load()
			return cfg, errors.Join(err, loadErr)
		}
	})
	f.finish(passed())
	f.until(Idle)
	loadErr = broken
	must(t, f.d.Reload(t.Context()))
	if e := f.told(EventError); !strings.Contains(e.Text, "broken") || !strings.Contains(e.Hint, "stays in force") {
		t.Errorf("event = %+v", e)
	}
	loadErr = nil
	must(t, f.d.Reload(t.Context()))
	if got := files(f.began()); len(got) != 0 { // all that is modified: the old watcher may have had more to tell
		t.Errorf("after a reload the cycle is about %v", got)
	}
	f.finish(passed())
	f.until(Idle)
	f.save("a.ts", "1")
	f.began()
	f.finish(passed())
	f.idle()
}

func TestPanicIsAnError(t *testing.T) {
	f := begin(t, nil)
	f.finish(&cycle.Document{Reason: "panic"})
	f.until(Idle)
	s, err := f.c.Status(t.Context())
	must(t, err)
	if s.Outcome != cycle.Errored {
		t.Errorf("outcome = %q", s.Outcome)
	}
	f.save("a.ts", "1")
	f.began()
	f.finish(passed())
	f.idle()
}

func TestOneDaemon(t *testing.T) {
	f := begin(t, nil)
	var busy *BusyError
	if err := New(f.cfg).Run(t.Context()); !errors.As(err, &busy) || busy.PID != os.Getpid() {
		t.Errorf("second daemon: %v", err)
	}
}

// TestKilled holds that what a killed daemon leaves is no hindrance: a socket
// file that nobody listens on, and a lock file.
func TestKilled(t *testing.T) {
	f := begin(t, func(c *Config) {
		for _, file := range []string{c.Socket, c.LockFile, c.LockFile + ".pid"} {
			must(t, os.MkdirAll(filepath.Dir(file), 0o700))
			must(t, os.WriteFile(file, []byte("4194304\n"), 0o600))
		}
	})
	f.finish(passed())
	f.until(Idle)
}

func TestSocketFolder(t *testing.T) {
	f := begin(t, nil)
	fi, err := os.Stat(f.cfg.Socket)
	must(t, err)
	dir, err := os.Stat(filepath.Dir(f.cfg.Socket))
	must(t, err)
	if fi.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 {
		t.Errorf("socket %v, folder %v", fi.Mode(), dir.Mode())
	}
	other := filepath.Join(t.TempDir(), "open")
	must(t, os.Mkdir(other, 0o755))
	cfg := f.cfg
	cfg.Socket, cfg.LockFile = filepath.Join(other, "s"), filepath.Join(other, "lock")
	var bad *SocketError
	if err := New(cfg).Run(t.Context()); !errors.As(err, &bad) {
		t.Errorf("a folder that others can read: %v", err)
	}
	if os.Getuid() == 0 {
		must(t, os.Chmod(other, 0o700))
		must(t, os.Chown(other, 12345, 12345))
		if err := New(cfg).Run(t.Context()); !errors.As(err, &bad) {
			t.Errorf("a folder of another user: %v", err)
		}
	}
}

func TestBadRequests(t *testing.T) {
	f := begin(t, nil)
	for _, c := range []struct {
		name, method, path string
		body               io.Reader
		want               int
	}{
		{"no such path", "GET", "/v1/nothing", nil, 404},
		{"unknown version", "GET", "/v2/status", nil, 404},
		{"wrong method", "GET", "/v1/stop", nil, 404},
		{"not JSON", "POST", "/v1/save", strings.NewReader("{"), 400},
		{"unknown field", "POST", "/v1/save", strings.NewReader(`{"file":"x"}`), 400},
		{"two values", "POST", "/v1/save", strings.NewReader(`{} {}`), 400},
		{"absolute", "POST", "/v1/save", strings.NewReader(`{"files":["/etc/passwd"]}`), 400},
		{"100 MB", "POST", "/v1/save", io.LimitReader(spaces{}, 100<<20), 413},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), c.method, "http://regreen"+c.path, c.body)
			must(t, err)
			resp, err := f.c.http.Do(req)
			if c.want == 413 && err != nil {
				return // cut off before it was all sent
			}
			must(t, err)
			defer func() { _ = resp.Body.Close() }()
			if resp.StatusCode != c.want {
				t.Errorf("status = %d, want %d", resp.StatusCode, c.want)
			}
		})
	}
	conn, err := net.Dial("unix", f.cfg.Socket)
	must(t, err)
	_, err = conn.Write([]byte("\x00\x01 garbage\r\n\r\n"))
	must(t, err)
	answer, err := io.ReadAll(conn)
	if err != nil || !strings.Contains(string(answer), "400") {
		t.Errorf("garbage: %q, %v", answer, err)
	}
	must(t, conn.Close())
	f.until(Running)
}

type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestEventsAndStop(t *testing.T) {
	f := begin(t, nil)
	kinds := make(chan cycle.EventKind, 100)
	ended := make(chan error, 1)
	go func() {
		ended <- f.c.Events(t.Context(), func(e Event) bool { kinds <- e.Kind; return true })
	}()
	for subscribed := false; !subscribed; {
		f.d.loop.hub.mu.Lock()
		subscribed = len(f.d.loop.hub.readers) > 0
		f.d.loop.hub.mu.Unlock()
	}
	f.save("a.ts", "1")
	if k := <-kinds; k != EventBatch {
		t.Errorf("first event = %s", k)
	}
	must(t, f.c.Stop(t.Context()))
	must(t, <-ended)
	must(t, <-f.done)
	if _, err := f.c.Status(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("Status after the end: %v", err)
	}
	if f.work.isOpen() {
		t.Error("the sandbox is still held")
	}
	if _, err := os.Stat(f.cfg.Socket); err == nil {
		t.Error("the socket is still there")
	}
}
