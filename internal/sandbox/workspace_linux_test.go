package sandbox

import (
	"path/filepath"
	"strings"
	"testing"

	"regreen/internal/git/gittest"
)

// layout is how a package manager installs a workspace in which package b needs
// package a, the plugin plug, whose peer a is, and outer, which needs plug.
type layout struct {
	name  string
	files []string    // pairs, as gittest's Write has them
	links [][2]string // text and place
}

const plug = `{"name":"plug","version":"1.0.0","main":"i.js","peerDependencies":{"@x/a":"*"}}`
const outer = `{"name":"outer","version":"1.0.0","main":"i.js","dependencies":{"plug":"1"}}`
const plainPackage = `{"name":"plain","version":"1.0.0","main":"i.js"}`
const requiresA, requiresPlug = "module.exports = 'plug ' + require('@x/a')\n", "module.exports = 'outer ' + require('plug')\n"

func layouts() []layout {
	hoisted := func(record string, more ...string) []string {
		return append([]string{"node_modules/" + record, "x", "node_modules/plug/package.json", plug, "node_modules/plug/i.js", requiresA,
			"node_modules/outer/package.json", outer, "node_modules/outer/i.js", requiresPlug,
			"node_modules/plain/package.json", plainPackage, "node_modules/plain/i.js", "module.exports = 'plain'\n"}, more...)
	}
	const pnpm, store = "node_modules/.pnpm/", "node_modules/.store/"
	return []layout{
		{"npm", hoisted(".package-lock.json"), [][2]string{{"../../packages/a", "node_modules/@x/a"}, {"../packages/b", "node_modules/b"}}},
		{"yarn classic", hoisted(".yarn-integrity", "packages/b/node_modules/deep/index.js", "module.exports = require('plug')\n"),
			[][2]string{{"../../packages/a", "node_modules/@x/a"}, {"../packages/b", "node_modules/b"}}},
		{"yarn with nested packages", []string{"node_modules/.yarn-state.yml", "x", "packages/b/node_modules/plug/package.json", plug,
			"packages/b/node_modules/plug/i.js", requiresA, "packages/b/node_modules/outer/package.json", outer, "packages/b/node_modules/outer/i.js", requiresPlug,
			"node_modules/plain/package.json", plainPackage, "node_modules/plain/i.js", "module.exports = 'plain'\n"},
			[][2]string{{"../../packages/a", "node_modules/@x/a"}}},
		{"pnpm", []string{"node_modules/.modules.yaml", "x",
			pnpm + "plug@1.0.0_@x+a@packages+a/node_modules/plug/package.json", plug, pnpm + "plug@1.0.0_@x+a@packages+a/node_modules/plug/i.js", requiresA,
			pnpm + "outer@1.0.0_@x+a@packages+a/node_modules/outer/package.json", outer, pnpm + "outer@1.0.0_@x+a@packages+a/node_modules/outer/i.js", requiresPlug,
			pnpm + "plain@1.0.0/node_modules/plain/package.json", plainPackage, pnpm + "plain@1.0.0/node_modules/plain/i.js", "module.exports = 'plain'\n"},
			[][2]string{{"../../../../../packages/a", pnpm + "plug@1.0.0_@x+a@packages+a/node_modules/@x/a"},
				{"../../plug@1.0.0_@x+a@packages+a/node_modules/plug", pnpm + "outer@1.0.0_@x+a@packages+a/node_modules/plug"},
				{"../plug@1.0.0_@x+a@packages+a/node_modules/plug", pnpm + "node_modules/plug"},
				{"../../../a", "packages/b/node_modules/@x/a"},
				{"../../../node_modules/.pnpm/plug@1.0.0_@x+a@packages+a/node_modules/plug", "packages/b/node_modules/plug"},
				{"../../../node_modules/.pnpm/outer@1.0.0_@x+a@packages+a/node_modules/outer", "packages/b/node_modules/outer"},
				{"../../../node_modules/.pnpm/plain@1.0.0/node_modules/plain", "packages/b/node_modules/plain"}}},
		{"yarn with a store", []string{"node_modules/.yarn-state.yml", "x",
			store + "plug-virtual-1/package/package.json", plug, store + "plug-virtual-1/package/i.js", requiresA,
			store + "outer-npm-1/package/package.json", outer, store + "outer-npm-1/package/i.js", requiresPlug,
			store + "plain-npm-1/package/package.json", plainPackage, store + "plain-npm-1/package/i.js", "module.exports = 'plain'\n"},
			[][2]string{{"../../../../../packages/a", store + "plug-virtual-1/node_modules/@x/a"},
				{"../../plug-virtual-1/package", store + "outer-npm-1/node_modules/plug"},
				{"../../../a", "packages/b/node_modules/@x/a"}, {"../../../node_modules/.store/plug-virtual-1/package", "packages/b/node_modules/plug"},
				{"../../../node_modules/.store/outer-npm-1/package", "packages/b/node_modules/outer"},
				{"../../../node_modules/.store/plain-npm-1/package", "packages/b/node_modules/plain"}}},
	}
}

// install makes a repository with a layout.
func (l layout) install(t *testing.T) *gittest.Repo {
	g := gittest.New(t)
	g.Write(".gitignore", "node_modules\n", "package.json", `{"private":true,"workspaces":["packages/*"]}`,
		"packages/a/package.json", `{"name":"@x/a","version":"1.0.0","main":"i.js"}`, "packages/a/i.js", "module.exports = 'user'\n",
		"packages/b/package.json", `{"name":"b","version":"1.0.0","main":"i.js","dependencies":{"@x/a":"*","plug":"1","outer":"1","plain":"1"}}`,
		"packages/b/i.js", "console.log([require('@x/a'), require('plug'), require('outer'), require('plain')].join(', '))\n")
	g.Commit("one")
	g.Write(l.files...)
	for _, ln := range l.links {
		link(t, ln[0], g.Path(ln[1]))
	}
	return g
}

// TestWorkspaces has a test in package b, and what is installed for it, see the
// sandbox's package a.
func TestWorkspaces(t *testing.T) {
	atLevels(t, func(t *testing.T, level func(*Config)) {
		for _, l := range layouts() {
			t.Run(l.name, func(t *testing.T) {
				g := l.install(t)
				untouchedGit(t, g)
				r := newRig(t, g, level)
				r.ready()
				before := r.everything()
				for _, is := range []string{"sandbox", "again"} {
					r.write("packages/a/i.js", "module.exports = '"+is+"'\n")
					want := is + ", plug " + is + ", outer plug " + is + ", plain"
					if got := node(t, r, "packages/b", "i.js"); got != want {
						t.Errorf("b sees %q, want %q", got, want)
					}
				}
				if off, err := r.s.ProbeNode(t.Context()); err != nil || len(off) > 0 {
					t.Errorf("ProbeNode = %q, %v", off, err)
				}
				r.ready()
				if got := node(t, r, "packages/b", "i.js"); got != "user, plug user, outer plug user, plain" {
					t.Errorf("after Prepare b sees %q", got)
				}
				r.unchanged(before)
			})
		}
	})
}

// TestProbeFollowsWhatIsInstalled breaks what a farm made: a package whose peer
// is in the workspace becomes a link, and node then finds the user's.
func TestProbeFollowsWhatIsInstalled(t *testing.T) {
	for _, l := range layouts() {
		t.Run(l.name, func(t *testing.T) {
			g := l.install(t)
			r := newRig(t, g)
			r.ready()
			if len(r.s.cloned.dirs) != 2 {
				t.Errorf("copied %v, want plug and outer", r.s.cloned.dirs)
			}
			for dir := range r.s.cloned.dirs {
				rel, _ := filepath.Rel(g.Dir, dir)
				if err := removeAll(r.s.boxPath(rel)); err != nil {
					t.Fatal(err)
				}
				link(t, dir, r.s.boxPath(rel))
			}
			r.write("packages/a/i.js", "module.exports = 'sandbox'\n")
			if got := node(t, r, "packages/b", "i.js"); !strings.Contains(got, "plug user") {
				t.Fatalf("b sees %q: nothing is broken", got)
			}
			off, err := r.s.ProbeNode(t.Context())
			if err != nil || len(off) != 1 || !strings.HasPrefix(off[0], "@x/a (from ") || !strings.HasSuffix(off[0], g.Path("packages/a")) {
				t.Errorf("ProbeNode = %q, %v, want a, as plug finds it", off, err)
			}
			// The next Prepare puts it right.
			if err := r.s.Prepare(t.Context(), r.snap()); err != nil {
				t.Fatal(err)
			}
			if off, err := r.s.ProbeNode(t.Context()); err != nil || len(off) > 0 {
				t.Errorf("ProbeNode after Prepare = %q, %v", off, err)
			}
		})
	}
}

// TestCopiedPackagesFollowTheUsers has the user change and remove a package
// that a farm copies.
func TestCopiedPackagesFollowTheUsers(t *testing.T) {
	g := layouts()[0].install(t)
	r := newRig(t, g)
	r.ready()
	before := r.everything()
	r.write("node_modules/plug/i.js", "a test wrote here\n")
	r.write("node_modules/plug/.cache/x", "kept\n")
	r.unchanged(before)
	g.Write("node_modules/plug/more.js", "more\n", "node_modules/plug/i.js", "module.exports = 'patched'\n")
	r.ready()
	if got := r.box("node_modules/plug/i.js") + r.box("node_modules/plug/more.js") + r.box("node_modules/plug/.cache/x"); got != "module.exports = 'patched'\nmore\nkept\n" {
		t.Errorf("the copy = %q", got)
	}
	// A version without the peer is a link again.
	if err := removeAll(g.Path("node_modules/plug")); err != nil {
		t.Fatal(err)
	}
	g.Write("node_modules/plug/package.json", strings.ReplaceAll(plainPackage, "plain", "plug"), "node_modules/plug/i.js", "module.exports = 'new'\n")
	r.ready()
	if got, err := filepath.EvalSymlinks(r.s.boxPath("node_modules/plug")); err != nil || got != g.Path("node_modules/plug") || r.box("node_modules/plug/i.js") != "module.exports = 'new'\n" {
		t.Errorf("plug = %s, %v", got, err)
	}
}
