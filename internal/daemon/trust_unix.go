//go:build unix

package daemon

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// untrusted says why a folder is not safe for a socket, "" when it is.
func untrusted(fi fs.FileInfo) string {
	st, ok := fi.Sys().(*syscall.Stat_t)
	switch {
	case !fi.IsDir():
		return "is not a folder"
	case ok && int(st.Uid) != os.Getuid():
		return fmt.Sprintf("belongs to another user (%d)", st.Uid)
	case fi.Mode().Perm()&0o077 != 0:
		return fmt.Sprintf("is open to others (mode %04o)", fi.Mode().Perm())
	}
	return ""
}
