package daemon

import (
	"io"
	"os"
	"path/filepath"
	"strings"
)

// unsaved names the editor that says, by its swap or lock file, that it holds
// unsaved changes to a file; "" for none.
func unsaved(root, rel string, environ []string) string {
	abs := filepath.Join(root, filepath.FromSlash(rel))
	dir, base := filepath.Dir(abs), filepath.Base(abs)
	for _, swap := range swapFiles(dir, base, abs, environ) {
		if vimDirty(swap) {
			return "vim"
		}
	}
	if fi, err := os.Lstat(filepath.Join(dir, ".#"+base)); err == nil && fi.Mode()&os.ModeSymlink != 0 {
		return "emacs" // it locks a file while its buffer is modified
	}
	if _, err := os.Lstat(filepath.Join(dir, "."+base+".kate-swp")); err == nil {
		return "kate"
	}
	return ""
}

// swapFiles are where vim and neovim put a file's swap file by default.
func swapFiles(dir, base, abs string, environ []string) []string {
	out := []string{filepath.Join(dir, "."+base+".swp")}
	mangled := strings.ReplaceAll(filepath.ToSlash(abs), "/", "%") + ".swp"
	home, state := "", ""
	for _, kv := range environ {
		if v, ok := strings.CutPrefix(kv, "HOME="); ok {
			home = v
		}
		if v, ok := strings.CutPrefix(kv, "XDG_STATE_HOME="); ok {
			state = v
		}
	}
	if state == "" {
		state = filepath.Join(home, ".local", "state")
	}
	return append(out, filepath.Join(state, "nvim", "swap", mangled), filepath.Join(home, ".vim", "swap", mangled))
}

// vimDirty reads a swap file's first block: its magic, and the byte that says
// that the buffer was modified (B0_DIRTY in vim's memline.c).
func vimDirty(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	block := make([]byte, 1024)
	if _, err := io.ReadFull(f, block); err != nil {
		return false
	}
	return string(block[:2]) == "b0" && block[1007] == 0x55
}
