package jail_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"regreen/internal/jail/jailtest"
)

// envTerminal says that the test runs at a terminal; it is the terminal's name.
const envTerminal = "REGREEN_TEST_TERMINAL"

// terminal opens a new one.
func terminal(t *testing.T) (slave *os.File) {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = unix.Close(fd) })
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	t.Cleanup(func() { _ = slave.Close() })
	return slave
}

// TestTerminal has processes behind the walls reach for the terminal of who
// started them.
func TestTerminal(t *testing.T) {
	if os.Getenv(envTerminal) == "" {
		jailtest.AsUser(t)
		tty := terminal(t)
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestTerminal$", "-test.v")
		cmd.Env = append(os.Environ(), envTerminal+"="+tty.Name())
		cmd.Stdin = tty
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("at a terminal: %v\n%s", err, out)
		}
		return
	}
	if f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0); err != nil {
		t.Fatalf("the test has no terminal: %v", err)
	} else {
		_ = f.Close()
	}
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			w := newWalls(t)
			mode.set(&w.spec)
			w.spec.Write = append(w.spec.Write, "/dev/tty", "/dev/pts")
			if _, out := w.sh(t, t.Context(), "(: <> /dev/tty) 2>/dev/null || echo no"); out != "no\n" {
				t.Errorf("/dev/tty can be opened: %q", out)
			}
			if !w.spec.Namespace {
				return // nothing there keeps what may be read from being read
			}
			if _, out := w.sh(t, t.Context(), "(: < "+os.Getenv(envTerminal)+") 2>/dev/null || echo no"); out != "no\n" {
				t.Errorf("the terminal can be opened: %q", out)
			}
		})
	}
}

// TestInheritedFiles starts with an open file of the user's, as a shell may
// have it, and looks for it behind the walls.
func TestInheritedFiles(t *testing.T) {
	jailtest.AsUser(t)
	for _, mode := range modes {
		t.Run(mode.name, func(t *testing.T) {
			w := newWalls(t)
			mode.set(&w.spec)
			fd, err := unix.Open(filepath.Join(w.dir, "other", "o"), unix.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = unix.Close(fd) }()
			if _, out := w.sh(t, t.Context(), "ls -l /proc/self/fd"); strings.Contains(out, "other/o") {
				t.Errorf("open behind the walls:\n%s", out)
			}
		})
	}
}
