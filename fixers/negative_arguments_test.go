package fixers

// argumentNegatives are changed signatures whose calls nobody can mend.
func argumentNegatives() []negative {
	test := func(imports, use string) string {
		return imports + "\n\ntest('a', () => {\n  expect(" + use + ").toBe(1);\n});\n"
	}
	js := func(src, use string) m {
		return m{"src/a.js": src, "test/a.test.js": test("import { a } from '../src/a.js';", use)}
	}
	py := func(src, use string) m {
		return m{"shop/__init__.py": "", "shop/a.py": src, "tests/test_a.py": "from shop.a import A\n\n\ndef test_a():\n    assert " + use + " == 1\n"}
	}
	a, b := func(s string) m { return m{"src/a.js": s} }, func(s string) m { return m{"shop/a.py": s} }
	const at, pyAt = "test/a.test.js:4", "tests/test_a.py:5"
	box := "export class Box {\n  put(name, size) { return size; }\n}\n"
	return []negative{
		{"an arrow's new parameter that no call gives", "assertion_mismatch", at, "", "expected NaN to be 1", js("export const a = (x) => x;\n", "a(1)"), a("export const a = (x, by) => x * by;\n")},
		{"an arrow's parameters stand for other things", "assertion_mismatch", at, "", "expected 2 to be 1", js("export const a = (low, high) => high - low;\n", "a(1, 2)"), a("export const a = (count, step) => count * step;\n")},
		{"an arrow's default changed", "assertion_mismatch", at, "", "expected 6 to be 1", js("export const a = (x, by = 0) => x + by;\n", "a(1)"), a("export const a = (x, by = 5) => x + by;\n")},
		{"an arrow that takes the rest now", "assertion_mismatch", at, "", "expected 3 to be 1", js("export const a = (x, y) => x;\n", "a(1, 2)"), a("export const a = (...xs) => xs[0] + xs[1];\n")},
		{"two functions of one name", "assertion_mismatch", at, "", "expected -1 to be 1", js("const mk = () => { const a = (x, y) => x - y; return a; };\nexport const a = (x, y) => y - x;\nmk();\n", "a(1, 2)"), a("const mk = () => { const a = (y, x) => x - y; return a; };\nexport const a = (x, y) => x - y;\nmk();\n")},
		{"a function inside another changed", "assertion_mismatch", at, "", "expected 2 to be 1", js("export { a } from './b.js';\nexport function mk() { const a = (x, y) => x; return a(1, 2); }\n", "a(1, 2)"), a("export { a } from './b.js';\nexport function mk() { const a = (y, x) => x; return a(2, 1); }\n")},
		{"a key of options changed its function", "assertion_mismatch", at, "", "expected 2 to be 1", js("export const a = (o) => o.pick(1, 2);\n", "a({ pick: (x, y) => x })"), m{"test/a.test.js": test("import { a } from '../src/a.js';", "a({ pick: (y, x) => x })")}},
		{"a method that another class has too", "assertion_mismatch", at, "", "expected 2 to be 1", m{"src/a.js": box, "src/b.js": "export class Bag {\n  put(name, size) { return size; }\n}\n", "test/a.test.js": test("import { make } from './make.js';", "make().put('x', 1)")}, a("export class Box {\n  put(size, name) { return size; }\n}\n")},
		{"a method that a subclass has too", "assertion_mismatch", at, "", "expected 2 to be 1", m{"src/a.js": box + "export class Crate extends Box {\n  put(name, size) { return size; }\n}\n", "test/a.test.js": test("import { Box } from '../src/a.js';", "new Box().put('x', 1)")}, a("export class Box {\n  put(size, name) { return size; }\n}\nexport class Crate extends Box {\n  put(name, size) { return size; }\n}\n")},
		{"a method of the name that arrays have", "assertion_mismatch", at, "", "expected 2 to be 1", m{"src/a.js": "export class Box {\n  fill(name, size) { return size; }\n}\n", "test/a.test.js": test("import { make } from './make.js';", "make().fill('x', 1)")}, a("export class Box {\n  fill(size, name) { return size; }\n}\n")},
		{"a lambda's new parameter that no call gives", "thrown_error", pyAt, "", "TypeError: <lambda>() missing 1 required positional argument: 'by'", py("A = lambda x: x\n", "A(1)"), b("A = lambda x, by: x * by\n")},
		{"a lambda's parameters stand for other things", "assertion_mismatch", pyAt, "", "assert 2 == 1", py("A = lambda low, high: high - low\n", "A(1, 2)"), b("A = lambda count, step: count * step\n")},
		{"a constructor's new parameter that no call gives", "thrown_error", pyAt, "", "TypeError: A.__init__() missing 1 required positional argument: 'unit'", py("class A:\n    def __init__(self, x):\n        self.x = x\n", "A(1).x"), b("class A:\n    def __init__(self, x, unit):\n        self.x = x\n        self.unit = unit\n")},
		{"a constructor's parameter that stands for another thing", "thrown_error", pyAt, "", "TypeError: 'int' object is not iterable", py("class A:\n    def __init__(self, x):\n        self.x = x\n", "A(1).x"), b("class A:\n    def __init__(self, items):\n        self.x = sum(items)\n")},
		{"arguments that are spread", "assertion_mismatch", at, "", "expected 2 to be 1", js("export const a = (x, y) => x;\n", "a(...[1, 2])"), a("export const a = (y, x) => x;\n")},
	}
}
