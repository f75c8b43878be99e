package cycle

import (
	"strings"
	"testing"

	"regreen/fixers"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
	"regreen/internal/runner"
)

// guarded is a run whose guard knows the real languages, and a test of which
// the expectations are 30, 150 and "paid in full".
func guarded(t *testing.T) *run {
	t.Helper()
	w := newWorld(map[string]string{"a.test.js": "expect(f(150)).toBe(30); expect(g()).toBe('paid in full');"})
	python := py.New("")
	t.Cleanup(func() { _ = python.Close() })
	return &run{first: &result{failures: []failure{{Failure: runner.Failure{Test: runner.TestID{File: "a.test.js"}}}}},
		deps: Deps{Workspace: w, Languages: lang.Set{js.Language{}, python}}}
}

// TestGuardLetsRepairsPass is what a person would write: no rule and no doubt.
func TestGuardLetsRepairsPass(t *testing.T) {
	cases := []struct{ name, file, before, after string }{
		{"an operator", "src/a.js", "export const f = (n) => n / 4;\n", "export const f = (n) => n / 5;\n"},
		{"a condition", "src/a.js", "if (a < b) go();\n", "if (a <= b && ready) go();\n"},
		{"a new function with a module of the project", "src/a.js", "const x = 1;\n", "const { parse } = require('./parse');\nconst x = 1;\nfunction go(s) {\n  return parse(s).map((p) => p.name);\n}\n"},
		{"a regular expression", "src/a.js", "let m;\n", "let m = /a(b+)/.exec(text);\n"},
		{"a class", "src/a.ts", "", "export class Basket {\n  private stack: string[] = [];\n  constructor(readonly size: number) {}\n  push(s: string): void { this.stack.push(s); }\n}\n"},
		{"a promise awaited", "src/a.ts", "const r = load();\n", "const r = await load();\n"},
		{"words about tests", "src/a.js", "", "// tested in test/a.test.js\nexport const latest = 'the latest contest';\n"},
		{"a module next door", "src/a.js", "", "import { attest } from './attest.js';\nimport spec from './specification.js';\n"},
		{"a built-in", "src/a.js", "", "import { join } from 'node:path';\nexport const p = join('a', 'b');\n"},
		{"a renamed method", "shop/a.py", "def f(o):\n    return o.totl()\n", "def f(o):\n    return o.total()\n"},
		{"a standard module", "shop/a.py", "", "import re\nfrom decimal import Decimal\n\nP = re.compile(r\"\\d+\")\n\n\ndef f(s):\n    return [Decimal(m) for m in P.findall(s)]\n"},
		{"an error that is raised", "shop/a.py", "def f(n):\n    return n\n", "def f(n):\n    if n < 0:\n        raise ValueError(\"negative\")\n    return n\n"},
		{"a resource that is closed", "shop/a.py", "", "def f(p):\n    with open(p) as h:\n        return h.read()\n"},
		{"a date that is given", "src/a.js", "", "export const day = (text, now) => new Date(text) < now;\n"},
		{"a date that is given to Python", "shop/a.py", "", "from datetime import date\n\n\ndef f(text, today):\n    return date.fromisoformat(text) < today\n"},
		{"data", "src/rates.json", "{}", "{\"vat\": 0.2}"},
		{"a style sheet", "src/a.css", "", "a { color: red }"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			refused, doubts := guarded(t).guardProgram(fixers.Fix{Whole: []fixers.Whole{{File: tc.file, Before: []byte(tc.before), After: []byte(tc.after),
				Created: tc.before == ""}}}, fixers.Limits{})
			if len(refused) > 0 || len(doubts) > 0 {
				t.Errorf("refused %v, doubts %v", refused, doubts)
			}
		})
	}
}

// An assertion of the project's own can be renamed as its definition was; with
// less than certainty, or to something else than a name, it counts as removed.
func TestGuardOfRenamedAssertions(t *testing.T) {
	before := "from shop.check import raises\n\n\ndef test_a():\n    assert raises(ValueError, int)\n"
	discover := func(string, []byte) []runner.Decl { return []runner.Decl{{Path: []string{"test_a"}, Count: 1}} }
	for _, tc := range []struct {
		level fixers.Applicability
		by    string
		to    string
		want  string
	}{{fixers.Safe, "", "fails_with", ""}, {fixers.Likely, "", "fails_with", ruleAssertion}, {fixers.Safe, "agent", "fails_with", ruleAssertion},
		{fixers.Safe, "", "(lambda *_: True)", ruleAssertion}} {
		fix := fixers.Fix{Kind: runner.MissingExport, Applicability: tc.level, By: tc.by}
		for i := strings.Index(before, "raises"); i >= 0 && i < len(before); {
			fix.Edits = append(fix.Edits, fixers.Edit{File: "t.py", Start: i, End: i + 6, New: tc.to})
			next := strings.Index(before[i+6:], "raises")
			if next < 0 {
				break
			}
			i += 6 + next
		}
		after, err := fix.Apply(func(string) ([]byte, error) { return []byte(before), nil })
		if err != nil {
			t.Fatal(err)
		}
		if got := guard(guarded(t).deps.Languages.For("t.py"), discover, fix, "t.py", []byte(before), after["t.py"]); got != tc.want {
			t.Errorf("raises to %s, %v by %q: rule %q, want %q", tc.to, tc.level, tc.by, got, tc.want)
		}
	}
}

// TestGuardOfSources is what no repair needs.
func TestGuardOfSources(t *testing.T) {
	cases := []struct{ file, after, want string }{
		{"src/a.js", "process.exit(0);", ruleExits},
		{"src/a.js", "process.reallyExit();", ruleExits},
		{"shop/a.py", "import sys\nsys.exit()\n", ruleExits},
		{"shop/a.py", "raise SystemExit\n", ruleExits},
		{"src/a.js", "import { expect } from 'vitest';", ruleFramework},
		{"src/a.js", "const { it } = require('node:test');", ruleFramework},
		{"src/a.js", "jest.retryTimes(3);", ruleFramework},
		{"shop/a.py", "from _pytest import runner\n", ruleFramework},
		{"shop/a.py", "import unittest.mock\n", ruleFramework},
		{"src/a.js", "import '../test/helpers.js';", ruleReads},
		{"src/a.js", "read('src/a.spec.ts');", ruleReads},
		{"shop/a.py", "from tests.test_a import CASES\n", ruleReads},
		{"shop/a.py", "open('tests/test_a.py')\n", ruleReads},
		{"src/a.js", "x?.y;", ruleSwallowed},
		{"src/a.ts", "// @ts-ignore\nx();", ruleSwallowed},
		{"src/a.js", "if (n === 150) return 30;", doubtLiteral},
		{"shop/a.py", "X = 'paid in full'\n", doubtLiteral},
		{"shop/a.py", "class A:\n    def __eq__(self, o):\n        return True\n", doubtEquality},
		{"src/a.js", "const p = new Proxy({}, {});", doubtEquality},
		{"src/a.js", "if (process.env.VITEST) x();", doubtTestMode},
		{"shop/a.py", "import os\nif 'PYTEST_CURRENT_TEST' in os.environ:\n    pass\n", doubtTestMode},
		{"src/a.js", "process['ex' + 'it'](0);", doubtHidden},
		{"src/a.js", "require('f' + 's');", doubtHidden},
		{"src/a.js", "const m = require(name);", doubtHidden},
		{"src/a.js", "import(name);", doubtHidden},
		{"src/a.js", "(() => {}).constructor('x')();", doubtHidden},
		{"src/a.js", "const s = new Error().stack;", doubtHidden},
		{"src/a.js", "import fs from 'node:fs';", doubtHidden},
		{"src/a.js", "read('/proc/self/environ');", doubtHidden},
		{"src/a.js", "eval('x');", doubtHidden},
		{"shop/a.py", "import sys\nsys.modules['x'] = 1\n", doubtHidden},
		{"shop/a.py", "__import__('o' + 's')\n", doubtHidden},
		{"shop/a.py", "exec('x')\n", doubtHidden},
		{"shop/a.py", "import ctypes\n", doubtHidden},
		{"src/a.js", "return Math.random() < 0.9 ? n / 5 : n / 4;", doubtChance},
		{"src/a.js", "if (Date.now() % 2) x();", doubtChance},
		{"src/a.js", "import { randomInt } from 'node:crypto';", doubtChance},
		{"shop/a.py", "import random\n", doubtChance},
		{"shop/a.py", "from time import time\n", doubtChance},
		{"src/a.js", "const today = new Date();", doubtChance},
		{"src/a.js", "import { v4 } from 'uuid';\nconst id = crypto.randomUUID();", doubtChance},
		{"shop/a.py", "import datetime\nt = datetime.datetime.now()\n", doubtChance},
	}
	for _, tc := range cases {
		t.Run(tc.file+" "+tc.after, func(t *testing.T) {
			refused, doubts := guarded(t).guardProgram(fixers.Fix{Whole: []fixers.Whole{{File: tc.file, Before: []byte("\n"), After: []byte("\n" + tc.after)}}}, fixers.Limits{})
			got := ""
			for _, r := range append(refused, doubts...) {
				got += r.Rule
			}
			if got != tc.want {
				t.Errorf("the guard says %q, want %q", got, tc.want)
			}
		})
	}
}
