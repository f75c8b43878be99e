package editor

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// swapOf is the first block of a swap file of vim.
func swapOf(file string, dirty bool) string {
	block := make([]byte, 4096)
	copy(block, "b0VIM 9.1")
	copy(block[108:], file)
	if dirty {
		block[1007] = 0x55
	}
	return string(block)
}

func TestUnsaved(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the marks of editors on Unix are made")
	}
	old, young := -time.Hour, time.Hour
	tests := []struct {
		name    string
		at      string // of the mark; ROOT and HOME stand for the folders, MANGLED for the file's path with %
		content string // with the same names
		dirty   bool   // content names the file of a swap file, which is dirty
		link    string
		age     time.Duration // of the mark against the file
		want    string
	}{
		{name: "none"},
		{name: "vim", at: "ROOT/src/.a.ts.swp", content: "", dirty: true, want: "vim"},
		{name: "vim, unmodified", at: "ROOT/src/.a.ts.swp", content: swapOf("", false)},
		{name: "not a swap file", at: "ROOT/src/.a.ts.swp", content: "x"},
		{name: "as long, and not a swap file", at: "ROOT/src/.a.ts.swp", content: strings.Replace(swapOf("", true), "b0", "xx", 1)},
		{name: "an encrypted one", at: "ROOT/src/.a.ts.swp", content: strings.Replace(swapOf("", true), "b0", "bd", 1), want: "vim"},
		{name: "another file's", at: "ROOT/src/.b.ts.swp", content: "", dirty: true},
		{name: "neovim", at: "HOME/.local/state/nvim/swap/MANGLED.swp", content: "ROOT/src/a.ts", dirty: true, want: "vim"},
		{name: "neovim 0.7", at: "HOME/.local/share/nvim/swap/MANGLED.swp", content: "ROOT/src/a.ts", dirty: true, want: "vim"},
		{name: "the home folder's tmp", at: "HOME/tmp/a.ts.swp", content: "ROOT/src/a.ts", dirty: true, want: "vim"},
		{name: "there, of another folder", at: "HOME/tmp/a.ts.swp", content: "ROOT/test/a.ts", dirty: true},
		{name: "there, below a home folder", at: "HOME/tmp/a.ts.swp", content: "~me/src/a.ts", dirty: true, want: "vim"},
		{name: "there, below another", at: "HOME/tmp/a.ts.swp", content: "~me/lib/a.ts", dirty: true},
		{name: "a folder of the user's", at: "HOME/.vim/swap/MANGLED.swp", content: "ROOT/src/a.ts", dirty: true, want: "vim"},
		{name: "emacs", at: "ROOT/src/.#a.ts", link: "me@host.1:2", want: "emacs"},
		{name: "emacs, lock files off", at: "ROOT/src/#a.ts#", content: "x", age: young, want: "emacs"},
		{name: "emacs, saved since", at: "ROOT/src/#a.ts#", content: "x", age: old},
		{name: "kate", at: "ROOT/src/.a.ts.kate-swp", content: "x", want: "kate"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root, home := t.TempDir(), t.TempDir()
			file := filepath.Join(root, "src", "a.ts")
			write(t, file, "")
			write(t, filepath.Join(root, "test", "a.ts"), "")
			names := strings.NewReplacer("ROOT", root, "HOME", home, "MANGLED", strings.ReplaceAll(file, "/", "%"))
			mark := names.Replace(tt.at)
			switch {
			case tt.link != "":
				if err := os.Symlink(tt.link, mark); err != nil {
					t.Fatal(err)
				}
			case mark != "":
				content := tt.content
				if tt.dirty {
					content = swapOf(names.Replace(content), true)
				}
				write(t, mark, content)
				at := time.Now().Add(tt.age)
				if err := os.Chtimes(mark, at, at); err != nil {
					t.Fatal(err)
				}
			}
			got, by := Unsaved(root, "src/a.ts", []string{"HOME=" + home})
			if got != tt.want || (by == mark) != (tt.want != "" || mark == "") {
				t.Errorf("Unsaved = %q, %q, want %q", got, by, tt.want)
			}
		})
	}
}

// TestUnsavedSecondSwap is a file that was opened twice: the first swap file is
// clean, the second is not.
func TestUnsavedSecondSwap(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, ".a.ts.swp"), swapOf("", false))
	if got, _ := Unsaved(root, "a.ts", nil); got != "" {
		t.Errorf("Unsaved = %q, want none", got)
	}
	write(t, filepath.Join(root, ".a.ts.swo"), swapOf("", true))
	if got, _ := Unsaved(root, "a.ts", nil); got != "vim" {
		t.Errorf("Unsaved = %q, want vim", got)
	}
}

func write(t *testing.T, path, s string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
}
