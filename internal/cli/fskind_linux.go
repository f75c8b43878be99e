package cli

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// fileSystem names the kind of file system that a folder is on, "" when it is
// not known. The numbers are those of linux/magic.h.
func fileSystem(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	switch uint32(st.Type) {
	case 0xef53:
		return "ext4"
	case 0x9123683e:
		return "btrfs"
	case 0x58465342:
		return "xfs"
	case 0x2fc12fc1:
		return "zfs"
	case 0xf2f52010:
		return "f2fs"
	case 0x01021994:
		return "tmpfs"
	case 0x794c7630:
		return "overlayfs"
	case 0x6969:
		return "nfs"
	case 0xff534d42, 0xfe534d42, 0x517b:
		return "smb"
	case 0x65735546:
		return "fuse"
	case 0x01021997:
		return "9p"
	}
	return fmt.Sprintf("kind %#x", uint32(st.Type))
}
