package lock

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

var locks = map[string]string{
	"package-lock.json": `{"name":"web","lockfileVersion":3,"packages":{"":{"name":"web","dependencies":{"a":"^1"}},
 "node_modules/a":{"version":"1.0.0","resolved":"u","integrity":"sha512-A","dependencies":{"b":"^1"}},
 "node_modules/b":{"version":"1.0.0","integrity":"sha512-B","peerDependencies":{"@s/c":"1"}},
 "node_modules/@s/c":{"version":"1.0.0","integrity":"sha512-C"},
 "node_modules/ws":{"resolved":"packages/ws","link":true},"packages/ws":{"name":"ws","version":"0.0.1"}}}`,
	"npm-shrinkwrap.json": `{"lockfileVersion":1,"dependencies":{"a":{"version":"1.0.0","integrity":"sha512-A","requires":{"b":"^1"}},
 "b":{"version":"1.0.0","integrity":"sha512-B","requires":{"@s/c":"1"}},"@s/c":{"version":"1.0.0","integrity":"sha512-C"}}}`,
	"pnpm-lock.yaml": "lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: ^1\n        version: 1.0.0\n      ws:\n        specifier: workspace:*\n        version: link:packages/ws\n" +
		"packages:\n  a@1.0.0:\n    resolution: {integrity: sha512-A}\n  b@1.0.0:\n    resolution: {integrity: sha512-B}\n  '@s/c@1.0.0':\n    resolution: {integrity: sha512-C}\n" +
		"snapshots:\n  a@1.0.0:\n    dependencies:\n      b: 1.0.0\n  b@1.0.0:\n    dependencies:\n      '@s/c': 1.0.0\n  '@s/c@1.0.0': {}\n",
	"old/pnpm-lock.yaml": "lockfileVersion: '6.0'\ndependencies:\n  a:\n    specifier: ^1\n    version: 1.0.0\n" +
		"packages:\n  /a@1.0.0:\n    resolution: {integrity: sha512-A}\n    dependencies:\n      b: 1.0.0\n  /b@1.0.0(x@2):\n    resolution: {integrity: sha512-B}\n    dependencies:\n      '@s/c': 1.0.0\n  /@s/c@1.0.0:\n    resolution: {integrity: sha512-C}\n",
	"yarn.lock": "# yarn lockfile v1\n\n\na@^1, \"a@1 || 2\":\n  version \"1.0.0\"\n  resolved \"https://r/a.tgz#1\"\n  integrity sha512-A\n  dependencies:\n    b \"^1\"\n\n" +
		"b@^1:\n  version \"1.0.0\"\n  integrity sha512-B\n  optionalDependencies:\n    \"@s/c\" \"1\"\n\n\"@s/c@1\":\n  version \"1.0.0\"\n  integrity sha512-C\n",
	"berry/yarn.lock": "__metadata:\n  version: 8\n\n\"a@npm:^1\":\n  version: 1.0.0\n  resolution: \"a@npm:1.0.0\"\n  dependencies:\n    b: \"npm:^1\"\n  checksum: sha512-A\n  linkType: hard\n\n" +
		"\"b@npm:^1\":\n  version: 1.0.0\n  resolution: \"b@npm:1.0.0\"\n  dependencies:\n    \"@s/c\": \"npm:1\"\n  checksum: sha512-B\n  linkType: hard\n\n\"@s/c@npm:1\":\n  version: 1.0.0\n  resolution: \"@s/c@npm:1.0.0\"\n  checksum: sha512-C\n  linkType: hard\n\n" +
		"\"ws@workspace:packages/ws\":\n  version: 0.0.0-use.local\n  resolution: \"ws@workspace:packages/ws\"\n  linkType: soft\n",
	"bun.lock": `{"lockfileVersion":1,"workspaces":{"":{"name":"web"}},"packages":{
 "a":["a@1.0.0","",{"dependencies":{"b":"^1"}},"sha512-A"],"b":["b@1.0.0","",{"dependencies":{"@s/c":"1"}},"sha512-B"],
 "@s/c":["@s/c@1.0.0","",{},"sha512-C"],}}`,
	"poetry.lock": "[[package]]\nname = \"A\"\nversion = \"1\"\nfiles = [{file = \"a.whl\", hash = \"sha512-A\"}]\n[package.dependencies]\nb = \">=1\"\n\n[[package]]\nname = \"b\"\nversion = \"1\"\nfiles = [{file = \"b\", hash = \"sha512-B\"}]\n[package.dependencies]\nS_c = {version = \"*\"}\n\n" +
		"[[package]]\nname = \"s-c\"\nversion = \"1\"\nfiles = [{file = \"c\", hash = \"sha512-C\"}]\n\n[metadata]\nlock-version = \"2.0\"\n",
	"uv.lock": "version = 1\n[[package]]\nname = \"app\"\nsource = { editable = \".\" }\ndependencies = [{ name = \"a\" }]\n[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { registry = \"r\" }\ndependencies = [{ name = \"b\" }]\nsdist = { hash = \"sha512-A\" }\n" +
		"[[package]]\nname = \"b\"\nversion = \"1\"\nsdist = { hash = \"sha512-B\" }\n[package.optional-dependencies]\nall = [{ name = \"s-c\" }]\n[[package]]\nname = \"s-c\"\nversion = \"1\"\nsdist = { hash = \"sha512-C\" }\n",
	"pdm.lock": "[[package]]\nname = \"a\"\nversion = \"1\"\ndependencies = [\"b>=1; python_version>'3'\"]\nfiles = [{hash = \"sha512-A\"}]\n[[package]]\nname = \"b\"\nversion = \"1\"\ndependencies = [\"s_c[x]~=1\"]\nfiles = [{hash = \"sha512-B\"}]\n[[package]]\nname = \"s-c\"\nversion = \"1\"\nfiles = [{hash = \"sha512-C\"}]\n",
}

func TestLockFiles(t *testing.T) {
	for file, src := range locks {
		t.Run(file, func(t *testing.T) {
			before, err := Parse(file, []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			c := "@s/c"
			if before.Language == "py" {
				c = "s-c"
			}
			if got := Dependents(before); !slices.Equal(got["b"], []string{"a"}) || !slices.Equal(got[c], []string{"b"}) || len(got["a"]) > 0 {
				t.Errorf("dependents %v", got)
			}
			after, err := Parse(file, []byte(strings.ReplaceAll(src, "sha512-C", "sha512-D")))
			if err != nil {
				t.Fatal(err)
			}
			if got := Diff(before, after); !slices.Equal(got, []string{c}) {
				t.Errorf("Diff = %v", got)
			}
			if got := Diff(before, before); got != nil {
				t.Errorf("Diff with itself = %v", got)
			}
			if got := Diff(nil, after); !slices.Equal(got, slices.Sorted(slices.Values([]string{"a", "b", c}))) {
				t.Errorf("Diff with nothing = %v", got)
			}
		})
	}
}

func TestBrokenLockFiles(t *testing.T) {
	for file, src := range map[string]string{"package-lock.json": "{", "pnpm-lock.yaml": "a: [", "x/pnpm-lock.yaml": "packages: {}", "yarn.lock": "<<<<<<< HEAD\n", "uv.lock": "[[package]", "poetry.lock": "x = 1", "bun.lock": "{}", "Pipfile.lock": "[]"} {
		if _, err := Parse(file, []byte(src)); err == nil {
			t.Errorf("Parse(%s) of a broken text is no error", file)
		}
	}
	if _, err := Parse("go.sum", nil); !errors.Is(err, ErrUnknown) {
		t.Errorf("Parse(go.sum) = %v", err)
	}
}

func TestRequirements(t *testing.T) {
	const src = "# all\nDjango==4.2  # why\nrequests[socks] >= 2 ; python_version > '3.8' \\\n   --hash=sha256:1\n\nPkg @ https://x/y.whl\n"
	parse := func(src string) *File {
		f, err := Parse("requirements/dev.txt", []byte(src))
		if err != nil || !f.Flat {
			t.Fatal(f, err)
		}
		return f
	}
	for _, tc := range []struct{ now, want string }{
		{"requests[socks]   >=   2 ; python_version > '3.8'  --hash=sha256:1\nDjango==4.2\nPkg @ https://x/y.whl", ""},
		{strings.Replace(src, "4.2", "4.3", 1), "django"},
		{strings.Replace(src, "sha256:1", "sha256:2", 1), "requests"},
		{src + "numpy", "numpy"},
		{src + "-r base.txt", "|"},
		{src + "./local", "|"},
	} {
		got := strings.Join(Diff(parse(src), parse(tc.now)), "|")
		if tc.want == "|" {
			tc.want = ""
			if len(Diff(parse(src), parse(tc.now))) != 1 {
				t.Errorf("%q is no difference", tc.now)
			}
		}
		if got != tc.want {
			t.Errorf("Diff to %q = %q, want %q", tc.now, got, tc.want)
		}
	}
}

func TestDiffManifest(t *testing.T) {
	const pkg = `{"name":"w","scripts":{"test":"jest"},"dependencies":{"a":"^1"},"devDependencies":{"b":"1"},"exports":{"import":"./a","require":"./b"}}`
	const project = "[project]\nname = 'w'\ndependencies = ['A>=1', 'b']\n[tool.pytest.ini_options]\naddopts = '-q'\n[dependency-groups]\ndev = ['pytest>=7']\n"
	for _, tc := range []struct{ file, before, after, packages, keys string }{
		{"package.json", pkg, strings.ReplaceAll(pkg, ",", " , "), "", ""},
		{"package.json", pkg, strings.Replace(pkg, "^1", "^2", 1), "a", ""},
		{"package.json", pkg, strings.Replace(pkg, `"b":"1"`, `"c":"1"`, 1), "b c", ""},
		{"package.json", pkg, strings.Replace(pkg, "jest", "jest -i", 1), "", "scripts"},
		{"package.json", pkg, strings.Replace(pkg, `"name"`, `"description":"d","version":"2","name"`, 1), "", ""},
		{"package.json", pkg, strings.Replace(pkg, `"name"`, `"jest":{},"type":"module","name"`, 1), "", "jest type"},
		{"package.json", pkg, strings.Replace(pkg, `"import":"./a","require":"./b"`, `"require":"./b","import":"./a"`, 1), "", "exports"},
		{"pyproject.toml", project, project + "# end\n[tool.ruff]\nline-length = 100\n", "", ""},
		{"pyproject.toml", project, strings.Replace(project, "A>=1", "a >= 2", 1), "a", ""},
		{"pyproject.toml", project, strings.Replace(project, "pytest>=7", "pytest>=8", 1), "pytest", ""},
		{"pyproject.toml", project, strings.Replace(project, "-q", "-v", 1), "", "tool.pytest"},
		{"pyproject.toml", project, project + "[tool.poetry.group.dev.dependencies]\nx = '1'\n", "x", ""},
	} {
		m, err := DiffManifest(tc.file, []byte(tc.before), []byte(tc.after))
		if err != nil {
			t.Fatal(err)
		}
		if p, k := strings.Join(m.Packages, " "), strings.Join(m.Keys, " "); p != tc.packages || k != tc.keys {
			t.Errorf("%s: packages %q, keys %q, want %q, %q after\n%s", tc.file, p, k, tc.packages, tc.keys, tc.after)
		}
	}
	if _, err := DiffManifest("package.json", []byte("{"), []byte("{}")); err == nil {
		t.Error("a broken manifest is no error")
	}
}

func FuzzParse(f *testing.F) {
	for file, src := range locks {
		f.Add(file, []byte(src))
	}
	f.Add("requirements.txt", []byte("a==1\n-r x"))
	f.Fuzz(func(t *testing.T, file string, src []byte) {
		a, err := Parse(file, src)
		if err != nil {
			return
		}
		b, err := Parse(file, src)
		if err != nil || len(Diff(a, b)) > 0 {
			t.Errorf("a file differs from itself: %v, %v", Diff(a, b), err)
		}
	})
}
