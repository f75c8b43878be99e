//go:build unix

package plain

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	long := strings.Repeat("long ", 100_000)
	for name, text := range map[string]string{"empty": "", "short": "short\n", "long": long} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("short", at("link")), os.Symlink("/dev/zero", at("zero")), syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("dir"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"empty": "", "short": "short\n", "long": long, "link": "short\n"} {
		if got, err := ReadFile(at(name)); err != nil || string(got) != want {
			t.Errorf("ReadFile(%s) = %d bytes, %v", name, len(got), err)
		}
	}
	for _, name := range []string{"zero", "pipe", "dir"} {
		if got, err := ReadFile(at(name)); !errors.Is(err, ErrKind) {
			t.Errorf("ReadFile(%s) = %q, %v, want ErrKind", name, got, err)
		}
	}
}

func TestOpenNamed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.WriteFile(at("file"), []byte("x"), 0o600), os.Symlink("file", at("link")), os.Symlink("/dev/zero", at("zero")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("dir"), 0o700)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	for name, want := range map[string]error{"file": nil, "link": ErrKind, "zero": ErrKind, "pipe": ErrKind, "dir": ErrKind, "none": os.ErrNotExist} {
		f, err := OpenNamed(root, name)
		if !errors.Is(err, want) {
			t.Errorf("OpenNamed(%s) = %v, want %v", name, err, want)
		}
		if f != nil {
			_ = f.Close()
		}
	}
}

func TestWriteIn(t *testing.T) {
	dir, user := t.TempDir(), t.TempDir()
	precious := filepath.Join(user, "precious")
	if err := os.WriteFile(precious, []byte("precious\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := errors.Join(os.Symlink(precious, at("script")), os.Symlink(user, at("run")), syscall.Mkfifo(at("pipe"), 0o600), os.MkdirAll(at("full/x"), 0o700)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"new", "script", "pipe", "full"} {
		if err := WriteIn(dir, at(name), []byte("ours")); err != nil {
			t.Errorf("WriteIn(%s): %v", name, err)
		}
		if got, err := ReadFile(at(name)); err != nil || string(got) != "ours" {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"run/precious", "run/new"} {
		if err := WriteIn(dir, at(name), []byte("ours")); err == nil {
			t.Errorf("WriteIn(%s) left the folder", name)
		}
	}
	if got, err := os.ReadFile(precious); err != nil || string(got) != "precious\n" {
		t.Errorf("the user's file holds %q, %v", got, err)
	}
}
