package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gofrs/flock"
)

// lock says that this process is the repository's daemon. The kernel lets it
// go when the process ends, however it ends; the file stays.
type lock struct{ f *flock.Flock }

// takeLock takes it, or gives *BusyError. The process id beside it is for
// people only.
func takeLock(path string) (*lock, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("make the state folder: %w", err)
	}
	f := flock.New(path)
	ok, err := f.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if !ok {
		src, _ := os.ReadFile(path + ".pid")
		pid, _ := strconv.Atoi(strings.TrimSpace(string(src)))
		return nil, &BusyError{PID: pid}
	}
	if err := os.WriteFile(path+".pid", []byte(strconv.Itoa(os.Getpid())+"\n"), 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("note the process: %w", err), f.Close())
	}
	return &lock{f}, nil
}

// ours tells whether the lock's file is still the one under its name: somebody
// may have removed the state folder.
func (l *lock) ours() bool {
	mine, err := l.f.Stat()
	if err != nil {
		return false
	}
	now, err := os.Stat(l.f.Path())
	return err == nil && os.SameFile(mine, now)
}

// again takes the lock anew where its file is gone. It gives *BusyError when
// another process has it by now.
func (l *lock) again() error {
	if l.ours() {
		return nil
	}
	n, err := takeLock(l.f.Path())
	if err != nil {
		return err
	}
	old := l.f
	l.f = n.f
	return old.Close()
}

func (l *lock) release() error {
	var err error
	if l.ours() { // else the note is another one's
		err = os.Remove(l.f.Path() + ".pid")
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, l.f.Close())
}
