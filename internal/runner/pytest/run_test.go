package pytest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"regreen/internal/runner"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write what the runs gave into the cases")

// TestRun runs every case of testdata/run with the real pytest. A case is a
// project and a file "want" ("want-7" where version 7
// differs); its comment may hold "versions: 7 8 9",
// "timeout: 2s", "files: a b" and "keep going".
func TestRun(t *testing.T) {
	cases, err := filepath.Glob("testdata/run/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range cases {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		arc, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		versions := option(arc, "versions")
		if versions == "" {
			versions = "9"
		}
		for _, v := range strings.Fields(versions) {
			t.Run(name+"/"+v, func(t *testing.T) {
				if !*update {
					t.Parallel()
				}
				runCase(t, file, arc, v)
			})
		}
	}
}

func option(arc *txtar.Archive, name string) string {
	for line := range strings.Lines(string(arc.Comment)) {
		if v, ok := strings.CutPrefix(line, name+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func runCase(t *testing.T, file string, arc *txtar.Archive, version string) {
	root := t.TempDir()
	write(t, root, string(txtar.Format(arc)))
	for _, f := range arc.Files {
		if strings.HasPrefix(f.Name, "want") {
			if err := os.Remove(filepath.Join(root, f.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	req := runner.Request{Files: strings.Fields(option(arc, "files")), KeepGoing: strings.Contains(string(arc.Comment), "keep going")}
	attempts := 1
	if s := option(arc, "timeout"); s != "" {
		d, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		// on a busy machine the tests may not have begun by then
		req.Timeout, attempts = d, 3
	}
	want := -1
	for i, f := range arc.Files {
		if f.Name == "want" && want < 0 || f.Name == "want-"+version {
			want = i
		}
	}
	var r *runner.Report
	var got string
	for range attempts {
		r = runIn(t, python(t, version), root, runner.Project{}, req)
		if got = render(r, r.Counts(known(root))); got == string(arc.Files[want].Data) {
			break
		}
		req.Timeout *= 4
	}
	if *update {
		arc.Files[want].Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(arc), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(string(arc.Files[want].Data), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", file, d)
		t.Logf("output:\n%s", r.Output)
	}
}

var limit = regexp.MustCompile(`limit of \S+`)

// render writes a report so that a person can check it.
func render(r *runner.Report, c runner.Counts) string {
	var b strings.Builder
	fmt.Fprintf(&b, "total %d passed %d failed %d errored %d skipped %d not_run %d\n", c.Total, c.Passed, c.Failed, c.Errored, c.Skipped, c.NotRun)
	fmt.Fprintf(&b, "red %q\n", r.Red())
	for _, t := range r.Tests {
		fmt.Fprintf(&b, "test %s %q %s", t.ID.File, t.ID.Path, t.Verdict)
		if t.NotRun {
			b.WriteString(" not run")
		}
		b.WriteString("\n")
	}
	for _, f := range r.NotLoaded {
		fmt.Fprintf(&b, "not loaded %s\n", f)
	}
	for _, f := range r.Failures {
		fmt.Fprintf(&b, "%s %s at %s:%d in %s %q", f.Scope, f.Kind, f.Place.File, f.Place.Line, f.Test.File, f.Test.Path)
		for _, kv := range [][2]string{{"symbol", f.Symbol}, {"specifier", f.Specifier}, {"expected", f.Expected}, {"received", f.Received}} {
			if kv[1] != "" {
				fmt.Fprintf(&b, " %s=%s", kv[0], kv[1])
			}
		}
		first, _, _ := strings.Cut(f.Message, "\n")
		first = limit.ReplaceAllString(first, "limit of TIME")
		fmt.Fprintf(&b, "\n    %s: %s\n", f.Name, first)
	}
	for _, w := range r.Warnings {
		first, _, _ := strings.Cut(w, "\n")
		fmt.Fprintf(&b, "warning %s\n", first)
	}
	return b.String()
}

// TestArgumentsArePytests: a test that parses the process's arguments, as those
// of a program for the command line do, sees none of ours.
func TestArgumentsArePytests(t *testing.T) {
	for _, major := range []string{"7", "8", "9"} {
		root, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		write(t, root, `-- conftest.py --
import argparse
argparse.ArgumentParser().parse_args()
-- test_a.py --
import argparse
def test_a():
    argparse.ArgumentParser().parse_args()
`)
		r := runIn(t, python(t, major), root, runner.Project{}, runner.Request{})
		if len(r.Tests) != 1 || r.Tests[0].Verdict != runner.Passed || len(r.Failures) != 0 {
			t.Errorf("pytest %s: tests %v, failures %v", major, r.Tests, r.Failures)
		}
	}
}
