package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"regreen/internal/daemon"
	"regreen/internal/sandbox"
	"regreen/watch"
)

// inotify is where Linux tells the limits of watching.
const inotify = "/proc/sys/fs/inotify"

// checkWatchLimits holds the system's limits against the folders to watch; it
// gives nothing where there are none. limits is the folder that tells them.
func checkWatchLimits(limits string, folders int, err error) []Check {
	const name = "watch-limits"
	watches, okWatches := sysctl(limits, "max_user_watches")
	instances, okInstances := sysctl(limits, "max_user_instances")
	if !okWatches || !okInstances {
		return nil
	}
	if err != nil {
		return []Check{{name, statusWarn, "the folders cannot be counted: " + err.Error(), ""}}
	}
	detail := fmt.Sprintf("%s to watch, fs.inotify.max_user_watches is %d", count(folders, "folder"), watches)
	switch {
	case folders > watches:
		return []Check{{name, statusWarn, detail + ": the rest is polled",
			fmt.Sprintf("sudo sysctl fs.inotify.max_user_watches=%d, or name large folders in watch.ignore", 2*folders)}}
	case folders > watches/2:
		return []Check{{name, statusWarn, detail + ", which other programs share",
			fmt.Sprintf("sudo sysctl fs.inotify.max_user_watches=%d", 4*folders)}}
	case instances < minInstances:
		return []Check{{name, statusWarn, fmt.Sprintf("fs.inotify.max_user_instances is %d, which other programs share", instances),
			"sudo sysctl fs.inotify.max_user_instances=128"}}
	}
	return []Check{{name, statusOK, detail, ""}}
}

// minInstances leaves room beside an editor, a desktop and a dev server.
const minInstances = 16

func sysctl(dir, name string) (int, bool) {
	src, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return 0, false
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(src)))
	return n, err == nil
}

// checkFileSystem tells the kind of file system, and whether saves on it are
// seen at once.
func checkFileSystem(kind, deaf string) Check {
	if deaf != "" {
		return Check{"file-system", statusWarn, strings.TrimPrefix(kind+": ", ": ") + "polled, since " + deaf,
			"saves are seen up to some seconds later; a local disk is quicker"}
	}
	if kind == "" {
		kind = "local"
	}
	return Check{"file-system", statusOK, kind + ", saves are seen at once", ""}
}

// checkSocket looks at the daemon's socket and its folder.
func checkSocket(path string) []Check {
	left, err := daemon.Inspect(path)
	var unsafe *daemon.SocketError
	switch {
	case errors.As(err, &unsafe):
		return []Check{{"socket-folder", statusFail, unsafe.Error(), "make it your own with mode 0700, or set XDG_RUNTIME_DIR"}}
	case err != nil:
		return []Check{{"socket-folder", statusFail, err.Error(), "set XDG_RUNTIME_DIR to a folder of your own"}}
	case left:
		return []Check{{"socket-folder", statusWarn, path + " was left by a daemon that was killed", "regreen watch starts again and replaces it"}}
	}
	return []Check{{"socket-folder", statusOK, filepath.Dir(path), ""}}
}

// checkStale looks for what is left over from a crash, or from repositories
// that are gone. root may be "".
func checkStale(stateDir, root string) []Check {
	if root != "" {
		if home, err := sandbox.StateDir(stateDir, root); err == nil && sandbox.Unfinished(home) {
			return []Check{{"stale-state", statusWarn, "a merge was broken off", "any regreen command finishes it or takes it back: regreen run"}}
		}
	}
	gone, err := sandbox.Stale(stateDir)
	switch {
	case err != nil:
		return []Check{{"stale-state", statusWarn, err.Error(), ""}}
	case len(gone) > 0:
		return []Check{{"stale-state", statusWarn, fmt.Sprintf("the state of %s that no longer exist: %s", count(len(gone), "repository"), gone[0]),
			"delete what you do not need: rm -r " + strings.Join(gone, " ")}}
	}
	return []Check{{"stale-state", statusOK, "none", ""}}
}

// systemChecks are those of the machine and of what regreen keeps on it.
func (a *app) systemChecks(ctx context.Context, root string, folders func(context.Context) (int, error)) []Check {
	var out []Check
	if root != "" {
		n, err := folders(ctx)
		out = append(out, checkWatchLimits(inotify, n, err)...)
		out = append(out, checkFileSystem(fileSystem(root), watch.Deaf(root)))
		out = append(out, checkSocket(socketPath(root, a.environ))...)
	}
	return append(out, a.checkState(root)...)
}
