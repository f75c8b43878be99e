package affected_test

import (
	"io/fs"
	"path"
	"sort"
	"strings"
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
	"regreen/internal/runner"
)

// files is an in-memory lang.Tree.
type files map[string]string

func (m files) ReadFile(rel string) ([]byte, error) {
	if s, ok := m[rel]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

func (m files) Exists(rel string) bool { _, ok := m[rel]; return ok }

func (m files) IsDir(rel string) bool {
	for f := range m {
		if rel == "." || strings.HasPrefix(f, rel+"/") {
			return true
		}
	}
	return false
}

func (m files) List(rel string) map[string]bool {
	out := map[string]bool{}
	for f := range m {
		if path.Dir(f) == rel {
			out[path.Base(f)] = true
		}
	}
	return out
}

func (m files) Files() []string {
	var out []string
	for f := range m {
		if !strings.Contains("/"+f, "/node_modules/") && !strings.HasSuffix(f, "/.git") {
			out = append(out, f)
		}
	}
	sort.Strings(out)
	return out
}

func below(f, root string) bool { return root == "." || strings.HasPrefix(f, root+"/") }

// node is a project as jest and vitest have them.
func node(root string, global ...string) affected.Project {
	return affected.Project{Project: runner.Project{Root: root, Framework: "vitest"}, Layout: runner.Layout{Global: global,
		IsTest: func(f string) bool {
			return below(f, root) && strings.Contains(path.Base(f), ".test.") && path.Ext(f) != ".snap"
		}}}
}

// python is a project as pytest has them; tree gives the conftest files.
func python(tree files, root string) affected.Project {
	return affected.Project{Project: runner.Project{Root: root, Framework: "pytest"}, Layout: runner.Layout{
		IsTest: func(f string) bool {
			return below(f, root) && strings.HasPrefix(path.Base(f), "test_") && path.Ext(f) == ".py"
		},
		Implicit: func(test string) (out []string) {
			for dir := path.Dir(test); ; dir = path.Dir(dir) {
				if c := path.Join(dir, "conftest.py"); tree.Exists(c) {
					out = append(out, c)
				}
				if dir == "." {
					return out
				}
			}
		}}}
}

// Every case has the public issue that it is about, as far as there is one.
func TestSelectsWhatPeersMiss(t *testing.T) {
	web := files{ // a small TypeScript project
		"package.json":  `{"name":"web","type":"module"}`,
		"tsconfig.json": `{"compilerOptions":{"baseUrl":".","paths":{"@/*":["src/*"]}}}`,
		"src/leaf.ts":   "export const leaf = 1\n", "src/mid.ts": "export { leaf } from './leaf'\nexport const mid = 2\n",
		"src/index.ts": "export * from './mid'\nexport * from './other'\n", "src/other.ts": "export const other = 3\n",
		"src/lazy.ts": "export default 1\n", "src/é/ü.ts": "export const u = 1\n", "src/sp ace/x y.ts": "export const x = 1\n",
		"src/plugins/one.ts": "export default 1\n", "src/load.ts": "export const load = (n) => import(`./plugins/${n}.ts`)\n",
		"test/leaf.test.ts": "import { leaf } from '../src/mid'\ntest('x', () => leaf)\n", "test/index.test.ts": "import { other } from '@/index'\n",
		"test/lazy.test.ts":  "test('x', async () => (await import('../src/lazy')).default)\n",
		"test/ascii.test.ts": "import { u } from '../src/é/ü'\nimport { x } from '../src/sp ace/x y'\n",
		"test/data.test.ts":  "import { readFileSync } from 'node:fs'\nreadFileSync(new URL('./data/d.json', import.meta.url))\n", "test/data/d.json": "{}",
		"test/join.test.ts": "import { readFileSync } from 'node:fs'\nimport path from 'node:path'\nreadFileSync(path.join(__dirname, 'data', 'j.json'))\n", "test/data/j.json": "{}",
		"test/load.test.ts": "import { load } from '../src/load'\n",
		"test/mock.test.ts": "vi.mock('../src/leaf')\n", "test/setup.ts": "import './helper'\n", "test/helper.ts": "export {}\n",
		"test/snap.test.ts": "test('s', () => expect(1).toMatchSnapshot())\n", "test/__snapshots__/snap.test.ts.snap": "",
		"package-lock.json": "{}", "vitest.config.ts": "export default {}\n", "README.md": "",
	}
	all := "test/ascii.test.ts test/data.test.ts test/index.test.ts test/join.test.ts test/lazy.test.ts test/leaf.test.ts test/load.test.ts test/mock.test.ts test/snap.test.ts"
	mono := files{
		"package.json":            `{"private":true,"workspaces":["packages/*"]}`,
		"packages/a/package.json": `{"name":"@m/a","main":"dist/index.js"}`, "packages/a/src/index.ts": "export const a = 1\n", "packages/a/src/a.test.ts": "import './index'\n",
		"packages/b/package.json": `{"name":"@m/b","dependencies":{"@m/a":"*"}}`, "packages/b/src/b.ts": "import { a } from '@m/a'\nexport const b = a\n", "packages/b/src/b.test.ts": "import './b'\n",
		"packages/c/package.json": `{"name":"@m/c"}`, "packages/c/src/c.test.ts": "test('c')\n", "packages/c/src/c.ts": "",
	}
	app := files{ // a small Python project
		"pyproject.toml": "[tool.pytest.ini_options]\ntestpaths = ['tests']\n", "src/app/__init__.py": "", "src/app/core.py": "from app.util import f\nfrom . import extra\n",
		"src/app/util.py": "def f(): pass\n", "src/app/extra.py": "", "src/app/db.py": "from pathlib import Path\nSQL = (Path(__file__).parent / 'sql' / 'q.sql').read_text()\n", "src/app/sql/q.sql": "",
		"src/app/plugins/__init__.py": "", "src/app/plugins/p.py": "", "src/app/load.py": "import importlib\ndef load(n): return importlib.import_module(f'app.plugins.{n}')\n",
		"tests/conftest.py": "import pytest\nfrom helpers import h\n", "tests/helpers.py": "h = 1\n", "tests/test_core.py": "from app import core\n", "tests/test_db.py": "import app.db\n",
		"tests/test_load.py": "from app.load import load\n", "tests/unit/conftest.py": "", "tests/unit/test_unit.py": "def test(): pass\n", "tests/unit/test_patch.py": "from unittest import mock\n@mock.patch('app.util.f')\ndef test(m): pass\n",
		"tests/test_ns.py": "import ns.part\n", "ns/part.py": "", "tests/test_types.py": "import types\n", "uv.lock": "", "docs/index.md": "",
	}
	allPy := "tests/test_core.py tests/test_db.py tests/test_load.py tests/test_ns.py tests/test_types.py tests/unit/test_patch.py tests/unit/test_unit.py"
	with := func(m files, more ...string) files {
		out := files{}
		for k, v := range m {
			out[k] = v
		}
		for i := 0; i < len(more); i += 2 {
			out[more[i]] = more[i+1]
		}
		return out
	}
	without := func(m files, gone ...string) files {
		out := with(m)
		for _, g := range gone {
			delete(out, g)
		}
		return out
	}
	moved := func(m files, from, to string) files { return without(with(m, to, m[from]), from) }
	setup := []affected.Project{node(".", "test/setup.ts", "vitest.config.ts")}
	for _, tc := range []struct {
		name    string
		tree    files
		changes []affected.Change
		want    string
		whole   bool // a reason is given
	}{
		// mochajs/mocha#4352, joeyespo/pytest-watch#71: a dependency is edited, what most peers do.
		{name: "edit", tree: web, changes: []affected.Change{{Path: "src/lazy.ts"}}, want: "test/lazy.test.ts"},
		// jestjs/jest#15309, #7436, #12052
		{name: "deleted dependency", tree: without(web, "src/mid.ts"), changes: []affected.Change{{Path: "src/mid.ts", Deleted: true}}, want: "test/leaf.test.ts test/index.test.ts"},
		// jestjs/jest#15309: git mv, the importers still name the old path
		{name: "renamed dependency", tree: moved(web, "src/leaf.ts", "src/leaf2.ts"), changes: []affected.Change{{Path: "src/leaf2.ts", From: "src/leaf.ts"}}, want: "test/mock.test.ts test/leaf.test.ts test/index.test.ts"},
		{name: "deleted behind an alias", tree: without(web, "src/index.ts"), changes: []affected.Change{{Path: "src/index.ts", Deleted: true}}, want: "test/index.test.ts"},
		// jestjs/jest#11774
		{name: "setup file", tree: web, changes: []affected.Change{{Path: "test/setup.ts"}}, want: all, whole: true},
		// vitest-dev/vitest#2614
		{name: "helper of the setup file", tree: web, changes: []affected.Change{{Path: "test/helper.ts"}}, want: all, whole: true},
		// jestjs/jest#15945, #8702
		{name: "lock file", tree: web, changes: []affected.Change{{Path: "package-lock.json"}}, want: all, whole: true},
		{name: "package.json", tree: web, changes: []affected.Change{{Path: "package.json"}}, want: all, whole: true},
		// vitest-dev/vitest#10421
		{name: "runner configuration", tree: web, changes: []affected.Change{{Path: "vitest.config.ts"}}, want: all, whole: true},
		// jestjs/jest#10222: the graph spans the workspace
		{name: "another package of the workspace", tree: mono, changes: []affected.Change{{Path: "packages/b/src/b.ts"}}, want: "packages/b/src/b.test.ts"},
		// vitest-dev/vitest#2532: a package consumed through dist
		{name: "source behind dist", tree: mono, changes: []affected.Change{{Path: "packages/a/src/index.ts"}}, want: "packages/a/src/a.test.ts packages/b/src/b.test.ts"},
		// vercel/turborepo#10688: an unrelated package stays out
		{name: "manifest of one package", tree: mono, changes: []affected.Change{{Path: "packages/c/package.json"}}, want: "packages/c/src/c.test.ts", whole: true},
		// vitest-dev/vitest#3378
		{name: "file read by its URL", tree: web, changes: []affected.Change{{Path: "test/data/d.json"}}, want: "test/data.test.ts"},
		{name: "file read by its joined path", tree: web, changes: []affected.Change{{Path: "test/data/j.json"}}, want: "test/join.test.ts"},
		// vitest-dev/vitest#5429
		{name: "computed import", tree: web, changes: []affected.Change{{Path: "src/plugins/one.ts"}}, want: "test/load.test.ts", whole: true},
		{name: "new file for a computed import", tree: with(web, "src/plugins/two.ts", ""), changes: []affected.Change{{Path: "src/plugins/two.ts"}}, want: "test/load.test.ts", whole: true},
		// vitest-dev/vitest#4933, #5009
		{name: "behind a barrel", tree: web, changes: []affected.Change{{Path: "src/other.ts"}}, want: "test/index.test.ts"},
		// jestjs/jest#8907
		{name: "mocked path", tree: web, changes: []affected.Change{{Path: "src/leaf.ts"}}, want: "test/mock.test.ts test/leaf.test.ts test/index.test.ts"},
		// jestjs/jest#10273: a quoted path of git's is no path
		{name: "non-ASCII path", tree: web, changes: []affected.Change{{Path: "src/é/ü.ts"}}, want: "test/ascii.test.ts"},
		// infinitest/infinitest#187
		{name: "spaced path", tree: web, changes: []affected.Change{{Path: "src/sp ace/x y.ts"}}, want: "test/ascii.test.ts"},
		{name: "snapshot", tree: web, changes: []affected.Change{{Path: "test/__snapshots__/snap.test.ts.snap"}}, want: "test/snap.test.ts"},
		// dependency-cruiser#99, vitest-dev/vitest#10054: tsconfig paths; the file itself rules all below it
		{name: "tsconfig", tree: web, changes: []affected.Change{{Path: "tsconfig.json"}}, want: all, whole: true},
		// nrwl/nx#29699: a deleted document is not everything
		{name: "deleted document", tree: without(web, "README.md"), changes: []affected.Change{{Path: "README.md", Deleted: true}}},
		// nrwl/nx#13677: both sides of a move
		{name: "moved between packages", tree: moved(mono, "packages/b/src/b.ts", "packages/c/src/b.ts"), changes: []affected.Change{{Path: "packages/c/src/b.ts", From: "packages/b/src/b.ts"}}, want: "packages/b/src/b.test.ts"},
		// getsentry/sentry PR#122196
		{name: "nested working tree", tree: with(web, "wt/.git", "gitdir", "wt/src/mid.ts", "", "wt/test/leaf.test.ts", "import '../src/mid'"), changes: []affected.Change{{Path: "wt/src/mid.ts"}, {Path: "wt/test/leaf.test.ts"}}},
		{name: "a new file satisfies a broken import", tree: with(web, "test/new.test.ts", "import '../src/new'", "src/new.ts", ""), changes: []affected.Change{{Path: "src/new.ts"}}, want: "test/new.test.ts"},

		{name: "python edit", tree: app, changes: []affected.Change{{Path: "src/app/core.py"}}, want: "tests/test_core.py"},
		// ruff#24059, mock.patch by string
		{name: "python patched module", tree: app, changes: []affected.Change{{Path: "src/app/util.py"}}, want: "tests/unit/test_patch.py tests/test_core.py"},
		// pantsbuild/pants#23240, #14975, #17512; ruff#21426
		{name: "python deleted module", tree: without(app, "src/app/util.py"), changes: []affected.Change{{Path: "src/app/util.py", Deleted: true}}, want: "tests/unit/test_patch.py tests/test_core.py"},
		{name: "python deleted submodule of a from-import", tree: without(app, "src/app/extra.py"), changes: []affected.Change{{Path: "src/app/extra.py", Deleted: true}}, want: "tests/test_core.py"},
		{name: "python renamed helper", tree: moved(app, "tests/helpers.py", "tests/help.py"), changes: []affected.Change{{Path: "tests/help.py", From: "tests/helpers.py"}}, want: allPy},
		// tarpas/pytest-testmon#49, #12
		{name: "python data file", tree: app, changes: []affected.Change{{Path: "src/app/sql/q.sql"}}, want: "tests/test_db.py"},
		// tarpas/pytest-testmon#74: no more than the conftest's folder
		{name: "conftest of a folder", tree: app, changes: []affected.Change{{Path: "tests/unit/conftest.py"}}, want: "tests/unit/test_patch.py tests/unit/test_unit.py"},
		{name: "conftest deleted", tree: without(app, "tests/unit/conftest.py"), changes: []affected.Change{{Path: "tests/unit/conftest.py", Deleted: true}}, want: "tests/unit/test_patch.py tests/unit/test_unit.py"},
		{name: "helper of the conftest", tree: app, changes: []affected.Change{{Path: "tests/helpers.py"}}, want: allPy},
		// pantsbuild/pants PR#10441: packages' __init__ files
		{name: "python package init", tree: app, changes: []affected.Change{{Path: "src/app/__init__.py"}}, want: "tests/test_core.py tests/test_db.py tests/test_load.py tests/unit/test_patch.py"},
		{name: "python computed import", tree: app, changes: []affected.Change{{Path: "src/app/plugins/p.py"}}, want: "tests/test_load.py", whole: true},
		// ruff#16205, #20701: namespace packages without configuration
		{name: "python namespace package", tree: app, changes: []affected.Change{{Path: "ns/part.py"}}, want: "tests/test_ns.py"},
		// ruff#28274: a module that shadows the standard library
		{name: "python shadowed standard library", tree: with(app, "tests/types.py", ""), changes: []affected.Change{{Path: "tests/types.py"}}, want: "tests/test_types.py", whole: true},
		// tarpas/pytest-testmon#183
		{name: "python lock file", tree: app, changes: []affected.Change{{Path: "uv.lock"}}, want: allPy, whole: true},
		// nrwl/nx#29699
		{name: "python document", tree: app, changes: []affected.Change{{Path: "docs/index.md"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			projects := []affected.Project{python(tc.tree, ".")}
			if tc.tree.Exists("package.json") {
				projects = setup
			}
			set, err := affected.Select(t.Context(), affected.Input{Tree: tc.tree, Languages: lang.Set{js.Language{}, py.New("")}, Projects: projects, Changes: tc.changes,
				Base: func(string) ([]byte, bool) { return []byte("from app.util import f\n"), true }})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, test := range set.Tests {
				got = append(got, test.File)
			}
			if strings.Join(got, " ") != tc.want {
				t.Errorf("selected %q, want %q", strings.Join(got, " "), tc.want)
				for _, test := range set.Tests {
					t.Log(test.File, test.Why)
				}
			}
			if tc.whole != (set.Reason != "") && tc.whole {
				t.Errorf("no reason is given: %q", set.Widened)
			}
		})
	}
}
