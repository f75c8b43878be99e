package sandbox

import (
	"io/fs"
	"syscall"
)

var errQuota error = syscall.EDQUOT

func sigOf(fi fs.FileInfo) sig {
	s := sig{Size: fi.Size(), Mtime: fi.ModTime().UnixNano(), Mode: uint32(fi.Mode())}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.Ino, s.Ctime = st.Ino, st.Ctim.Nano()
	}
	return s
}
