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

// SocketPath is where the daemon of a repository listens: below
// $XDG_RUNTIME_DIR, or in a folder of the user's own in the system's temporary
// one. The name is short since the kernel allows about a hundred bytes.
func SocketPath(root string, env func(string) string) string {
	dir := env("XDG_RUNTIME_DIR")
	if dir == "" || !filepath.IsAbs(dir) {
		dir = filepath.Join(os.TempDir(), "regreen-"+strconv.Itoa(os.Getuid()))
	} else {
		dir = filepath.Join(dir, "regreen")
	}
	sum := sha256.Sum256([]byte(root))
	return filepath.Join(dir, hex.EncodeToString(sum[:])[:12]+".sock")
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
