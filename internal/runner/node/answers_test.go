package node

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"regreen/internal/runner"
)

// TestIsConfiguring compares with the expression alone, for names put together of
// what it looks for and what is like it.
func TestIsConfiguring(t *testing.T) {
	parts := []string{"", ".", "config", "CONFIG", "conf", "preset", "workspace", "setup", "setUp", "rc", ".rc", "jest", "vitest", "vite", "mocha", "babel", "swc", "package.json", "package_json",
		".env", "env", "x", "a.test.ts", "\u017f", "wor\u212aspace", "K", "\n", "\xff"}
	found := 0
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				name := a + b + c
				want := configures.MatchString(name)
				if got := isConfiguring(name); got != want {
					t.Errorf("isConfiguring(%q) = %v, want %v", name, got, want)
				}
				if want {
					found++
				}
			}
		}
	}
	if found == 0 || found == len(parts)*len(parts)*len(parts) {
		t.Error("the names say too little")
	}
}

// Each step changes something; the answer is asked for again exactly when it
// could be another.
func TestRemember(t *testing.T) {
	root := t.TempDir()
	write := func(rel, text string) {
		t.Helper()
		abs := filepath.Join(root, filepath.FromSlash(rel))
		if err := os.MkdirAll(filepath.Dir(abs), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(abs, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range []string{"package.json", "src/a.js", "src/a.test.js", "packages/b/package.json", "packages/b/src/b.js", "test/unit.json",
		"tools/aliases.js", "tools/deep.mjs", "tools/other.js", "lib/.env", "node_modules/x/index.js", "node_modules/.package-lock.json"} {
		write(f, "1")
	}
	write("jest.config.js", "const { a } = require('./tools/aliases');\nmodule.exports = a;\n")
	write("tools/aliases.js", "import './deep.mjs';\n")
	env := runner.Env{Root: root, Origin: root, Keep: filepath.Join(t.TempDir(), "answers"), Environ: []string{"A=1", "TMPDIR=/a"}}
	p := runner.Project{Root: ".", Framework: "jest", Version: "30.0.0", Args: []string{"--config=test/unit.json"}}
	question := []string{"--showConfig"}
	steps := []struct {
		name  string
		do    func()
		again bool
	}{
		{"the first time", func() {}, true},
		{"nothing", func() {}, false},
		{"a source", func() { write("src/a.js", "2") }, false},
		{"a test", func() { write("src/a.test.js", "2") }, false},
		{"a file that no configuration imports", func() { write("tools/other.js", "2") }, false},
		{"a source of a package", func() { write("packages/b/src/b.js", "2") }, false},
		{"the folder for temporary files", func() { env.Environ[1] = "TMPDIR=/b" }, false},
		{"the configuration", func() { write("jest.config.js", "const { a } = require('./tools/aliases');\nmodule.exports = [a];\n") }, true},
		{"what it imports", func() { write("tools/aliases.js", "import './deep.mjs';\n// new\n") }, true},
		{"what that imports", func() { write("tools/deep.mjs", "2") }, true},
		{"a manifest", func() { write("package.json", "2") }, true},
		{"a package's manifest", func() { write("packages/b/package.json", "2") }, true},
		{"a file that the script names", func() { write("test/unit.json", "2") }, true},
		{"an environment file", func() { write("lib/.env", "2") }, true},
		{"a new file", func() { write("src/new.test.js", "1") }, true},
		{"an installation", func() { write("node_modules/.package-lock.json", "22") }, true},
		{"a variable", func() { env.Environ[0] = "A=2" }, true},
		{"the script", func() { p.Args = append(p.Args, "--ci") }, true},
		{"the version", func() { p.Version = "30.0.1" }, true},
		{"the question", func() { question = []string{"--listTests"} }, true},
		{"nothing again", func() {}, false},
	}
	for i, s := range steps {
		s.do()
		asked := false
		got, err := Remember(env, p, question, func() ([]byte, error) { asked = true; return []byte(strconv.Itoa(i)), nil })
		if err != nil || asked != s.again {
			t.Errorf("after %s: asked = %v, want %v (%v)", s.name, asked, s.again, err)
		}
		if asked && string(got) != strconv.Itoa(i) {
			t.Errorf("after %s: the answer is %q", s.name, got)
		}
	}
	write("package.json", "3")
	if _, err := Remember(env, p, question, func() ([]byte, error) { return nil, errors.New("broken") }); err == nil {
		t.Error("an error was swallowed")
	}
	if got, err := Remember(env, p, question, func() ([]byte, error) { return []byte("mended"), nil }); err != nil || string(got) != "mended" {
		t.Errorf("after an error: %q, %v", got, err)
	}
}
