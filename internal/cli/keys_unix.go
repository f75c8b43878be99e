//go:build linux || darwin

package cli

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// readKeys turns off line editing and echo; signals and output stay as they
// are. Reading waits for the terminal and for the end alike, so that no
// goroutine is left behind in a read.
func readKeys(f *os.File) (<-chan byte, func()) {
	fd := int(f.Fd())
	before, err := unix.IoctlGetTermios(fd, getTermios)
	if err != nil {
		return nil, func() {}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, func() {}
	}
	now := *before
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME] = 1, 0
	if err := unix.IoctlSetTermios(fd, setTermios, &now); err != nil {
		_ = r.Close()
		_ = w.Close()
		return nil, func() {}
	}
	keys, end := make(chan byte), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(keys)
		fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, {Fd: int32(r.Fd()), Events: unix.POLLIN}}
		buf := make([]byte, 1)
		for {
			if _, err := unix.Poll(fds, -1); err == unix.EINTR {
				continue
			} else if err != nil || fds[1].Revents != 0 {
				return
			}
			if n, err := unix.Read(fd, buf); err == unix.EINTR || err == unix.EAGAIN {
				continue
			} else if err != nil || n == 0 {
				return
			}
			select {
			case keys <- buf[0]:
			case <-end:
				return
			}
		}
	})
	return keys, func() {
		close(end)
		_ = w.Close()
		wg.Wait()
		_ = r.Close()
		_ = unix.IoctlSetTermios(fd, setTermios, before)
	}
}
