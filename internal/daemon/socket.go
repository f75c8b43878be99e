package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// maxSocket is how long a socket's path may be, in bytes: sun_path of unix(7)
// has 108 with the final NUL, on macOS 104.
const maxSocket = 103

// maxPath is the longest path that a socket can have everywhere: macOS allows
// 104 bytes with the NUL, Linux 108.
const maxPath = 103

// SocketPath is where the daemon of a repository listens: below
// $XDG_RUNTIME_DIR, or in a folder of the user's own in the system's temporary
// one where that is not set or too long for a socket.
func SocketPath(root string, env func(string) string) string {
	sum := sha256.Sum256([]byte(root))
	name := hex.EncodeToString(sum[:])[:12] + ".sock"
	tmp := env("TMPDIR")
	if !filepath.IsAbs(tmp) {
		tmp = os.TempDir()
	}
	own := "regreen-" + strconv.Itoa(os.Getuid())
	if dir := env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if path := filepath.Join(dir, "regreen", name); len(path) <= maxPath {
			return path
		}
	}
	if path := filepath.Join(tmp, own, name); len(path) <= maxPath || runtime.GOOS == "windows" {
		return path
	}
	return filepath.Join("/tmp", own, name)
}

// SocketError is a socket folder that others could have their hands in.
type SocketError struct{ Dir, Why string }

// Error says what is wrong with the folder.
func (e *SocketError) Error() string { return fmt.Sprintf("the socket's folder %s %s", e.Dir, e.Why) }

// listen opens the socket. What is there under its name is left over from a
// daemon that was killed, since the caller holds the lock.
func listen(path string) (net.Listener, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the socket's folder: %w", err)
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("look at the socket's folder: %w", err)
	}
	if why := untrusted(fi); why != "" {
		return nil, &SocketError{dir, why}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("remove the socket that was left over: %w", err)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	// The folder is what keeps others out until this is done.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect the socket: %w", err), l.Close())
	}
	made, err := os.Lstat(path)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("look at the socket: %w", err), l.Close())
	}
	return own{l, made, make(chan struct{}, maxConns)}, nil
}

// trusted says why a socket is not to be connected to; nil too when there is none.
func trusted(path string) error {
	if _, err := os.Lstat(path); err != nil {
		return nil // connecting finds that out
	}
	fi, err := os.Lstat(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("look at the socket's folder: %w", err)
	}
	if why := untrusted(fi); why != "" {
		return &SocketError{filepath.Dir(path), why}
	}
	return nil
}

// maxConns is how many connections there may be at once. Each editor has one or
// two; more are a defect somewhere, which must not cost memory or files here.
const maxConns = 256

// own lets only the same user's processes in, and not too many of them.
type own struct {
	net.Listener
	made os.FileInfo   // the socket's file
	room chan struct{} // holds one for each connection
}

// Close stops listening and removes the socket's file, unless it is another
// daemon's by now.
func (o own) Close() error {
	if u, ok := o.Listener.(*net.UnixListener); ok {
		u.SetUnlinkOnClose(o.present())
	}
	return o.Listener.Close()
}

// present tells whether the socket's file is the one that this daemon made.
func (o own) present() bool {
	now, err := os.Lstat(o.Addr().String())
	return err == nil && os.SameFile(o.made, now)
}

// Accept drops connections of other users, and tells those that are too many.
func (o own) Accept() (net.Conn, error) {
	for {
		c, err := o.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !ours(c) {
			_ = c.Close()
			continue
		}
		select {
		case o.room <- struct{}{}:
			return &roomed{Conn: c, leave: sync.OnceFunc(func() { <-o.room })}, nil
		default:
			_ = c.SetDeadline(time.Now().Add(100 * time.Millisecond)) // it fits the socket's buffer
			_, _ = io.WriteString(c, full)
			_ = c.Close()
		}
	}
}

// full answers a connection that is one too many.
const full = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n" +
	`{"schema":1,"error":{"code":"busy","message":"too many connections to the daemon","hint":"one of your programs leaves them open"}}` + "\n"

// roomed gives its room back when it is closed.
type roomed struct {
	net.Conn
	leave func()
}

// Close closes the connection.
func (r *roomed) Close() error {
	defer r.leave()
	return r.Conn.Close()
}

// ours tells whether the other end of a connection is the same user's.
func ours(c net.Conn) bool {
	u, ok := c.(*net.UnixConn)
	if !ok {
		return false
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return false
	}
	same := false
	err = raw.Control(func(fd uintptr) { same = ownPeer(fd) })
	return err == nil && same
}
