//go:build !unix

package watch

import "io/fs"

func inode(fs.FileInfo) uint64 { return 0 }

func device(fs.FileInfo) uint64 { return 0 }
