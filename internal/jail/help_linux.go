package jail

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The helper's files beside the standard ones.
const (
	ordersFD  = 3
	answersFD = 4
)

// Help is the helper: it reads its order, puts up the walls, runs the process
// and tells how that ended. It gives the exit code; stderr is for a person who
// starts it by hand.
func Help(stderr io.Writer) int {
	syscall.CloseOnExec(ordersFD)
	syscall.CloseOnExec(answersFD)
	orders, answers := os.NewFile(ordersFD, "orders"), os.NewFile(answersFD, "answers")
	var o order
	if err := json.NewDecoder(orders).Decode(&o); err != nil {
		_, _ = fmt.Fprintln(stderr, "regreen: error: this command is for regreen itself")
		return 2
	}
	w := &warden{order: o, ownPIDs: o.Namespace && !o.SharedPIDs}
	var out outcome
	onThread(func() { out = w.run(orders) })
	if json.NewEncoder(answers).Encode(out) != nil {
		return 2
	}
	return out.Code
}

// swallowed are the signals that can be caught and would end or stop a Go
// program. Each costs switches between threads, so no others are caught.
var swallowed = []os.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGABRT, unix.SIGTERM, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU}

// onThread runs a function on a thread of its own, which ends with it: a
// thread has capabilities and Landlock rules of its own, and a child gets
// those of the thread that starts it. It is never the process's first thread,
// whose rules decide who may send the process a signal.
func onThread(do func()) {
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // for good
		if unix.Gettid() == unix.Getpid() {
			onThread(do)
			return
		}
		do()
	})
	wg.Wait()
}

// warden is the helper at work on one order.
type warden struct {
	order
	ownPIDs bool // it is the first process of a namespace

	disk      *diskWatch
	ownShared bool // it has a memory file system of its own

	mu    sync.Mutex // guards the field below
	limit string
}

// run gives how the process ended. It returns when no process of it is left.
func (w *warden) run(orders io.Reader) outcome {
	// As the leader of the process group it gets what is meant for the tests,
	// and it must outlive them to tell how they ended.
	signal.Notify(make(chan os.Signal, 1), swallowed...)
	if err := w.wall(); err != nil {
		return outcome{Problem: err.Error(), Code: 2}
	}
	pid, err := syscall.ForkExec(w.Path, append([]string{w.Path}, w.Args...),
		&syscall.ProcAttr{Dir: w.Dir, Env: w.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}})
	if err != nil {
		return outcome{Problem: fmt.Sprintf("start %s in %s: %v", w.Path, w.Dir, err), Code: 2}
	}
	if !w.ownPIDs {
		// The starter kills the group when a run does not end; who then looks for
		// those that left the group must not be in it.
		if group, err := syscall.Getpgid(os.Getppid()); err == nil {
			_ = syscall.Setpgid(0, group)
		}
	}
	go func() {
		// Nothing more comes; the end comes when the starter is gone.
		_, _ = io.Copy(io.Discard, orders)
		w.killAll()
		os.Exit(2)
	}()
	stop := make(chan struct{})
	var watching sync.WaitGroup
	if !w.Limits.none() {
		watching.Go(func() { w.watch(stop) })
	}
	status := reap(pid)
	close(stop)
	watching.Wait()
	if !w.ownPIDs { // otherwise the rest ends with this process
		w.killAll()
	}
	out := outcome{Code: status.ExitStatus(), Limit: w.limit}
	if status.Signaled() {
		out.Code, out.Signal = 2, int(status.Signal())
	}
	return out
}

// wall puts up the walls, in the order that each needs of the others.
func (w *warden) wall() error {
	leaveTerminal()
	if w.Namespace {
		if err := w.mountAll(); err != nil {
			return err
		}
	}
	if !w.ownPIDs {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return fmt.Errorf("become the parent of orphans: %w", err)
		}
	}
	if w.NoNetwork {
		if err := loopbackUp(); err != nil {
			return fmt.Errorf("set up the loopback network: %w", err)
		}
	}
	if err := w.bound(); err != nil {
		return err
	}
	if err := w.lock(); err != nil {
		return err
	}
	if w.Namespace {
		return dropCapabilities()
	}
	return nil
}

// leaveTerminal gives up the terminal that the starter may have. A session of
// its own, which has none, is not for the leader of a group that will leave it.
func leaveTerminal() {
	fd, err := unix.Open("/dev/tty", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return // there is none
	}
	_, _ = unix.IoctlRetInt(fd, unix.TIOCNOTTY)
	_ = unix.Close(fd)
}

// reap waits for the child, and for every orphan that ends before it.
func reap(pid int) syscall.WaitStatus {
	var ws syscall.WaitStatus
	for {
		got, err := syscall.Wait4(-1, &ws, 0, nil)
		if got == pid || err != nil && !errors.Is(err, syscall.EINTR) {
			return ws
		}
	}
}

// killAll ends every process of the run.
func (w *warden) killAll() {
	if w.ownPIDs {
		_ = syscall.Kill(-1, syscall.SIGKILL) // all but the first process itself
		return
	}
	// What is killed may have been forking.
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		pids := descendants(os.Getpid())
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		var ws syscall.WaitStatus
		for {
			if got, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil); got <= 0 || err != nil {
				break
			}
		}
	}
}

// dropCapabilities gives up everything that mounting took, for good.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return fmt.Errorf("clear the ambient capabilities: %w", err)
	}
	for c := uintptr(0); c <= 63; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); errors.Is(err, unix.EINVAL) {
			break // past the last one that the kernel knows
		} else if err != nil {
			return fmt.Errorf("drop capability %d: %w", c, err)
		}
	}
	header, none := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, [2]unix.CapUserData{}
	if err := unix.Capset(&header, &none[0]); err != nil {
		return fmt.Errorf("drop the capabilities: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	return nil
}

// loopbackUp makes 127.0.0.1 work in a new network namespace.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	req, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	req.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, req)
}
