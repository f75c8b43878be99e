package jail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"regreen/internal/proc"
)

// mountCaps are what mounting takes in the new user namespace. An overlay
// needs more than CAP_SYS_ADMIN: its work folder is readable by nobody.
var mountCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_DAC_OVERRIDE, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER,
	unix.CAP_CHOWN, unix.CAP_FSETID, unix.CAP_MKNOD, unix.CAP_SETUID, unix.CAP_SETGID, unix.CAP_SETPCAP, unix.CAP_SYS_RESOURCE}

// helperEnv keeps the helper, which starts for every run, from collecting
// garbage while it starts.
var helperEnv = []string{"GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=48MiB"}

// Run runs cmd behind the walls of spec. helper is the command line that
// starts this program's helper. A *SetupError says that nothing was run; the
// rest is as proc.Local has it. cmd.Setup is not used.
func Run(ctx context.Context, helper []string, spec Spec, cmd proc.Cmd) (proc.Exit, error) {
	orders, mine, err := os.Pipe()
	if err != nil {
		return proc.Exit{}, fmt.Errorf("make a pipe: %w", err)
	}
	answers, theirs, err := os.Pipe()
	if err != nil {
		return proc.Exit{}, errors.Join(fmt.Errorf("make a pipe: %w", err), orders.Close(), mine.Close())
	}
	o := order{Spec: spec, Path: cmd.Path, Args: cmd.Args, Dir: cmd.Dir, Env: lastOfEach(cmd.Env)}
	sent := make(chan error, 1)
	go func() { sent <- json.NewEncoder(mine).Encode(o) }()

	cmd.Path, cmd.Args, cmd.Dir, cmd.Env = helper[0], helper[1:], "/", helperEnv
	cmd.Setup = func(c *exec.Cmd) {
		c.ExtraFiles = []*os.File{orders, theirs}
		c.SysProcAttr = attributes(spec)
	}
	ex, err := proc.Local{}.Run(ctx, cmd)
	// The helper has ended; only now may its order be given up.
	_, _, _, _ = orders.Close(), mine.Close(), theirs.Close(), <-sent
	said, rerr := io.ReadAll(io.LimitReader(answers, 64<<10))
	_ = answers.Close()
	switch {
	case err != nil:
		if spec.Namespace && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			var errno syscall.Errno
			if errors.As(err, &errno) {
				err = errno
			}
			return ex, &SetupError{Problem: "the system gives no new namespaces: " + err.Error()}
		}
		return ex, err
	case rerr != nil:
		return ex, fmt.Errorf("read how the process ended: %w", rerr)
	}
	return conclude(ex, said)
}

// lastOfEach leaves the last entry of each variable, as package exec does:
// programs differ in which of two they take.
func lastOfEach(environ []string) []string {
	seen := map[string]bool{}
	var out []string
	for _, kv := range slices.Backward(environ) {
		if k, _, ok := strings.Cut(kv, "="); ok && !seen[k] {
			seen[k] = true
			out = append(out, kv)
		}
	}
	slices.Reverse(out)
	return out
}

// conclude puts together what the system says of the helper and what the
// helper says of the process.
func conclude(ex proc.Exit, said []byte) (proc.Exit, error) {
	var out outcome
	if len(said) == 0 || json.Unmarshal(said, &out) != nil {
		if ex.Stopped || ex.Signal != "" || ex.Limit != "" {
			return ex, nil // killed before it could say anything
		}
		return ex, &SetupError{Problem: fmt.Sprintf("the sandbox's helper ended with exit code %d and no word", ex.Code)}
	}
	if out.Problem != "" {
		return ex, &SetupError{Problem: out.Problem}
	}
	ex.Code, ex.Signal = out.Code, ""
	if out.Limit != "" {
		ex.Limit = out.Limit
	}
	if out.Signal != 0 {
		ex.Code, ex.Signal = -1, syscall.Signal(out.Signal).String()
	}
	return ex, nil
}

// attributes ask for the namespaces.
func attributes(spec Spec) *syscall.SysProcAttr {
	if !spec.Namespace {
		return &syscall.SysProcAttr{Setpgid: true} // see leaveTerminal
	}
	flags := uintptr(unix.CLONE_NEWUSER | unix.CLONE_NEWNS)
	if !spec.SharedPIDs {
		flags |= unix.CLONE_NEWPID
	}
	if spec.NoNetwork {
		flags |= unix.CLONE_NEWNET
	}
	return &syscall.SysProcAttr{Cloneflags: flags, Setpgid: spec.SharedPIDs, AmbientCaps: mountCaps,
		UidMappings: identity("/proc/self/uid_map", os.Getuid()), GidMappings: identity("/proc/self/gid_map", os.Getgid())}
}

// identity maps ids to themselves: for root all that there are, so that files
// keep their owners, for others the one that the kernel allows.
func identity(file string, id int) []syscall.SysProcIDMap {
	own := []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
	src, err := os.ReadFile(file)
	if os.Getuid() != 0 || err != nil {
		return own
	}
	var all []syscall.SysProcIDMap
	for line := range strings.Lines(string(src)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			return own
		}
		from, err1 := strconv.Atoi(f[0])
		size, err2 := strconv.Atoi(f[2])
		if err1 != nil || err2 != nil {
			return own
		}
		all = append(all, syscall.SysProcIDMap{ContainerID: from, HostID: from, Size: size})
	}
	if len(all) == 0 {
		return own
	}
	return all
}
