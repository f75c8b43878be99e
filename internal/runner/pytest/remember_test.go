package pytest

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// counted answers as an interpreter does and counts how often it is started.
type counted struct {
	says    answer
	started int
}

func (c *counted) Run(_ context.Context, cmd proc.Cmd) (proc.Exit, error) {
	c.started++
	text, err := json.Marshal(map[string]any{"executable": c.says.Executable, "pytest": c.says.Pytest, "path": c.says.Path})
	_, werr := cmd.Stdout.Write(append([]byte("regreen:"), text...))
	return proc.Exit{}, errors.Join(err, werr)
}

// TestInterpreterIsAskedOnce: an interpreter is started for its version once,
// and again as soon as anything differs that its answer comes from.
func TestInterpreterIsAskedOnce(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	tests := []struct {
		name   string
		change func(t *testing.T, venv string, s *search, c *counted)
		again  bool
	}{
		{"nothing", func(*testing.T, string, *search, *counted) {}, false},
		{"another folder for temporary files", func(_ *testing.T, _ string, s *search, _ *counted) { s.in.Environ = []string{"A=1", "TMPDIR=/other"} }, false},
		{"an installation", func(t *testing.T, venv string, _ *search, _ *counted) {
			save(t, filepath.Join(venv, "lib", "pytest-9.dist-info", "METADATA"), "")
		}, true},
		{"a folder that was not there", func(t *testing.T, venv string, _ *search, _ *counted) {
			save(t, filepath.Join(venv, "missing", "pytest.py"), "")
		}, true},
		{"another line in a .pth file", func(t *testing.T, venv string, _ *search, _ *counted) {
			save(t, filepath.Join(venv, "lib", "x.pth"), "/elsewhere")
		}, true},
		{"the environment made anew", func(t *testing.T, venv string, _ *search, _ *counted) {
			save(t, filepath.Join(venv, "pyvenv.cfg"), "version = 3.99")
		}, true},
		{"another interpreter", func(t *testing.T, venv string, _ *search, _ *counted) {
			save(t, filepath.Join(venv, "bin", "python"), "new")
		}, true},
		{"a variable", func(_ *testing.T, _ string, s *search, _ *counted) { s.in.Environ = []string{"A=2", "TMPDIR=/tmp"} }, true},
		{"no folder to remember in", func(_ *testing.T, _ string, s *search, _ *counted) { s.in.Keep = "" }, true},
		{"a broken memory", func(t *testing.T, venv string, s *search, _ *counted) {
			save(t, s.memory(filepath.Join(venv, "bin", "python"), "."), "{")
		}, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			venv, c, s := remembering(t, old)
			askTwice(t, s, c, venv)
			if c.started != 1 {
				t.Fatalf("started %d times, want 1", c.started)
			}
			tc.change(t, venv, s, c)
			askTwice(t, s, c, venv)
			if again := c.started > 1; again != tc.again {
				t.Errorf("asked again: %v, want %v", again, tc.again)
			}
		})
	}
}

// TestAnswersThatDoNotHold: an answer is not kept where something else decides
// on it, or where it may change at once.
func TestAnswersThatDoNotHold(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	for _, tc := range []struct {
		name string
		at   time.Time
		make func(c *counted)
	}{
		{"a shim's", old, func(c *counted) { c.says.Executable += "3" }},
		{"that pytest is not installed", old, func(c *counted) { c.says.Pytest = "" }},
		{"right after an installation", time.Now().Add(time.Hour), func(*counted) {}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			venv, c, s := remembering(t, tc.at)
			tc.make(c)
			askTwice(t, s, c, venv)
			if c.started != 2 {
				t.Errorf("started %d times, want 2", c.started)
			}
		})
	}
}

// remembering is an environment whose files are of one time.
func remembering(t *testing.T, at time.Time) (venv string, c *counted, s *search) {
	t.Helper()
	venv = t.TempDir()
	program := filepath.Join(venv, "bin", "python")
	save(t, program, "")
	save(t, filepath.Join(venv, "pyvenv.cfg"), "")
	save(t, filepath.Join(venv, "lib", "x.pth"), "")
	for _, rel := range []string{"bin/python", "pyvenv.cfg", "lib/x.pth", "lib"} {
		if err := os.Chtimes(filepath.Join(venv, filepath.FromSlash(rel)), at, at); err != nil {
			t.Fatal(err)
		}
	}
	c = &counted{says: answer{Executable: program, Pytest: "9.0", Path: []string{filepath.Join(venv, "lib"), filepath.Join(venv, "missing")}}}
	s = newSearch(runner.DetectInput{Root: t.TempDir(), Environ: []string{"A=1", "TMPDIR=/tmp"}, Exec: c, Keep: filepath.Join(t.TempDir(), "keep")})
	return venv, c, s
}

// askTwice asks as two starts of the program do.
func askTwice(t *testing.T, s *search, c *counted, venv string) {
	t.Helper()
	for range 2 {
		s.asked = map[string]interpreter{}
		got, err := s.ask(context.Background(), filepath.Join(venv, "bin", "python"), "test", ".")
		if err != nil || got.pytest != c.says.Pytest || got.path != c.says.Executable {
			t.Fatalf("got %+v, %v", got, err)
		}
	}
}
