// Package nodetest runs fixtures of JavaScript test frameworks for tests: a
// txtar archive becomes a project with the real framework linked in, is found
// by detection and run, and the report is written down as text.
//
// It is imported by tests only.
package nodetest

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/proc"
	"regreen/internal/runner"
)

// Project is a fixture on disk.
type Project struct {
	Framework runner.Framework
	Env       runner.Env
	Project   runner.Project
	Files     []string // rel, without node_modules
}

// Parse reads an archive; what its comment says of wants and requests is the
// caller's.
func Parse(t *testing.T, file string) *txtar.Archive {
	t.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// New writes the archive's files (all but those named want*) into a new folder,
// links the packages of testdata/deps/<deps> in and detects the project.
func New(t *testing.T, fw runner.Framework, deps string, a *txtar.Archive) *Project {
	t.Helper()
	top := t.TempDir()
	p := &Project{Framework: fw, Env: runner.Env{Root: filepath.Join(top, "repo"), Scratch: filepath.Join(top, "scratch"),
		Environ: withoutCI(os.Environ()), Exec: proc.Local{}}}
	p.Env.Origin = p.Env.Root
	for _, dir := range []string{p.Env.Root, p.Env.Scratch} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range a.Files {
		if strings.HasPrefix(f.Name, "want") {
			continue
		}
		p.Write(t, f.Name, string(f.Data))
		p.Files = append(p.Files, f.Name)
	}
	slices.Sort(p.Files)
	Link(t, deps, p.Env.Root)
	cands, err := fw.Detect(context.Background(), runner.DetectInput{Root: p.Env.Root, Files: p.Files, Environ: os.Environ(), Exec: proc.Local{}})
	if err != nil {
		t.Fatal(err)
	}
	if len(cands) != 1 || cands[0].Problem != "" {
		t.Fatalf("Detect = %+v, want one candidate without a problem", cands)
	}
	p.Project = cands[0].Project
	return p
}

// Write writes one file of the project.
func (p *Project) Write(t *testing.T, rel, text string) {
	t.Helper()
	abs := filepath.Join(p.Env.Root, filepath.FromSlash(rel))
	if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(abs, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Link makes a node_modules in root with a link for every installed package.
func Link(t *testing.T, deps, root string) {
	t.Helper()
	from := filepath.Join(repository(t), "testdata", "deps", deps, "node_modules")
	entries, err := os.ReadDir(from)
	if err != nil {
		t.Fatalf("%s is not installed (run make deps): %v", deps, err)
	}
	to := filepath.Join(root, "node_modules")
	if err := os.MkdirAll(to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if err := os.Symlink(filepath.Join(from, e.Name()), filepath.Join(to, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// repository is the folder of go.mod.
func repository(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// Run opens a session and runs once.
func (p *Project) Run(t *testing.T, req runner.Request) *runner.Report {
	t.Helper()
	if req.Timeout == 0 {
		req.Timeout = 90 * time.Second
	}
	s, err := p.Framework.Open(context.Background(), p.Env, p.Project)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if left := leftovers(t, p.Env.Scratch); len(left) > 0 {
		t.Errorf("the run left %q behind", left)
	}
	return r
}

// leftovers are files of single runs that are still in the scratch folder.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.HasPrefix(d.Name(), "regreen-") {
			out = append(out, d.Name())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Describe writes a report down: counts, why it is red, every test with its
// verdict, every failure with its kind, place, symbol and operands.
func (p *Project) Describe(r *runner.Report) string {
	c := r.Counts(func(file string) int {
		src, err := os.ReadFile(filepath.Join(p.Env.Root, filepath.FromSlash(file)))
		if err != nil {
			return 0
		}
		n := 0
		for _, d := range p.Framework.Discover(file, src) {
			n += max(d.Count, 1)
		}
		return n
	})
	var b strings.Builder
	fmt.Fprintf(&b, "total %d passed %d failed %d errored %d skipped %d not_run %d\n", c.Total, c.Passed, c.Failed, c.Errored, c.Skipped, c.NotRun)
	red := r.Red()
	if red == "" {
		red = "no"
	}
	fmt.Fprintf(&b, "red: %s\n", red)
	var lines []string
	for _, t := range r.Tests {
		mark := ""
		if t.NotRun {
			mark = " not run"
		}
		lines = append(lines, fmt.Sprintf("%s %q %s%s\n", t.ID.File, t.ID.Path, t.Verdict, mark))
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
	lines = nil
	for _, f := range r.Failures {
		s := fmt.Sprintf("%s %s at %s:%d", f.Scope, f.Kind, f.Place.File, f.Place.Line)
		for _, x := range []struct{ name, value string }{{"symbol", f.Symbol}, {"specifier", f.Specifier}, {"expected", f.Expected}, {"received", f.Received}} {
			if x.value != "" {
				s += fmt.Sprintf(" %s %s", x.name, x.value)
			}
		}
		lines = append(lines, s+fmt.Sprintf(" in %s %q\n", f.Test.File, f.Test.Path))
	}
	slices.Sort(lines)
	b.WriteString(strings.Join(lines, ""))
	for _, f := range slices.Sorted(slices.Values(r.NotLoaded)) {
		fmt.Fprintf(&b, "not loaded %s\n", f)
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(&b, "warning %s\n", w)
	}
	return b.String()
}

// Golden compares got with the archive's file "want <deps>", or "want" where
// there is none. With update it is rewritten: "want" for the newest version, a
// file of its own for another one that differs.
func Golden(t *testing.T, file string, a *txtar.Archive, deps, newest, got string, update bool) {
	t.Helper()
	find := func(name string) int {
		return slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
	}
	at := find("want " + deps)
	if at < 0 {
		at = find("want")
	}
	want := ""
	if at >= 0 {
		want = string(a.Files[at].Data)
	}
	if want == got {
		return
	}
	if !update {
		t.Errorf("%s: report (-want +got):\n%s", filepath.Base(file), cmp.Diff(want, got))
		return
	}
	name := "want " + deps
	if deps == newest {
		name = "want"
	}
	if at = find(name); at >= 0 {
		a.Files[at].Data = []byte(got)
	} else {
		a.Files = append(a.Files, txtar.File{Name: name, Data: []byte(got)})
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// withoutCI drops CI from an environment: with it some frameworks judge
// otherwise, and the cases are a person's.
func withoutCI(environ []string) []string {
	return slices.DeleteFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, "CI=") })
}
