//go:build unix

package config

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A named pipe has no end to wait for.
func TestPipe(t *testing.T) {
	p := filepath.Join(t.TempDir(), Name)
	if err := syscall.Mkfifo(p, 0o600); err != nil {
		t.Skip(err)
	}
	if _, err := Load(p); err == nil {
		t.Error("Load took a named pipe for a file")
	}
	if _, err := Load("/dev/null"); err != nil {
		t.Errorf("Load(/dev/null) = %v, want the defaults", err)
	}
}
