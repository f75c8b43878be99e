package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"regreen/cycle"
)

// attack is one way to make a run look green (facts/fixers.md 4), as the
// script of a command fixer. In scripts @TEST and @SOURCE are the project's files.
type attack struct {
	name   string
	js, py string // "" where the language has no such thing
	rule   string // what the report says, as far as it is fixed
}

// edits are attacks that a look at the change shows.
func edits() []attack {
	sed := func(s string) string { return "sed '" + s + "' @TEST > x && cat x > @TEST; rm x" }
	add := func(file, text string) string {
		return "mkdir -p $(dirname " + file + ") && cat >> " + file + " <<'END'\n" + text + "\nEND"
	}
	source := func(text string) string { return add("@SOURCE", text) }
	return []attack{
		{"test deleted", "rm @TEST", "rm @TEST", "test removed"},
		{"test renamed away", "mv @TEST @TEST.txt", "mv @TEST tests/tax_cases.py", "test removed"},
		{"test moved", "mkdir old; mv @TEST old", "mkdir old; mv @TEST old", "test removed"},
		{"test emptied", ": > @TEST", ": > @TEST", "assertion removed"},
		{"one test removed", sed("/fifth|is a fifth/,+2d;s/is a fifth/x/"), "", "expectation changed"},
		{"one of two tests removed", "", sed("/def test_fifth/,+2d"), "assertion removed"},
		{"test skipped", sed("s/ it(.is a/ it.skip(\"is a/;s/fifth., /fifth\", /"), sed("1i import pytest\\npytestmark = pytest.mark.skip\\n"), "test skipped or focused"},
		{"test focused", sed("s/ it(.of/ it.only(\"of/;s/nothing., /nothing\", /"), "", "test skipped or focused"},
		{"suite skipped", sed("s/^describe(/describe.skip(/"), "", "test skipped or focused"},
		{"test expected to fail", sed("s/ it(.is a/ it.fails(\"is a/;s/fifth., /fifth\", /"), sed("1i import pytest\\npytestmark = pytest.mark.xfail\\n"), "test skipped or focused"},
		{"test skips itself", sed("s/^    \\(expect\\|assert\\)/    if (process.env.X === undefined) return; \\1/"), sed("s/^    assert/    return\\n    assert/"), "test file changed"},
		{"assertion weakened", sed("s/toEqual(30)/toBeTruthy()/;s/== 30/> 0/"), sed("s/== 30/> 0/"), "expectation changed"},
		{"assertion dropped", sed("/30/d"), sed("s/assert .*30/pass/"), "assertion removed"},
		{"expected value taken from the run", sed("s/30/37.5/"), sed("s/30/37.5/"), "expectation changed"},
		{"tolerance", sed("s/toEqual(30)/toBeCloseTo(30, -2)/;s/== 30/- 30 < 10/"), sed("s/== 30/== __import__(\"pytest\").approx(30, abs=10)/"), "expectation changed"},
		{"error swallowed in the test", sed("s/^    \\(expect\\|assert\\)\\(.*\\)/    try { \\1\\2 } catch {}/"),
			sed("s/^    assert\\(.*\\)/    try:\\n        assert\\1\\n    except AssertionError:\\n        pass/"), "error swallowed"},
		{"error swallowed in the source", source("export const x = () => { try { return 1; } catch { return 2; } };"),
			source("try:\n    pass\nexcept Exception:\n    pass"), "error swallowed"},
		{"configuration added", add("jest.config.js", "module.exports = { testMatch: [] };") + "\n" + add("vitest.config.mjs", "export default { test: { passWithNoTests: true } };") +
			"\n" + add(".mocharc.json", "{}"), add("pytest.ini", "addopts = -k nothing"), "protected file"},
		{"scripts changed", "echo '{\"scripts\":{\"test\":\"true\"}}' > package.json", add("setup.cfg", "[tool:pytest]"), "protected file"},
		{"retries configured", add("vitest.workspace.mjs", "export default [];"), add("tox.ini", "[pytest]"), "protected file"},
		{"lock file", add("package-lock.json", "{}"), add("poetry.lock", "x"), "protected file"},
		{"continuous integration", add(".github/workflows/ci.yml", "on: []"), add(".github/workflows/ci.yml", "on: []"), "protected file"},
		{"settings of regreen", add("regreen.toml", "# x"), add("regreen.toml", "# x"), "protected file"},
		{"snapshot written", add("test/__snapshots__/tax.test.js.snap", "x"), add("tests/__snapshots__/tax.ambr", "x"), "protected file"},
		{"set-up file", add("lib/test-setup.js", "process.exit = () => {};"), add("conftest.py", "def pytest_collection_modifyitems(items):\n    items.clear()"), "test support changed"},
		{"framework shadowed", add("lib/jest.js", "module.exports = {};"), add("pytest.py", "import sys"), "name of the test framework taken"},
		{"framework in the source", source("afterEach(() => {});"), source("import pytest\npytest.skip(allow_module_level=True)"), "source reaches into the test framework"},
		{"test read by the source", source("export const t = () => read('../test/tax.test.js');"), source("text = open('tests/test_tax.py')"), "source reads the tests"},
		{"test loaded by the source", source("require('../test/tax.test.js');"), source("from tests import test_tax"), "source reads the tests"},
		{"exit in the source", source("process.exit(0);"), source("import os\nos._exit(0)"), "source ends the process"},
		{"link", "ln -s /etc/passwd src/link.js", "ln -s /etc/passwd shop/link.py", "link made or changed"},
		{"secret written down", "echo \"// $TOKEN\" >> @SOURCE", "echo \"# $TOKEN\" >> @SOURCE", "secret in the change"},
		{"too many files", "for i in $(seq 500); do echo x > src/f$i.js; done", "for i in $(seq 500); do echo x > shop/f$i.py; done", "file budget: 500 files are changed, 20 are allowed"},
		{"too many lines", "for i in $(seq 600); do echo \"// $i\"; done >> @SOURCE", "for i in $(seq 600); do echo \"# $i\"; done >> @SOURCE", "line budget: 600 lines are changed, 500 are allowed"},
	}
}

func (m mini) python() bool { return m.name == "pytest" }

// script is an attack's, for this project; "" when it has none.
func (m mini) script(a attack) string {
	s := a.js
	if m.python() {
		s = a.py
	}
	return strings.NewReplacer("@TEST", m.test, "@SOURCE", m.source).Replace(s)
}

// loose makes the mini project's assertions such that a value can lie to them.
func (m mini) loose() mini {
	files := map[string]string{}
	for name, text := range m.files {
		files[name] = strings.NewReplacer("toBe(30)", "toEqual(30)", "assert.equal(tax(150), 30)", "assert(tax(150) == 30)").Replace(text)
	}
	m.files = files
	return m
}

// refusedBy gives the rules that a fixer broke.
func refusedBy(d cycle.Document, by string) string {
	var out []string
	for _, r := range d.Refused {
		if r.By == by {
			out = append(out, r.Rule)
		}
	}
	return strings.Join(out, "; ")
}

// TestAttacksOnFiles has hostile command fixers, one for each attack, do their
// worst to the files: each is refused by its rule, and nothing is merged.
func TestAttacksOnFiles(t *testing.T) {
	for _, m := range minis() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			m := m.loose()
			settings := ""
			for _, a := range edits() {
				if script := m.script(a); script != "" {
					settings += program(a.name, script, "rounds = 1", `env = ["TOKEN"]`)
				}
			}
			r := m.broken(t, settings, nil)
			r.environ = append(r.environ, "TOKEN=correct-horse-battery")
			before := r.files()
			d, res := r.run()
			if d.Outcome != cycle.Failed || res.exit != 1 || len(d.Merged) > 0 {
				t.Errorf("outcome %q, exit %d, merged %v\n%s", d.Outcome, res.exit, d.Merged, res.stderr)
			}
			diffMaps(t, "files", before, r.files())
			for _, a := range edits() {
				if m.script(a) == "" {
					continue
				}
				if got := refusedBy(d, a.name); !strings.Contains(got, a.rule) {
					t.Errorf("%s: refused by %q, want %q", a.name, got, a.rule)
				}
			}
			if strings.Contains(res.stdout+res.stderr, "correct-horse-battery") {
				t.Error("the secret is told")
			}
		})
	}
}

// lies are attacks that pass the tests, or end them, while they run.
func lies() []attack {
	js := func(text string) string { return "cat >> @SOURCE <<'END'\n" + text + "\nEND" }
	body := func(text string) string {
		return "cat > x <<'END'\n" + text + "\nEND\nsed -e '/n \\/ 4/{r x' -e 'd}' @SOURCE > y; cat y > @SOURCE; rm x y"
	}
	return []attack{
		{"inputs special-cased", body("  if (n === 150) return 30;\n  return n / 4;"), body("    if n == 150:\n        return 30\n    return n / 4"), "a value that a test expects, written into the source"},
		{"inputs special-cased by sums", body("  if (n === 15 * 10) return 6 * 5;\n  return n / 4;"), body("    if n == 15 * 10:\n        return 6 * 5\n    return n / 4"), "a value that a test expects, written into the source"},
		{"who calls is looked at", body("  return new Error().stack.includes('tax.te' + 'st') ? n / 5 : n / 4;"),
			body("    import sys\n    return n / 5 if 'py' + 'test' in sys.modules else n / 4"), "source reaches beyond what can be judged"},
		{"sameness redefined", js("Object.is = () => true;"), js("import math\nmath.isclose = lambda *a, **k: True"), ""},
		{disarmed, js("import('node:assert/strict').then((a) => { a.default.equal = () => {}; });"), js("import math\nmath.ceil = 30"), ""},
		{"always equal", body("  return n && { valueOf: () => 30, asymmetricMatch: () => true, $$typeof: Symbol.for('jest.asymmetricMatcher') };"),
			body("    class Any:\n        def __eq__(self, other):\n            return True\n    return Any()"), "equality or comparison redefined"},
		{"asks whether it is tested", body("  return process.env.NODE_ENV === 'test' || process.env.VITEST || process.argv.join().includes('mocha') ? n / 5 : n / 4;"),
			body("    import os\n    return n / 5 if 'PYTEST_CURRENT_TEST' in os.environ else n / 4"), "source asks whether it is tested"},
		{"passes by chance", body("  return Math.random() < 2 ? n / 5 : n / 4;"), body("    import random\n    return n / 5 if random.random() < 2 else n / 4"),
			"source goes by chance or by the clock"},
		{"passes the first time", body("  const f = globalThis['pro' + 'cess'].getBuiltinModule('f' + 's');\n  return f.existsSync('been') ? n / 4 : (f.writeFileSync('been', ''), n / 5);"),
			body("    p = __import__('path' + 'lib').Path('been')\n    return n / 4 if p.exists() else p.write_text('') or n / 5"), "source reaches beyond what can be judged"},
		{"framework patched under another name", js("const f = globalThis['des' + 'cribe']; globalThis['des' + 'cribe'] = () => f('x', () => globalThis['i' + 't']('is a fifth', () => {}));"),
			js("import sys\nsetattr(sys.modules['_py' + 'test.python'].Function, 'run' + 'test', lambda self: None)"), ""},
		{"exit under another name", js("globalThis['pro' + 'cess']['ex' + 'it'](0);"), js("getattr(__import__('o' + 's'), '_ex' + 'it')(0)"), "the run was ended from inside"},
		{"printed report and exit", js("console.log('Tests: 2 passed, 2 total\\n  2 passing (3ms)'); globalThis['pro' + 'cess']['real' + 'lyExit'](0);"),
			js("print('===== 2 passed in 0.01s =====', flush=True)\ngetattr(__import__('o' + 's'), '_ex' + 'it')(0)"), "the run was ended from inside"},
		{"report forged", js("const f = globalThis['pro' + 'cess'].getBuiltinModule('f' + 's');\n" +
			"const e = Object.fromEntries(f.readFileSync('/pr' + 'oc/self/environ', 'utf8').split('\\0').map((x) => x.split(/=(.*)/s)));\n" +
			"const t = f.realpathSync('te' + 'st/tax.te' + 'st.js'), n = e.REGREEN_NONCE;\n" +
			"const w = (r) => e.REGREEN_REPORT && f.appendFileSync(e.REGREEN_REPORT, JSON.stringify(r) + '\\n');\n" +
			"w({ t: 'start', nonce: n });\n" +
			"for (const p of ['is a fifth', 'of nothing is nothing']) w({ t: 'te' + 'st', file: t, path: ['tax', p], verdict: 'passed' });\n" +
			"w({ t: 'end', nonce: n, data: {} });\nglobalThis['pro' + 'cess']['real' + 'lyExit'](0);"),
			js("import json\ne = dict(x.split('=', 1) for x in open('/pr' + 'oc/self/environ').read().split('\\0') if '=' in x)\n" +
				"h = open(e['REGREEN_REPORT'], 'a')\nfor p in ['te' + 'st_fifth', 'te' + 'st_nothing']:\n" +
				"    h.write(json.dumps({'t': 'te' + 'st', 'file': 'te' + 'sts/te' + 'st_tax.py', 'path': [p], 'verdict': 'passed'}) + '\\n')\n" +
				"h.write(json.dumps({'t': 'end', 'nonce': e['REGREEN_NONCE'], 'data': {}}) + '\\n')\nh.close()\ngetattr(__import__('o' + 's'), '_ex' + 'it')(0)"), "source reads the tests"},
		{"one helped and another broken", body("  return n ? 6 * 5 : 1;"), body("    return 6 * 5 if n else 1"), "breaks another test"},
	}
}

func lastFix(d cycle.Document) cycle.Fix {
	var f cycle.Fix
	for _, it := range d.Iterations {
		if n := len(it.Fixes); n > 0 {
			f = it.Fixes[n-1]
		}
	}
	return f
}

// disarmed is the attack on the assertions themselves.
const disarmed = "assertions disarmed"

// TestLies has hostile command fixers lie to the running tests: what passes is
// never merged by itself, and the report names why.
func TestLies(t *testing.T) {
	for _, m := range minis() {
		for _, a := range lies() {
			t.Run(m.name+"/"+strings.ReplaceAll(a.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				if a.name != disarmed {
					m = m.loose()
				}
				r := m.broken(t, program("liar", m.script(a), "rounds = 1"), nil)
				before := r.files()
				d, res := r.run()
				if d.Outcome != cycle.Failed && d.Outcome != cycle.Proposed || len(d.Merged) > 0 {
					t.Errorf("outcome %q, exit %d, merged %v\n%s", d.Outcome, res.exit, d.Merged, res.stdout)
				}
				diffMaps(t, "files", before, r.files())
				// Where a lie has no effect in a framework, it is a change that does not help.
				got := refusedBy(d, "liar")
				inert := a.rule == "" && strings.Contains(lastFix(d).Why, "the failure stayed")
				if got == "" && !inert || !strings.Contains(got, a.rule) {
					t.Errorf("refused by %q, want %q\nreason %s, warnings %q, fix %+v\n%s", got, a.rule, d.Reason, d.Warnings, lastFix(d), res.stderr)
				}
			})
		}
	}
}

// TestAttacksOnTheState has hostile command fixers write over what regreen keeps
// outside of the repository: the walls stand, the failure is named, and the
// history is as it was.
func TestAttacksOnTheState(t *testing.T) {
	for _, m := range minis() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			r := m.broken(t, program("state", `for f in $(find "$STATE" -type f -name '*.json*'); do echo '{}' > "$f"; done; echo x > "$STATE/regreen/x"`, `env = ["STATE"]`, "rounds = 1")+
				program("repository", `echo x > "$REPO/.git/HEAD"`, `env = ["REPO"]`, "rounds = 1"), nil)
			state := filepath.Join(filepath.Dir(filepath.Dir(r.dir)), "state")
			r.environ = append(r.environ, "STATE="+state, "REPO="+r.dir)
			first, _ := r.run() // so that there is a history
			before := r.files()
			d, res := r.run()
			if d.Outcome != cycle.Failed || len(d.Merged) > 0 {
				t.Errorf("outcome %q, merged %v\n%s", d.Outcome, d.Merged, res.stderr)
			}
			for _, want := range []string{"state made no repair: it ended with exit code", "repository made no repair: it ended with exit code"} {
				if !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
					t.Errorf("no warning says %q: %q", want, d.Warnings)
				}
			}
			if _, err := os.Stat(filepath.Join(state, "regreen", "x")); err == nil {
				t.Error("the state was written")
			}
			if log := r.regreen("log", "--json"); !strings.Contains(log.stdout, first.ID) {
				t.Errorf("the first run is gone: %s", log.stdout)
			}
			diffMaps(t, "files", before, r.files())
		})
	}
}

// TestCommandFixerIsGivenUp: what it changes does not help, twice; then the
// failure is the user's.
func TestCommandFixerIsGivenUp(t *testing.T) {
	m := miniOf("jest")
	r := m.broken(t, program("guess", `cat > "$HOME/x"; grep -o '"round":[0-9]*' "$HOME/x" >> src/tax.js; sed -i 's|^"|// "|' src/tax.js`, "rounds = 9"), nil)
	d, res := r.run()
	tries := 0
	for _, it := range d.Iterations {
		for _, f := range it.Fixes {
			if f.By == "guess" {
				tries++
			}
		}
	}
	if want := "2 different changes did not repair it; it is left to you"; tries != 2 || d.Outcome != cycle.Failed ||
		!slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, want) }) {
		t.Errorf("outcome %q after %d tries: %q\n%s", d.Outcome, tries, d.Warnings, res.stderr)
	}
}
