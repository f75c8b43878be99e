package jail_test

import (
	"os"
	"path/filepath"
	"testing"

	"regreen/internal/jail"
	"regreen/internal/jail/jailtest"
)

// TestDiskBytes has a run write more than it may, in files and in one that has
// no name any more; the sync makes the file system count it.
func TestDiskBytes(t *testing.T) {
	jailtest.AsUser(t)
	tests := []struct{ name, script string }{
		{"files", "i=0; while [ $i -lt 48 ]; do head -c 1048576 /dev/urandom > $D/tmp/f$i; i=$((i+1)); done; sync -f $D/tmp; sleep 60"},
		{"a file without a name", "exec 3> $D/tmp/f; rm $D/tmp/f; head -c 50331648 /dev/urandom >&3; sync -f $D/tmp; sleep 60"},
	}
	for _, mode := range modes {
		for _, tt := range tests {
			t.Run(tt.name+" in "+mode.name, func(t *testing.T) {
				w := newWalls(t)
				mode.set(&w.spec)
				w.spec.Limits = jail.Limits{Disk: w.dir, DiskBytes: 20 << 20, Written: []string{filepath.Join(w.dir, "tmp")}}
				ex, out := w.sh(t, t.Context(), tt.script)
				if ex.Limit != "the disk limit of 20 MB" {
					t.Errorf("exit %+v, want the disk limit: %s", ex, out)
				}
			})
		}
	}
}

// TestDiskOfOthers has others fill the disk meanwhile: the run goes on.
func TestDiskOfOthers(t *testing.T) {
	jailtest.AsUser(t)
	w := newWalls(t)
	w.spec.Write = append(w.spec.Write, filepath.Join(w.dir, "other"))
	w.spec.Limits = jail.Limits{Disk: w.dir, DiskBytes: 20 << 20, Written: []string{filepath.Join(w.dir, "tmp")}}
	if ex, out := w.sh(t, t.Context(), "head -c 50331648 /dev/urandom > $D/other/f; sync -f $D/other; sleep 0.5; exit 4"); ex.Code != 4 || ex.Limit != "" {
		t.Errorf("exit %+v: %s", ex, out)
	}
}

// TestSharedMemory is the run's own, and counts as its memory.
func TestSharedMemory(t *testing.T) {
	jailtest.AsUser(t)
	if fi, err := os.Stat("/dev/shm"); err != nil || !fi.IsDir() {
		t.Skip("there is no /dev/shm")
	}
	for _, mode := range modes[:2] { // those with mounts
		w := newWalls(t)
		mode.set(&w.spec)
		w.spec.Write = append(w.spec.Write, "/dev/shm")
		w.spec.Limits = jail.Limits{MemoryBytes: 64 << 20}
		if ex, out := w.sh(t, t.Context(), "echo x > /dev/shm/regreen-test && ls /dev/shm"); ex.Code != 0 || out != "regreen-test\n" {
			t.Errorf("%s: exit %+v, %q, want what it wrote and nothing else", mode.name, ex, out)
		}
		if _, err := os.Stat("/dev/shm/regreen-test"); err == nil {
			t.Errorf("%s: it is on the machine", mode.name)
		}
		ex, out := w.sh(t, t.Context(), "head -c 62914560 /dev/zero > /dev/shm/f; awk 'BEGIN { s = \"0123456789abcdef\"; for (i = 0; i < 20; i++) s = s s; system(\"sleep 60\") }'")
		if ex.Limit != "the memory limit of 64 MB" {
			t.Errorf("%s: exit %+v, want the memory limit: %s", mode.name, ex, out)
		}
	}
}
