package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"regreen/cycle"
)

// workspaceOf is a workspace in which package b's test needs package a, and in
// which a plugin is installed that lies elsewhere and finds a by the path of
// the user's own tree, as a global store or a link by hand does.
func workspaceOf(t *testing.T, level string) *repo {
	t.Helper()
	r := newRepo(t, "mocha11", map[string]string{
		"package.json":            `{"private":true,"workspaces":["packages/*"],"scripts":{"test":"mocha packages/b/test"}}`,
		"regreen.toml":            isolated(level),
		"packages/a/package.json": `{"name":"@x/a","version":"1.0.0","main":"i.js"}`,
		"packages/a/i.js":         "exports.value = require('./helper').value;\n",
		"packages/a/helper.js":    "exports.value = () => 1;\n",
		"packages/b/package.json": `{"name":"b","version":"1.0.0","dependencies":{"@x/a":"*","plug":"1"}}`,
		"packages/b/test/b.test.js": "const assert = require('assert');\nconst { value } = require('@x/a');\n" +
			"it('a', () => { assert.equal(value(), 1); });\n",
	})
	link := func(text, at string) {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(text, at); err != nil {
			t.Fatal(err)
		}
	}
	link("../../packages/a", r.path("node_modules/@x/a"))
	elsewhere := filepath.Join(filepath.Dir(filepath.Dir(r.dir)), "plug")
	link(r.path("packages/a"), filepath.Join(elsewhere, "node_modules/@x/a"))
	for name, text := range map[string]string{
		"package.json": `{"name":"plug","version":"1.0.0","main":"i.js","peerDependencies":{"@x/a":"*"}}`,
		"i.js":         "module.exports = require('@x/a');\n",
	} {
		if err := os.WriteFile(filepath.Join(elsewhere, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	link(elsewhere, r.path("node_modules/plug"))
	return r
}

// TestDistrustIsNotMerged has a repair proved by tests that could load the
// user's code: below namespace it is a proposal, and the reason is said.
func TestDistrustIsNotMerged(t *testing.T) {
	for _, level := range []string{"namespace", "landlock", "copy"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			r := workspaceOf(t, level)
			r.write("packages/a/aid.js", r.read("packages/a/helper.js"))
			r.remove("packages/a/helper.js")
			before := r.files()
			d, res := r.run()
			if level == "namespace" {
				if d.Outcome != cycle.Repaired || d.Isolation != level {
					t.Errorf("outcome %q at %q, want repaired: %s\n%s", d.Outcome, d.Isolation, d.Reason, res.stderr)
				}
				return
			}
			why := "tests would import code from outside the sandbox: @x/a (from "
			if d.Outcome != cycle.Proposed || res.exit != 4 || !strings.HasPrefix(d.Reason, why) || len(d.Proposals) != 1 || !strings.HasPrefix(d.Proposals[0].Reason, why) {
				t.Errorf("outcome %q, exit %d, reason %q, proposals %+v; want a proposal that says why\n%s", d.Outcome, res.exit, d.Reason, d.Proposals, res.stderr)
			}
			diffMaps(t, "files", before, r.files())
		})
	}
}
