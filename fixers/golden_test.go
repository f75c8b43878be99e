package fixers

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"
	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

var update = flag.Bool("update", false, "rewrite the expected candidates")

// goldenCase is one file of testdata: a header of "key: value" lines, the base
// revision under base/, what differs now under now/, and the candidates that
// are expected.
type goldenCase struct {
	archive *txtar.Archive
	head    map[string]string
	base    map[string]string
	now     map[string]string
	want    string
}

func readCase(tb testing.TB, file string) goldenCase {
	tb.Helper()
	a, err := txtar.ParseFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	c := goldenCase{archive: a, head: map[string]string{}, base: map[string]string{}, now: map[string]string{}}
	for line := range strings.Lines(string(a.Comment)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(k, "#") {
			c.head[k] = strings.TrimSpace(v)
		}
	}
	for _, f := range a.Files {
		if rel, ok := strings.CutPrefix(f.Name, "base/"); ok {
			c.base[rel] = string(f.Data)
			if _, ok := c.now[rel]; !ok {
				c.now[rel] = string(f.Data)
			}
		}
	}
	for _, f := range a.Files {
		if rel, ok := strings.CutPrefix(f.Name, "now/"); ok {
			c.now[rel] = string(f.Data)
		}
		if f.Name == "want" {
			c.want = string(f.Data)
		}
	}
	for _, gone := range strings.Fields(c.head["delete"]) {
		delete(c.now, gone)
	}
	if c.head["crlf"] != "" {
		for _, m := range []map[string]string{c.base, c.now} {
			for f := range m {
				m[f] = strings.ReplaceAll(m[f], "\n", "\r\n")
			}
		}
	}
	return c
}

func (c goldenCase) cause(tb testing.TB) Cause {
	tb.Helper()
	num := func(key string) int {
		n, err := strconv.Atoi(c.head[key])
		if err != nil && c.head[key] != "" {
			tb.Fatalf("%s: %v", key, err)
		}
		return n
	}
	place := runner.Place{File: c.head["file"], Line: num("line"), Column: num("column")}
	test := firstOf(c.head["test"], c.head["file"])
	f := runner.Failure{Kind: runner.Kind(c.head["kind"]), Place: place, Symbol: c.head["symbol"], Specifier: c.head["specifier"],
		Message: c.head["message"], Expected: c.head["expected"], Received: c.head["received"], Test: runner.TestID{File: test, Path: []string{"t"}}}
	for _, fr := range strings.Fields(c.head["frames"]) {
		file, line, _ := strings.Cut(fr, ":")
		n, _ := strconv.Atoi(line)
		f.Frames = append(f.Frames, runner.Frame{Place: runner.Place{File: file, Line: n}})
	}
	return Cause{Kind: f.Kind, Place: place, Symbol: f.Symbol, Specifier: f.Specifier, Message: f.Message, Failures: []runner.Failure{f},
		Project: runner.Project{Framework: c.head["framework"]}}
}

// TestGolden tries every case. "first: base" in a header says that the first
// candidate must give back the base's bytes of what it edits, "first: none"
// that nothing may be applied, "ambiguous" that the best rank is shared.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	langs := languages(t)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			c := readCase(t, file)
			w := newMemory(langs, c.base, c.now)
			got, err := Candidates(t.Context(), c.cause(t), w, New(Options{UpdateAssertions: c.head["update"] != ""}))
			if err != nil {
				t.Fatalf("Candidates: %v", err)
			}
			text := render(t, w, got)
			if *update {
				c.save(t, file, text)
			} else if diff := cmp.Diff(c.want, text); diff != "" {
				t.Errorf("candidates differ (-want +got):\n%s", diff)
			}
			c.judge(t, w, got)
		})
	}
}

func (c goldenCase) judge(t *testing.T, w *memory, got []Fix) {
	t.Helper()
	var auto []Fix
	for _, f := range got {
		if f.Applicability > Propose {
			auto = append(auto, f)
		}
	}
	switch c.head["first"] {
	case "none":
		if len(auto) > 0 {
			t.Errorf("%q would be applied, want nothing", auto[0].Title)
		}
		return
	case "ambiguous":
		if len(auto) < 2 || auto[0].Rank != auto[1].Rank {
			t.Errorf("the best candidates do not share a rank: %v", auto)
		}
		return
	case "":
		t.Errorf("the header says nothing about the first candidate")
		return
	}
	if len(auto) == 0 {
		t.Errorf("nothing would be applied")
		return
	}
	if len(auto) > 1 && auto[0].Rank == auto[1].Rank {
		t.Errorf("%q and %q share a rank", auto[0].Title, auto[1].Title)
	}
	after, err := auto[0].Apply(w.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	if c.head["first"] == "base" {
		for rel, src := range after {
			if diff := cmp.Diff(c.base[rel], string(src)); diff != "" {
				t.Errorf("%s is not as at the base (-base +got):\n%s", rel, diff)
			}
		}
	}
}

// TestNothingBroken asks for repairs of the base itself, with the cause of the
// broken tree: where nothing is broken nothing may be applied. The one
// exception is a spelling that a stricter module system refuses.
func TestNothingBroken(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.txtar")
	langs := languages(t)
	n := 0
	for _, file := range files {
		c := readCase(t, file)
		if cmp.Equal(c.base, c.now) || c.head["base"] == "broken" {
			continue
		}
		n++
		w := newMemory(langs, c.base, c.base)
		got, err := Candidates(t.Context(), c.cause(t), w, New(Options{}))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, f := range got {
			if f.Applicability > Propose && !strings.HasSuffix(f.Evidence, "the run wants its whole name") {
				t.Errorf("%s: %q would be applied", file, f.Title)
			}
		}
	}
	if n < 60 {
		t.Errorf("%d cases, want at least 60", n)
	}
}

func render(tb testing.TB, w *memory, fs []Fix) string {
	tb.Helper()
	var b strings.Builder
	for _, f := range fs {
		fmt.Fprintf(&b, "%d %s %s: %s", f.Rank, f.Applicability, f.Rule, f.Title)
		if f.Asserts {
			b.WriteString(" (asserts)")
		}
		fmt.Fprintf(&b, "\n  %s\n", f.Evidence)
		after, err := f.Apply(w.ReadFile)
		if err != nil {
			tb.Fatalf("%s: %v", f.Title, err)
		}
		for _, rel := range f.Files() {
			d := udiff.Unified(rel, rel, strings.ReplaceAll(w.now[rel], "\r", ""), strings.ReplaceAll(string(after[rel]), "\r", ""))
			for line := range strings.Lines(d) {
				if strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "@@") || strings.HasPrefix(line, "\\") {
					continue
				}
				if strings.HasPrefix(line, "+++ ") || line[0] == '+' || line[0] == '-' {
					b.WriteString("  " + strings.TrimRight(line, "\n") + "\n")
				}
			}
		}
	}
	return b.String()
}

func (c goldenCase) save(t *testing.T, file, text string) {
	t.Helper()
	out := &txtar.Archive{Comment: c.archive.Comment}
	for _, f := range c.archive.Files {
		if f.Name != "want" {
			out.Files = append(out.Files, f)
		}
	}
	out.Files = append(out.Files, txtar.File{Name: "want", Data: []byte(text)})
	if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
		t.Fatal(err)
	}
}

// FuzzCandidates breaks the cases' files at a place: no fixer may panic, and
// every candidate must fit.
func FuzzCandidates(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.txtar")
	kinds := []runner.Kind{runner.MissingImport, runner.MissingExport, runner.UndefinedVariable, runner.AttributeError, runner.SyntaxError,
		runner.Timeout, runner.AssertionMismatch}
	for i := range files {
		f.Add(i, i%len(kinds), 10, "(")
	}
	langs := languages(f)
	f.Fuzz(func(t *testing.T, n, k, at int, junk string) {
		c := readCase(t, files[abs(n)%len(files)])
		cause := c.cause(t)
		cause.Kind = kinds[abs(k)%len(kinds)]
		if s := c.now[cause.Place.File]; s != "" {
			i := abs(at) % len(s)
			c.now[cause.Place.File] = s[:i] + junk + s[min(len(s), i+len(junk)%7):]
		}
		w := newMemory(langs, c.base, c.now)
		got, err := Candidates(context.Background(), cause, w, New(Options{UpdateAssertions: true}))
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range got {
			if _, err := x.Apply(w.ReadFile); err != nil {
				t.Errorf("%s: %v", x.Title, err)
			}
		}
	})
}

func abs(n int) int {
	if n < 0 {
		n = -n
	}
	return max(n, 0)
}

var _ lang.Tree = (*memory)(nil)

// goldenFirsts are what the golden cases' headers say of the first candidate.
func goldenFirsts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, file := range files {
		out = append(out, readCase(t, file).head["first"])
	}
	return out
}
