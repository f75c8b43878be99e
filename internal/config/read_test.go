package config

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// What stands in the file's place is said, not passed over.
func TestWhatIsNoFile(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(p string) error
		want string
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"folder", func(p string) error { return os.Mkdir(p, 0o700) }, "it is a folder"},
		{"link to nowhere", func(p string) error { return os.Symlink("nowhere", p) }, "no such file"},
		{"large", func(p string) error { return os.WriteFile(p, bytes.Repeat([]byte("#"), maxSize+1), 0o600) }, "it is larger than 1048576 bytes"},
		{"link to a file", func(p string) error {
			return errors.Join(os.WriteFile(p+".real", nil, 0o600), os.Symlink(Name+".real", p))
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			if err := c.make(filepath.Join(root, Name)); err != nil {
				t.Skip(err)
			}
			_, err := Load(Find(root))
			var ce *Error
			if (err == nil) != (c.want == "") || err != nil && (!errors.As(err, &ce) || ce.Message != c.want || ce.Hint == "") {
				t.Errorf("Load = %v, want %q", err, c.want)
			}
		})
	}
}
