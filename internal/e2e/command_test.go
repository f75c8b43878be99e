package e2e

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"regreen/cycle"
)

// mini is a small project with one function under test, in one framework.
type mini struct {
	name, deps  string
	source      string // the file with tax
	test        string
	good, wrong string // of the source
	files       map[string]string
}

func minis() []mini {
	cjs := `{ "name": "mini", "private": true, "scripts": { "test": "SCRIPT" } }` + "\n"
	body := "describe('tax', () => {\n  it('is a fifth', () => {\n    expect(tax(150)).toBe(30);\n  });\n  it('of nothing is nothing', () => {\n    expect(tax(0)).toBe(0);\n  });\n});\n"
	requires := "const { tax } = require('../src/tax');\n\n"
	source := "function tax(n) {\n  return n / 5;\n}\n\nmodule.exports = { tax };\n"
	esm := strings.Replace(cjs, `"scripts"`, `"type": "module", "scripts"`, 1)
	jsMini := func(name, deps, manifest, script, source, test string) mini {
		return mini{name: name, deps: deps, source: "src/tax.js", test: "test/tax.test.js", good: source, wrong: strings.Replace(source, "n / 5", "n / 4", 1),
			files: map[string]string{"package.json": strings.Replace(manifest, "SCRIPT", script, 1), "src/tax.js": source, "test/tax.test.js": test}}
	}
	py := "def tax(n):\n    return n / 5\n"
	return []mini{
		jsMini("jest", "jest30", cjs, "jest", source, requires+body),
		jsMini("vitest", "vitest4", esm, "vitest run", "export function tax(n) {\n  return n / 5;\n}\n",
			"import { describe, expect, it } from 'vitest';\nimport { tax } from '../src/tax.js';\n\n"+body),
		jsMini("mocha", "mocha11", cjs, "mocha test", source,
			"const assert = require('node:assert/strict');\n"+requires+strings.NewReplacer("expect(tax(150)).toBe(30)", "assert.equal(tax(150), 30)",
				"expect(tax(0)).toBe(0)", "assert.equal(tax(0), 0)").Replace(body)),
		{name: "pytest", deps: "pytest8", source: "shop/tax.py", test: "tests/test_tax.py", good: py, wrong: strings.Replace(py, "n / 5", "n / 4", 1),
			files: map[string]string{"shop/__init__.py": "", "shop/tax.py": py, "pytest.ini": "[pytest]\npythonpath = .\n",
				"tests/test_tax.py": "from shop.tax import tax\n\n\ndef test_fifth():\n    assert tax(150) == 30\n\n\ndef test_nothing():\n    assert tax(0) == 0\n"}},
	}
}

func miniOf(name string) mini {
	all := minis()
	return all[slices.IndexFunc(all, func(m mini) bool { return m.name == name })]
}

// broken makes the project with settings and its function broken after the
// commit.
func (m mini) broken(t *testing.T, settings string, more map[string]string) *repo {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the programs of this test are shell scripts")
	}
	files := map[string]string{"regreen.toml": settings}
	for _, fs := range []map[string]string{m.files, more} {
		for name, text := range fs {
			files[name] = text
		}
	}
	r := newRepo(t, m.deps, files)
	r.write(m.source, m.wrong)
	return r
}

// program is a [[fixers.command]] that runs a shell script, with more settings.
func program(name, script string, more ...string) string {
	return fmt.Sprintf("[[fixers.command]]\nname = %q\ncommand = [\"sh\", \"-c\", '''\n%s\n''']\n%s\n", name, script, strings.Join(more, "\n"))
}

func (m mini) mend() string {
	return "sed 's|n / 4|n / 5|' " + m.source + " > x && cat x > " + m.source + " && rm x"
}

// TestCommandFixerRepairs is a repair of a logic fault in each framework at
// each level that walls a program off, with its undo.
func TestCommandFixerRepairs(t *testing.T) {
	for _, m := range minis() {
		for _, level := range []string{"namespace", "landlock"} {
			if level == "landlock" && m.name != "jest" && m.name != "pytest" || runtime.GOOS != "linux" {
				continue
			}
			t.Run(m.name+"/"+level, func(t *testing.T) {
				t.Parallel()
				script := m.mend() + `; echo '{"title": "divide by five again", "notes": "the diff says four"}'`
				r := m.broken(t, isolated(level)+program("mend", script, `kinds = ["assertion_mismatch"]`), nil)
				before := r.files()
				d, res := r.run()
				if d.Outcome != cycle.Repaired || res.exit != 0 || r.read(m.source) != m.good {
					t.Fatalf("outcome %q, exit %d: %s\n%s\n%s", d.Outcome, res.exit, d.Reason, res.stdout, res.stderr)
				}
				fix := d.Iterations[0].Fixes
				if len(fix) != 1 || fix[0].By != "mend" || fix[0].Title != "mend: divide by five again" || fix[0].Why != "the diff says four" || !fix[0].Kept {
					t.Errorf("fixes %+v", fix)
				}
				if res := r.regreen("undo"); res.exit != 0 {
					t.Errorf("undo: exit %d: %s", res.exit, res.stderr)
				}
				diffMaps(t, "undo", before, r.files())
			})
		}
	}
}

// TestCommandFixerFiles has a program create, delete, edit and chmod files in
// one change; undo takes all of it back.
func TestCommandFixerFiles(t *testing.T) {
	m := miniOf("jest")
	script := `mkdir src/rates
echo 'module.exports = { tax: (n) => n / 5 };' > src/rates/tax.js
rm src/unused.js
echo '// used' >> src/tool.js
chmod 755 src/tool.js
echo "module.exports = require('./rates/tax');" > src/tax.js`
	r := m.broken(t, program("move", script), map[string]string{"src/unused.js": "// nobody\n", "src/tool.js": "// a tool\n"})
	before := r.files()
	d, res := r.run()
	if d.Outcome != cycle.Repaired {
		t.Fatalf("outcome %q: %s\n%s", d.Outcome, d.Reason, res.stderr)
	}
	if want, got := []string{"src/rates/tax.js", "src/tax.js", "src/tool.js", "src/unused.js"}, changed(before, r.files()); !slices.Equal(want, got) {
		t.Errorf("files that differ: %v, want %v", got, want)
	}
	if fi, err := os.Stat(r.path("src/tool.js")); err != nil || fi.Mode().Perm()&0o111 == 0 {
		t.Errorf("the mode was not set: %v, %v", fi.Mode(), err)
	}
	for _, part := range []string{"new file mode 100644", "deleted file mode 100644", "old mode 100644\nnew mode 100755"} {
		if !strings.Contains(d.Patch, part) {
			t.Errorf("the patch does not say %q:\n%s", part, d.Patch)
		}
	}
	if res := r.regreen("undo"); res.exit != 0 {
		t.Errorf("undo: exit %d: %s", res.exit, res.stderr)
	}
	diffMaps(t, "undo", before, r.files())
	if _, err := os.Stat(r.path("src/rates")); err == nil {
		t.Error("an empty folder is left")
	}
}

// TestCommandFixerWithoutWalls: at the level copy a program's repair is only
// proposed; apply writes it with its new file, and undo takes it back.
func TestCommandFixerWithoutWalls(t *testing.T) {
	m := miniOf("jest")
	script := `echo 'module.exports = { tax: (n) => n / 5 };' > src/rates.js; echo "module.exports = require('./rates');" > src/tax.js`
	r := m.broken(t, isolated("copy")+program("move", script), nil)
	before := r.files()
	d, res := r.run()
	if d.Outcome != cycle.Proposed || res.exit != 4 || !strings.Contains(d.Reason, "at the isolation level copy nothing walls a program off") {
		t.Fatalf("outcome %q, exit %d: %s\n%s", d.Outcome, res.exit, d.Reason, res.stderr)
	}
	diffMaps(t, "run", before, r.files())
	if res := r.regreen("apply"); res.exit != 0 {
		t.Errorf("apply: exit %d: %s", res.exit, res.stderr)
	}
	if want, got := []string{"src/rates.js", "src/tax.js"}, changed(before, r.files()); !slices.Equal(want, got) {
		t.Errorf("files that differ: %v, want %v", got, want)
	}
	if res := r.regreen("undo"); res.exit != 0 {
		t.Errorf("undo: exit %d: %s", res.exit, res.stderr)
	}
	diffMaps(t, "undo", before, r.files())
}
