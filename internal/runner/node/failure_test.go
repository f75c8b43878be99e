package node

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang/js"
	"regreen/internal/runner"
)

// files is a tree in memory.
type files map[string]string

func (fs files) context() Context {
	return Context{Framework: "test", Root: "/box", Origin: "/repo", Language: js.Language{},
		Read: func(rel string) ([]byte, error) {
			if s, ok := fs[rel]; ok {
				return []byte(s), nil
			}
			return nil, os.ErrNotExist
		}}
}

// want is the part of a failure that a case states.
type want struct {
	Kind               runner.Kind
	File               string
	Line               int
	Symbol, Specifier  string
	Expected, Received string
}

const calcCJS = "function add(a, b) {\n  return a + b;\n}\nmodule.exports = { add };\n"

func TestFailure(t *testing.T) {
	calcTest := "const { addd, add } = require('../src/calc');\n\ndescribe('calc', () => {\n  beforeAll(() => {\n    boot();\n  });\n  it('adds', () => {\n    addd(2, 2);\n    'abc'.toUpperCas();\n  });\n});\n"
	esmTest := "import {\n  addd,\n  add,\n} from '../src/calc.js';\nimport * as calc from '../src/calc.js';\nimport dflt from '../src/calc.js';\n\ntest('adds', () => {\n  addd();\n  calc.sub(1);\n  dflt.x;\n});\n"
	esm := "export function add(a, b) {\n  return a + b;\n}\n"
	broken := "function add(a, b) {\n  return (a + b;\n}\n"
	id := runner.TestID{Framework: "test", File: "test/calc.test.js", Path: []string{"calc", "adds"}}
	file := runner.TestID{Framework: "test", File: "test/calc.test.js"}
	cjs := files{"src/calc.js": calcCJS, "test/calc.test.js": calcTest}
	mod := files{"src/calc.js": esm, "test/calc.test.js": esmTest}
	tests := []struct {
		name  string
		tree  files
		scope runner.Scope
		id    runner.TestID
		err   runner.RawError
		want  want
	}{
		{"required name that is not exported", cjs, runner.ScopeTest, id,
			runner.RawError{Stack: "TypeError: addd is not a function\n    at Object.<anonymous> (/box/test/calc.test.js:8:5)\n    at x (/repo/node_modules/jest-circus/build/run.js:1:1)"},
			want{Kind: runner.MissingExport, File: "test/calc.test.js", Line: 8, Symbol: "addd", Specifier: "../src/calc"}},
		{"babel's form of an imported name", mod, runner.ScopeTest, id,
			runner.RawError{Stack: "TypeError: (0 , _calc.addd) is not a function\n    at Object.<anonymous> (/box/test/calc.test.js:9:3)"},
			want{Kind: runner.MissingExport, File: "test/calc.test.js", Line: 9, Symbol: "addd", Specifier: "../src/calc.js"}},
		{"vite's form of an imported name", mod, runner.ScopeTest, id,
			runner.RawError{Name: "TypeError", Message: "(0 , __vite_ssr_import_0__.addd) is not a function", Stack: "TypeError: x\n    at /box/test/calc.test.js:9:3"},
			want{Kind: runner.MissingExport, File: "test/calc.test.js", Line: 9, Symbol: "addd", Specifier: "../src/calc.js"}},
		// vitest keeps frames below a folder of its own name to itself, whoever's it is.
		{"frame that the framework left out", mod, runner.ScopeTest, id,
			runner.RawError{Name: "ReferenceError", Message: "totl is not defined",
				Stack:  "ReferenceError: totl is not defined\n    at sum (/box/vitest/src/sum.js:4:18)\n    at /box/test/calc.test.js:10:8\n    at file:///box/node_modules/@vitest/runner/dist/a.js:1:1",
				Frames: []runner.RawFrame{{File: "/box/test/calc.test.js", Line: 10, Column: 8}}},
			want{Kind: runner.UndefinedVariable, File: "vitest/src/sum.js", Line: 4, Symbol: "totl"}},
		{"frames that stand elsewhere than the stack's", mod, runner.ScopeTest, id,
			runner.RawError{Name: "ReferenceError", Message: "totl is not defined",
				Stack:  "ReferenceError: totl is not defined\n    at sum (/box/dist/sum.js:4:18)\n    at /box/test/calc.test.js:3:1",
				Frames: []runner.RawFrame{{File: "/box/test/calc.test.js", Line: 10, Column: 8}}},
			want{Kind: runner.UndefinedVariable, File: "test/calc.test.js", Line: 10, Symbol: "totl"}},
		{"member of a namespace", mod, runner.ScopeTest, id,
			runner.RawError{Name: "TypeError", Message: "calc.sub is not a function", Stack: "TypeError: x\n    at /box/test/calc.test.js:10:8"},
			want{Kind: runner.MissingExport, File: "test/calc.test.js", Line: 10, Symbol: "sub", Specifier: "../src/calc.js"}},
		{"read of a default that is not there", mod, runner.ScopeTest, id,
			runner.RawError{Name: "TypeError", Message: "Cannot read properties of undefined (reading 'x')", Stack: "TypeError: x\n    at /box/test/calc.test.js:11:8"},
			want{Kind: runner.MissingExport, File: "test/calc.test.js", Line: 11, Symbol: "default", Specifier: "../src/calc.js"}},
		{"member of a string", cjs, runner.ScopeTest, id,
			runner.RawError{Stack: "TypeError: \"abc\".toUpperCas is not a function\n    at Object.<anonymous> (/box/test/calc.test.js:9:11)"},
			want{Kind: runner.AttributeError, File: "test/calc.test.js", Line: 9, Symbol: "toUpperCas"}},
		{"syntax error of the TypeScript compiler", files{"src/calc.ts": broken, "test/calc.test.js": ""}, runner.ScopeFile, file,
			runner.RawError{Stack: "\x1b[96msrc/calc.ts\x1b[0m:\x1b[93m2\x1b[0m:\x1b[93m16\x1b[0m - \x1b[91merror\x1b[0m\x1b[90m TS1005: \x1b[0m')' expected.\n\n\x1b[7m2\x1b[0m   return (a + b;\n"},
			want{Kind: runner.SyntaxError, File: "src/calc.ts", Line: 2, Symbol: ")"}},
		{"type error of the TypeScript compiler", files{"src/calc.ts": esm, "test/calc.test.js": ""}, runner.ScopeFile, file,
			runner.RawError{Stack: "src/calc.ts:2:10 - error TS2322: Type 'string' is not assignable to type 'number'.\n\n2   return a + b;\n"},
			want{Kind: runner.ThrownError, File: "src/calc.ts", Line: 2}},
		{"link error", mod, runner.ScopeFile, file,
			runner.RawError{Name: "SyntaxError", Message: "The requested module '../src/calc.js' does not provide an export named 'addd'",
				Stack: "file:///box/test/calc.test.js:2\n  addd,\n  ^^^^\nSyntaxError: The requested module\n    at ModuleJob._instantiate (node:internal/modules/esm/module_job:1:1)"},
			want{Kind: runner.MissingExport, File: "test/calc.test.js", Line: 2, Symbol: "addd", Specifier: "../src/calc.js"}},
		{"undefined name", cjs, runner.ScopeTest, id,
			runner.RawError{Stack: "ReferenceError: totl is not defined\n    at add (/box/src/calc.js:2:3)\n    at Object.<anonymous> (/box/test/calc.test.js:8:5)"},
			want{Kind: runner.UndefinedVariable, File: "src/calc.js", Line: 2, Symbol: "totl"}},
		{"undefined name in a hook", cjs, runner.ScopeHook, id,
			runner.RawError{Stack: "ReferenceError: boot is not defined\n    at Object.<anonymous> (/box/test/calc.test.js:5:5)"},
			want{Kind: runner.UndefinedVariable, File: "test/calc.test.js", Line: 5, Symbol: "boot"}},
		{"thrown in a hook", cjs, runner.ScopeHook, id,
			runner.RawError{Stack: "Error: down\n    at Object.<anonymous> (/box/test/calc.test.js:5:5)"},
			want{Kind: runner.HookError, File: "test/calc.test.js", Line: 5}},
		{"hook's timeout without a frame", cjs, runner.ScopeHook, id,
			runner.RawError{Message: "Timeout of 300ms exceeded. For async tests and hooks, ensure \"done()\" is called", Code: "ERR_MOCHA_TIMEOUT", Attr: map[string]string{"hook": `"before all" hook`}},
			want{Kind: runner.Timeout, File: "test/calc.test.js", Line: 4}},
		{"test's timeout without a frame", cjs, runner.ScopeTest, id,
			runner.RawError{Message: "Timeout of 300ms exceeded. For async tests and hooks, ensure \"done()\" is called"},
			want{Kind: runner.Timeout, File: "test/calc.test.js", Line: 7}},
		{"an own message about a timeout", cjs, runner.ScopeTest, id,
			runner.RawError{Name: "Error", Message: "request timed out in runWithTimeout", Stack: "Error: x\n    at runWithTimeout (/repo/node_modules/vitest/a.js:1:1)\n    at /box/test/calc.test.js:8:5"},
			want{Kind: runner.ThrownError, File: "test/calc.test.js", Line: 8}},
		{"jest cannot find a module", files{"test/calc.test.js": "\nconst { add } = require('../src/calx');\n"}, runner.ScopeFile, file,
			runner.RawError{Message: "Cannot find module '../src/calx' from 'test/calc.test.js'", Stack: "Error: Cannot find module '../src/calx' from 'test/calc.test.js'\n    at Resolver._throwModNotFoundError (/repo/node_modules/jest-resolve/build/index.js:1031:11)\n    at Object.require (/box/test/calc.test.js:2:17)"},
			want{Kind: runner.MissingImport, File: "test/calc.test.js", Line: 2, Symbol: "../src/calx", Specifier: "../src/calx"}},
		{"node's ES modules name the absolute path", files{"src/calc.js": "// x\nimport {\n  a,\n} from './mathutils.js';\n", "test/calc.test.js": "import '../src/calc.js';\n"}, runner.ScopeFile, file,
			runner.RawError{Code: "ERR_MODULE_NOT_FOUND", Message: "Cannot find module '/box/src/mathutils.js' imported from /box/src/calc.js"},
			want{Kind: runner.MissingImport, File: "src/calc.js", Line: 4, Symbol: "./mathutils.js", Specifier: "./mathutils.js"}},
		{"node's require stack", files{"src/calc.js": "const pad = require('left-padd');\n", "test/calc.test.js": "require('../src/calc');\n"}, runner.ScopeRun, file,
			runner.RawError{Code: "MODULE_NOT_FOUND", Message: "Cannot find module 'left-padd'\nRequire stack:\n- /box/src/calc.js\n- /box/test/calc.test.js"},
			want{Kind: runner.MissingImport, File: "src/calc.js", Line: 1, Symbol: "left-padd", Specifier: "left-padd"}},
		{"vite cannot resolve", files{"src/calc.js": "import x from './gone';\n", "test/calc.test.js": "import '../src/calc.js';\n"}, runner.ScopeFile, file,
			runner.RawError{Message: "Failed to resolve import \"./gone\" from \"src/calc.js\". Does the file exist?", Attr: map[string]string{"id": "/box/src/calc.js"}},
			want{Kind: runner.MissingImport, File: "src/calc.js", Line: 1, Symbol: "./gone", Specifier: "./gone"}},
		{"an own error with such a text", cjs, runner.ScopeTest, id,
			runner.RawError{Stack: "Error: Cannot find module 'plugin-x'\n    at load (/box/src/calc.js:2:3)"},
			want{Kind: runner.ThrownError, File: "src/calc.js", Line: 2}},
		{"JSON.parse is no syntax error", cjs, runner.ScopeFile, file,
			runner.RawError{Stack: "SyntaxError: Expected property name or '}' in JSON at position 1\n    at JSON.parse (<anonymous>)\n    at Object.<anonymous> (/box/test/calc.test.js:5:22)"},
			want{Kind: runner.ThrownError, File: "test/calc.test.js", Line: 5}},
		{"babel's position", files{"src/calc.js": broken, "test/calc.test.js": "require('../src/calc');\n"}, runner.ScopeFile, file,
			runner.RawError{Stack: "SyntaxError: /box/src/calc.js: Unexpected token, expected \",\" (2:15)\n\n  1 | function\n\n    at constructor (/repo/node_modules/@babel/parser/lib/index.js:1:1)"},
			want{Kind: runner.SyntaxError, File: "src/calc.js", Line: 2, Symbol: ")"}},
		{"vite's useless position", files{"src/calc.js": broken, "test/calc.test.js": "import '../src/calc.js';\n"}, runner.ScopeFile, file,
			runner.RawError{Message: "Failed to parse source for import analysis because the content contains invalid JS syntax.\n  Plugin: vite:import-analysis\n  File: /box/src/calc.js:1:0", Name: "Error"},
			want{Kind: runner.SyntaxError, File: "src/calc.js", Line: 2, Symbol: ")"}},
		{"vite names no file", files{"src/calc.js": broken, "test/calc.test.js": "import '../src/calc.js';\n"}, runner.ScopeFile, file,
			runner.RawError{Message: "Failed to parse source for import analysis because the content contains invalid JS syntax.", Name: "Error"},
			want{Kind: runner.SyntaxError, File: "src/calc.js", Line: 2, Symbol: ")"}},
		{"node's header", files{"test/calc.test.js": "describe('a', () => {\n  it('b', () => {\n  });\n"}, runner.ScopeRun, file,
			runner.RawError{Name: "SyntaxError", Message: "Unexpected end of input", Stack: "/box/test/calc.test.js:4\n\n\n\nSyntaxError: Unexpected end of input\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)"},
			want{Kind: runner.SyntaxError, File: "test/calc.test.js", Line: 4, Symbol: "});"}},
		{"a matcher's values", cjs, runner.ScopeTest, id,
			runner.RawError{Expected: "5", Actual: "4", Attr: map[string]string{"matcher": "toBe"}, Stack: "Error: expect(received).toBe(expected)\n\nExpected: 5\nReceived: 4\n    at Object.toBe (/box/test/calc.test.js:8:23)"},
			want{Kind: runner.AssertionMismatch, File: "test/calc.test.js", Line: 8, Expected: "5", Received: "4"}},
		{"another error's frames in a message", cjs, runner.ScopeTest, id,
			runner.RawError{Attr: map[string]string{"matcher": "toThrow"}, Stack: "Error: expect(received).toThrow(expected)\n\nExpected substring: \"no\"\nReceived message:   \"yes\"\n\n      1 | function\n\n      at add (src/calc.js:2:9)\n      at Object.<anonymous> (test/calc.test.js:8:9)\n\n    at Object.toThrow (/box/test/calc.test.js:9:23)"},
			want{Kind: runner.AssertionMismatch, File: "test/calc.test.js", Line: 9, Expected: `"no"`, Received: `"yes"`}},
		{"a snapshot", cjs, runner.ScopeTest, id,
			runner.RawError{Expected: `"{\n  \"sum\": 5,\n}"`, Actual: `"{\n  \"sum\": 4,\n}"`, Message: "Snapshot `calc > renders 1` mismatched", Stack: "Error: x\n    at /box/test/calc.test.js:8:23"},
			want{Kind: runner.SnapshotMismatch, File: "test/calc.test.js", Line: 8, Expected: `"sum": 5`, Received: `"sum": 4`}},
		{"an empty file", cjs, runner.ScopeFile, file,
			runner.RawError{Message: "Your test suite must contain at least one test.", Stack: "Error: x\n    at onResult (/repo/node_modules/@jest/core/build/index.js:1054:18)"},
			want{Kind: runner.NoTests, File: "test/calc.test.js"}},
		{"an exit", cjs, runner.ScopeRun, id,
			runner.RawError{Message: `process.exit unexpectedly called with "3"`, Stack: "Error: x\n    at process.exit (/repo/node_modules/vitest/x.js:1:1)\n    at /box/test/calc.test.js:8:5"},
			want{Kind: runner.Crash, File: "test/calc.test.js", Line: 8}},
		{"an unhandled rejection", cjs, runner.ScopeRun, id,
			runner.RawError{Attr: map[string]string{"unhandled": "rejection"}, Stack: "Error: lost promise\n    at /box/test/calc.test.js:8:20"},
			want{Kind: runner.UnhandledRejection, File: "test/calc.test.js", Line: 8}},
		{"a thrown string", cjs, runner.ScopeTest, id, runner.RawError{Message: `thrown: "boom"`},
			want{Kind: runner.ThrownError, File: "test/calc.test.js", Line: 7}},
		{"a wrapped cause", cjs, runner.ScopeTest, id,
			runner.RawError{Stack: "Error: cannot start\n    at /box/test/calc.test.js:8:5", Cause: &runner.RawError{Stack: "ReferenceError: prot is not defined\n    at start (/box/src/calc.js:2:3)"}},
			want{Kind: runner.UndefinedVariable, File: "src/calc.js", Line: 2, Symbol: "prot"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := Failure(tt.tree.context(), tt.scope, tt.id, tt.err)
			got := want{f.Kind, f.Place.File, f.Place.Line, f.Symbol, f.Specifier, f.Expected, f.Received}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("%s\nmessage %q", d, f.Message)
			}
		})
	}
}

func TestRel(t *testing.T) {
	c := files{"pkg/test/a.test.js": "", "src/b.js": ""}.context()
	c.Project = "pkg"
	tests := map[string]string{
		"/box/src/b.js":                 "src/b.js",
		"/repo/src/b.js":                "src/b.js",
		"file:///repo/src/b%20c.js?t=1": "src/b c.js",
		"test/a.test.js":                "pkg/test/a.test.js",
		"src/b.js":                      "src/b.js",
		"/box/node_modules/x/y.js":      "",
		"node:internal/process/task":    "",
		"/elsewhere/reporter.cjs":       "",
		"/box/../etc/passwd":            "",
		"<anonymous>":                   "",
		"/@fs/box/src/b.js":             "src/b.js",
	}
	for in, want := range tests {
		got, ok := Rel(c, in)
		if got != want && ok || ok != (want != "") {
			t.Errorf("Rel(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

func FuzzFailure(f *testing.F) {
	c := files{"src/calc.js": calcCJS, "test/calc.test.js": "require('../src/calc')\n"}.context()
	f.Add("TypeError", "(0 , a.b) is not a function", "TypeError: x\n    at a (/box/src/calc.js:1:2)")
	f.Add("SyntaxError", "/box/src/calc.js: Unexpected (99:1)", "")
	f.Fuzz(func(t *testing.T, name, message, stack string) {
		got := Failure(c, runner.ScopeFile, runner.TestID{File: "test/calc.test.js"}, runner.RawError{Name: name, Message: message, Stack: stack})
		if got.Kind == "" {
			t.Fatal("no kind")
		}
	})
}
