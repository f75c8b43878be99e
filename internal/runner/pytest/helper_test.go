package pytest

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"regreen/internal/proc"
	"regreen/internal/runner"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// repository is the checkout's root.
func repository(t *testing.T) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("the test's own path is not known")
	}
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// python is the interpreter with the given major version of pytest.
func python(t *testing.T, major string) string {
	t.Helper()
	p := interpreterIn(filepath.Join(repository(t), "testdata", "deps", "pytest"+major, ".venv"))
	if _, err := os.Stat(p); err != nil {
		t.Fatalf("pytest %s is not installed: run make deps (%v)", major, err)
	}
	return p
}

// write puts the files of a txtar text into dir.
func write(t *testing.T, dir, text string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(text)).Files {
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// environ is the base environment of a test's processes.
func environ() []string {
	var out []string
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return append(out, "LANG=C.UTF-8")
}

func testEnv(t *testing.T, root, origin string) runner.Env {
	t.Helper()
	return runner.Env{Root: root, Origin: origin, Scratch: t.TempDir(), Environ: environ(), Exec: proc.Local{}}
}

// runIn runs a request on the tree in root.
func runIn(t *testing.T, interpreter, root string, p runner.Project, req runner.Request) *runner.Report {
	t.Helper()
	return runEnv(t, interpreter, testEnv(t, root, root), p, req)
}

func runEnv(t *testing.T, interpreter string, env runner.Env, p runner.Project, req runner.Request) *runner.Report {
	t.Helper()
	if p.Root == "" {
		p.Root = "."
	}
	if p.Command == nil {
		p.Command = []string{interpreter, "-m", "pytest"}
	}
	p.Framework = Name
	s, err := New().Open(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if req.Timeout == 0 {
		req.Timeout = time.Minute
	}
	r, err := s.Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// known counts a file's tests as the cycle does.
func known(root string) func(string) int {
	return func(rel string) int {
		src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(rel)))
		if err != nil {
			return 0
		}
		n := 0
		for _, d := range New().Discover(rel, src) {
			n += d.Count
		}
		return n
	}
}

// brief is a failure as far as the tables of the tests say it.
type brief struct {
	Scope              runner.Scope
	Test               string // file, then the path, joined with " > "
	Kind               runner.Kind
	File               string
	Line               int
	Symbol             string
	Expected, Received string
	Specifier          string
}

func briefs(r *runner.Report) []brief {
	var out []brief
	for _, f := range r.Failures {
		test := strings.Join(append([]string{f.Test.File}, f.Test.Path...), " > ")
		out = append(out, brief{f.Scope, test, f.Kind, f.Place.File, f.Place.Line, f.Symbol, f.Expected, f.Received, f.Specifier})
	}
	return out
}

func diff(t *testing.T, what string, want, got any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}
