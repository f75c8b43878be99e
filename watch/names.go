package watch

import (
	"strconv"
	"strings"
)

// temporary tells whether a name is one that editors and file systems give to
// swap, lock, backup and scratch files, whose coming and going is no save.
func temporary(name string) bool {
	switch {
	case strings.HasSuffix(name, "~"), // backups of vim, emacs, joe, gedit; vim's undo
		strings.HasPrefix(name, ".#"),                                // emacs locks
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#"), // emacs auto-save
		strings.HasPrefix(name, ".~lock."),                           // LibreOffice
		strings.HasPrefix(name, "._"), name == ".DS_Store",           // macOS
		strings.HasPrefix(name, ".goutputstream-"),               // GLib: gedit, GNOME Builder
		strings.HasPrefix(name, ".nfs") && len(name) >= 16,       // removed while open on NFS
		strings.HasPrefix(name, ".fuse_hidden"),                  // the same on FUSE
		strings.HasPrefix(name, ".subl") && hasExt(name, ".tmp"), // Sublime Text
		strings.Contains(name, ".kak."),                          // Kakoune
		strings.Contains(name, "___jb_"),                         // JetBrains: ___jb_tmp___, ___jb_old___, ___jb_bak___
		hasExt(name, ".kate-swp"), hasExt(name, ".vsctmp"), hasExt(name, ".crswap"), hasExt(name, ".bck"),
		hasExt(name, ".tmp") && strings.HasPrefix(name, "."):
		return true
	}
	return vimSwap(name) || vimProbe(name)
}

func hasExt(name, ext string) bool { return len(name) > len(ext) && strings.HasSuffix(name, ext) }

// vimSwap knows name.swp, and .name.swo and so on down to .name.swa.
func vimSwap(name string) bool {
	n := len(name)
	if n < 5 || name[n-4] != '.' || name[n-3:n-1] != "sw" {
		return false
	}
	last := name[n-1]
	return last == 'p' || last == 'o' || last == 'x' || name[0] == '.' && last >= 'a' && last <= 'z'
}

// vimProbe knows the file that vim makes to see whether it may write in a
// folder: 4913, and 123 more while that name is taken.
func vimProbe(name string) bool {
	n, err := strconv.Atoi(name)
	return err == nil && n >= 4913 && n < 4913+50*123 && (n-4913)%123 == 0
}
