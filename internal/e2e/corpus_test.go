package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"regreen/cycle"
)

// truth is a case's expected.json: what the run really was, told by hand. null
// is what nobody can tell from outside.
type truth struct {
	Green    bool     `json:"green"`
	Verdict  string   `json:"verdict"` // pass | fail | no_tests
	Total    *int     `json:"total"`
	Passed   *int     `json:"passed"`
	Failed   *int     `json:"failed"`
	Skipped  *int     `json:"skipped"`
	Errored  *int     `json:"errored"`
	NotRun   *int     `json:"not_run"`
	Failures []failed `json:"failures"`
}

type failed struct {
	Kind string `json:"error_type"`
	File string `json:"file"`
	Line *int   `json:"line"`
}

func (f failed) String() string {
	if f.Line == nil {
		return fmt.Sprintf("%s at %s", f.Kind, f.File)
	}
	return fmt.Sprintf("%s at %s:%d", f.Kind, f.File, *f.Line)
}

// corpusDeps is the framework version that a corpus was recorded with.
func corpusDeps() map[string]string {
	return map[string]string{"jest": "jest30", "vitest": "vitest5", "mocha": "mocha12", "pytest": "pytest7"}
}

// corpora are the folders of cases by name: our own small one, and a large one
// that REGREEN_CORPUS names or that lies beside the checkout.
func corpora() map[string]string {
	out := map[string]string{"own": filepath.Join(repoRoot, "testdata", "corpus")}
	big := os.Getenv("REGREEN_CORPUS")
	if big == "" {
		big = filepath.Join(repoRoot, "..", "shared", "corpus")
	}
	if _, err := os.Stat(filepath.Join(big, "cases")); err == nil {
		out["large"] = big
	}
	return out
}

// TestCorpus is acceptance point 1: on every case the counts, kinds, files and
// lines of the first run are the truth in at least 98 % of the cases, and a red
// one is never called green.
func TestCorpus(t *testing.T) {
	// A hang costs a whole time limit, so it is short here.
	settings := filepath.Join(t.TempDir(), "regreen.toml")
	if err := os.WriteFile(settings, []byte("[run]\naffected_timeout = \"15s\"\nfull_timeout = \"15s\"\n[cycle]\nbudget = \"90s\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, corpus := range corpora() {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var cases int
			var misses []string
			t.Run("cases", func(t *testing.T) {
				for _, dir := range casesOf(t, corpus) {
					runner, kind := filepath.Base(filepath.Dir(dir)), filepath.Base(dir)
					t.Run(runner+"/"+kind, func(t *testing.T) {
						t.Parallel()
						miss := corpusCase(t, dir, runner, settings)
						mu.Lock()
						defer mu.Unlock()
						cases++
						if len(miss) > 0 {
							misses = append(misses, fmt.Sprintf("%s/%s: %s", runner, kind, strings.Join(miss, "; ")))
						}
					})
				}
			})
			slices.Sort(misses)
			for _, m := range misses {
				t.Logf("miss: %s", m)
			}
			t.Logf("%d of %d cases right", cases-len(misses), cases)
			if cases == 0 || float64(len(misses)) > 0.02*float64(cases) {
				t.Errorf("%d of %d cases right, want 98 %%", cases-len(misses), cases)
			}
		})
	}
}

func casesOf(t *testing.T, corpus string) []string {
	t.Helper()
	var out []string
	for _, runner := range []string{"jest", "mocha", "pytest", "vitest"} {
		found, err := filepath.Glob(filepath.Join(corpus, "cases", runner, "*", "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			out = append(out, filepath.Dir(f))
		}
	}
	return out
}

// corpusCase runs one case and says in what it differs from the truth.
func corpusCase(t *testing.T, dir, runner, settings string) []string {
	src, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err != nil {
		t.Fatal(err)
	}
	var want truth
	if err := json.Unmarshal(src, &want); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	tree, err := treeFiles(filepath.Join(dir, "src"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range tree {
		_, files[name], _ = strings.Cut(text, "\n")
	}
	r := newRepo(t, corpusDeps()[runner], files)
	d, res := r.run("--all", "--no-merge", "--config", settings)
	if !want.Green && (d.Outcome == cycle.Passed || d.Outcome == cycle.Repaired) {
		t.Errorf("outcome %q of a run that is %s", d.Outcome, want.Verdict)
	}
	diffMaps(t, "files", r.base, r.files())
	miss := want.compare(d)
	if len(miss) > 0 {
		t.Logf("%s\n%s", strings.Join(miss, "\n"), res.stderr)
	}
	return miss
}

func (w truth) compare(d cycle.Document) (miss []string) {
	note := func(format string, args ...any) { miss = append(miss, fmt.Sprintf(format, args...)) }
	if w.Green != (d.Outcome == cycle.Passed) {
		note("outcome %q, verdict %s", d.Outcome, w.Verdict)
	}
	if len(d.Iterations) == 0 {
		note("no iteration: %s", d.Reason)
		return miss
	}
	first := d.Iterations[0]
	for _, c := range []struct {
		name string
		want *int
		got  int
	}{{"total", w.Total, first.Total}, {"passed", w.Passed, first.Passed}, {"failed", w.Failed, first.Failed},
		{"skipped", w.Skipped, first.Skipped}, {"errored", w.Errored, first.Errored}, {"not_run", w.NotRun, first.NotRun}} {
		if c.want != nil && *c.want != c.got {
			note("%s %d, want %d", c.name, c.got, *c.want)
		}
	}
	match := func(f failed, kind, file string, line int) bool {
		return f.Kind == kind && f.File == file && (f.Line == nil || *f.Line == line)
	}
	for _, f := range w.Failures {
		if !slices.ContainsFunc(first.Causes, func(c cycle.Cause) bool { return match(f, c.Kind, c.File, c.Line) }) {
			note("no cause is %s", f)
		}
	}
	for _, c := range first.Causes {
		if c.Kind == "no_tests" && w.Verdict == "no_tests" {
			continue
		}
		if !slices.ContainsFunc(w.Failures, func(f failed) bool { return match(f, c.Kind, c.File, c.Line) }) {
			note("a cause is %s at %s:%d, which is none", c.Kind, c.File, c.Line)
		}
	}
	if d.Outcome == cycle.Failed {
		for _, c := range d.Remaining {
			if !slices.ContainsFunc(w.Failures, func(f failed) bool { return match(f, c.Kind, c.File, c.Line) }) {
				note("remaining is %s at %s:%d, which is none", c.Kind, c.File, c.Line)
			}
		}
	}
	return miss
}
