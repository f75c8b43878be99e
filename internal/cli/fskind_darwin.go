package cli

import "golang.org/x/sys/unix"

// fileSystem names the kind of file system that a folder is on, "" when it is
// not known.
func fileSystem(dir string) string {
	var st unix.Statfs_t
	if unix.Statfs(dir, &st) != nil {
		return ""
	}
	return unix.ByteSliceToString(st.Fstypename[:])
}
