package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Inspect looks at a socket without changing anything. err is a *SocketError
// when its folder is not safe; left says that a daemon which was killed left
// the socket over, to which nobody answers.
func Inspect(path string) (left bool, err error) {
	dir := filepath.Dir(path)
	fi, err := os.Lstat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil // it is made when it is needed
	}
	if err != nil {
		return false, fmt.Errorf("look at the socket's folder: %w", err)
	}
	if why := untrusted(fi); why != "" {
		return false, &SocketError{dir, why}
	}
	if _, err := os.Lstat(path); err != nil {
		return false, nil
	}
	c, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return true, nil
	}
	return false, c.Close()
}
