package sandbox

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"regreen/internal/git/gittest"
	"regreen/internal/proc"
)

// TestFrameworksSeeTheSandbox has each JavaScript framework test package b of
// a workspace, which needs package a, in the worktree: it must see the a of
// the worktree.
func TestFrameworksSeeTheSandbox(t *testing.T) {
	tests := []struct {
		deps, file, test string
		args             []string
	}{
		{"jest30", "packages/b/b.test.js", "test('a', () => { expect(require('@x/a')).toBe('sandbox') })\n",
			[]string{"node_modules/jest/bin/jest.js", "--ci"}},
		{"vitest4", "packages/b/b.test.js", "import { test, expect } from 'vitest'\nimport a from '@x/a'\ntest('a', () => { expect(a).toBe('sandbox') })\n",
			[]string{"node_modules/vitest/vitest.mjs", "run"}},
		{"mocha11", "packages/b/b.test.js", "it('a', () => { require('assert').equal(require('@x/a'), 'sandbox') })\n",
			[]string{"node_modules/mocha/bin/mocha.js", "packages/b/b.test.js"}},
	}
	path, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is not on the PATH (hint: install node 20 or newer)")
	}
	for _, tt := range tests {
		t.Run(tt.deps, func(t *testing.T) {
			deps, err := filepath.Abs(filepath.Join("..", "..", "testdata", "deps", tt.deps, "node_modules"))
			if err != nil {
				t.Fatal(err)
			}
			entries, err := os.ReadDir(deps)
			if err != nil {
				t.Fatalf("%s is not installed (hint: run make deps)", tt.deps)
			}
			g := gittest.New(t)
			g.Write(".gitignore", "node_modules\n", "package.json", `{"private":true,"workspaces":["packages/*"]}`,
				"packages/a/package.json", `{"name":"@x/a","main":"i.js"}`, "packages/a/i.js", "module.exports = 'user'\n",
				"packages/b/package.json", `{"name":"b"}`, tt.file, tt.test)
			g.Commit("one")
			for _, e := range entries {
				if !strings.HasPrefix(e.Name(), ".") {
					link(t, filepath.Join(deps, e.Name()), g.Path("node_modules/"+e.Name()))
				}
			}
			link(t, "../../packages/a", g.Path("node_modules/@x/a"))
			untouchedGit(t, g)
			r := newRig(t, g)
			snap := r.ready()
			before := r.everything()
			run := func() (int, string) {
				var out bytes.Buffer
				ex, err := r.s.Run(t.Context(), proc.Cmd{Path: path, Args: tt.args, Dir: r.s.Root(), Env: r.s.Environ(),
					Stdout: &out, Stderr: &out})
				if err != nil {
					t.Fatal(err)
				}
				return ex.Code, out.String()
			}
			if code, out := run(); code == 0 {
				t.Errorf("green before the fix:\n%s", out)
			}
			r.write("packages/a/i.js", "module.exports = 'sandbox'\n")
			if code, out := run(); code != 0 {
				t.Errorf("exit code %d:\n%s", code, out)
			}
			if c := r.changes(snap); len(c) != 1 || c[0].Path != "packages/a/i.js" {
				t.Errorf("Changes = %+v", c)
			}
			r.unchanged(before)
		})
	}
}
