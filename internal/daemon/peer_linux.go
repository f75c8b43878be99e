package daemon

import (
	"os"

	"golang.org/x/sys/unix"
)

// ownPeer tells whether the process that connected is the same user's.
func ownPeer(fd uintptr) bool {
	cred, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && int(cred.Uid) == os.Getuid()
}
