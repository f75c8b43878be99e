package jest

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// failure is a failure as a case states it.
type failure struct {
	Scope     runner.Scope `json:"scope"` // test by default
	Kind      runner.Kind  `json:"kind"`
	Test      string       `json:"test"` // the test's file; Place's by default for a test or hook
	Path      []string     `json:"path"`
	File      string       `json:"file"`
	Line      int          `json:"line"`
	Symbol    string       `json:"symbol"`
	Specifier string       `json:"specifier"`
	Expected  string       `json:"expected"`
	Received  string       `json:"received"`
}

// expectation is a case's want.json.
type expectation struct {
	Args      []string            `json:"args"`
	Env       map[string]string   `json:"env"`
	Files     []string            `json:"files"`
	Tests     [][]string          `json:"tests"` // file, then titles
	Update    bool                `json:"update"`
	TimeoutMs int                 `json:"timeout_ms"`
	Counts    runner.Counts       `json:"counts"`
	Green     bool                `json:"green"`
	TimedOut  bool                `json:"timed_out"`
	Failures  []failure           `json:"failures"`
	Root      string              `json:"root"`   // the project's, the repository's by default
	Vendor    map[string]string   `json:"vendor"` // packages from the test dependencies of another framework
	Holds     map[string][]string `json:"holds"`  // texts that files hold afterwards
}

// installed is a framework's node_modules of the test dependencies.
func installed(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", "..", "..", "testdata", "deps", name, "node_modules"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "jest")); err != nil {
		t.Fatalf("%s is not installed: run make deps", name)
	}
	return dir
}

// project lays a case out in a folder with the framework installed.
func project(t *testing.T, a *txtar.Archive, version string) (env runner.Env, p runner.Project) {
	t.Helper()
	modules := installed(t, version)
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "want.") {
			continue
		}
		abs := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(abs, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link(t, modules, filepath.Join(root, "node_modules"))
	scratch := filepath.Join(t.TempDir(), "run 1")
	if err := os.MkdirAll(scratch, 0o755); err != nil {
		t.Fatal(err)
	}
	path, node := os.Getenv("PATH"), ""
	for _, dir := range filepath.SplitList(path) {
		if fi, err := os.Stat(filepath.Join(dir, "node")); err == nil && fi.Mode().IsRegular() && node == "" {
			node = filepath.Join(dir, "node")
		}
	}
	if node == "" {
		t.Fatal("node is not on PATH: install it, then run make deps")
	}
	env = runner.Env{Root: root, Origin: root, Scratch: scratch, Exec: proc.Local{}, Environ: []string{"PATH=" + path, "HOME=" + t.TempDir()}}
	p = runner.Project{
		Root: ".", Framework: "jest", Version: version,
		Command: []string{node, filepath.Join(root, "node_modules", "jest", "bin", "jest.js")},
	}
	return env, p
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if _, err := os.Stat(target); err != nil {
		t.Fatalf("%s is not installed: run make deps", target)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func TestRun(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join("testdata", "*.txtar"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, path := range cases {
		a, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		for _, version := range []string{"jest29", "jest30"} {
			t.Run(name+"/"+version, func(t *testing.T) { runCase(t, a, version) })
		}
	}
}

func runCase(t *testing.T, a *txtar.Archive, version string) {
	env, p := project(t, a, version)
	var want expectation
	for _, f := range a.Files {
		if f.Name == "want.json" || f.Name == "want."+version+".json" {
			if err := json.Unmarshal(f.Data, &want); err != nil {
				t.Fatal(err)
			}
		}
	}
	p.Args, p.Env = want.Args, want.Env
	if want.Root != "" {
		p.Root = want.Root
	}
	for name, from := range want.Vendor {
		link(t, filepath.Join(filepath.Dir(filepath.Dir(installed(t, version))), from, "node_modules", name), filepath.Join(env.Root, "vendor", name))
	}
	ctx := context.Background()
	s, err := Framework{}.Open(ctx, env, p)
	if err != nil {
		t.Fatal(err)
	}
	req := runner.Request{Files: want.Files, UpdateSnapshots: want.Update, Timeout: time.Duration(want.TimeoutMs) * time.Millisecond}
	for _, id := range want.Tests {
		req.Tests = append(req.Tests, runner.TestID{Framework: "jest", File: id[0], Path: id[1:]})
	}
	r, err := s.Run(ctx, req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if t.Failed() {
			t.Logf("exit %+v, red %q, not loaded %q\n%s", r.Exit, r.Red(), r.NotLoaded, r.Output)
		}
	}()
	known := func(file string) int {
		src, err := os.ReadFile(filepath.Join(env.Root, file))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, d := range (Framework{}).Discover(file, src) {
			if !d.Skipped {
				n += d.Count
			}
		}
		return n
	}
	if d := gocmp.Diff(want.Counts, r.Counts(known)); d != "" {
		t.Errorf("counts: %s", d)
	}
	if (r.Red() == "") != want.Green || r.TimedOut != want.TimedOut || r.Truncated != "" {
		t.Errorf("red %q, timed out %v, truncated %q", r.Red(), r.TimedOut, r.Truncated)
	}
	compareFailures(t, want.Failures, r.Failures)
	for file, texts := range want.Holds {
		src, err := os.ReadFile(filepath.Join(env.Root, file))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range texts {
			if !strings.Contains(string(src), text) {
				t.Errorf("%s does not hold %s:\n%s", file, text, src)
			}
		}
	}
}

func compareFailures(t *testing.T, want []failure, got []runner.Failure) {
	t.Helper()
	want = slices.Clone(want)
	for i := range want {
		w := &want[i]
		if w.Scope == "" {
			w.Scope = runner.ScopeTest
		}
		if w.Test == "" && w.Scope != runner.ScopeRun {
			w.Test = w.File
			if !strings.Contains(w.File, "test") {
				w.Test = "test/names.test.js"
			}
		}
	}
	var have []failure
	for _, f := range got {
		have = append(have, failure{f.Scope, f.Kind, f.Test.File, f.Test.Path, f.Place.File, f.Place.Line, f.Symbol, f.Specifier, f.Expected, f.Received})
	}
	order := func(a, b failure) int {
		return cmp.Or(cmp.Compare(a.Test, b.Test), slices.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	}
	slices.SortFunc(want, order)
	slices.SortFunc(have, order)
	if d := gocmp.Diff(want, have); d != "" {
		t.Errorf("failures: %s", d)
	}
}
