package daemon

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"regreen/cycle"
)

func TestSocketPath(t *testing.T) {
	long := "/" + strings.Repeat("x", 90)
	for _, c := range []struct {
		name, runtime, tmp, want string // the folder
	}{
		{"as the session says", "/run/user/7", "/var/tmp", "/run/user/7/regreen"},
		{"not set", "", "/var/tmp", "/var/tmp/regreen-UID"},
		{"not absolute", "run", "/var/tmp", "/var/tmp/regreen-UID"},
		{"too long for a socket", long, "/var/tmp", "/var/tmp/regreen-UID"},
		{"both too long", long, long, "/tmp/regreen-UID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if os.Getuid() < 0 {
				t.Skip("needs the paths of a unix system")
			}
			got := SocketPath("/home/ann/shop", func(key string) string {
				return map[string]string{"XDG_RUNTIME_DIR": c.runtime, "TMPDIR": c.tmp}[key]
			})
			want := strings.Replace(c.want, "UID", strconv.Itoa(os.Getuid()), 1)
			if filepath.Dir(got) != want || len(got) > maxPath {
				t.Errorf("SocketPath = %s, want it in %s", got, want)
			}
		})
	}
}

// TestInTheSocketsPlace holds that nothing is followed or removed that is not
// the daemon's own.
func TestInTheSocketsPlace(t *testing.T) {
	var untrusted *SocketError
	for _, c := range []struct {
		name string
		make func(t *testing.T, cfg *Config, other string) error
		ok   func(error) bool
	}{
		{"the folder is a link", func(t *testing.T, cfg *Config, other string) error {
			return os.Symlink(other, filepath.Dir(cfg.Socket))
		}, func(err error) bool { return errors.As(err, &untrusted) }},
		{"the folder is a file", func(t *testing.T, cfg *Config, other string) error {
			return os.WriteFile(filepath.Dir(cfg.Socket), nil, 0o600)
		}, func(err error) bool { return err != nil }},
		{"the socket is a full folder", func(t *testing.T, cfg *Config, other string) error {
			return errors.Join(os.MkdirAll(filepath.Join(cfg.Socket, "full"), 0o700), os.Chmod(filepath.Dir(cfg.Socket), 0o700))
		}, func(err error) bool { return err != nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := prepare(t, nil)
			other := filepath.Join(filepath.Dir(f.cfg.Root), "other")
			must(t, os.Mkdir(other, 0o700))
			if err := c.make(t, &f.cfg, other); err != nil {
				t.Skip(err)
			}
			err := New(f.cfg).Run(t.Context())
			if !c.ok(err) {
				t.Errorf("Run = %v", err)
			}
			if left, _ := os.ReadDir(other); len(left) > 0 {
				t.Errorf("it made %s where the link leads", left[0].Name())
			}
		})
	}
	t.Run("the socket is a link to a file", func(t *testing.T) {
		f := prepare(t, nil)
		other := filepath.Join(filepath.Dir(f.cfg.Root), "precious")
		must(t, os.WriteFile(other, []byte("precious"), 0o600))
		must(t, os.Mkdir(filepath.Dir(f.cfg.Socket), 0o700))
		if err := os.Symlink(other, f.cfg.Socket); err != nil {
			t.Skip(err)
		}
		f.start()
		f.finish(passed())
		f.idle()
		if src, err := os.ReadFile(other); err != nil || string(src) != "precious" {
			t.Errorf("the file is %q, %v", src, err)
		}
	})
}

// TestClientTrusts holds that a client does not talk to whoever made a folder
// that the user's daemon would not have used.
func TestClientTrusts(t *testing.T) {
	if os.Getuid() < 0 {
		t.Skip("needs the modes of a unix system")
	}
	dir, err := os.MkdirTemp("", "d")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	c := NewClient(socket)
	defer c.Close()
	must(t, os.Chmod(dir, 0o755))
	if _, err := c.Status(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("without a socket: %v", err)
	}
	l, err := net.Listen("unix", socket)
	must(t, err)
	defer func() { _ = l.Close() }()
	var bad *SocketError
	if _, err := c.Status(t.Context()); !errors.As(err, &bad) {
		t.Errorf("in a folder that others can read: %v", err)
	}
}

// quick are bounds that a test can wait for.
var quick = times{header: 100 * time.Millisecond, body: 100 * time.Millisecond, write: 100 * time.Millisecond}

// TestSlowRequests holds that a client that stops in the middle of a request is
// cut off, at whatever place it stops.
func TestSlowRequests(t *testing.T) {
	f := prepare(t, nil)
	f.times = quick
	f.start()
	for _, c := range []struct{ name, sent string }{
		{"nothing", ""},
		{"half a line", "GET /v1/st"},
		{"half the headers", "GET /v1/status HTTP/1.1\r\nHost: x\r\nX-"},
		{"half a body", "POST /v1/save HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"},
		{"half a chunk", "POST /v1/save HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{"},
		{"a body that nobody asked for", "GET /v1/status HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"},
		{"a body to a stream", "GET /v1/events HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn, err := net.Dial("unix", f.cfg.Socket)
			must(t, err)
			defer func() { _ = conn.Close() }()
			_, err = conn.Write([]byte(c.sent))
			must(t, err)
			must(t, conn.SetReadDeadline(time.Now().Add(patience)))
			if _, err := io.Copy(io.Discard, conn); errors.Is(err, os.ErrDeadlineExceeded) {
				t.Error("the connection still stands")
			}
		})
	}
	if _, err := f.c.Save(t.Context(), []string{"a.ts"}, false); err != nil {
		t.Errorf("a save afterwards: %v", err)
	}
}

// TestWaitsAreNotCutOff holds that the bounds are for what is sent, and not for
// an answer that takes its time.
func TestWaitsAreNotCutOff(t *testing.T) {
	f := prepare(t, nil)
	f.times = quick
	f.start()
	got := make(chan error, 1)
	go func() {
		doc, err := f.c.Save(t.Context(), []string{"a.ts"}, true)
		if err == nil && doc.Outcome != cycle.Passed {
			err = errors.New(string(doc.Outcome))
		}
		got <- err
	}()
	f.began() // the first was cancelled
	<-time.After(4 * quick.body)
	f.finish(passed())
	must(t, <-got)
}

// TestReaderThatNeverReads holds that a reader of events that is stuck stops
// nobody, and is cut off.
func TestReaderThatNeverReads(t *testing.T) {
	f := prepare(t, nil)
	f.times = quick
	f.start()
	conn, err := net.Dial("unix", f.cfg.Socket)
	must(t, err)
	defer func() { _ = conn.Close() }()
	_, err = conn.Write([]byte("GET /v1/events HTTP/1.1\r\nHost: x\r\n\r\n"))
	must(t, err)
	for f.d.loop.hub.count() == 0 {
		f.until(Running)
	}
	for range 2000 {
		f.d.loop.hub.emit(Event{Event: cycle.Event{Kind: EventBatch, Text: strings.Repeat("x", 1000)}})
	}
	for end := time.Now().Add(patience); f.d.loop.hub.count() > 0; {
		f.until(Running) // it answers all the while
		if time.Now().After(end) {
			t.Fatal("the reader is still there")
		}
	}
}

// TestTooManyConnections holds that connections that somebody leaves open cost
// no more than a bound, and that the daemon is there again when they go.
func TestTooManyConnections(t *testing.T) {
	f := begin(t, nil)
	f.finish(passed())
	f.until(Idle)
	var open []net.Conn
	refused := 0
	for range 1000 {
		conn, err := net.Dial("unix", f.cfg.Socket)
		must(t, err)
		open = append(open, conn)
	}
	c := NewClient(f.cfg.Socket)
	defer c.Close()
	if _, err := c.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "too many connections") {
		t.Errorf("the one beyond: %v", err)
	}
	for _, conn := range open[maxConns:] {
		must(t, conn.SetReadDeadline(time.Now().Add(patience)))
		if src, _ := io.ReadAll(conn); strings.Contains(string(src), " 503 ") {
			refused++
		}
	}
	if want := 1000 - maxConns; refused < want-10 {
		t.Errorf("%d were refused, want %d", refused, want)
	}
	for _, conn := range open {
		must(t, conn.Close())
	}
	for end := time.Now().Add(patience); ; {
		if _, err := c.Status(t.Context()); err == nil {
			break
		} else if time.Now().After(end) {
			t.Fatalf("when they have gone: %v", err)
		}
	}
	f.save("a.ts", "1")
	f.began()
	f.finish(passed())
	f.idle()
}
