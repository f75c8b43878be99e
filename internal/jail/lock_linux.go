package jail

import (
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What Landlock takes away everywhere but below Write; nothing is said of
// reading and executing.
const (
	writeFile = ll.AccessFSWriteFile | ll.AccessFSTruncate
	writeAll  = writeFile | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeChar | ll.AccessFSMakeDir | ll.AccessFSMakeReg |
		ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeBlock | ll.AccessFSMakeSym | ll.AccessFSRefer
)

// soundABI is the first Landlock that keeps a file from being truncated.
const soundABI = 3

// LandlockProblem tells why Landlock cannot protect files here; "" when it can.
func LandlockProblem() string {
	abi, err := ll.LandlockGetABIVersion()
	switch {
	case err != nil:
		return fmt.Sprintf("the kernel has no Landlock (%v)", err)
	case abi < soundABI:
		return fmt.Sprintf("the kernel's Landlock (version %d) cannot keep files from being truncated; it takes Linux 6.2", abi)
	}
	return ""
}

// lock applies Landlock to this thread, from which the child gets it. The
// helper's other threads stay outside, where the child's signals do not reach
// and from where the child can be killed.
func (w *warden) lock() error {
	if p := LandlockProblem(); p != "" {
		if w.NeedLandlock {
			return fmt.Errorf("apply Landlock: %s", p)
		}
		return nil
	}
	var rules []landlock.Rule
	for _, path := range w.Write {
		fi, err := os.Stat(path)
		if err != nil {
			continue
		}
		rights := landlock.AccessFSSet(writeAll)
		if !fi.IsDir() {
			rights = writeFile
		}
		rules = append(rules, landlock.PathAccess(rights, path).IgnoreIfMissing())
	}
	// Signals reach only what runs behind the same walls (Linux 6.12).
	walls := landlock.MustConfig(landlock.AccessFSSet(writeAll), landlock.ScopedSet(ll.ScopeSignal))
	ruleset, flags, err := walls.BestEffort().NewRulesetFD(rules...)
	if err != nil {
		return fmt.Errorf("make the rules of Landlock: %w", err)
	}
	if ruleset < 0 {
		return nil
	}
	defer func() { _ = unix.Close(ruleset) }()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	if err := ll.LandlockRestrictSelf(ruleset, flags); err != nil {
		return fmt.Errorf("apply Landlock: %w", err)
	}
	return nil
}
