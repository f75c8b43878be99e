package daemon

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOtherUser holds that the kernel's word on who connects decides, should
// the folder ever stand open.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to become another user")
	}
	f := begin(t, nil)
	for _, p := range []string{filepath.Dir(filepath.Dir(f.cfg.Socket)), filepath.Dir(f.cfg.Socket)} {
		must(t, os.Chmod(p, 0o711))
	}
	must(t, os.Chmod(f.cfg.Socket, 0o666))
	got := make(chan string, 1)
	go func() {
		// The thread is another user's from now on, and ends with the goroutine.
		runtime.LockOSThread()
		if _, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, 12345, 12345, 12345); errno != 0 {
			got <- errno.Error()
			return
		}
		conn, err := net.Dial("unix", f.cfg.Socket)
		if err != nil {
			got <- err.Error()
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Write([]byte("GET /v1/status HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
		answer, _ := io.ReadAll(conn)
		got <- string(answer)
	}()
	if answer := <-got; answer != "" {
		t.Errorf("another user got %q", answer)
	}
	must(t, os.Chmod(filepath.Dir(f.cfg.Socket), 0o700))
	f.until(Running)
}
