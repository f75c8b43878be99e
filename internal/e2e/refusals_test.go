package e2e

import (
	"slices"
	"strings"
	"testing"

	"regreen/cycle"
)

// refusal is something that must not be merged, whatever else is tried.
type refusal struct {
	name   string
	commit map[string]string // files beside the shop, by the stack's extension
	js, py []edit
	files  map[string]string // files written after the commit
	drop   []string          // files removed after the commit
	only   []string          // stacks; empty is all
	args   []string
	kind   string // of a remaining failure; "" for none
	said   string // in the reason, the error or a refusal; "" for anything
	want   []cycle.Outcome
	exit   []int
}

// red are the outcomes of a run that is red and of which nothing is merged.
func red() []cycle.Outcome { return []cycle.Outcome{cycle.Failed, cycle.Proposed} }

func refusals() []refusal {
	rate := []edit{{"src/units", "20", "25"}}
	limits := "[run]\naffected_timeout = \"8s\"\nfull_timeout = \"8s\"\n[cycle]\nbudget = \"60s\"\n"
	cheat := func(script string) string {
		return "[[fixers.command]]\nname = \"cheat\"\ncommand = [\"sh\", \"-c\", \"" + script + "\"]\n"
	}
	return []refusal{
		{name: "assertion mismatch", js: rate, py: rate, kind: "assertion_mismatch", want: red(), exit: []int{1, 4}},
		{name: "snapshot mismatch", only: []string{"ts-vitest", "cjs-jest"}, commit: map[string]string{"snapshot": "yes"},
			js: []edit{{"src/words", "toUpperCase", "toLowerCase"}}, kind: "snapshot_mismatch", want: red(), exit: []int{1, 4}},
		{name: "missing package",
			js:   []edit{{"src/refund", "export function refund", "import pad from 'left-padd-x';\n\nexport const width = pad;\n\nexport function refund"}},
			py:   []edit{{"src/refund", "from shop.units", "import left_padd_x\nfrom shop.units"}},
			kind: "missing_import", want: red(), exit: []int{1, 4}},
		{name: "endless loop", commit: map[string]string{"regreen.toml": limits},
			js:   []edit{{"src/tax", "const base", "while (true) {}\n  const base"}},
			py:   []edit{{"src/tax", "    base =", "    while True:\n        pass\n    base ="}},
			kind: "timeout", said: "limit", want: red(), exit: []int{1, 124}},
		{name: "a fix that breaks another test", commit: map[string]string{"probe": "yes"},
			js: []edit{{"src/probe", "return value(", "return valeu("}}, py: []edit{{"src/probe", "return value(", "return valeu("}},
			files: map[string]string{"contract": "yes"}, kind: "undefined_variable", want: red(), exit: []int{1, 4}},
		{name: "a deleted test", js: rate, py: rate, drop: []string{"store"}, kind: "assertion_mismatch", want: red(), exit: []int{1, 4}},
		{name: "a fixer that deletes the test", commit: map[string]string{"regreen.toml": cheat("rm -f test/tax.* tests/test_tax.py")},
			js: rate, py: rate, kind: "assertion_mismatch", want: red(), exit: []int{1, 4}},
		{name: "no tests", drop: []string{"order", "refund", "tax", "words", "store"}, args: []string{"--all"},
			want: []cycle.Outcome{cycle.NoTests}, exit: []int{1}},
		{name: "all skipped", commit: map[string]string{"skip": "yes"}, args: []string{"--all"},
			said: "skip", want: []cycle.Outcome{cycle.NoTests}, exit: []int{1}},
	}
}

// TestRefusals is acceptance point 3: nothing is merged, and the reason is said.
func TestRefusals(t *testing.T) {
	for _, s := range stacks() {
		for _, ref := range refusals() {
			if s.name == "esm-jest" || s.name == "cjs-mocha" || len(ref.only) > 0 && !slices.Contains(ref.only, s.name) {
				continue // the same framework stands in the list already
			}
			t.Run(s.name+"/"+strings.ReplaceAll(ref.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				refuse(t, s, ref)
			})
		}
	}
}

func refuse(t *testing.T, s stack, ref refusal) {
	r := s.repoWith(t, func(files map[string]string) { s.prepare(files, ref.commit) })
	for _, d := range ref.drop {
		r.remove(s.testFile(d))
	}
	more := map[string]string{}
	s.prepare(more, ref.files)
	for name, text := range more {
		r.write(name, text)
	}
	before := s.breakIt(r, scenario{js: ref.js, py: ref.py})
	d, res := r.run(ref.args...)
	if !slices.Contains(ref.want, d.Outcome) || !slices.Contains(ref.exit, res.exit) {
		t.Errorf("outcome %q, exit %d, want one of %q and %v\nreason: %s\nstderr: %s", d.Outcome, res.exit, ref.want, ref.exit, d.Reason, res.stderr)
	}
	if len(d.Merged) > 0 || d.Undo != "" {
		t.Errorf("merged %v", d.Merged)
	}
	diffMaps(t, "files", before, r.files())
	if ref.kind != "" && !slices.ContainsFunc(d.Remaining, func(r cycle.Remaining) bool { return r.Kind == ref.kind }) {
		t.Errorf("no remaining failure is a %s: %+v", ref.kind, d.Remaining)
	}
	said := d.Reason
	if d.Error != nil {
		said += " " + d.Error.Message
	}
	for _, rf := range d.Refused {
		said += " " + rf.Rule
	}
	if strings.TrimSpace(said) == "" || !strings.Contains(said, ref.said) {
		t.Errorf("the reason is %q, want it to say %q", said, ref.said)
	}
}

// prepare adds the files that a refusal names to a shop.
func (s stack) prepare(files, add map[string]string) {
	for name, text := range add {
		switch name {
		case "probe":
			files[s.file("src/probe")] = s.pick(
				"export function value() {\n  return 1;\n}\n\nexport function probe() {\n  return value();\n}\n",
				"function value() {\n  return 1;\n}\n\nfunction probe() {\n  return value();\n}\n\nmodule.exports = { probe };\n",
				"def value():\n    return 1\n\n\ndef probe():\n    return value()\n")
			files[s.testFile("probe")] = s.test("probe", "probe", "assert.equal(probe(), 1);", "    assert probe() == 1")
		case "contract":
			// Passes while probe is broken, fails once it is mended.
			files[s.testFile("contract")] = s.test("probe", "contract", "assert.throws(() => probe(), ReferenceError);",
				"    with __import__(\"pytest\").raises(NameError):\n        probe()")
		case "snapshot":
			header, title := "// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing", "snap renders 1"
			if s.name == "ts-vitest" {
				header, title = "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html", "snap > renders 1"
			}
			files["test/__snapshots__/snap.test"+s.ext+".snap"] = header + "\n\nexports[`" + title + "`] = `\"A B\"`;\n"
			files[s.testFile("snap")] = strings.Replace(s.test("words", "snap", "expect(heading(['a', 'b'])).toMatchSnapshot();", ""),
				"{ words }", "{ heading }", 1)
		case "skip":
			for file, src := range files {
				switch {
				case s.python() && strings.HasPrefix(file, "tests/"):
					files[file] = "import pytest\n\npytestmark = pytest.mark.skip(reason=\"later\")\n" + src
				case strings.HasPrefix(file, "test/"):
					files[file] = strings.ReplaceAll(src, "  it(", "  it.skip(")
				}
			}
		default:
			files[name] = text
		}
	}
}

// test is a test file of one test that imports the module's function of the
// same name.
func (s stack) test(module, title, js, py string) string {
	if s.python() {
		return "from shop." + module + " import " + module + "\n\n\ndef test_" + title + "():\n" + py + "\n"
	}
	head := s.imports + "\nimport { " + module + " } from '../src/" + module + ".js';\n"
	if s.archive == "ts" {
		head = assertImport + "\nimport { describe, expect, it } from 'vitest';\nimport { " + module + " } from '../src/" + module + "';\n"
	}
	if s.archive == "cjs" {
		head = "const assert = require('node:assert/strict');\nconst { " + module + " } = require('../src/" + module + "');\n"
	}
	name := "renders"
	if title != "snap" {
		name = "holds"
	}
	return head + "\ndescribe('" + title + "', () => {\n  it('" + name + "', () => {\n    " + js + "\n  });\n});\n"
}

func (s stack) testFile(name string) string {
	if s.python() {
		return "tests/test_" + name + ".py"
	}
	return "test/" + name + ".test" + s.ext
}

func (s stack) pick(esm, cjs, py string) string {
	switch s.archive {
	case "cjs":
		return cjs
	case "py":
		return py
	}
	return esm
}
