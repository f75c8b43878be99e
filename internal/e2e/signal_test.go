package e2e

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"regreen/cycle"
)

// TestSignals holds that Ctrl-C and TERM end a run soon, with their exit
// codes, with nothing written, and with no process left behind.
func TestSignals(t *testing.T) {
	for _, tt := range []struct {
		name   string
		signal os.Signal
		exit   int
		twice  bool // at once, and the tests do not listen to TERM
	}{{"interrupt", os.Interrupt, 130, false}, {"terminate", syscall.SIGTERM, 143, false}, {"hang up", syscall.SIGHUP, 129, false},
		{"interrupt twice", os.Interrupt, 130, true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := stacks()[4]
			r := s.repo(t)
			spin := "while (true) {}\n  "
			if tt.twice {
				spin = "process.on('SIGTERM', () => {});\n  " + spin
			}
			before := s.breakIt(r, scenario{js: []edit{{"src/tax", "const base", spin + "const base"}}})
			cmd := exec.CommandContext(t.Context(), binary, "run")
			cmd.Dir, cmd.Env = r.dir, r.environ
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			lines := bufio.NewScanner(stderr)
			seen := ""
			for lines.Scan() {
				if seen += lines.Text() + "\n"; strings.Contains(lines.Text(), "test file") {
					break
				}
			}
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			if tt.twice {
				if err := cmd.Process.Signal(tt.signal); err != nil {
					t.Fatal(err)
				}
			}
			for lines.Scan() {
				seen += lines.Text() + "\n"
			}
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != tt.exit {
				t.Errorf("exit %d, want %d\n%s", code, tt.exit, seen)
			}
			diffMaps(t, "files", before, r.files())
			if left := processesIn(filepath.Dir(filepath.Dir(r.dir))); len(left) > 0 {
				t.Errorf("left behind: %q", left)
			}
			// What a stopped run leaves does not hinder the next one.
			r.write(s.file("src/tax"), strings.Replace(r.read(s.file("src/tax")), spin, "", 1))
			if d, res := r.run("--all"); d.Outcome != cycle.Passed {
				t.Errorf("next run: %q\n%s", d.Outcome, res.stderr)
			}
		})
	}
}

// processesIn lists processes that work below a folder, where /proc tells.
func processesIn(dir string) []string {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	var out []string
	for _, l := range links {
		cwd, err := os.Readlink(l)
		if err != nil || cwd != dir && !strings.HasPrefix(cwd, dir+"/") {
			continue
		}
		cmdline, err := os.ReadFile(filepath.Join(filepath.Dir(l), "cmdline"))
		if err == nil && len(cmdline) > 0 {
			out = append(out, strings.ReplaceAll(string(cmdline), "\x00", " "))
		}
	}
	return out
}
