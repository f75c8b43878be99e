package node

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/runner"
)

var (
	vitestSpec = Spec{Name: "vitest", Packages: []string{"vitest"}, Bins: []string{"vitest"},
		Configs: []string{"vitest.config.*", "vitest.workspace.*"}, MaybeConfigs: []string{"vite.config.*"},
		ConfigText: func(src []byte) bool { return strings.Contains(string(src), "test:") }, Covers: true,
		Skip:    func(args []string) bool { return len(args) > 0 && args[0] == "bench" },
		Content: VitestContent}
	jestSpec = Spec{Name: "jest", Packages: []string{"jest", "jest-cli"}, Bins: []string{"jest"},
		Configs: []string{"jest.config.*"}, ManifestKey: "jest", Covers: true, Content: JestContent}
	mochaSpec = Spec{Name: "mocha", Packages: []string{"mocha"}, Bins: []string{"mocha", "_mocha"},
		Configs: []string{".mocharc.*"}, ManifestKey: "mocha", Content: MochaContent}
)

// input writes a tree and gives the detection's input for it. "install" lines
// in the archive's comment name packages to install (folder/name@version).
func input(t *testing.T, archive string) runner.DetectInput {
	t.Helper()
	a := txtar.Parse([]byte(archive))
	root := filepath.Join(t.TempDir(), "repo")
	in := runner.DetectInput{Root: root}
	write := func(rel, text string, mode os.FileMode) {
		abs := filepath.Join(root, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(abs, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range a.Files {
		write(f.Name, string(f.Data), 0o644)
		if !strings.Contains(f.Name, "node_modules/") && f.Name != ".pnp.cjs" {
			in.Files = append(in.Files, f.Name)
		}
	}
	slices.Sort(in.Files)
	for _, line := range strings.Split(string(a.Comment), "\n") {
		spec, ok := strings.CutPrefix(line, "install ")
		if !ok {
			continue
		}
		spec, version, _ := strings.Cut(spec, "@")
		name := filepath.Base(spec)
		dir := strings.TrimSuffix(strings.TrimSuffix(spec, name), "/")
		at := strings.TrimPrefix(dir+"/node_modules/"+name, "/")
		write(at+"/package.json", fmt.Sprintf(`{"name":%q,"version":%q,"bin":{%q:"./bin/%s.js"}}`, name, version, name, name), 0o644)
		write(at+"/bin/"+name+".js", "", 0o755)
		if name == "node" {
			write(at+"/package.json", `{"name":"node","version":"22.0.0"}`, 0o644)
			write(at+"/bin/node", "", 0o755)
		}
	}
	write("../bin/node", "", 0o755)
	if !strings.Contains(string(a.Comment), "no-node") {
		in.Environ = []string{"PATH=" + filepath.Join(filepath.Dir(root), "bin")}
	}
	return in
}

// show is a candidate as one line, with the temporary folder taken out.
func show(in runner.DetectInput, c runner.Candidate) string {
	top := filepath.Dir(in.Root)
	cmd := strings.ReplaceAll(strings.Join(c.Project.Command, " "), top, "")
	env := ""
	for _, k := range sortedKeys(c.Project.Env) {
		env += " " + k + "=" + c.Project.Env[k]
	}
	s := fmt.Sprintf("%s %s@%s %d [%s] %q%s (%s)", c.Project.Root, c.Project.Framework, c.Project.Version, c.Strength, cmd,
		c.Project.Args, env, c.Project.Source)
	if c.Problem != "" {
		s += " PROBLEM " + strings.ReplaceAll(c.Problem, top, "") + " HINT " + c.Hint
	}
	return s
}

func sortedKeys(m map[string]string) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func TestDetect(t *testing.T) {
	const v = "[/bin/node /repo/node_modules/vitest/bin/vitest.js]"
	const j = "[/bin/node /repo/node_modules/jest/bin/jest.js]"
	const m = "[/bin/node /repo/node_modules/mocha/bin/mocha.js]"
	script := func(s string) string {
		return "install jest@30.1.0\ninstall mocha@12.0.0\ninstall vitest@5.0.0\n-- package.json --\n" +
			fmt.Sprintf(`{"scripts":{"test":%q}}`, s) + "\n-- .env --\nA=1\n# c\nB='two'\n"
	}
	tests := []struct {
		name    string
		spec    Spec
		archive string
		want    []string
	}{
		{"plain", vitestSpec, script("vitest run --config x.ts"), []string{". vitest@5.0.0 40 " + v + ` ["run" "--config" "x.ts"] (package.json scripts.test)`}},
		{"environment prefix", jestSpec, script("NODE_OPTIONS=--experimental-vm-modules TZ=UTC jest --ci"),
			[]string{". jest@30.1.0 40 " + j + ` ["--ci"] NODE_OPTIONS=--experimental-vm-modules TZ=UTC (package.json scripts.test)`}},
		{"cross-env in c8", mochaSpec, script("cross-env NODE_ENV=test c8 --reporter lcov -- mocha -r ts-node/register 'test/**/*.ts'"),
			[]string{". mocha@12.0.0 40 " + m + ` ["-r" "ts-node/register" "test/**/*.ts"] NODE_ENV=test (package.json scripts.test)`}},
		{"nyc", mochaSpec, script("nyc --reporter=html mocha test"), []string{". mocha@12.0.0 40 " + m + ` ["test"] (package.json scripts.test)`}},
		{"dotenv", vitestSpec, script("dotenv -e .env -- npx --no-install vitest"),
			[]string{". vitest@5.0.0 40 " + v + ` [] A=1 B=two (package.json scripts.test)`}},
		{"explicit node", jestSpec, script("node --experimental-vm-modules -r ./x.js node_modules/jest/bin/jest.js --colors"),
			[]string{". jest@30.1.0 40 [/bin/node --experimental-vm-modules -r ./x.js /repo/node_modules/jest/bin/jest.js]" + ` ["--colors"] (package.json scripts.test)`}},
		{"dot bin", mochaSpec, script("./node_modules/.bin/mocha --exit"), []string{". mocha@12.0.0 40 " + m + ` ["--exit"] (package.json scripts.test)`}},
		{"npm bin", mochaSpec, script("$(npm bin)/mocha --exit"), []string{". mocha@12.0.0 40 " + m + ` ["--exit"] (package.json scripts.test)`}},
		{"pnpm exec", vitestSpec, script("eslint . && pnpm exec vitest run"), []string{". vitest@5.0.0 40 " + v + ` ["run"] (package.json scripts.test)`}},
		{"two parts", mochaSpec, script("mocha test/a && mocha test/b && mocha test/a"),
			[]string{". mocha@12.0.0 40 " + m + ` ["test/a"] (package.json scripts.test)`, ". mocha@12.0.0 40 " + m + ` ["test/b"] (package.json scripts.test)`}},
		{"bench is no test", vitestSpec, script("vitest bench"), []string{". vitest@5.0.0 10 " + v + ` [] (node_modules/vitest)`}},
		{"a pipe", jestSpec, script("jest --json | tee out.json"), []string{". jest@30.1.0 40 " + j + ` ["--json"] (package.json scripts.test)`}},
		{"chain with arguments", mochaSpec, `install mocha@10.0.0
-- package.json --
{"scripts":{"test":"npm run lint && npm run test:unit -- --exit && npm run test:e2e","test:unit":"mocha unit","test:e2e":"mocha e2e","lint":"x"}}
`, []string{". mocha@10.0.0 40 " + m + ` ["unit" "--exit"] (package.json scripts.test)`}},
		{"yarn chain", mochaSpec, `install mocha@10.0.0
-- package.json --
{"scripts":{"test":"yarn unit --exit","unit":"yarn run -T mocha unit"}}
`, []string{". mocha@10.0.0 40 " + m + ` ["unit" "--exit"] (package.json scripts.test)`}},
		{"a ring of scripts", mochaSpec, `install mocha@10.0.0
-- package.json --
{"scripts":{"test":"npm run a","a":"npm run b","b":"npm run a && mocha x"}}
`, []string{". mocha@10.0.0 40 " + m + ` ["x"] (package.json scripts.test)`}},
		{"run-s", mochaSpec, `install mocha@10.0.0
-- package.json --
{"scripts":{"test":"run-s lint test:*","test:unit":"mocha unit","test:e2e":"mocha e2e","lint":"x"}}
`, []string{". mocha@10.0.0 40 " + m + ` ["unit"] (package.json scripts.test)`}},
		{"an unquoted glob is sh's", mochaSpec, `install mocha@10.0.0
-- package.json --
{"scripts":{"test":"mocha test/**/*.js \"lib/**/*.js\" other/**/*.js"}}
-- test/a/b.js --
-- other/x.js --
`, []string{". mocha@10.0.0 40 " + m + ` ["test/*/*.js" "lib/**/*.js" "other/**/*.js"] (package.json scripts.test)`}},
		{"delegation with npm", vitestSpec, `install vitest@4.0.0
-- package.json --
{"workspaces":["packages/*"],"devDependencies":{"vitest":"1"},"scripts":{"test":"npm run test:unit --workspaces"}}
-- packages/a/package.json --
{"name":"@x/a","scripts":{"test":"echo no","test:unit":"vitest run --dir src"}}
-- packages/b/package.json --
{"name":"@x/b","scripts":{"test":"vitest"}}
`, []string{
			"packages/a vitest@4.0.0 40 " + v + ` ["run" "--dir" "src"] (package.json scripts.test)`,
			"packages/b vitest@4.0.0 40 " + v + ` [] (packages/b/package.json scripts.test)`}},
		{"delegation with turbo, yarn and pnpm", jestSpec, `install jest@30.0.0
-- package.json --
{"scripts":{"test":"turbo run test --filter=x"}}
-- pnpm-workspace.yaml --
packages:
  - "libs/*"
-- libs/a/package.json --
{"name":"a","scripts":{"test":"jest"}}
-- libs/b/package.json --
{"name":"b","jest":{}}
-- examples/c/package.json --
{"scripts":{"test":"jest"}}
`, []string{
			"libs/a jest@30.0.0 40 " + j + ` [] (package.json scripts.test)`,
			"libs/b jest@30.0.0 30 " + j + ` [] (libs/b/package.json jest)`}},
		{"the root covers its packages", vitestSpec, `install vitest@4.0.0
-- package.json --
{"workspaces":["packages/*"],"scripts":{"test":"vitest run"}}
-- packages/a/package.json --
{"name":"@x/a","scripts":{"test":"vitest run"}}
-- packages/b/vitest.config.ts --
-- packages/b/package.json --
{}
`, []string{". vitest@4.0.0 40 " + v + ` ["run"] (package.json scripts.test)`}},
		{"cd", mochaSpec, `install mocha@10.0.0
-- package.json --
{"scripts":{"test":"cd server && mocha"}}
-- server/package.json --
{"devDependencies":{"mocha":"10"}}
`, []string{"server mocha@10.0.0 40 " + m + ` [] (package.json scripts.test)`}},
		{"config file", vitestSpec, "install vitest@4.0.0\n-- package.json --\n{}\n-- vite.config.ts --\nexport default { test: {} }\n",
			[]string{". vitest@4.0.0 30 " + v + ` [] (vite.config.ts)`}},
		{"vite without tests", vitestSpec, "-- package.json --\n{}\n-- vite.config.ts --\nexport default {}\n", nil},
		{"manifest key", mochaSpec, "install mocha@11.0.0\n-- package.json --\n{\"mocha\":{}}\n", []string{". mocha@11.0.0 30 " + m + ` [] (package.json mocha)`}},
		{"dependency", jestSpec, "install jest@29.0.0\n-- package.json --\n{\"devDependencies\":{\"jest\":\"29\"}}\n",
			[]string{". jest@29.0.0 20 " + j + ` [] (package.json dependencies)`}},
		{"dependency, told by the tests", vitestSpec, "install vitest@4.0.0\n-- package.json --\n{\"devDependencies\":{\"jest\":\"29\",\"vitest\":\"4\"}}\n-- a.test.js --\nimport { it } from 'vitest'\n",
			[]string{". vitest@4.0.0 25 " + v + ` [] (package.json dependencies)`}},
		{"only installed", jestSpec, "install jest@29.0.0\n-- package.json --\n{}\n", []string{". jest@29.0.0 10 " + j + ` [] (node_modules/jest)`}},
		{"only installed, told by the tests", mochaSpec, "install jest@29.0.0\ninstall mocha@10.0.0\n-- test/a.test.js --\ndescribe('a', () => { it('b', () => assert.ok(1)) })\n",
			[]string{". mocha@10.0.0 15 " + m + ` [] (node_modules/mocha and the test files)`}},
		{"only installed, another's tests", jestSpec, "install jest@29.0.0\ninstall mocha@10.0.0\n-- test/a.test.js --\ndescribe('a', () => { it('b', () => assert.ok(1)) })\n", nil},
		{"the project's own node", vitestSpec, "install vitest@5.0.0\ninstall node@22\n-- package.json --\n{\"scripts\":{\"test\":\"vitest\"}}\n",
			[]string{". vitest@5.0.0 40 [/repo/node_modules/node/bin/node /repo/node_modules/vitest/bin/vitest.js] [] (package.json scripts.test)"}},
		{"not installed", vitestSpec, "-- package.json --\n{\"scripts\":{\"test\":\"vitest\"}}\n-- pnpm-lock.yaml --\n",
			[]string{". vitest@ 40 [] [] (package.json scripts.test) PROBLEM vitest is named in package.json but not installed HINT run pnpm install"}},
		{"plug and play", vitestSpec, "-- package.json --\n{\"scripts\":{\"test\":\"vitest\"}}\n-- .pnp.cjs --\n",
			[]string{". vitest@ 40 [] [] (package.json scripts.test) PROBLEM yarn's Plug'n'Play is used, which is not supported: vitest cannot be started without node_modules HINT set nodeLinker: node-modules in .yarnrc.yml and run yarn install"}},
		{"no node", vitestSpec, "no-node\ninstall vitest@5.0.0\n-- package.json --\n{\"scripts\":{\"test\":\"vitest\"}}\n",
			[]string{". vitest@5.0.0 40 [] [] (package.json scripts.test) PROBLEM node is not on PATH, and vitest needs it HINT install Node.js, or add its folder to PATH"}},
		{"unit before others", vitestSpec, "install vitest@5.0.0\n-- package.json --\n" +
			`{"scripts":{"test:coverage":"vitest --coverage","test:unit":"vitest run a","e2e:test":"vitest run e","test:watch":"vitest w"}}`,
			[]string{". vitest@5.0.0 40 " + v + ` ["run" "a"] (package.json scripts.test:unit)`}},
		{"broken manifest", vitestSpec, "-- package.json --\n{\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := input(t, tt.archive)
			got, err := Detect(context.Background(), in, tt.spec)
			if err != nil {
				t.Fatal(err)
			}
			var lines []string
			for _, c := range got {
				lines = append(lines, show(in, c))
			}
			if diff := cmp.Diff(tt.want, lines); diff != "" {
				t.Errorf("Detect (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDetectAbove(t *testing.T) {
	in := input(t, "install vitest@5.0.0\n-- package.json --\n{}\n-- packages/a/package.json --\n{\"scripts\":{\"test\":\"vitest\"}}\n")
	// The repository is packages/a alone; node_modules lies above it.
	in.Root = filepath.Join(in.Root, "packages", "a")
	in.Files = []string{"package.json"}
	got, err := Detect(context.Background(), in, vitestSpec)
	if err != nil || len(got) != 1 || got[0].Problem != "" {
		t.Fatalf("Detect = %+v, %v, want one candidate without a problem", got, err)
	}
}

// What only lies above the repository counts if the tests ask for it: a stray
// install in a home folder is nobody's framework.
func TestDetectAboveUnnamed(t *testing.T) {
	for text, want := range map[string]int{"import { it } from 'vitest';": 1, "console.log(1)": 0} {
		in := input(t, "install vitest@5.0.0\n-- a/package.json --\n{}\n-- a/x.test.js --\n"+text+"\n")
		in.Root, in.Files = filepath.Join(in.Root, "a"), []string{"package.json", "x.test.js"}
		got, err := Detect(context.Background(), in, vitestSpec)
		if err != nil || len(got) != want {
			t.Errorf("Detect with %q = %+v, %v, want %d candidates", text, got, err, want)
		}
	}
}

func TestDetectLinkedModules(t *testing.T) {
	in := input(t, "install vitest@5.0.0\n-- package.json --\n{\"scripts\":{\"test\":\"vitest\"}}\n")
	deps := filepath.Join(filepath.Dir(in.Root), "deps")
	mods := filepath.Join(in.Root, "node_modules")
	if err := os.Rename(mods, deps); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(deps, mods); err != nil {
		t.Skip("no symbolic links here")
	}
	got, err := Detect(context.Background(), in, vitestSpec)
	if err != nil || len(got) != 1 || got[0].Problem != "" {
		t.Fatalf("Detect = %+v, %v, want one candidate without a problem", got, err)
	}
	want := filepath.Join(mods, "vitest", "bin", "vitest.js")
	if cmd := got[0].Project.Command; cmd[len(cmd)-1] != want {
		t.Errorf("Command = %q, want it to end in %q", cmd, want)
	}
}

func TestUnsupported(t *testing.T) {
	in := input(t, `-- package.json --
{"devDependencies":{"ava":"6","@playwright/test":"1"},"scripts":{"test":"node --import tsx --test 'test/*.ts'"}}
-- fixtures/package.json --
{"devDependencies":{"tap":"6"}}
`)
	want := []string{"ava", "node:test", "playwright"}
	if diff := cmp.Diff(want, Unsupported(in)); diff != "" {
		t.Errorf("Unsupported (-want +got):\n%s", diff)
	}
}

// FuzzScript: whatever a script's text is, it is followed to an end.
func FuzzScript(f *testing.F) {
	for _, s := range []string{"cross-env A=1 c8 mocha", "npm run test -- -w x", "yarn workspaces foreach -A run test", "a && (cd x; mocha) || $(b", "bash -c 'mocha \"$X\"'", "dotenv -e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := &manifest{dir: ".", scripts: map[string]string{"test": text}}
		r := &repo{in: runner.DetectInput{Root: t.TempDir()}, manifests: map[string]*manifest{".": m}, dirs: []string{"."}, members: map[string]bool{}}
		w := &walker{repo: r, spec: mochaSpec, seen: map[string]bool{}}
		w.script(".", "test", nil, nil)
	})
}

func TestDetectWarnsOfOldVersions(t *testing.T) {
	old := jestSpec
	old.Oldest = 29
	for version, want := range map[string]bool{"26.6.3": true, "29.0.0": false, "30.1.0": false} {
		got, err := Detect(context.Background(), input(t, "install jest@"+version+"\n-- package.json --\n{\"scripts\":{\"test\":\"jest\"}}\n"), old)
		if err != nil || len(got) != 1 || got[0].Problem != "" || (got[0].Warning != "") != want {
			t.Errorf("Detect with jest %s = %+v, %v, want a warning: %v", version, got, err, want)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, pattern := range []string{".mocharc.*", "vitest.*.config.*", "jest.config.js", "*.x", "a?c", "a[bc]d", `a\*b`} {
		for _, name := range []string{"", ".mocharc.js", ".mocharc", "vitest.unit.config.ts", "vitest.config.ts", "jest.config.js", "jest.config.jsx", "b.x", "abc", "ac", "acd", "a*b", `a\*b`, "axb"} {
			want, err := path.Match(pattern, name)
			if got := matches(pattern, name); err != nil || got != want {
				t.Errorf("matches(%q, %q) = %v, want %v (%v)", pattern, name, got, want, err)
			}
		}
	}
}
