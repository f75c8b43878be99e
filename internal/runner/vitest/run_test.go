package vitest

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/lang"
	"regreen/internal/runner"
	"regreen/internal/runner/node/nodetest"
)

var update = flag.Bool("update", false, "rewrite what the cases want")

// newest is the version that runs every case.
const newest = "vitest5"

// older are the cases that the older versions run too; the newest runs all.
var older = []string{"assert_number_like_string", "hook_error", "hook_error_late", "infinite_loop", "missing_relative_module", "projects",
	"snapshot_unwritten", "syntax_error_source", "typescript", "unhandled_rejection", "worker_killed"}

// TestRun runs every case with the real framework and compares the report. A
// version that says something else has a want of its own ("want vitest3").
func TestRun(t *testing.T) {
	files, err := filepath.Glob("testdata/cases/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, deps := range []string{newest, "vitest4", "vitest3"} {
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
					req.Timeout = 6 * time.Second
				}
				nodetest.Golden(t, file, a, deps, newest, p.Describe(p.Run(t, req)), *update)
			})
		}
	}
}

// TestReporterLiesAmongPackages holds that vitest loads the reporter as it loads
// packages, and not through vite, which may read nothing outside of the project.
func TestReporterLiesAmongPackages(t *testing.T) {
	opened, err := Framework{}.Open(t.Context(), runner.Env{Scratch: t.TempDir()}, runner.Project{})
	if err != nil {
		t.Fatal(err)
	}
	reporter := opened.(*session).reporter
	if _, err := os.Stat(reporter); err != nil || filepath.Base(filepath.Dir(reporter)) != "node_modules" {
		t.Errorf("the reporter is %s (%v), want it in a folder node_modules", reporter, err)
	}
}

// archive is a small project.
func archive(extra string) *txtar.Archive {
	return txtar.Parse([]byte(`-- package.json --
{"type":"module","scripts":{"test":"vitest run --coverage --reporter=json --outputFile x.json --bail 1 src"}}
-- src/a.test.ts --
import { it, expect, describe } from 'vitest';
describe('outer', () => {
  it('one (1)', () => expect(1).toBe(1));
  it('two', () => expect(1).toMatchSnapshot());
  it.skip('three', () => {});
});
-- src/a.test.tsx --
import { it } from 'vitest';
it('fails', () => { throw new Error('not asked for'); });
` + extra))
}

func TestRunsExactlyTheFiles(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, "vitest5", archive(""))
	got := p.Describe(p.Run(t, runner.Request{Files: []string{"src/a.test.ts"}}))
	want := `total 3 passed 1 failed 1 errored 0 skipped 1 not_run 0
red: tests failed
src/a.test.ts ["outer" "one (1)"] passed
src/a.test.ts ["outer" "three"] skipped
src/a.test.ts ["outer" "two"] failed
test snapshot_mismatch at src/a.test.ts:4 received 1 in src/a.test.ts ["outer" "two"]
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	for _, f := range []string{"x.json", "coverage", "src/__snapshots__"} {
		if _, err := os.Stat(filepath.Join(p.Env.Root, f)); err == nil {
			t.Errorf("the run wrote %s", f)
		}
	}
}

func TestRunsOnlyTheTests(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, "vitest5", archive(""))
	id := runner.TestID{Framework: Name, File: "src/a.test.ts", Path: []string{"outer", "one (1)"}}
	begun := []string{}
	r := p.Run(t, runner.Request{Tests: []runner.TestID{id}, Progress: func(g runner.Progress) {
		if !g.Done {
			begun = append(begun, strings.Join(g.Test.Path, "|"))
		}
	}})
	want := "total 1 passed 1 failed 0 errored 0 skipped 0 not_run 0\nred: no\nsrc/a.test.ts [\"outer\" \"one (1)\"] passed\n"
	if diff := cmp.Diff(want, p.Describe(r)); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"outer|one (1)"}, begun); diff != "" {
		t.Errorf("begun (-want +got):\n%s", diff)
	}
}

func TestUpdatesSnapshotsOfTheTests(t *testing.T) {
	t.Parallel()
	for _, deps := range []string{"vitest3", "vitest5"} {
		p := nodetest.New(t, Framework{}, deps, archive("-- src/b.test.ts --\nimport { it, expect } from 'vitest';\nit('b', () => expect(2).toMatchSnapshot());\n"))
		id := runner.TestID{Framework: Name, File: "src/a.test.ts", Path: []string{"outer", "two"}}
		r := p.Run(t, runner.Request{Tests: []runner.TestID{id}, UpdateSnapshots: true})
		if red := r.Red(); red != "" {
			t.Errorf("%s: Red = %q, want green", deps, red)
		}
		if _, err := os.Stat(filepath.Join(p.Env.Root, "src/__snapshots__/a.test.ts.snap")); err != nil {
			t.Errorf("%s: %v, want a snapshot", deps, err)
		}
		if _, err := os.Stat(filepath.Join(p.Env.Root, "src/__snapshots__/b.test.ts.snap")); err == nil {
			t.Errorf("%s: another test's snapshot was written", deps)
		}
	}
}

// TestResolvesAnew holds that no run goes by what vitest kept of an earlier one:
// what it transformed names the files that imports led to, and is taken again
// though other files are found now (vitest-dev/vitest#11246).
func TestResolvesAnew(t *testing.T) {
	t.Parallel()
	for _, deps := range []string{"vitest4", "vitest5"} {
		p := nodetest.New(t, Framework{}, deps, txtar.Parse([]byte(`-- package.json --
{"type":"module","scripts":{"test":"vitest run --fsModuleCache"}}
-- vitest.config.js --
export default { test: { fsModuleCache: true, experimental: { fsModuleCache: true } } };
-- src/n/index.js --
export const n = 1;
-- a.test.js --
import { it, expect } from 'vitest';
import { n } from './src/n';
it('a', () => expect(n).toBe(1));
`)))
		if deps == "vitest4" {
			p.Project.Args = []string{"run"}
		}
		if r := p.Run(t, runner.Request{}); r.Red() != "" {
			t.Fatalf("%s: %s, want green", deps, p.Describe(r))
		}
		p.Write(t, "src/n.js", "export const n = 2;\n")
		if r := p.Run(t, runner.Request{}); r.Red() == "" {
			t.Errorf("%s: green by a module that is not the one that is found\n%s", deps, p.Describe(r))
		}
	}
}

func TestDoesNotStart(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, "vitest5", archive("-- vitest.config.js --\nexport default {\n"))
	r := p.Run(t, runner.Request{})
	if len(r.Failures) != 1 || r.Failures[0].Kind != runner.Crash || r.Red() == "" || r.Failures[0].Scope != runner.ScopeRun {
		t.Errorf("Failures = %+v, want one crash of the run", r.Failures)
	}
}

func TestLayout(t *testing.T) {
	t.Parallel()
	for _, deps := range []string{"vitest3", "vitest4", "vitest5"} {
		p := nodetest.New(t, Framework{}, deps, txtar.Parse([]byte(`-- package.json --
{"type":"module","scripts":{"test":"vitest"}}
-- vitest.config.ts --
import { defineConfig } from 'vitest/config';
import { shared } from './shared';
export default defineConfig({
  resolve: { alias: [
    { find: '@', replacement: new URL('./src', import.meta.url).pathname },
    { find: /^shop$/, replacement: new URL('./src/index.ts', import.meta.url).pathname },
    { find: /^shop(.*)$/, replacement: new URL('./src/$1.ts', import.meta.url).pathname },
    { find: /^#/, replacement: new URL('./lib/', import.meta.url).pathname },
    { find: /^@(app|lib)\/(.*)/, replacement: new URL('./$1/src/$2', import.meta.url).pathname },
    { find: 'react', replacement: 'preact/compat' },
  ] },
  test: { ...shared, setupFiles: ['./test/setup.ts'], runner: './test/runner.ts', globalSetup: './test/global.ts', exclude: ['**/node_modules/**', 'test/skipped/**'] },
});
-- shared.ts --
export const shared = { include: ['test/**/*.check.ts'] };
-- test/setup.ts --
-- test/runner.ts --
-- test/global.ts --
export default () => {};
-- .env.test --
A=1
-- test/a.check.ts --
`)))
		l, err := p.Framework.Layout(context.Background(), p.Env, p.Project)
		if err != nil || l.Uncertain != "" {
			t.Fatalf("%s: Layout = %+v, %v", deps, l, err)
		}
		if diff := cmp.Diff([]string{".env.test", "package.json", "shared.ts", "test/global.ts", "test/runner.ts", "test/setup.ts", "vitest.config.ts"}, l.Global); diff != "" {
			t.Errorf("%s: Global (-want +got):\n%s", deps, diff)
		}
		if diff := cmp.Diff([]lang.Alias{
			{Scope: ".", Find: "@", Targets: []string{"src"}}, {Scope: ".", Find: "@/*", Targets: []string{"src/*"}},
			{Scope: ".", Find: "shop", Targets: []string{"src/index.ts"}}, {Scope: ".", Find: "shop*", Targets: []string{"src/*.ts"}},
			{Scope: ".", Find: "#*", Targets: []string{"lib/*"}},
			{Scope: ".", Pattern: "^@(app|lib)/(.*)", Rest: true, Targets: []string{"${1}/src/${2}"}},
			{Scope: ".", Find: "react", Modules: []string{"preact/compat"}}, {Scope: ".", Find: "react/*", Modules: []string{"preact/compat/*"}},
		}, l.Aliases); diff != "" {
			t.Errorf("%s: Aliases (-want +got):\n%s", deps, diff)
		}
		for rel, want := range map[string]bool{"test/a.check.ts": true, "test/new/b.check.ts": true, "test/skipped/c.check.ts": false, "a.test.ts": false} {
			if got := l.IsTest(rel); got != want {
				t.Errorf("%s: IsTest(%q) = %v, want %v", deps, rel, got, want)
			}
		}
	}
}

func TestLayoutGuessed(t *testing.T) {
	t.Parallel()
	p := nodetest.New(t, Framework{}, "vitest5", archive("-- vitest.config.js --\nexport default {\n"))
	l, err := p.Framework.Layout(context.Background(), p.Env, p.Project)
	if err != nil || l.Uncertain == "" || !l.IsTest("src/x.test.ts") || l.IsTest("x.test.ts") {
		t.Errorf("Layout = %+v, %v, want a guess by the defaults and the script's filter", l, err)
	}
}

// Vite serves an environment of the browser's kind only what lies below the
// root: our own setup file and linked packages of the user's tree do not.
func TestWebEnvironment(t *testing.T) {
	t.Parallel()
	for _, deps := range []string{"vitest3", "vitest4", "vitest5"} {
		p := nodetest.New(t, Framework{}, deps, txtar.Parse([]byte(`-- package.json --
{"type":"module","scripts":{"test":"vitest run"}}
-- vitest.config.js --
export default { test: { environment: './web.js' } };
-- web.js --
export default { name: 'web', transformMode: 'web', viteEnvironment: 'client', setup() { return { teardown() {} }; } };
`)))
		p.Env.Origin = t.TempDir()
		dep := filepath.Join(p.Env.Origin, "dep.ts")
		for file, src := range map[string]string{
			dep: "export const two: number = 2;\n",
			filepath.Join(p.Env.Root, "a.test.js"): "import { it, expect } from 'vitest';\nimport { two } from " + strconv.Quote(filepath.ToSlash(dep)) +
				";\nit('a', () => expect(two).toBe(2));\n",
		} {
			if err := os.WriteFile(file, []byte(src), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want := "total 1 passed 1 failed 0 errored 0 skipped 0 not_run 0\nred: no\na.test.js [\"a\"] passed\n"
		if diff := cmp.Diff(want, p.Describe(p.Run(t, runner.Request{}))); diff != "" {
			t.Errorf("%s: report (-want +got):\n%s", deps, diff)
		}
	}
}

// Type tests count where the project has vitest check types, and only there.
func TestTypecheck(t *testing.T) {
	t.Parallel()
	src := `-- package.json --
{"type":"module","scripts":{"test":"vitest run"}}
-- tsconfig.json --
{"compilerOptions":{"strict":true,"skipLibCheck":true,"module":"esnext","moduleResolution":"bundler","noEmit":true,"types":[]}}
-- src/a.ts --
export const a: number = 1;
-- src/a.test.ts --
import { it, expect } from 'vitest';
import { a } from './a';
it('runs', () => expect(a).toBe(1));
-- src/a.test-d.ts --
import { it, expectTypeOf } from 'vitest';
import { a } from './a';
it('is a number', () => expectTypeOf(a).toEqualTypeOf<number>());
it('is a string', () => {
  expectTypeOf(a).toEqualTypeOf<string>();
});
`
	p := nodetest.New(t, Framework{}, "vitest5", txtar.Parse([]byte(strings.Replace(src, "vitest run", "vitest run --typecheck src", 1))))
	p.Write(t, "node_modules/.bin/tsc", "#!/usr/bin/env node\nrequire('typescript/lib/tsc.js');\n")
	if err := os.Chmod(filepath.Join(p.Env.Root, "node_modules/.bin/tsc"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := p.Describe(p.Run(t, runner.Request{}))
	for _, want := range []string{"total 3 passed 2 failed 1", `src/a.test-d.ts ["is a string"] failed`, "at src/a.test-d.ts:5", `src/a.test.ts ["runs"] passed`} {
		if !strings.Contains(got, want) {
			t.Errorf("report lacks %q:\n%s", want, got)
		}
	}
	got = p.Describe(p.Run(t, runner.Request{Files: []string{"src/a.test.ts"}}))
	if !strings.HasPrefix(got, "total 1 passed 1 failed 0") {
		t.Errorf("the report of one file is\n%s", got)
	}
	l, err := p.Framework.Layout(context.Background(), p.Env, p.Project)
	if err != nil || !l.IsTest("src/a.test-d.ts") || !l.IsTest("src/a.test.ts") || l.IsTest("src/a.ts") {
		t.Errorf("Layout = %+v, %v, want the type test to be a test", l, err)
	}

	p = nodetest.New(t, Framework{}, "vitest5", txtar.Parse([]byte(src)))
	if got := p.Describe(p.Run(t, runner.Request{})); !strings.HasPrefix(got, "total 1 passed 1 failed 0") {
		t.Errorf("without type checks the report is\n%s", got)
	}
	if l, err := p.Framework.Layout(context.Background(), p.Env, p.Project); err != nil || l.IsTest("src/a.test-d.ts") {
		t.Errorf("Layout = %+v, %v, want no type test", l, err)
	}
}
