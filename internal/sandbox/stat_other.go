//go:build !linux && !darwin && !freebsd && !netbsd

package sandbox

import (
	"errors"
	"io/fs"
)

var errQuota = errors.New("quota")

func sigOf(fi fs.FileInfo) sig {
	return sig{Size: fi.Size(), Mtime: fi.ModTime().UnixNano(), Mode: uint32(fi.Mode())}
}
