package daemon

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// maxSocket is how long a socket's path may be, in bytes: sun_path of unix(7)
// has 108 with the final NUL, on macOS 104.
const maxSocket = 103

// SocketPath is where the daemon of a repository listens: below
// $XDG_RUNTIME_DIR, or in a folder of the user's own in the system's temporary
// one, or below /tmp: the first whose path the kernel takes.
func SocketPath(root string, env func(string) string) string {
	sum := sha256.Sum256([]byte(root))
	name := hex.EncodeToString(sum[:])[:12] + ".sock"
	own := "regreen-" + strconv.Itoa(os.Getuid())
	dirs := []string{filepath.Join(os.TempDir(), own)}
	if dir := env("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		dirs = []string{filepath.Join(dir, "regreen"), dirs[0]}
	}
	for _, dir := range dirs {
		if path := filepath.Join(dir, name); len(path) <= maxSocket {
			return path
		}
	}
	return filepath.Join(string(filepath.Separator)+"tmp", own, name)
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
	return own{l}, nil
}

// own lets only the same user's processes in.
type own struct{ net.Listener }

// Accept drops connections of other users.
func (o own) Accept() (net.Conn, error) {
	for {
		c, err := o.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if uid, known := peer(c); !known || uid == os.Getuid() {
			return c, nil
		}
		_ = c.Close()
	}
}
