package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"regreen/internal/git/gittest"
)

// tmpfs mounts a small file system, which takes root.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root to mount a small file system")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("mount tmpfs: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestFullDisk(t *testing.T) {
	for _, which := range []string{"repository", "state"} {
		t.Run(which, func(t *testing.T) {
			small := tmpfs(t, "1m")
			var g *gittest.Repo
			if which == "repository" {
				if err := os.Mkdir(filepath.Join(small, "r"), 0o755); err != nil {
					t.Fatal(err)
				}
				g = gittest.At(t, filepath.Join(small, "r"))
				g.Git("init", "-q", ".")
				g.Write("src/a.js", "a\n", "src/b.js", "b\n")
				g.Commit("one")
			} else {
				g = simple(t)
			}
			r := newRig(t, g, func(c *Config) {
				if which == "state" {
					c.StateDir = filepath.Join(small, "state")
				}
			})
			snap := r.snap()
			before := r.everything()
			a := []byte(g.Read("src/a.js"))
			big := bytes.Repeat([]byte("x"), 2<<20)
			_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: []Change{
				{Path: "src/b.js", Op: Modify, Mode: 0o644, BeforeMode: 0o644, Before: []byte("b\n"), After: []byte("fix\n")},
				{Path: "src/a.js", Op: Modify, Mode: 0o644, BeforeMode: 0o644, Before: a, After: big}}})
			if !errors.Is(err, ErrNoSpace) {
				t.Errorf("Merge = %v, want ErrNoSpace", err)
			}
			r.unchanged(before)
		})
	}
}

func TestFullDiskUnderSnapshot(t *testing.T) {
	small := tmpfs(t, "1m")
	g := simple(t)
	noise := make([]byte, 150_000)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 20 {
		for k := range noise {
			noise[k] = byte(random.Uint32())
		}
		g.Write(fmt.Sprintf("big/%d", i), string(noise))
	}
	r := newRig(t, g, func(c *Config) { c.StateDir = filepath.Join(small, "state") })
	before := r.everything()
	snap, err := r.s.Snapshot(t.Context())
	if err == nil {
		err = r.s.Prepare(t.Context(), snap)
	}
	if !errors.Is(err, ErrNoSpace) && !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("Snapshot and Prepare = %v, want a full disk", err)
	}
	r.unchanged(before)
}

func TestAttributesStay(t *testing.T) {
	r := newRig(t, simple(t))
	if err := unix.Setxattr(r.Path("src/a.js"), "user.note", []byte("mine"), 0); err != nil {
		t.Skipf("no extended attributes here: %v", err)
	}
	if os.Getuid() == 0 {
		if err := os.Chown(r.Path("src/a.js"), 1234, 1234); err != nil {
			t.Fatal(err)
		}
	}
	snap := r.ready()
	r.write("src/a.js", "fix\n")
	if _, err := r.merge("c1", snap); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		buf := make([]byte, 16)
		n, err := unix.Getxattr(r.Path("src/a.js"), "user.note", buf)
		if err != nil || string(buf[:n]) != "mine" {
			t.Errorf("%s: attribute = %q, %v", when, buf[:max(n, 0)], err)
		}
		fi, err := os.Stat(r.Path("src/a.js"))
		if err != nil {
			t.Fatal(err)
		}
		if uid, _ := ownerOf(fi); os.Getuid() == 0 && uid != 1234 {
			t.Errorf("%s: owner = %d", when, uid)
		}
	}
	check("merged")
	if _, err := r.s.Undo(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	check("undone")
}

func TestMountedFile(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount a file")
	}
	r := newRig(t, simple(t))
	other := filepath.Join(t.TempDir(), "b.js")
	if err := os.WriteFile(other, []byte("b\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount(other, r.Path("src/b.js"), "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("bind mount: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(r.Path("src/b.js"), syscall.MNT_DETACH) })
	snap := r.ready()
	r.write("src/a.js", "fix\n")
	r.write("src/b.js", "fix\n")
	before := r.everything()
	_, err := r.merge("c1", snap)
	var ref *Refusal
	if !errors.As(err, &ref) || ref.Code != RefuseMount {
		t.Errorf("Merge = %v, want %s", err, RefuseMount)
	}
	r.unchanged(before)
}

// TestLostAttribute: a file with an attribute that a new one cannot be given is
// left alone.
func TestLostAttribute(t *testing.T) {
	r := newRig(t, simple(t))
	snap := r.ready()
	r.write("src/a.js", "fix\n")
	changes := r.changes(snap)
	before := r.everything()
	r.s.fx.hook = func(call, _ string) error {
		if call == "setxattr" {
			return &attributeError{"security.capability"}
		}
		return nil
	}
	_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: changes})
	var ref *Refusal
	if !errors.As(err, &ref) || ref.Code != RefuseAttributes || ref.Reason != "its attribute security.capability cannot be kept" {
		t.Errorf("Merge = %v, want %s", err, RefuseAttributes)
	}
	r.unchanged(before)
}

// TestFolderAttributesStayOut: what a folder gives its new files, the old file
// did not have.
func TestFolderAttributesStayOut(t *testing.T) {
	r := newRig(t, simple(t))
	// user::rwx, user:1234:rwx, group::r-x, mask::rwx, other::r-x
	acl := []byte{2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, 210, 4, 0, 0, 4, 0, 5, 0, 255, 255, 255, 255,
		16, 0, 7, 0, 255, 255, 255, 255, 32, 0, 5, 0, 255, 255, 255, 255}
	if err := unix.Setxattr(r.Path("src"), "system.posix_acl_default", acl, 0); err != nil {
		t.Skipf("no access lists here: %v", err)
	}
	snap := r.ready()
	r.write("src/a.js", "fix\n")
	if _, err := r.merge("c1", snap); err != nil {
		t.Fatal(err)
	}
	if n, err := unix.Getxattr(r.Path("src/a.js"), "system.posix_acl_access", nil); err == nil {
		t.Errorf("the merged file has an access list of %d bytes", n)
	}
	if fi, err := os.Stat(r.Path("src/a.js")); err != nil || fi.Mode() != 0o644 {
		t.Errorf("mode = %v, %v", fi.Mode(), err)
	}
}

// TestTimesStay: a merge moves the time of its own files only.
func TestTimesStay(t *testing.T) {
	r := newRig(t, simple(t))
	snap := r.ready()
	r.write("src/a.js", "fix\n")
	times := func() map[string]string {
		out := map[string]string{}
		for _, rel := range []string{"src/a.js", "src/b.js", "test/t.js", ".gitignore", "test"} {
			fi, err := os.Stat(r.Path(rel))
			if err != nil {
				t.Fatal(err)
			}
			out[rel] = fmt.Sprint(fi.ModTime().UnixNano(), sigOf(fi).Ino)
		}
		return out
	}
	before := times()
	if _, err := r.merge("c1", snap); err != nil {
		t.Fatal(err)
	}
	for rel, was := range before {
		if now := times()[rel]; (now != was) != (rel == "src/a.js") {
			t.Errorf("%s: time and inode %s, were %s", rel, now, was)
		}
	}
}

// TestReallyFullDisk fills the file system until the merge does not fit, at
// ever more places of it.
func TestReallyFullDisk(t *testing.T) {
	small := tmpfs(t, "2m")
	if err := os.Mkdir(filepath.Join(small, "r"), 0o755); err != nil {
		t.Fatal(err)
	}
	g := gittest.At(t, filepath.Join(small, "r"))
	g.Git("init", "-q", ".")
	g.Write("src/a.js", "a\n", "src/b.js", "b\n")
	g.Commit("one")
	r := newRig(t, g, func(c *Config) { c.StateDir = filepath.Join(small, "state") })
	snap := r.snap()
	before := r.everything()
	page := bytes.Repeat([]byte("x"), 4096)
	fixed := append([]byte("fix\n"), bytes.Repeat(page, 3)...)
	var fill []string
	defer func() {
		for _, f := range fill {
			_ = os.Remove(f)
		}
	}()
	for { // full
		name := filepath.Join(small, fmt.Sprintf("fill%d", len(fill)))
		if err := os.WriteFile(name, page, 0o600); err != nil {
			_ = os.Remove(name)
			break
		}
		fill = append(fill, name)
	}
	failed := 0
	for len(fill) > 0 { // one page more at each try
		_, err := r.s.Merge(t.Context(), MergeRequest{ID: "c1", Snap: snap, Changes: []Change{
			{Path: "src/b.js", Op: Modify, Mode: 0o644, BeforeMode: 0o644, Before: []byte("b\n"), After: fixed},
			{Path: "src/a.js", Op: Modify, Mode: 0o644, BeforeMode: 0o644, Before: []byte("a\n"), After: fixed}}})
		if err == nil {
			break
		}
		if !errors.Is(err, ErrNoSpace) || errors.Is(err, ErrUnsettled) {
			t.Errorf("with %d pages: Merge = %v, want ErrNoSpace", failed, err)
		}
		r.unchanged(before)
		if left, _ := filepath.Glob(filepath.Join(r.s.dir, "journal", "*")); len(left) > 0 || t.Failed() {
			t.Fatalf("with %d pages: left %v", failed, left)
		}
		failed++
		last := len(fill) - 1
		if err := os.Remove(fill[last]); err != nil {
			t.Fatal(err)
		}
		fill = fill[:last]
	}
	if failed < 5 {
		t.Errorf("only %d places where the disk was full", failed)
	}
	t.Logf("full at %d places", failed)
}
