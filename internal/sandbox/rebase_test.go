package sandbox

import (
	"errors"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRebase carries a result over to what the user saved meanwhile, and writes
// nothing.
func TestRebase(t *testing.T) {
	base := "1\r\n2\n3\n4\n5\xff\n6\n7"
	fixed := "1\r\nTWO\n3\n4\n5\xff\n6\n7"
	modify := Change{Path: "n.txt", Op: Modify, Mode: 0o644, BeforeMode: 0o644, Before: []byte(base), After: []byte(fixed)}
	create := Change{Path: "new.txt", Op: Create, Mode: 0o644, After: []byte("new\n")}
	remove := Change{Path: "n.txt", Op: Delete, BeforeMode: 0o644, Before: []byte(base)}
	mine := "1\r\n2\n3\n4\n5\xff\n6\n7\r\n8"
	tests := []struct {
		name   string
		change Change
		save   func(r *rig)
		want   *Change // nil is a conflict
	}{
		{"nothing saved", modify, func(*rig) {}, &modify},
		{"elsewhere", modify, func(r *rig) { r.Write("n.txt", mine) }, &Change{Path: "n.txt", Op: Modify, Mode: 0o644, BeforeMode: 0o644,
			Before: []byte(mine), After: []byte("1\r\nTWO\n3\n4\n5\xff\n6\n7\r\n8")}},
		{"mode", modify, func(r *rig) { _ = os.Chmod(r.Path("n.txt"), 0o755) }, &Change{Path: "n.txt", Op: Modify, Mode: 0o755, BeforeMode: 0o755,
			Before: []byte(base), After: []byte(fixed)}},
		{"the same by hand", modify, func(r *rig) { r.Write("n.txt", fixed) }, &Change{Path: "n.txt", Op: Modify, Mode: 0o644, BeforeMode: 0o644,
			Before: []byte(fixed), After: []byte(fixed)}},
		{"there", modify, func(r *rig) { r.Write("n.txt", "1\r\nzwei\n3\n4\n5\xff\n6\n7") }, nil},
		{"binary now", modify, func(r *rig) { r.Write("n.txt", "\x00") }, nil},
		{"removed", modify, func(r *rig) { _ = os.Remove(r.Path("n.txt")) }, nil},
		{"a link now", modify, func(r *rig) {
			_ = os.Remove(r.Path("n.txt"))
			_ = os.Symlink("src/a.js", r.Path("n.txt"))
		}, nil},
		{"created", create, func(*rig) {}, &create},
		{"created by both", create, func(r *rig) { r.Write("new.txt", "mine\n") }, nil},
		{"created alike", create, func(r *rig) { r.Write("new.txt", "new\n") }, &create},
		{"deleted", remove, func(*rig) {}, &remove},
		{"deleted but edited", remove, func(r *rig) { r.Write("n.txt", mine) }, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := simple(t)
			g.Write("n.txt", base)
			g.Commit("n")
			r := newRig(t, g)
			r.snap()
			tt.save(r)
			next := r.snap()
			before := r.everything()
			got, err := r.s.Rebase(t.Context(), []Change{tt.change}, next)
			if tt.want == nil {
				var c *Conflict
				if !errors.As(err, &c) || c.Files[0] != tt.change.Path {
					t.Errorf("Rebase = %v, want a conflict", err)
				}
			} else if err != nil {
				t.Errorf("Rebase = %v", err)
			} else if d := cmp.Diff([]Change{*tt.want}, got); d != "" {
				t.Errorf("Rebase (-want +got):\n%s", d)
			}
			r.unchanged(before)
		})
	}
}
