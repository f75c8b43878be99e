package dirstat_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"

	"regreen/internal/dirstat"
)

// TestLstat holds that it tells what os.Lstat tells.
func TestLstat(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"plain": 0o644, "program": 0o755, "private": 0o400, "set": 0o4755} {
		at := filepath.Join(dir, name)
		if err := os.WriteFile(at, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		if mode&0o4000 != 0 {
			mode = mode.Perm() | fs.ModeSetuid
		}
		if err := os.Chmod(at, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(dir, "link")); err != nil && runtime.GOOS != "windows" {
		t.Fatal(err)
	}
	d, err := dirstat.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		want, err := os.Lstat(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.Lstat(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		if got.Name() != want.Name() || got.Size() != want.Size() || got.Mode() != want.Mode() || got.IsDir() != want.IsDir() ||
			!got.ModTime().Equal(want.ModTime()) || !reflect.DeepEqual(got.Sys(), want.Sys()) {
			t.Errorf("Lstat(%s) = %v %v, want %v %v", e.Name(), got, got.Sys(), want, want.Sys())
		}
	}
	if _, err := d.Lstat("missing"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Lstat(missing) = %v", err)
	}
	for _, bad := range []string{"plain", "missing"} {
		if _, err := dirstat.Open(filepath.Join(dir, bad)); err == nil {
			t.Errorf("Open(%s) gives no error", bad)
		}
	}
}
