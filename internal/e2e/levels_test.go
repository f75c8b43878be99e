//go:build linux

package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"regreen/cycle"
)

// TestLevels is one repair in each framework at each level of isolation that
// can be forced.
func TestLevels(t *testing.T) {
	for _, level := range []string{"namespace", "landlock", "copy"} {
		for _, s := range stacks() {
			if s.name == "esm-jest" || s.name == "cjs-mocha" {
				continue // the same framework stands in the list already
			}
			t.Run(level+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				repairIn(t, s.repoWith(t, settings(isolated(level))), s, level)
			})
		}
	}
}

// repairIn has a moved module repaired and undone.
func repairIn(t *testing.T, r *repo, s stack, level string) {
	t.Helper()
	sc := scenarios()[0]
	broken := s.breakIt(r, sc)
	d, res := r.run()
	if d.Outcome != cycle.Repaired || d.Isolation != level || d.IsolationNote != "" {
		t.Fatalf("outcome %q at %q (%s), want repaired at %q\n%s\n%s", d.Outcome, d.Isolation, d.IsolationNote, level, res.stdout, res.stderr)
	}
	if want, got := s.merged(sc), changed(broken, r.files()); !slices.Equal(want, got) {
		t.Errorf("files that differ: %v, want %v", got, want)
	}
	if res := r.regreen("undo"); res.exit != 0 {
		t.Errorf("undo: exit %d: %s%s", res.exit, res.stdout, res.stderr)
	}
	diffMaps(t, "undo", broken, r.files())
}

// TestUnprivileged is the same as a user who is not root, when root runs it.
func TestUnprivileged(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("the other tests run without privileges")
	}
	const uid = 61234
	for _, level := range []string{"namespace", "landlock"} {
		for _, s := range stacks() {
			if s.name == "esm-jest" || s.name == "cjs-mocha" || s.python() { // root's own Python is not for others
				continue
			}
			t.Run(level+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				r := s.repoWith(t, settings(isolated(level)))
				r.giveTo(uid)
				repairIn(t, r, s, level)
			})
		}
	}
}

// giveTo makes a user the owner of the repository and of the program's user.
func (r *repo) giveTo(uid int) {
	r.t.Helper()
	home := filepath.Dir(filepath.Dir(r.dir))
	for _, dir := range []string{filepath.Dir(binary), home, filepath.Dir(home)} {
		if err := os.Chmod(dir, 0o755); err != nil {
			r.t.Fatal(err)
		}
	}
	err := filepath.WalkDir(home, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := e.Info()
		if err != nil {
			return err
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); ok && !e.IsDir() && st.Nlink > 1 {
			return nil // shared with the installed frameworks
		}
		return os.Lchown(path, uid, uid)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.user = uid
}

// hostile is a test that does its worst, by a shell script.
func (s stack) hostile(r *repo, script string) {
	if s.python() {
		quoted, _ := json.Marshal(script)
		r.write("tests/test_hostile.py", "import subprocess\n\n\ndef test_hostile():\n    subprocess.run(['sh', '-c', "+string(quoted)+"])\n    assert False\n")
		return
	}
	quoted, _ := json.Marshal(script)
	head := s.imports + "\nimport { execFileSync } from 'node:child_process';\n"
	r.write("test/hostile.test"+s.ext, head+"it('hostile', () => {\n  execFileSync('sh', ['-c', "+string(quoted)+"]);\n  assert.equal(1, 2);\n});\n")
}

// TestHostile has tests attack the user's files and the machine. Nothing of
// the user's changes, regreen lives, and the report says what happened.
func TestHostile(t *testing.T) {
	tests := []struct{ name, script, said string }{
		{"repository", `rm -rf "$ORIGIN" 2>/dev/null; echo evil > "$ORIGIN/package.json"; echo evil > "$ORIGIN/.git/HEAD"; true`, ""},
		{"git", `cd "$ORIGIN" || exit; git stash -u; git reset --hard; git gc --prune=now; git commit --allow-empty -m evil; git push; true`, ""},
		{"home", `echo evil > "$THEIRS/.profile"; mkdir "$THEIRS/evil"; rm -rf "$THEIRS/work"; true`, ""},
		{"parent", `kill -9 $PPID`, ""},
		{"processes", `i=0; while [ $i -lt 200 ]; do sleep 30 & i=$((i+1)); done; wait`, "the limit of 60 processes"},
		{"memory", `exec awk 'BEGIN { s = "0123456789abcdef"; for (i = 0; i < 26; i++) s = s s; while (1) n++ }'`, "the memory limit of 700 MB"},
	}
	for _, level := range []string{"namespace", "landlock"} {
		for _, s := range stacks() {
			if s.name != "esm-mocha" && s.name != "py-pytest" {
				continue
			}
			for _, tt := range tests {
				t.Run(level+"/"+s.name+"/"+tt.name, func(t *testing.T) {
					t.Parallel()
					r := s.repoWith(t, settings("[run]\naffected_timeout = \"60s\"\n"+isolated(level)+"memory = \"700M\"\nprocesses = 60\n"))
					s.hostile(r, "ORIGIN='"+r.dir+"'; THEIRS='"+filepath.Dir(filepath.Dir(r.dir))+"'; "+tt.script)
					before := r.files()
					d, res := r.run("--no-merge")
					if d.Outcome == cycle.Passed || d.Outcome == cycle.Repaired || res.exit == 0 {
						t.Errorf("outcome %q, exit %d\n%s", d.Outcome, res.exit, res.stderr)
					}
					if !strings.Contains(res.stdout, tt.said) {
						t.Errorf("the document does not say %q:\n%s\n%s", tt.said, res.stdout, res.stderr)
					}
					diffMaps(t, "files", before, r.files())
					if entries, err := os.ReadDir(filepath.Dir(filepath.Dir(r.dir))); err != nil || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
						return e.Name() == "evil" || e.Name() == ".profile"
					}) {
						t.Errorf("home holds %v, %v", entries, err)
					}
				})
			}
		}
	}
}

// TestKilled kills regreen while a test runs: no process and no mount stays.
func TestKilled(t *testing.T) {
	for _, level := range []string{"namespace", "landlock"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			s := stacks()[4]
			r := s.repoWith(t, settings(isolated(level)))
			s.hostile(r, "setsid sleep 300 & sleep 300")
			cmd := exec.Command(binary, "run")
			cmd.Dir, cmd.Env = r.dir, r.environ
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			home := filepath.Dir(filepath.Dir(r.dir))
			wait(t, "the test runs", func() bool { return len(sleeping(home)) >= 2 })
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			wait(t, "all processes are gone", func() bool { return len(within(home)) == 0 })
			if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || strings.Contains(string(mounts), home) {
				t.Errorf("a mount is left: %v", err)
			}
			// The next start works.
			s.hostile(r, "true")
			if d, res := r.run("--no-merge"); d.Outcome != cycle.Failed {
				t.Errorf("outcome %q\n%s", d.Outcome, res.stderr)
			}
		})
	}
}

// within are the processes that work in a folder.
func within(dir string) []int {
	var out []int
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		if cwd, err := os.Readlink(l); err == nil && strings.HasPrefix(cwd, dir) {
			if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(l))); err == nil {
				out = append(out, pid)
			}
		}
	}
	return out
}

func sleeping(dir string) []int {
	return slices.DeleteFunc(within(dir), func(pid int) bool {
		name, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
		return strings.TrimSpace(string(name)) != "sleep"
	})
}

func wait(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}
