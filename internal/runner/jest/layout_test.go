package jest

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/lang"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

func TestLayout(t *testing.T) {
	a := txtar.Parse([]byte(`
-- package.json --
{"name": "shop", "private": true}
-- jest.config.js --
module.exports = {
  projects: [
    {
      displayName: 'unit',
      testMatch: ['<rootDir>/src/**/*.spec.js', '!**/skip/**'],
      setupFilesAfterEnv: ['<rootDir>/setup.js'],
      moduleNameMapper: { '^@/(.*)$': '<rootDir>/src/$1', '^@lib$': '<rootDir>/src/lib.js', '\\.(css|less)$': 'identity-obj-proxy',
        '^@(app|kit)/(.*)$': ['<rootDir>/$1/src/$2', '<rootDir>/$1/$2'], '\\.svg$': '<rootDir>/src/lib.js', '^lodash-es$': '<rootDir>/node_modules/lodash' },
      modulePaths: ['<rootDir>/src'], moduleDirectories: ['node_modules', 'shared'],
    },
    {
      displayName: 'e2e',
      testRegex: ['/e2e/.*\\.js$'],
      testPathIgnorePatterns: ['/node_modules/', '/fixtures/'],
    },
  ],
};
-- setup.js --
-- tsconfig.json --
-- tsconfig.spec.json --
-- tsconfig.build.json --
-- src/lib.js --
-- src/a.spec.js --
-- src/__mocks__/lib.js --
-- __mocks__/left-pad.js --
-- e2e/b.js --
`))
	for _, version := range []string{"jest29", "jest30"} {
		t.Run(version, func(t *testing.T) {
			env, p := project(t, a, version)
			l, err := Framework{}.Layout(context.Background(), env, p)
			if err != nil {
				t.Fatal(err)
			}
			if l.Uncertain != "" {
				t.Errorf("uncertain: %s", l.Uncertain)
			}
			for rel, want := range map[string]bool{
				"src/a.spec.js": true, "src/x/a.spec.js": true, "src/skip/a.spec.js": false, "a.spec.js": false, "src/a.test.js": false,
				"e2e/b.js": true, "e2e/fixtures/b.js": false, "src/lib.js": false, "node_modules/x/src/a.spec.js": false,
			} {
				if got := l.IsTest(rel); got != want {
					t.Errorf("IsTest(%s) = %v", rel, got)
				}
			}
			if d := cmp.Diff([]string{"__mocks__/left-pad.js", "jest.config.js", "package.json", "setup.js", "tsconfig.json", "tsconfig.spec.json"}, l.Global); d != "" {
				t.Errorf("global: %s", d)
			}
			if d := cmp.Diff([]lang.Alias{
				{Scope: ".", Find: "@/*", Targets: []string{"src/*"}},
				{Scope: ".", Find: "@lib", Targets: []string{"src/lib.js"}},
				{Scope: ".", Pattern: `\.(css|less)$`, Modules: []string{"identity-obj-proxy"}},
				{Scope: ".", Pattern: "^@(app|kit)/(.*)$", Targets: []string{"${1}/src/${2}", "${1}/${2}"}},
				{Scope: ".", Pattern: `\.svg$`, Targets: []string{"src/lib.js"}},
				{Scope: ".", Pattern: "^lodash-es$", Modules: []string{"lodash"}},
				{Scope: ".", Find: "*", Targets: []string{"shared/*"}, Above: true},
				{Scope: ".", Find: "*", Targets: []string{"src/*"}},
			}, l.Aliases); d != "" {
				t.Errorf("aliases: %s", d)
			}
			for _, f := range []string{"src/__snapshots__/a.spec.js.snap", "src/__mocks__/lib.js"} {
				if !slices.Contains(l.Implicit("src/a.spec.js"), f) {
					t.Errorf("%s is not implicit", f)
				}
			}
		})
	}
}

// Modules that are found by names of the project's own making are seen in no
// text: any change may matter to any test.
func TestLayoutIsBlindToNamesOfModules(t *testing.T) {
	a := txtar.Parse([]byte("-- package.json --\n{}\n-- jest.config.js --\nmodule.exports = { haste: { hasteImplModulePath: '<rootDir>/haste.js' } };\n" +
		"-- haste.js --\nmodule.exports = { getHasteName: () => null };\n"))
	env, p := project(t, a, "jest30")
	l, err := Framework{}.Layout(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	if l.Blind == "" || !slices.Contains(l.Global, "haste.js") {
		t.Errorf("layout of a project with names of its own: blind %q, global %q", l.Blind, l.Global)
	}
}

func TestLayoutGuess(t *testing.T) {
	a := txtar.Parse([]byte("-- package.json --\n{}\n-- jest.config.js --\nmodule.exports = {\n"))
	env, p := project(t, a, "jest30")
	l, err := Framework{}.Layout(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	if l.Uncertain == "" || !l.IsTest("src/__tests__/a.js") || !l.IsTest("a.test.mjs") || l.IsTest("src/a.js") {
		t.Errorf("layout of a broken configuration: %+v", l)
	}
}

// TestLayoutThatIsNotShown: where the framework does not say which files are
// tests, all that look like some are, or a broken configuration selects nothing.
func TestLayoutThatIsNotShown(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	p := runner.Project{Root: "web", Framework: "jest", Command: []string{filepath.Join(root, "no-node"), filepath.Join(root, "no-jest")}, Args: []string{}}
	if err := os.Mkdir(filepath.Join(root, "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	l, err := Framework{}.Layout(t.Context(), runner.Env{Root: root, Origin: root, Scratch: t.TempDir(), Exec: proc.Local{}}, p)
	if err != nil || l.Blind == "" {
		t.Fatalf("Layout = %+v, %v, want one that is blind", l, err)
	}
	for rel, want := range map[string]bool{"web/test/deep/a.ts": true, "web/x_spec.mjs": true, "web/x.js": false, "test/a.js": false, "web/node_modules/x/test/a.js": false} {
		if got := l.IsTest(rel); got != want {
			t.Errorf("IsTest(%q) = %v, want %v", rel, got, want)
		}
	}
}
