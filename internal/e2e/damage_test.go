package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"regreen/cycle"
)

// TestInvalidUTF8 holds that bytes that are no text survive a repair of the
// same file.
func TestInvalidUTF8(t *testing.T) {
	for _, s := range []stack{stacks()[4], stacks()[5]} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.repo(t)
			comment := s.pick("// caf\xe9\n", "", "# coding: latin-1\n# caf\xe9\n")
			file := s.file("src/tax")
			r.write(file, comment+r.read(file))
			broken := s.breakIt(r, scenarios()[3])
			d, res := r.run()
			switch d.Outcome {
			case cycle.Repaired:
				if got := r.read(file); got != comment+strings.SplitN(r.base[file], "\n", 2)[1] {
					t.Errorf("%s = %q", file, got)
				}
			case cycle.Failed, cycle.Proposed:
				diffMaps(t, "files", broken, r.files())
			default:
				t.Errorf("outcome %q, exit %d: %s", d.Outcome, res.exit, res.stderr)
			}
		})
	}
}

// TestReadOnlySource holds that a file which its owner made read-only is not
// written: the repair is proposed.
func TestReadOnlySource(t *testing.T) {
	s := stacks()[4]
	r := s.repo(t)
	before := s.breakIt(r, scenarios()[3])
	file := s.file("src/tax")
	if err := os.Chmod(r.path(file), 0o444); err != nil {
		t.Fatal(err)
	}
	before[file] = strings.Replace(before[file], "-rw-r--r--", "-r--r--r--", 1)
	d, res := r.run()
	if d.Outcome != cycle.Proposed || res.exit != 4 || len(d.Proposals) == 0 || len(d.Merged) > 0 {
		t.Errorf("outcome %q, exit %d, %d proposals, want proposed and 4\n%s", d.Outcome, res.exit, len(d.Proposals), res.stderr)
	}
	diffMaps(t, "files", before, r.files())
}

// TestFullDisk holds that a state folder without room gives one error that
// says so, and leaves the user's files alone.
func TestFullDisk(t *testing.T) {
	s := stacks()[4]
	r := s.repo(t)
	before := s.breakIt(r, scenarios()[3])
	state := filepath.Join(filepath.Dir(filepath.Dir(r.dir)), "full")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	// A tiny filesystem where one may be mounted, else a limit on file sizes.
	script := `mount -t tmpfs -o size=64k,mode=700 full "$1" && shift && exec "$@"`
	args := []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh", state, binary, "run", "--json"}
	if out, err := exec.Command("unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "full", state).CombinedOutput(); err != nil {
		t.Logf("no mount here (%v: %s), so a limit on file sizes", err, out)
		args = []string{"sh", "-c", `ulimit -f 8 && exec "$@"`, "sh", binary, "run", "--json"}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = r.dir, append(r.environ, "XDG_STATE_HOME="+state)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil || cmd.ProcessState.ExitCode() != 3 || !strings.Contains(stderr.String(), "regreen: error: ") {
		t.Errorf("exit %d, want 3 and an error\nstdout: %s\nstderr: %s", cmd.ProcessState.ExitCode(), out, stderr.String())
	}
	diffMaps(t, "files", before, r.files())
}
