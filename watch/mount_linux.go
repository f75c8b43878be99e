package watch

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// remote names the file systems on which the kernel tells of this machine's
// own writes only: a save on the other side of the mount gives no event.
func remote(kind int64) string {
	switch uint32(kind) {
	case 0x6969:
		return "NFS"
	case 0xff534d42, 0xfe534d42, 0x517b:
		return "SMB"
	case 0x65735546:
		return "FUSE"
	case 0x01021997:
		return "9P (WSL or a virtual machine)"
	case 0x786f4256:
		return "a VirtualBox shared folder"
	case 0xbacbacbc:
		return "a VMware shared folder"
	case 0x5346414f:
		return "AFS"
	case 0x00c36400:
		return "Ceph"
	case 0x47504653:
		return "GPFS"
	case 0x0bd00bd0:
		return "Lustre"
	case 0x01161970:
		return "GFS2"
	case 0x61756673:
		return "aufs"
	}
	return ""
}

// Deaf says why the changes below a folder have to be polled, "" when the
// kernel tells of them. It tries, which may take 200 ms.
func Deaf(dir string) string { return deaf(dir) }

// deaf says why the changes below a folder have to be polled, "" when the
// kernel tells of them.
func deaf(dir string) string {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err == nil {
		if kind := remote(int64(st.Type)); kind != "" {
			return "it is on " + kind
		}
	}
	return sentinel(dir)
}

// sentinel tries whether an event comes at all, with a watch for the opening
// of the folder, so that nothing is written anywhere. Sandboxed kernels and
// some emulated ones accept watches and stay silent.
func sentinel(dir string) string {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return "" // the limits are told where they are met
	}
	defer func() { _ = unix.Close(fd) }()
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN|unix.IN_ONLYDIR); err != nil {
		return ""
	}
	f, err := os.Open(dir)
	if err != nil {
		return ""
	}
	_ = f.Close()
	fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	end := time.Now().Add(sentinelWait)
	for {
		left := time.Until(end)
		n, err := unix.Poll(fds, int(max(left, 0)/time.Millisecond))
		switch {
		case err == unix.EINTR && left > 0:
		case err != nil || n > 0:
			return ""
		default:
			return fmt.Sprintf("no event came from it within %s", sentinelWait)
		}
	}
}

// sentinelWait is long for an event that the kernel queues before open returns.
const sentinelWait = 200 * time.Millisecond
