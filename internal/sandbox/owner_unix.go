//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// identity is what makes two folders the same one.
func identity(fi fs.FileInfo) (dev, ino uint64) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Dev), uint64(st.Ino)
	}
	return 0, 0
}

// links is the number of names a file has.
func links(fi fs.FileInfo) uint64 {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

func ownerOf(fi fs.FileInfo) (uid, gid int) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return int(st.Uid), int(st.Gid)
	}
	return os.Getuid(), os.Getgid()
}

// foreign tells whether a file belongs to somebody whose ownership we cannot
// keep when we replace it.
func foreign(fi fs.FileInfo) bool {
	uid, _ := ownerOf(fi)
	return os.Geteuid() != 0 && uid != os.Geteuid()
}

// giveTo makes f belong to the owner of like.
func giveTo(f *os.File, like fs.FileInfo) error {
	uid, gid := ownerOf(like)
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if u, g := ownerOf(fi); u == uid && g == gid {
		return nil
	}
	return f.Chown(uid, gid)
}
