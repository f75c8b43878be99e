package fixers

import (
	"maps"
	"strconv"
	"strings"
	"testing"

	"regreen/internal/runner"
)

// negative is a case in which nothing may be applied: what broke was meant, or
// nobody can tell what is meant. base are the files at the base, now those that
// differ; an empty text is a file that is gone. at is file:line.
type negative struct {
	name, kind, at, symbol, message string
	base, now                       map[string]string
}

type m = map[string]string

func negatives() []negative {
	jsTest := "import { a } from '../src/a.js';\n\ntest('a', () => {\n  expect(a(1)).toBe(1);\n});\n"
	pyTest := "from shop.a import a\n\n\ndef test_a():\n    assert a(1) == 1\n"
	js := func(src string) m { return m{"src/a.js": src, "test/a.test.js": jsTest} }
	py := func(src string) m { return m{"shop/__init__.py": "", "shop/a.py": src, "tests/test_a.py": pyTest} }
	a, b := func(s string) m { return m{"src/a.js": s} }, func(s string) m { return m{"shop/a.py": s} }
	return append(argumentNegatives(), []negative{
		{"a removed function, another stays", "missing_export", "test/a.test.js:1", "a", "", js("export function a(x) { return x; }\nexport const zebra = 5;\n"), a("export const zebra = 5;\n")},
		{"a removed class", "missing_export", "test/a.test.js:1", "a", "", js("export class a { go() { return 1; } }\nexport const other = [1, 2];\n"), a("export const other = [1, 2];\n")},
		{"a removed constant", "missing_export", "test/a.test.js:1", "a", "", js("export const a = (x) => x;\nexport const limit = 5;\n"), a("export const limit = 5;\n")},
		{"a function replaced by another", "missing_export", "test/a.test.js:1", "a", "", js("export function a(x) { return x; }\n"), a("export function parseHeader(text) { const [k, v] = text.split(':'); return { [k.trim()]: v.trim() }; }\n")},
		{"a default that went", "missing_export", "test/a.test.js:1", "a", "", js("export function a(x) { return x; }\nexport default a;\n"), a("export default class Store { constructor() { this.map = new Map(); } }\n")},
		{"a removed function", "missing_export", "tests/test_a.py:1", "a", "cannot import name 'a'", py("def a(x):\n    return x\n\n\nLIMIT = 5\n"), b("LIMIT = 5\n")},
		{"a removed Python class", "missing_export", "tests/test_a.py:1", "a", "cannot import name 'a'", py("class a:\n    def go(self):\n        return 1\n\n\ndef zebra():\n    return 2\n"), b("def zebra():\n    return 2\n")},
		{"a function that became two", "missing_export", "tests/test_a.py:1", "a", "cannot import name 'a'", py("def a(x):\n    return x + 1\n"), b("def first(x):\n    return x + 1\n\n\ndef second(x):\n    return x + 1\n")},
		{"a module that became empty", "missing_export", "tests/test_a.py:1", "a", "cannot import name 'a'", py("def a(x):\n    return x\n"), b("")},
		{"a deleted module", "missing_import", "test/a.test.js:1", "", "Cannot find module '../src/a.js'", js("export const a = (x) => x;\n"), m{"src/a.js": ""}},
		{"a deleted module beside an unlike one", "missing_import", "test/a.test.js:1", "", "Cannot find module '../src/a.js'", m{"src/a.js": "export const a = (x) => x;\n", "src/zebra.js": "export const stripes = 9;\n", "test/a.test.js": jsTest}, m{"src/a.js": ""}},
		{"a deleted Python module", "missing_import", "tests/test_a.py:1", "", "No module named 'shop.a'", py("def a(x):\n    return x\n"), m{"shop/a.py": ""}},
		{"a package that is not installed", "missing_import", "src/a.js:1", "", "Cannot find package 'left-padd-x'", js("export const a = (x) => x;\n"), a("import pad from 'left-padd-x';\nexport const a = (x) => pad(x);\n")},
		{"a scoped package", "missing_import", "src/a.js:1", "", "Cannot find package '@acme/pad'", js("export const a = (x) => x;\n"), a("import { pad } from '@acme/pad';\nexport const a = (x) => pad(x);\n")},
		{"a package's subpath", "missing_import", "src/a.js:1", "", "Cannot find package 'padkit'", js("export const a = (x) => x;\n"), a("import pad from 'padkit/deep/left';\nexport const a = (x) => pad(x);\n")},
		{"a Python package", "missing_import", "shop/a.py:1", "", "No module named 'left_padd_x'", py("def a(x):\n    return x\n"), b("import left_padd_x\n\n\ndef a(x):\n    return left_padd_x.pad(x)\n")},
		{"a Python package's module", "missing_import", "shop/a.py:1", "", "No module named 'acme'", py("def a(x):\n    return x\n"), b("from acme.text import pad\n\n\ndef a(x):\n    return pad(x)\n")},
		{"a local that was removed", "undefined_variable", "src/a.js:2", "offset", "offset is not defined", js("export function a(x) {\n  const offset = 0;\n  return x + offset;\n}\n"), a("export function a(x) {\n  return x + offset;\n}\n")},
		{"a parameter that was removed", "undefined_variable", "src/a.js:2", "scale", "scale is not defined", js("export function a(x, scale = 1) {\n  return x * scale;\n}\n"), a("export function a(x) {\n  return x * scale;\n}\n")},
		{"a name that was never there", "undefined_variable", "src/a.js:2", "computeTax", "computeTax is not defined", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  return computeTax(x);\n}\n")},
		{"a browser's global", "undefined_variable", "src/a.js:2", "window", "window is not defined", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  return window.scrollX + x;\n}\n")},
		{"a helper that was removed", "undefined_variable", "src/a.js:2", "clampValue", "clampValue is not defined", js("const clampValue = (x) => Math.max(0, x);\nexport const a = (x) => clampValue(x);\n"), a("\nexport const a = (x) => clampValue(x);\n")},
		{"a name of one letter", "undefined_variable", "src/a.js:2", "q", "q is not defined", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  return q;\n}\n")},
		{"a Python local that was removed", "undefined_variable", "shop/a.py:2", "offset", "name 'offset' is not defined", py("def a(x):\n    offset = 0\n    return x + offset\n"), b("def a(x):\n    return x + offset\n")},
		{"a Python helper that was removed", "undefined_variable", "shop/a.py:5", "clamp_value", "name 'clamp_value' is not defined", py("def clamp_value(x):\n    return max(0, x)\n\n\ndef a(x):\n    return clamp_value(x)\n"), b("LIMIT = 1\n\n\ndef a(x):\n    return clamp_value(x)\n")},
		{"a Python parameter that was removed", "undefined_variable", "shop/a.py:2", "scale", "name 'scale' is not defined", py("def a(x, scale=1):\n    return x * scale\n"), b("def a(x):\n    return x * scale\n")},
		{"a Python name that was never there", "undefined_variable", "shop/a.py:2", "compute_tax", "name 'compute_tax' is not defined", py("def a(x):\n    return x\n"), b("def a(x):\n    return compute_tax(x)\n")},
		{"a removed method", "attribute_error", "src/a.js:4", "weigh", "new Box(...).weigh is not a function", js("class Box {\n  weigh() { return 1; }\n  open() { return 2; }\n}\nexport const a = () => new Box().weigh();\n"), a("class Box {\n  open() { return 2; }\n}\nexport const a = () => new Box().weigh();\n")},
		{"a member of undefined", "attribute_error", "src/a.js:2", "name", "Cannot read properties of undefined (reading 'name')", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  return x.user.name;\n}\n")},
		{"a member of null", "attribute_error", "src/a.js:2", "length", "Cannot read properties of null (reading 'length')", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  return 'a'.match(/b/).length;\n}\n")},
		{"a method of an unknown thing", "attribute_error", "src/a.js:2", "refresh", "x.refresh is not a function", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  return x.refresh();\n}\n")},
		{"a removed Python method", "attribute_error", "shop/a.py:7", "weigh", "'Box' object has no attribute 'weigh'", py("class Box:\n    def weigh(self):\n        return 1\n\n    def open(self):\n        return 2\n\n\ndef a(x):\n    return Box().weigh()\n"), b("class Box:\n    def open(self):\n        return 2\n\n\ndef a(x):\n    return Box().weigh()\n")},
		{"None has no such thing", "attribute_error", "shop/a.py:2", "strip", "'NoneType' object has no attribute 'strip'", py("def a(x):\n    return x\n"), b("def a(x):\n    return {}.get(x).strip()\n")},
		{"a number is no list", "attribute_error", "shop/a.py:2", "append", "'int' object has no attribute 'append'", py("def a(x):\n    return x\n"), b("def a(x):\n    return x.append(1)\n")},
		{"an assignment without a value", "syntax_error", "src/a.js:2", "", "Unexpected token", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  const y = ;\n  return x;\n}\n")},
		{"an operator without its right side", "syntax_error", "src/a.js:2", "", "Unexpected token", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  const y = x + ;\n  return y;\n}\n")},
		{"a condition that is not there", "syntax_error", "src/a.js:2", "", "Unexpected token", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  if () return 1;\n  return x;\n}\n")},
		{"an import that has just begun", "syntax_error", "src/a.js:1", "", "Unexpected token", js("export const a = (x) => x;\n"), a("import { from\nexport const a = (x) => x;\n")},
		{"a Python assignment without a value", "syntax_error", "shop/a.py:2", "", "invalid syntax", py("def a(x):\n    return x\n"), b("def a(x):\n    y =\n    return x\n")},
		{"a Python condition that is not there", "syntax_error", "shop/a.py:2", "", "invalid syntax", py("def a(x):\n    return x\n"), b("def a(x):\n    if :\n        return 1\n    return x\n")},
		{"a Python import that has just begun", "syntax_error", "shop/a.py:1", "", "invalid syntax", py("def a(x):\n    return x\n"), b("from os import\n\n\ndef a(x):\n    return x\n")},
		{"a def without a body at the end", "syntax_error", "shop/a.py:5", "", "expected an indented block", py("def a(x):\n    return x\n"), b("def a(x):\n    return x\n\n\ndef more(y):\n")},
		{"a changed operator", "assertion_mismatch", "test/a.test.js:4", "", "expected 2 to be 1", js("export function a(x) {\n  return x * 1;\n}\n"), a("export function a(x) {\n  return x + 1;\n}\n")},
		{"a changed constant", "assertion_mismatch", "test/a.test.js:4", "", "expected 3 to be 1", js("const step = 0;\nexport const a = (x) => x + step;\n"), a("const step = 2;\nexport const a = (x) => x + step;\n")},
		{"a changed condition", "assertion_mismatch", "test/a.test.js:4", "", "expected 0 to be 1", js("export const a = (x) => (x > 0 ? x : 0);\n"), a("export const a = (x) => (x > 1 ? x : 0);\n")},
		{"another helper is called", "assertion_mismatch", "test/a.test.js:4", "", "expected 2 to be 1", js("const one = (x) => x;\nconst two = (x) => 2 * x;\nexport const a = (x) => one(x);\n"), a("const one = (x) => x;\nconst two = (x) => 2 * x;\nexport const a = (x) => two(x);\n")},
		{"a stale expectation", "assertion_mismatch", "test/a.test.js:4", "", "expected 1 to be 7", js("export const a = (x) => x;\n"), m{"test/a.test.js": strings.Replace(jsTest, "toBe(1)", "toBe(7)", 1)}},
		{"a changed operator in Python", "assertion_mismatch", "tests/test_a.py:5", "", "assert 2 == 1", py("def a(x):\n    return x * 1\n"), b("def a(x):\n    return x + 1\n")},
		{"a changed condition in Python", "assertion_mismatch", "tests/test_a.py:5", "", "assert 0 == 1", py("def a(x):\n    return x if x > 0 else 0\n"), b("def a(x):\n    return x if x > 1 else 0\n")},
		{"a stale expectation in Python", "assertion_mismatch", "tests/test_a.py:5", "", "assert 1 == 7", py("def a(x):\n    return x\n"), m{"tests/test_a.py": strings.Replace(pyTest, "== 1", "== 7", 1)}},
		{"a default changed", "assertion_mismatch", "test/a.test.js:4", "", "expected 6 to be 1", js("export const a = (x, plus = 0) => x + plus;\n"), a("export const a = (x, plus = 5) => x + plus;\n")},
		{"an error that is meant", "thrown_error", "src/a.js:2", "", "RangeError: too small", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  if (x < 2) throw new RangeError('too small');\n  return x;\n}\n")},
		{"an error that is meant in Python", "thrown_error", "shop/a.py:3", "", "ValueError: too small", py("def a(x):\n    return x\n"), b("def a(x):\n    if x < 2:\n        raise ValueError('too small')\n    return x\n")},
		{"a parameter that has no value", "thrown_error", "tests/test_a.py:5", "", "TypeError: a() missing 1 required positional argument: 'mode'", py("def a(x):\n    return x\n"), b("def a(x, mode):\n    return x if mode else 0\n")},
		{"a parameter that stands for another thing", "thrown_error", "tests/test_a.py:5", "", "TypeError: unsupported", py("def a(x):\n    return x\n"), b("def a(items):\n    return len(items)\n")},
		{"two parameters at once", "thrown_error", "tests/test_a.py:5", "", "TypeError: a() missing 2 required positional arguments", py("def a(x):\n    return x\n"), b("def a(x, low, high):\n    return min(max(x, low), high)\n")},
		{"an object instead of a number", "attribute_error", "src/a.js:1", "toFixed", "value.toFixed is not a function", js("export const a = (x) => x;\n"), a("export const a = ({ value }) => value.toFixed();\n")},
		{"a test that never ends", "timeout", "test/a.test.js:3", "", "timed out", js("export const a = (x) => x;\n"), a("export const a = (x) => { for (;;) if (x < 0) return x; };\n")},
		{"a browser's other global", "undefined_variable", "src/a.js:2", "document", "document is not defined", js("export function a(x) {\n  return x;\n}\n"), a("export function a(x) {\n  return document.title + x;\n}\n")},
		{"a recursion that never ends", "thrown_error", "src/a.js:1", "", "RangeError: Maximum call stack size exceeded", js("export const a = (x) => x;\n"), a("export const a = (x) => a(x + 1);\n")},
		{"a Python test that never ends", "timeout", "tests/test_a.py:4", "", "timed out", py("def a(x):\n    return x\n"), b("def a(x):\n    while x:\n        pass\n    return x\n")},
		{"a changed snapshot", "snapshot_mismatch", "test/a.test.js:4", "", "snapshot", js("export const a = (x) => `<b>${x}</b>`;\n"), a("export const a = (x) => `<i>${x}</i>`;\n")},
		{"a fixture that was removed", "missing_fixture", "tests/test_a.py:4", "basket", "fixture 'basket' not found", m{"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef basket():\n    return [1]\n\n\n@pytest.fixture\ndef zebra():\n    return 2\n", "tests/test_a.py": "def test_a(basket):\n    assert basket\n"}, m{"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef zebra():\n    return 2\n"}},
		{"a fixture of a plugin that is not installed", "missing_fixture", "tests/test_a.py:1", "mocker", "fixture 'mocker' not found", m{"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef basket():\n    return [1]\n", "tests/test_a.py": "def test_a(basket):\n    assert basket\n"}, m{"tests/test_a.py": "def test_a(mocker):\n    assert mocker\n\n\ndef test_b(mocker):\n    assert mocker\n"}},
		{"a fixture that became two", "missing_fixture", "tests/test_a.py:1", "basket", "fixture 'basket' not found", m{"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef basket():\n    return [1]\n", "tests/test_a.py": "def test_a(basket):\n    assert basket\n\n\ndef test_b(basket):\n    assert basket\n"}, m{"tests/conftest.py": "import pytest\n\n\n@pytest.fixture\ndef full():\n    return [1]\n\n\n@pytest.fixture\ndef empty():\n    return [1]\n"}},
		{"a clock that is turned on less far", "assertion_mismatch", "test/a.test.js:6", "", "expected 0 to be 1", m{"src/a.js": "export const a = (f) => setTimeout(f, 100);\n", "test/a.test.js": "import { a } from '../src/a.js';\ntest('a', () => {\n  vi.useFakeTimers();\n  const f = vi.fn(); a(f);\n  vi.advanceTimersByTime(100);\n  expect(f).toHaveBeenCalledTimes(1);\n});\n"}, m{"test/a.test.js": "import { a } from '../src/a.js';\ntest('a', () => {\n  vi.useFakeTimers();\n  const f = vi.fn(); a(f);\n  vi.advanceTimersByTime(50);\n  expect(f).toHaveBeenCalledTimes(1);\n});\n"}},
		{"a source that waits longer than the test's clock", "assertion_mismatch", "test/a.test.js:6", "", "expected 0 to be 1", m{"src/a.js": "export const a = (f) => setTimeout(f, 100);\n", "test/a.test.js": "import { a } from '../src/a.js';\ntest('a', () => {\n  vi.useFakeTimers();\n  const f = vi.fn(); a(f);\n  vi.advanceTimersByTime(100);\n  expect(f).toHaveBeenCalledTimes(1);\n});\n"}, m{"src/a.js": "export const a = (f) => setTimeout(f, 200);\n"}},
		{"node's clock that is turned on less far", "assertion_mismatch", "test/a.test.js:7", "", "0 == 1", m{"src/a.js": "export const a = (f) => setTimeout(f, 100);\n", "test/a.test.js": "import { mock } from 'node:test';\nimport { a } from '../src/a.js';\nit('a', () => {\n  mock.timers.enable();\n  let n = 0; a(() => { n++; });\n  mock.timers.tick(100);\n  assert.equal(n, 1);\n});\n"}, m{"test/a.test.js": "import { mock } from 'node:test';\nimport { a } from '../src/a.js';\nit('a', () => {\n  mock.timers.enable();\n  let n = 0; a(() => { n++; });\n  mock.timers.tick(50);\n  assert.equal(n, 1);\n});\n"}},
		{"a source that waits longer than node's clock", "assertion_mismatch", "test/a.test.js:7", "", "0 == 1", m{"src/a.js": "export const a = (f) => setTimeout(f, 100);\n", "test/a.test.js": "import { mock } from 'node:test';\nimport { a } from '../src/a.js';\nit('a', () => {\n  mock.timers.enable();\n  let n = 0; a(() => { n++; });\n  mock.timers.tick(100);\n  assert.equal(n, 1);\n});\n"}, m{"src/a.js": "export const a = (f) => setTimeout(f, 200);\n"}},
		{"a source that calls back only once it is asked to", "assertion_mismatch", "test/a.test.js:7", "", "0 == 1", m{"src/a.js": "export const a = (f) => setTimeout(f, 100);\n", "test/a.test.js": "import { mock } from 'node:test';\nimport { a } from '../src/a.js';\nit('a', () => {\n  mock.timers.enable();\n  let n = 0; a(() => { n++; });\n  mock.timers.tick(100);\n  assert.equal(n, 1);\n});\n"}, m{"src/a.js": "export const a = (f) => ({ start: () => setTimeout(f, 100) });\n"}},
		{"a name that no import ever gave", "undefined_variable", "src/a.js:3", "unrelated", "unrelated is not defined", m{"src/b.js": "export const one = 1;\n", "src/a.js": "import { one } from './b.js';\n\nexport const a = (x) => x * one;\n", "test/a.test.js": jsTest}, m{"src/a.js": "import { one } from './b.js';\n\nexport const a = (x) => x * one + unrelated;\n"}},
		{"a hook that fails for good", "hook_error", "test/a.test.js:3", "", "connect ECONNREFUSED", js("export const a = (x) => x;\n"), a("export const a = (x) => { throw new Error('connect ECONNREFUSED'); };\n")},
		{"a crash", "crash", "src/a.js:1", "", "exit code 3", js("export const a = (x) => x;\n"), a("export const a = (x) => process.exit(3);\n")},
		{"an export of a like name that does another thing", "missing_export", "test/a.test.js:1", "load", "", m{"src/a.js": "export function load(x) {\n  return x;\n}\n", "test/a.test.js": strings.ReplaceAll(jsTest, "a }", "load }")}, a("export function lead(team, when) {\n  for (const one of team) one.follow(when);\n  return team.length > 0;\n}\n")},
		{"a Python function of a like name that does another thing", "missing_export", "tests/test_a.py:1", "load", "cannot import name 'load'", m{"shop/__init__.py": "", "shop/a.py": "def load(x):\n    return x\n", "tests/test_a.py": strings.ReplaceAll(pyTest, "import a", "import load")}, b("def lead(team, when):\n    for one in team:\n        one.follow(when)\n    return len(team) > 0\n")},
		{"a changed text", "assertion_mismatch", "test/a.test.js:4", "", "expected 'item' to be 1", js("const label = 'items';\nexport const a = (x) => label.length - 5 + x;\n"), a("const label = 'item';\nexport const a = (x) => label.length - 5 + x;\n")},
		{"a changed text in Python", "assertion_mismatch", "tests/test_a.py:5", "", "assert 0 == 1", py("LABEL = 'items'\n\n\ndef a(x):\n    return len(LABEL) - 5 + x\n"), b("LABEL = 'item'\n\n\ndef a(x):\n    return len(LABEL) - 5 + x\n")},
		{"the other way round", "assertion_mismatch", "test/a.test.js:4", "", "expected 2 to be 1", js("export const a = (x) => [x, 2].sort((p, q) => p - q)[0];\n"), a("export const a = (x) => [x, 2].sort((p, q) => q - p)[0];\n")},
		{"another division in Python", "assertion_mismatch", "tests/test_a.py:5", "", "assert 1.5 == 1", py("def a(x):\n    return (x + 2) // 2\n"), b("def a(x):\n    return (x + 2) / 2\n")},
		{"a loop that ends earlier in Python", "assertion_mismatch", "tests/test_a.py:5", "", "assert 0 == 1", py("def a(x):\n    return sum(range(x + 1))\n"), b("def a(x):\n    return sum(range(x))\n")},
		{"another pattern", "assertion_mismatch", "test/a.test.js:4", "", "expected 0 to be 1", js("export const a = (x) => String(x).match(/\\d/g).length;\n"), a("export const a = (x) => (String(x).match(/\\d\\d/g) ?? []).length;\n")},
		{"a variable of a like name is read", "assertion_mismatch", "test/a.test.js:4", "", "expected 5 to be 1", js("const lower = 0;\nconst lowest = 4;\nexport const a = (x) => x + lower;\n"), a("const lower = 0;\nconst lowest = 4;\nexport const a = (x) => x + lowest;\n")},
		{"a variable of a like name is read in Python", "assertion_mismatch", "tests/test_a.py:5", "", "assert 5 == 1", py("LOWER = 0\nLOWEST = 4\n\n\ndef a(x):\n    return x + LOWER\n"), b("LOWER = 0\nLOWEST = 4\n\n\ndef a(x):\n    return x + LOWEST\n")},
		{"a rejection that is meant", "unhandled_rejection", "src/a.js:1", "", "Error: no", js("export const a = (x) => x;\n"), a("Promise.reject(new Error('no'));\nexport const a = (x) => x;\n")},
	}...)
}

func TestNegatives(t *testing.T) {
	langs := languages(t)
	for _, n := range negatives() {
		t.Run(n.name, func(t *testing.T) {
			now := maps.Clone(n.base)
			for rel, src := range n.now {
				if now[rel] = src; src == "" && rel != "shop/a.py" || src == "" && n.kind == "missing_import" {
					delete(now, rel)
				}
			}
			file, line, _ := strings.Cut(n.at, ":")
			at, err := strconv.Atoi(line)
			if err != nil {
				t.Fatal(err)
			}
			f := runner.Failure{Scope: runner.ScopeTest, Kind: runner.Kind(n.kind), Symbol: n.symbol, Message: n.message, Place: runner.Place{File: file, Line: at}}
			f.Test.File = "test/a.test.js"
			if _, ok := n.base[f.Test.File]; !ok {
				f.Test.File = "tests/test_a.py"
			}
			if i := strings.LastIndexByte(strings.TrimSuffix(n.message, "'"), '\''); n.kind == "missing_import" && i >= 0 {
				f.Specifier = strings.TrimSuffix(n.message[i+1:], "'")
			}
			c := Cause{Kind: f.Kind, Place: f.Place, Symbol: f.Symbol, Specifier: f.Specifier, Message: f.Message, Failures: []runner.Failure{f}}
			got, err := Candidates(t.Context(), c, newMemory(langs, n.base, now), New(Options{}))
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range got {
				if x.Applicability > Propose {
					t.Errorf("%q would be applied: %s", x.Title, x.Evidence)
				}
			}
		})
	}
}

// At least as many cases where nothing may be done as where something must.
func TestThereAreAsManyNegatives(t *testing.T) {
	acts, rests := 0, len(negatives())
	for _, first := range goldenFirsts(t) {
		if first == "none" || first == "ambiguous" {
			rests++
		} else {
			acts++
		}
	}
	if rests < acts {
		t.Errorf("%d cases where nothing may be applied, %d where something must", rests, acts)
	}
}
