//go:build !unix

package daemon

import "io/fs"

// untrusted says why a folder is not safe for a socket, "" when it is. Here
// the folder's access list is what its parent, the user's own, hands down.
func untrusted(fi fs.FileInfo) string {
	if !fi.IsDir() {
		return "is not a folder"
	}
	return ""
}
