package affected_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
)

// edit replaces text in one file of a tree; without an old text it adds.
type edit struct{ file, old, new string }

func selectAfter(t *testing.T, tree files, projects []affected.Project, edits ...edit) *affected.Set {
	t.Helper()
	return selectIn(t, lang.Set{js.Language{}, py.New("")}, tree, projects, edits...)
}

func selectIn(t *testing.T, languages lang.Set, tree files, projects []affected.Project, edits ...edit) *affected.Set {
	t.Helper()
	now := maps.Clone(tree)
	in := affected.Input{Tree: now, Languages: languages, Projects: projects,
		Base:      func(f string) ([]byte, bool) { s, ok := tree[f]; return []byte(s), ok },
		BaseFiles: tree.Files()}
	for _, e := range edits {
		switch {
		case e.old == "":
			now[e.file] += e.new
		case !strings.Contains(now[e.file], e.old):
			t.Fatalf("%s does not hold %q", e.file, e.old)
		default:
			now[e.file] = strings.ReplaceAll(now[e.file], e.old, e.new)
		}
		in.Changes = append(in.Changes, affected.Change{Path: e.file})
	}
	set, err := affected.Select(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// names are the selected tests in the order of their names.
func names(set *affected.Set) string {
	var out []string
	for _, test := range set.Tests {
		out = append(out, test.File)
	}
	slices.Sort(out)
	return strings.Join(out, " ")
}

func with(tree files, file, text string) files {
	out := maps.Clone(tree)
	out[file] = text
	return out
}

var shop = files{
	"package.json": `{"name":"shop","version":"1.0.0","scripts":{"test":"vitest run"},"dependencies":{"react":"^18","date":"^1","ghost":"1"},"devDependencies":{"vitest":"^5","eslint":"^9","jsdom":"^25"}}`,
	"package-lock.json": `{"lockfileVersion":3,"packages":{"":{"name":"shop"},
 "node_modules/react":{"version":"18.0.0","integrity":"sha512-react"},
 "node_modules/router":{"version":"1.0.0","integrity":"sha512-router","peerDependencies":{"react":"*"}},
 "node_modules/date":{"version":"1.0.0","integrity":"sha512-date","dependencies":{"tiny":"1"}},
 "node_modules/tiny":{"version":"1.0.0","integrity":"sha512-tiny"},
 "node_modules/ghost":{"version":"1.0.0","integrity":"sha512-ghost"},
 "node_modules/loose":{"version":"1.0.0","integrity":"sha512-loose"},
 "node_modules/eslint":{"version":"9.0.0","integrity":"sha512-eslint","dependencies":{"loose":"1"}},
 "node_modules/chalk":{"version":"9.0.0","integrity":"sha512-chalk"},
 "node_modules/jsdom":{"version":"25.0.0","integrity":"sha512-jsdom"},
 "node_modules/vitest":{"version":"5.0.0","integrity":"sha512-vitest","dependencies":{"chalk":"9"}}}}`,
	"vitest.config.ts": "export default { test: { setupFiles: './setup.ts' } }\n", "setup.ts": "import 'polyfill'\n",
	"src/when.ts": "import { parse } from 'date'\nexport const when = parse\n", "src/view.tsx": "export const View = () => <b/>\n",
	"test/when.test.ts": "import { when } from '../src/when'\n", "test/view.test.ts": "import { View } from '../src/view'\n",
	"test/router.test.ts": "vi.mock('router')\n", "test/plain.test.ts": "test('x', () => {})\n",
	"test/version.test.ts": "import pkg from '../package.json'\n",
}

const everyShop = "test/plain.test.ts test/router.test.ts test/version.test.ts test/view.test.ts test/when.test.ts"

// jestjs/jest#15945, #8702: a lock file's or manifest's change is seen, and
// only by the tests that reach what it changes. vercel/turborepo#10869,
// #10862: neither white space nor another's packages select anything.
func TestPackages(t *testing.T) {
	const lockFile, manifest = "package-lock.json", "package.json"
	for _, tc := range []struct {
		name  string
		edit  edit
		want  string
		why   string // of the nearest test
		whole string // in the reason
	}{
		{name: "white space", edit: edit{lockFile, "\n", "\n\n"}},
		{name: "imported by a source", edit: edit{lockFile, "sha512-date", "sha512-new"}, want: "test/when.test.ts",
			why: "test/when.test.ts imports src/when.ts | src/when.ts imports date | date is installed by package-lock.json (changed)"},
		{name: "needed by an imported one", edit: edit{lockFile, "sha512-tiny", "sha512-new"}, want: "test/when.test.ts",
			why: "test/when.test.ts imports src/when.ts | src/when.ts imports date | date needs tiny | tiny is installed by package-lock.json (changed)"},
		{name: "mocked, and the runtime of elements", edit: edit{lockFile, "sha512-react", "sha512-new"}, want: "test/router.test.ts test/view.test.ts"},
		{name: "a tool's", edit: edit{lockFile, "sha512-loose", "sha512-new"}},
		{name: "the framework's", edit: edit{lockFile, "sha512-chalk", "sha512-new"}, want: everyShop, whole: "chalk"},
		{name: "an environment", edit: edit{lockFile, "sha512-jsdom", "sha512-new"}, want: everyShop, whole: "jsdom"},
		{name: "asked for and imported by nobody", edit: edit{lockFile, "sha512-ghost", "sha512-new"}, want: everyShop, whole: "ghost"},
		{name: "broken", edit: edit{lockFile, `{"lockfileVersion"`, `conflict {"lockfileVersion"`}, want: everyShop, whole: "cannot be compared"},
		{name: "gone from the lock file", edit: edit{lockFile, ` "node_modules/date":{"version":"1.0.0","integrity":"sha512-date","dependencies":{"tiny":"1"}},`, ""}, want: "test/when.test.ts"},
		{name: "new in the lock file", edit: edit{lockFile, ` "node_modules/date"`, ` "node_modules/new":{"version":"1"}, "node_modules/date"`}},
		{name: "a dependency's range", edit: edit{manifest, `"date":"^1"`, `"date":"^2"`}, want: "test/version.test.ts test/when.test.ts"},
		{name: "scripts", edit: edit{manifest, "vitest run", "vitest"}, want: everyShop, whole: "scripts"},
		{name: "type", edit: edit{manifest, `"name"`, `"type":"module","name"`}, want: everyShop, whole: "type"},
		{name: "version", edit: edit{manifest, "1.0.0", "1.0.1"}, want: "test/version.test.ts"},
		{name: "description", edit: edit{manifest, `"name"`, `"description":"x","name"`}, want: "test/version.test.ts"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// mocha names the manifest among the files that every test is run with.
			for _, global := range [][]string{{"vitest.config.ts", "setup.ts"}, {"vitest.config.ts", "setup.ts", "package.json"}} {
				set := selectAfter(t, shop, []affected.Project{node(".", global...)}, tc.edit)
				if got := names(set); got != tc.want {
					t.Errorf("selected %q, want %q (%q)", got, tc.want, set.Widened)
				}
				if tc.why != "" && len(set.Tests) > 0 && strings.Join(set.Tests[0].Why, " | ") != tc.why {
					t.Errorf("why %q", set.Tests[0].Why)
				}
				if !strings.Contains(set.Reason, tc.whole) || tc.whole != "" != set.All {
					t.Errorf("all %v for %q, want %q in it", set.All, set.Reason, tc.whole)
				}
				if tc.whole == "" && len(set.Spared) == 0 {
					t.Error("it is not said why less is selected")
				}
			}
		})
	}
}

func TestPackagesBesideImports(t *testing.T) {
	bump := edit{"package-lock.json", "sha512-date", "sha512-new"}
	noLock := maps.Clone(shop)
	delete(noLock, "package-lock.json")
	two := files{"a/package.json": `{"dependencies":{"x":"1"}}`, "a/yarn.lock": "x@1:\n  version \"1\"\n", "a/x.test.js": "import 'x'\n",
		"b/package.json": `{"dependencies":{"x":"1"}}`, "b/yarn.lock": "x@1:\n  version \"1\"\n", "b/x.test.js": "import 'x'\n"}
	for _, tc := range []struct {
		name   string
		tree   files
		edit   edit
		want   string
		reason string
	}{
		{"imported by the setup file", with(shop, "setup.ts", "import 'date'\n"), bump, everyShop, "setup.ts"},
		{"named in the configuration", with(shop, "vitest.config.ts", "export default { test: { environment: 'date' } }\n"), bump, everyShop, "vitest.config.ts"},
		{"named in a script", with(shop, "package.json", strings.Replace(shop["package.json"], "vitest run", "date vitest run", 1)), bump, everyShop, "package.json"},
		{"no lock file", noLock, edit{"package.json", `"date":"^1"`, `"date":"^2"`}, everyShop, "nothing tells which packages need it"},
		{"another folder's lock file", two, edit{"b/yarn.lock", `"1"`, `"1.1"`}, "b/x.test.js", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			projects := []affected.Project{node(".", "setup.ts")}
			if tc.tree.Exists("a/package.json") {
				projects = []affected.Project{node("a"), node("b")}
			}
			set := selectAfter(t, tc.tree, projects, tc.edit)
			if got := names(set); got != tc.want || !strings.Contains(set.Reason, tc.reason) {
				t.Errorf("selected %q for %q, want %q for %q", got, set.Reason, tc.want, tc.reason)
			}
		})
	}
}

// tarpas/pytest-testmon#183: any package's change reran everything.
func TestPythonPackages(t *testing.T) {
	app := files{
		"pyproject.toml": "[project]\nname = 'app'\ndependencies = ['PyYAML', 'requests', 'odd-name']\n[tool.pytest.ini_options]\naddopts = ''\n[tool.ruff]\nline-length = 80\n",
		"uv.lock": "version = 1\n[[package]]\nname = \"app\"\nsource = { editable = \".\" }\ndependencies = [{ name = \"requests\" }]\n" +
			"[[package]]\nname = \"requests\"\nversion = \"2\"\ndependencies = [{ name = \"urllib3\" }]\nsdist = { hash = \"requests-1\" }\n" +
			"[[package]]\nname = \"urllib3\"\nversion = \"2\"\nsdist = { hash = \"urllib3-1\" }\n[[package]]\nname = \"pyyaml\"\nversion = \"6\"\nsdist = { hash = \"pyyaml-1\" }\n" +
			"[[package]]\nname = \"odd-name\"\nversion = \"6\"\nsdist = { hash = \"odd-1\" }\n[[package]]\nname = \"pluggy\"\nversion = \"1\"\nsdist = { hash = \"pluggy-1\" }\n",
		"app/__init__.py": "", "app/web.py": "import requests\n", "app/conf.py": "from yaml import safe_load\n",
		"tests/test_web.py": "from app import web\n", "tests/test_conf.py": "import app.conf\n", "tests/test_plain.py": "import os\n",
		"requirements.txt": "requests==2\n",
	}
	all := "tests/test_conf.py tests/test_plain.py tests/test_web.py"
	for _, tc := range []struct {
		name string
		edit edit
		want string
	}{
		{"needed by an imported one", edit{"uv.lock", "urllib3-1", "urllib3-2"}, "tests/test_web.py"},
		{"imported by another name", edit{"uv.lock", "pyyaml-1", "pyyaml-2"}, "tests/test_conf.py"},
		{"imported by nobody is known what", edit{"uv.lock", "odd-1", "odd-2"}, all},
		{"the framework's", edit{"uv.lock", "pluggy-1", "pluggy-2"}, all},
		{"order and comments", edit{"uv.lock", "version = 1\n", "# x\nversion = 1\n\n"}, ""},
		{"a tool's table", edit{"pyproject.toml", "= 80", "= 100"}, ""},
		{"the framework's table", edit{"pyproject.toml", "addopts = ''", "addopts = '-q'"}, all},
		{"a dependency's range", edit{"pyproject.toml", "'requests'", "'requests>2'"}, "tests/test_web.py"},
		{"a flat list", edit{"requirements.txt", "==2", "==3"}, all},
		{"a comment in a flat list", edit{"requirements.txt", "==2", "==2  # why"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			set := selectAfter(t, app, []affected.Project{python(app, ".")}, tc.edit)
			if got := names(set); got != tc.want {
				t.Errorf("selected %q, want %q (%q)", got, tc.want, set.Widened)
			}
			if tc.want == all && !set.All {
				t.Errorf("it is not said why all are selected: %q", set.Widened)
			}
		})
	}
}
