package daemon

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownPeer tells whether the process that connected is the same user's.
func ownPeer(fd uintptr) bool {
	cred, err := unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	return err == nil && int(cred.Uid) == os.Getuid()
}
