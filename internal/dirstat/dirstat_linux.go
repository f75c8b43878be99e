package dirstat

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Dir is a folder that is open. Close it.
type Dir struct {
	abs string
	fd  int
}

// Open opens a folder (abs), not through a link.
func Open(abs string) (*Dir, error) {
	for {
		fd, err := unix.Open(abs, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		switch err {
		case nil:
			return &Dir{abs, fd}, nil
		case unix.EINTR:
		default:
			return nil, &fs.PathError{Op: "open", Path: abs, Err: err}
		}
	}
}

// Close lets the folder go. The zero Dir and nil may be closed.
func (d *Dir) Close() {
	if d != nil && d.fd > 0 {
		_ = unix.Close(d.fd)
		d.fd = 0
	}
}

// Lstat is os.Lstat of a name in the folder.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW); err {
		case nil:
			return &info{name: name, st: syscall.Stat_t{Dev: st.Dev, Ino: st.Ino, Nlink: st.Nlink, Mode: st.Mode, Uid: st.Uid, Gid: st.Gid,
				Rdev: st.Rdev, Size: st.Size, Blksize: st.Blksize, Blocks: st.Blocks,
				Atim: syscall.Timespec(st.Atim), Mtim: syscall.Timespec(st.Mtim), Ctim: syscall.Timespec(st.Ctim)}}, nil
		case unix.EINTR:
		default:
			return nil, &fs.PathError{Op: "lstat", Path: filepath.Join(d.abs, name), Err: err}
		}
	}
}

// info is what os.Lstat gives, but for what is computed only when it is asked.
type info struct {
	name string
	st   syscall.Stat_t
}

var _ os.FileInfo = (*info)(nil)

func (i *info) Name() string       { return i.name }
func (i *info) Size() int64        { return i.st.Size }
func (i *info) IsDir() bool        { return i.st.Mode&unix.S_IFMT == unix.S_IFDIR }
func (i *info) ModTime() time.Time { return time.Unix(i.st.Mtim.Unix()) }
func (i *info) Sys() any           { return &i.st }

func (i *info) Mode() fs.FileMode {
	m := fs.FileMode(i.st.Mode & 0o777)
	switch i.st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		m |= fs.ModeDir
	case unix.S_IFLNK:
		m |= fs.ModeSymlink
	case unix.S_IFIFO:
		m |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		m |= fs.ModeSocket
	case unix.S_IFBLK:
		m |= fs.ModeDevice
	case unix.S_IFCHR:
		m |= fs.ModeDevice | fs.ModeCharDevice
	}
	if i.st.Mode&unix.S_ISUID != 0 {
		m |= fs.ModeSetuid
	}
	if i.st.Mode&unix.S_ISGID != 0 {
		m |= fs.ModeSetgid
	}
	if i.st.Mode&unix.S_ISVTX != 0 {
		m |= fs.ModeSticky
	}
	return m
}
