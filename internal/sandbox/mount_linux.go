package sandbox

import "golang.org/x/sys/unix"

// sameMount tells whether two paths are on one mount; where the kernel does
// not say (before Linux 5.8), on one file system.
func sameMount(a, b string) bool {
	var sa, sb unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, a, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MNT_ID, &sa) != nil ||
		unix.Statx(unix.AT_FDCWD, b, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_MNT_ID, &sb) != nil {
		return false
	}
	if sa.Mask&sb.Mask&unix.STATX_MNT_ID != 0 {
		return sa.Mnt_id == sb.Mnt_id
	}
	return sa.Dev_major == sb.Dev_major && sa.Dev_minor == sb.Dev_minor
}
