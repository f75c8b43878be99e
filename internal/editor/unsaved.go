package editor

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Unsaved names the editor that says, by its swap or lock file, that it holds
// unsaved changes to a file of the repository, and that swap or lock file; ""
// for none. A file that an editor left behind when it crashed counts too: it
// holds what was not saved. environ is the user's.
//
// vim and neovim write the swap file's first block at the first change and at
// each save, emacs makes its lock at the first change and its auto-save file
// after a while, kate makes its swap file at the first change. VS Code, Zed and
// the JetBrains editors leave no mark: there merge_quiet is what protects.
func Unsaved(root, rel string, environ []string) (editor, mark string) {
	abs := filepath.Join(root, filepath.FromSlash(rel))
	dir, base := filepath.Dir(abs), filepath.Base(abs)
	for _, stem := range swapStems(abs, environ) {
		for last := 'p'; last >= 'a'; last-- { // .swp, then .swo, … when one is there
			swap := stem + ".sw" + string(last)
			of, dirty, there := readSwap(swap)
			if !there {
				break
			}
			if dirty && sameFile(of, abs) {
				return "vim", swap
			}
		}
	}
	lock := filepath.Join(dir, ".#"+base)
	if fi, err := os.Lstat(lock); err == nil && fi.Mode()&fs.ModeSymlink != 0 {
		return "emacs", lock
	}
	auto := filepath.Join(dir, "#"+base+"#")
	if newer(auto, abs) {
		return "emacs", auto // lock files are often switched off
	}
	kate := filepath.Join(dir, "."+base+".kate-swp")
	if _, err := os.Lstat(kate); err == nil {
		return "kate", kate
	}
	return "", ""
}

// newer tells whether a is there and was written after b.
func newer(a, b string) bool {
	fa, err := os.Lstat(a)
	if err != nil || !fa.Mode().IsRegular() {
		return false
	}
	fb, err := os.Stat(b)
	return err != nil || fa.ModTime().After(fb.ModTime())
}

// swapStems are the names, without .swp, that vim and neovim may give a file's
// swap file: beside it, in the folders of vim's default 'directory', in the
// state folder of neovim (up to 0.7 the data folder), and in the folders that
// people use most.
func swapStems(abs string, environ []string) []string {
	env := func(key, otherwise string) string {
		value := otherwise
		for _, kv := range environ {
			if v, ok := strings.CutPrefix(kv, key+"="); ok && filepath.IsAbs(v) {
				value = v
			}
		}
		return value
	}
	home := env("HOME", "")
	state := env("XDG_STATE_HOME", filepath.Join(home, ".local", "state"))
	data := env("XDG_DATA_HOME", filepath.Join(home, ".local", "share"))
	local := env("LOCALAPPDATA", filepath.Join(home, "AppData", "Local"))
	base := filepath.Base(abs)
	out := []string{filepath.Join(filepath.Dir(abs), "."+base)}
	for _, dir := range []string{filepath.Join(home, "tmp"), "/var/tmp", "/tmp"} {
		out = append(out, filepath.Join(dir, base))
	}
	// With a trailing // in 'directory' the name holds the whole path.
	whole := strings.NewReplacer("/", "%", `\`, "%", ":", "%").Replace(abs)
	for _, dir := range []string{
		filepath.Join(state, "nvim", "swap"), filepath.Join(data, "nvim", "swap"), filepath.Join(local, "nvim-data", "swap"),
		filepath.Join(home, ".vim", "swap"), filepath.Join(home, ".vim", "swaps"), filepath.Join(home, ".vim", "swapfiles"),
		filepath.Join(home, ".vim", "tmp"), filepath.Join(home, ".cache", "vim", "swap"), filepath.Join(state, "vim", "swap"),
	} {
		out = append(out, filepath.Join(dir, whole))
	}
	return out
}

// readSwap reads a swap file's first block: its magic (also that of an
// encrypted one), the file that it is of, and the byte that says that the
// buffer was modified. In vim's memline.c these are b0_id, b0_fname at offset
// 108, and b0_dirty, the last of its 900 bytes.
func readSwap(path string) (of string, dirty, there bool) {
	fi, err := os.Stat(path)
	if err != nil || !fi.Mode().IsRegular() { // a pipe would not open
		return "", false, false
	}
	f, err := os.Open(path)
	if err != nil {
		return "", false, true
	}
	defer func() { _ = f.Close() }()
	block := make([]byte, 1024)
	if _, err := io.ReadFull(f, block); err != nil {
		return "", false, true
	}
	if block[0] != 'b' || !strings.ContainsRune("0cCd", rune(block[1])) {
		return "", false, true
	}
	name, _, _ := strings.Cut(string(block[108:1006]), "\x00")
	return name, block[1007] == 0x55, true
}

// sameFile tells whether a swap file's name for its file can be abs: a swap
// folder for all files may hold one of another file of that name. The name is
// whole but for the home folder, which is ~ or ~user, and "" when it is not
// known.
func sameFile(of, abs string) bool {
	if strings.HasPrefix(of, "~") {
		_, rest, ok := strings.Cut(of, "/")
		return !ok || strings.HasSuffix(abs, "/"+rest)
	}
	if !filepath.IsAbs(of) || of == abs {
		return true
	}
	fa, errA := os.Stat(of)
	fb, errB := os.Stat(abs)
	if errA != nil || errB != nil {
		return filepath.Base(of) == filepath.Base(abs)
	}
	return os.SameFile(fa, fb)
}
