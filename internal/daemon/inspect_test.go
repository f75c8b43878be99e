//go:build unix

package daemon

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"testing"
)

func TestInspect(t *testing.T) {
	base, err := os.MkdirTemp("", "i") // a socket's path is short
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	dir := filepath.Join(base, "run")
	path := filepath.Join(dir, "s.sock")
	check := func(what string, wantLeft, wantErr bool) {
		t.Helper()
		left, err := Inspect(path)
		var unsafe *SocketError
		if left != wantLeft || errors.As(err, &unsafe) != wantErr || err != nil && !wantErr {
			t.Errorf("%s: Inspect = %v, %v", what, left, err)
		}
	}
	check("no folder", false, false)
	must(t, os.Mkdir(dir, 0o700))
	check("no socket", false, false)
	l, err := net.Listen("unix", path)
	must(t, err)
	check("a daemon", false, false)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	must(t, l.Close())
	check("left over", true, false)
	must(t, os.Chmod(dir, 0o755))
	check("open to others", false, true)
}
