package mocha

import (
	"context"
	"flag"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/runner"
	"regreen/internal/runner/node/nodetest"
)

var update = flag.Bool("update", false, "rewrite what the cases want")

// newest is the version that runs every case.
const newest = "mocha12"

// older are the cases that the older versions run too; the newest runs all.
var older = []string{"esm_missing_named_export", "esm_syntax_error_source", "hook_error_top", "infinite_loop",
	"missing_relative_module", "uncaught_exception", "unhandled_rejection"}

// TestRun runs every case with the real framework and compares the report. A
// version that says something else has a want of its own ("want mocha10").
func TestRun(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, deps := range []string{newest, "mocha11", "mocha10"} {
		for _, file := range files {
			name := strings.TrimSuffix(filepath.Base(file), ".txtar")
			if deps != newest && !slices.Contains(older, name) {
				continue
			}
			t.Run(deps+"/"+name, func(t *testing.T) {
				if !*update {
					t.Parallel()
				}
				a := nodetest.Parse(t, file)
				p := nodetest.New(t, Framework{}, deps, a)
				req := runner.Request{}
				if name == "infinite_loop" {
					req.Timeout = 4 * time.Second
				}
				nodetest.Golden(t, file, a, deps, newest, p.Describe(p.Run(t, req)), *update)
			})
		}
	}
}

// archive is a small project.
func archive(extra string) *txtar.Archive {
	return txtar.Parse([]byte(`-- package.json --
{"scripts":{"test":"NODE_ENV=test mocha --bail --reporter dot --exit"}}
-- .mocharc.cjs --
module.exports = { spec: ['spec/**/*.spec.js'], require: ['./spec/setup.js'], ignore: ['spec/ignored/**'] };
-- spec/setup.js --
global.ready = true;
-- spec/a.spec.js --
const assert = require('node:assert');
describe('outer', () => {
  it('one (1)', () => assert.ok(global.ready && process.env.NODE_ENV === 'test'));
  it('one (1) more', () => { throw new Error('not asked for'); });
});
-- spec/b.spec.js --
it('b', () => { throw new Error('not asked for'); });
-- spec/ignored/c.spec.js --
it('c', () => { throw new Error('not asked for'); });
` + extra))
}

func TestRunsExactlyTheFiles(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, newest, archive(""))
	got := p.Describe(p.Run(t, runner.Request{Files: []string{"spec/a.spec.js"}}))
	want := `total 2 passed 1 failed 1 errored 0 skipped 0 not_run 0
red: tests failed
spec/a.spec.js ["outer" "one (1) more"] failed
spec/a.spec.js ["outer" "one (1)"] passed
test thrown_error at spec/a.spec.js:4 in spec/a.spec.js ["outer" "one (1) more"]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestRunsOnlyTheTests(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, newest, archive(""))
	id := runner.TestID{Framework: Name, File: "spec/a.spec.js", Path: []string{"outer", "one (1)"}}
	var begun []string
	r := p.Run(t, runner.Request{Tests: []runner.TestID{id}, Progress: func(g runner.Progress) {
		if !g.Done {
			begun = append(begun, strings.Join(g.Test.Path, "|"))
		}
	}})
	want := "total 1 passed 1 failed 0 errored 0 skipped 0 not_run 0\nred: no\nspec/a.spec.js [\"outer\" \"one (1)\"] passed\n"
	if diff := cmp.Diff(want, p.Describe(r)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"outer|one (1)"}, begun); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
}

func TestKeepsGoing(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, newest, archive(`-- spec/0.spec.js --
describe('half', () => { it('declared', () => {}); });
beforeEach(() => { throw new Error('of a file that did not load'); });
require('./gone');
`))
	got := p.Describe(p.Run(t, runner.Request{KeepGoing: true}))
	want := `total 3 passed 1 failed 2 errored 1 skipped 0 not_run 1
red: tests failed
spec/a.spec.js ["outer" "one (1) more"] failed
spec/a.spec.js ["outer" "one (1)"] passed
spec/b.spec.js ["b"] failed
file missing_import at spec/0.spec.js:3 symbol ./gone specifier ./gone in spec/0.spec.js []
test thrown_error at spec/a.spec.js:4 in spec/a.spec.js ["outer" "one (1) more"]
test thrown_error at spec/b.spec.js:1 in spec/b.spec.js ["b"]
not loaded spec/0.spec.js
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, newest, archive(""))
	l, err := p.Framework.Layout(context.Background(), p.Env, p.Project)
	if err != nil || l.Uncertain != "" {
		t.Fatalf("Layout = %+v, %v", l, err)
	}
	if diff := cmp.Diff([]string{".mocharc.cjs", "package.json", "spec/setup.js"}, l.Global); diff != "" {
		t.Errorf("Global (-want +got):\n%s", diff)
	}
	for rel, want := range map[string]bool{"spec/a.spec.js": true, "spec/new/x.spec.js": true, "spec/ignored/c.spec.js": false,
		"spec/setup.js": false, "lib/a.spec.js": false} {
		if got := l.IsTest(rel); got != want {
			t.Errorf("IsTest(%q) = %v, want %v", rel, got, want)
		}
	}
}

func TestLayoutOfTheDefaults(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, "mocha10", txtar.Parse([]byte("-- package.json --\n{\"scripts\":{\"test\":\"mocha\"}}\n-- test/a.js --\n")))
	l, err := p.Framework.Layout(context.Background(), p.Env, p.Project)
	if err != nil || l.Uncertain != "" {
		t.Fatalf("Layout = %+v, %v", l, err)
	}
	for rel, want := range map[string]bool{"test/a.js": true, "test/b.mjs": true, "test/x/a.js": false, "test/a.ts": false, "a.js": false} {
		if got := l.IsTest(rel); got != want {
			t.Errorf("IsTest(%q) = %v, want %v", rel, got, want)
		}
	}
}
