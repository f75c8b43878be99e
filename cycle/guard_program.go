package cycle

import (
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"regreen/fixers"
	"regreen/internal/lang"
	"regreen/internal/runner"
)

// The rules for programs, beside those for every fixer: what they make was
// written by nobody whom the user knows.
const (
	ruleTestFile  = "test file changed"
	ruleSupport   = "test support changed"
	ruleLink      = "link made or changed"
	ruleShadow    = "name of the test framework taken"
	ruleFramework = "source reaches into the test framework"
	ruleReads     = "source reads the tests"
	ruleExits     = "source ends the process"
	ruleSecret    = "secret in the change"
	ruleRemoved   = "test gone while it ran"
	ruleSkipped   = "test skipped while it ran"
	ruleEnded     = "the run was ended from inside"
	ruleUnsound   = "the report is not sound"
	// doubts: such a change is only ever proposed.
	doubtEquality = "equality or comparison redefined"
	doubtLiteral  = "a value that a test expects, written into the source"
	doubtTestMode = "source asks whether it is tested"
	doubtHidden   = "source reaches beyond what can be judged"
	doubtChance   = "source goes by chance or by the clock"
)

// supportFolders hold what tests are made of.
var supportFolders = []string{"test", "tests", "__tests__", "__mocks__", "__fixtures__", "spec", "specs", "e2e", "testing", "testdata", "test_data", "fixtures"}

// frameworkNames are modules and globals of test frameworks.
var frameworkNames = []string{"jest", "vitest", "vi", "mocha", "pytest", "_pytest", "unittest", "chai", "sinon", "describe", "beforeEach", "afterEach",
	"beforeAll", "afterAll", "expect", "importorskip"}

// frameworkModules begin the specifiers of test frameworks.
var frameworkModules = []string{"jest", "@jest/", "vitest", "@vitest/", "mocha", "pytest", "_pytest", "unittest", "node:test", "chai", "sinon", "nose"}

// equalityNames redefine what is equal to what.
var equalityNames = []string{"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__", "__bool__", "__instancecheck__", "__subclasscheck__",
	"__getattribute__", "__class__", "__repr__", "valueOf", "toPrimitive", "hasInstance", "toStringTag", "asymmetricMatch", "Proxy", "toJSON", "setPrototypeOf", "__proto__"}

// testModes are the marks by which code sees that it is tested, and the ways
// to look at who calls.
var testModes = []string{"JEST_WORKER_ID", "VITEST", "VITEST_WORKER_ID", "VITEST_POOL_ID", "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "NODE_ENV", "NODE_TEST_CONTEXT",
	"argv", "_getframe", "currentframe", "getouterframes", "extract_stack", "format_stack", "captureStackTrace", "prepareStackTrace", "settrace", "setprofile"}

// chanceNames and chanceModules give another value in each run. What passes by
// them now may not in the next run. A date that is read from a text does not.
var (
	chanceNames = []string{"random", "randomUUID", "randomBytes", "randomInt", "getRandomValues", "uuid1", "uuid4", "urandom",
		"now", "utcnow", "today", "hrtime", "perf_counter", "monotonic", "time_ns", "process_time"}
	chanceModules = []string{"random", "secrets", "time"}
)

// goesByChance tells whether what is new in a file may differ from run to run.
func goesByChance(old, now words) bool {
	return now.clock > old.clock || slices.ContainsFunc(chanceNames, func(name string) bool {
		return now.members[name] > old.members[name] || name != "now" && name != "today" && now.idents[name] > old.idents[name]
	}) || slices.ContainsFunc(now.imports, func(imp string) bool {
		top, _, _ := strings.Cut(imp, ".")
		return !slices.Contains(old.imports, imp) && slices.Contains(chanceModules, top)
	})
}

// hiddenNames make code or reach for anything by a name that is put together
// as it runs; hiddenModules give a hand on the process itself.
var (
	hiddenNames = []string{"globalThis", "__import__", "import_module", "__dict__", "__globals__", "__builtins__", "__subclasses__", "__mro__", "__code__",
		"Reflect", "defineProperty", "defineProperties", "prototype", "createRequire", "removeAllListeners", "binding", "getBuiltinModule", "mainModule",
		"dlopen", "_linkedBinding", "environ"}
	// These are something else as a member (re.compile, pattern.exec), and that
	// only as a member.
	hiddenBare    = []string{"eval", "exec", "compile", "Function", "getattr", "setattr", "delattr", "globals", "locals", "vars"}
	hiddenMembers = []string{"constructor", "modules"}
	hiddenModules = []string{"fs", "fs/promises", "os", "vm", "v8", "module", "process", "child_process", "worker_threads", "inspector", "repl", "cluster",
		"sys", "inspect", "gc", "ctypes", "importlib", "builtins", "subprocess", "atexit", "signal", "traceback", "types", "site", "code", "pdb", "_thread",
		"multiprocessing", "faulthandler", "threading", "weakref",
		// What tests compare with.
		"assert", "assert/strict", "expect", "should", "mock", "dirty_equals", "testfixtures"}
)

// reachesFar tells whether what is new in a file could do anything at all: a
// look at it says nothing then.
func reachesFar(old, now words) bool {
	for _, name := range slices.Concat(hiddenNames, hiddenBare) {
		if now.idents[name] > old.idents[name] {
			return true
		}
	}
	for _, name := range slices.Concat(hiddenMembers, hiddenNames) {
		if now.members[name] > old.members[name] {
			return true
		}
	}
	for _, imp := range now.imports {
		top, _, _ := strings.Cut(imp, ".")
		name := strings.TrimPrefix(imp, "node:")
		if !slices.Contains(old.imports, imp) && (slices.Contains(hiddenModules, name) || slices.Contains(hiddenModules, top)) {
			return true
		}
	}
	return now.computed > old.computed || now.patched > old.patched || slices.ContainsFunc(now.strings, func(s string) bool {
		return strings.Contains(s, "/proc/") && !slices.Contains(old.strings, s)
	})
}

// guardProgram applies the guard to all that a program changed. doubts break
// no rule, but let only a person merge it.
func (c *run) guardProgram(fix fixers.Fix, limits fixers.Limits) (refused, doubts []Refused) {
	add := func(list *[]Refused, rule, file string) {
		*list = append(*list, Refused{Rule: rule, File: file, By: fix.By})
	}
	lines := 0
	for _, w := range fix.Whole {
		if rule := c.programRule(w); rule != "" {
			add(&refused, rule, w.File)
		} else if doubt := c.programDoubt(w); doubt != "" {
			add(&doubts, doubt, w.File)
		}
		if c.deps.Secrets.Holds(w.After) && !c.deps.Secrets.Holds(w.Before) {
			add(&refused, ruleSecret, w.File)
		}
		lines += changedLines(w)
	}
	if limits.Files > 0 && len(fix.Whole) > limits.Files {
		add(&refused, fmt.Sprintf("file budget: %d files are changed, %d are allowed", len(fix.Whole), limits.Files), fix.Whole[0].File)
	}
	if limits.Lines > 0 && lines > limits.Lines {
		add(&refused, fmt.Sprintf("line budget: %d lines are changed, %d are allowed", lines, limits.Lines), fix.Whole[0].File)
	}
	return refused, doubts
}

// changedLines are those added and removed.
func changedLines(w fixers.Whole) int {
	n := 0
	for line := range strings.Lines(udiff.Unified("a", "b", string(w.Before), string(w.After))) {
		if (line[0] == '+' || line[0] == '-') && !strings.HasPrefix(line, "+++ ") && !strings.HasPrefix(line, "--- ") {
			n++
		}
	}
	return n
}

// programRule gives the rule that one changed file breaks.
func (c *run) programRule(w fixers.Whole) string {
	l := c.deps.Languages.For(w.File)
	discover := c.discover(w.File)
	if rule := guard(l, nil, fixers.Fix{}, w.File, w.Before, w.After); rule == ruleOutside || rule == ruleProtected {
		return rule
	}
	parts := strings.Split(w.File, "/")
	stem, _, _ := strings.Cut(parts[len(parts)-1], ".")
	switch {
	case (w.Mode|w.BeforeMode)&fs.ModeSymlink != 0:
		return ruleLink
	case (discover != nil || c.deps.Workspace.IsTest(w.File)) && w.Deleted:
		return ruleTestRemoved
	case discover != nil || c.deps.Workspace.IsTest(w.File):
		if rule := guard(l, discover, fixers.Fix{}, w.File, w.Before, w.After); rule != "" && !w.Created {
			return rule
		}
		return ruleTestFile
	case c.isSupport(w.File, parts):
		return ruleSupport
	case w.Created && slices.ContainsFunc(append(parts[:len(parts)-1:len(parts)-1], stem), isFrameworkName):
		return ruleShadow
	case l == nil:
		return ""
	}
	if rule := guard(l, nil, fixers.Fix{}, w.File, w.Before, w.After); rule != "" {
		return rule
	}
	return sourceRule(l, w)
}

func isFrameworkName(name string) bool {
	switch name {
	case "jest", "vitest", "mocha", "pytest", "_pytest", "unittest", "chai", "assert", "sitecustomize", "usercustomize", "conftest", "builtins":
		return true
	}
	return false
}

// isSupport tells what tests are set up with or made of.
func (c *run) isSupport(file string, parts []string) bool {
	name := strings.ToLower(parts[len(parts)-1])
	if slices.ContainsFunc(parts[:len(parts)-1], func(dir string) bool { return slices.Contains(supportFolders, strings.ToLower(dir)) }) {
		return true
	}
	stem := strings.TrimSuffix(name, path.Ext(name))
	for _, mark := range []string{"conftest", "setuptests", "testsetup", "jest.setup", "vitest.setup", "test-setup", "test_setup", "setup-tests", "setup_tests",
		"jest-setup", "vitest-setup", "test-utils", "test_utils", "testutils", "test-helpers", "test_helpers"} {
		if stem == mark {
			return true
		}
	}
	for _, u := range c.deps.Units {
		if slices.Contains(u.Layout.Global, file) || starts(u.Project, file) {
			return true
		}
		if u.Layout.Implicit == nil {
			continue
		}
		for _, t := range c.first.failures {
			if t.Test.File != "" && slices.Contains(u.Layout.Implicit(t.Test.File), file) {
				return true
			}
		}
	}
	return false
}

// starts tells whether the command or an argument of a project names the file:
// it is a part of what runs the tests then, such as scripts/test.js.
func starts(p runner.Project, file string) bool {
	for _, word := range slices.Concat(p.Command, p.Args) {
		if _, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(word, "-") {
			word = value
		}
		abs := filepath.IsAbs(word)
		word = filepath.ToSlash(word)
		if path.Join(p.Root, word) == file || abs && strings.HasSuffix(word, "/"+file) {
			return true
		}
	}
	return false
}

// sourceRule judges what is new in a source file.
func sourceRule(l lang.Language, w fixers.Whole) string {
	old, now := vocabulary(l, w.File, w.Before), vocabulary(l, w.File, w.After)
	for _, imp := range now.imports {
		if slices.Contains(old.imports, imp) {
			continue
		}
		if slices.ContainsFunc(frameworkModules, func(m string) bool {
			return imp == m || strings.HasPrefix(imp, m+"/") || strings.HasPrefix(imp, m+".") || strings.HasSuffix(m, "/") && strings.HasPrefix(imp, m)
		}) {
			return ruleFramework
		}
		if looksLikeTest(imp) {
			return ruleReads
		}
	}
	for _, name := range frameworkNames {
		if now.idents[name] > 0 && old.idents[name] == 0 {
			return ruleFramework
		}
	}
	for _, s := range now.strings {
		if !slices.Contains(old.strings, s) && looksLikeTest(s) {
			return ruleReads
		}
	}
	if now.exits > old.exits {
		return ruleExits
	}
	return ""
}

// looksLikeTest knows paths and modules of tests.
func looksLikeTest(s string) bool {
	s = strings.ToLower(strings.ReplaceAll(s, `\`, "/"))
	if strings.ContainsAny(s, " \n") {
		return false
	}
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '/' }) {
		base := strings.TrimSuffix(part, path.Ext(part))
		switch {
		case slices.Contains(supportFolders[:5], part) && part != "test" && part != s, strings.HasSuffix(base, ".test"), strings.HasSuffix(base, ".spec"),
			strings.Contains(part, ".test.") || strings.Contains(part, ".spec."), base == "conftest",
			strings.HasPrefix(base, "test_") && path.Ext(part) == ".py":
			return true
		}
	}
	// A Python module: tests.test_tax.
	for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == '.' }) {
		if !strings.Contains(s, "/") && (part == "tests" && part != s || part == "conftest" || strings.HasPrefix(part, "test_") && strings.Contains(s, ".")) {
			return true
		}
	}
	return strings.HasPrefix(s, "test/") || strings.Contains(s, "/test/")
}

// programDoubt says what in a source file lets only a person merge it.
func (c *run) programDoubt(w fixers.Whole) string {
	l := c.deps.Languages.For(w.File)
	if l == nil || w.Deleted {
		return ""
	}
	old, now := vocabulary(l, w.File, w.Before), vocabulary(l, w.File, w.After)
	for _, name := range equalityNames {
		if now.idents[name]+now.members[name] > old.idents[name]+old.members[name] {
			return doubtEquality
		}
	}
	for _, name := range testModes {
		if now.idents[name]+now.members[name] > old.idents[name]+old.members[name] || slices.Contains(now.strings, name) && !slices.Contains(old.strings, name) {
			return doubtTestMode
		}
	}
	if reachesFar(old, now) {
		return doubtHidden
	}
	if goesByChance(old, now) {
		return doubtChance
	}
	base := words{}
	if src, ok := c.deps.Workspace.Base(w.File); ok {
		base = vocabulary(l, w.File, src)
	}
	expected := c.expectations()
	for _, lit := range append(slices.Clone(now.numbers), now.strings...) {
		if slices.Contains(old.numbers, lit) || slices.Contains(old.strings, lit) || slices.Contains(base.numbers, lit) || slices.Contains(base.strings, lit) {
			continue // also one that was there at the base is no invention
		}
		if !common(lit) && slices.Contains(expected, lit) && !slices.Contains(now.imports, lit) {
			return doubtLiteral
		}
	}
	return ""
}

// common literals say nothing.
func common(lit string) bool {
	return len(lit) < 2 || lit == "10" || lit == "100" || lit == "00" || lit == "0.0" || lit == "1.0"
}

// expectations are the literals of the test files that failed.
func (c *run) expectations() []string {
	var out []string
	seen := map[string]bool{}
	for _, f := range c.first.failures {
		file := f.Test.File
		l := c.deps.Languages.For(file)
		if file == "" || seen[file] || l == nil {
			continue
		}
		seen[file] = true
		if src, err := c.deps.Workspace.ReadFile(file); err == nil {
			v := vocabulary(l, file, src)
			out = append(append(out, v.numbers...), v.strings...)
		}
	}
	return out
}

// cheats names what a change did to the run itself.
func cheats(before, after *result, p plan, f fixers.Fix) []Refused {
	files := strings.Join(f.Files(), ", ")
	var out []Refused
	switch {
	case after.timedOut:
		return nil
	case !after.ended:
		out = append(out, Refused{Rule: ruleEnded, File: files})
	case after.distrust != "":
		out = append(out, Refused{Rule: ruleUnsound + ": " + after.distrust, File: files})
	case crashed(after) && !crashed(before):
		out = append(out, Refused{Rule: ruleEnded, File: files})
	}
	var names []string
	rules := map[string]string{}
	for k, t := range before.tests {
		if !p.has(k.unit, t.ID.File) || t.Verdict == runner.None || t.NotRun {
			continue
		}
		now, ok := after.tests[k]
		name := testName(t.ID)
		switch {
		case (!ok || now.Verdict == runner.None) && after.ended && !loadFails(after, t.ID.File):
			rules[name] = ruleRemoved
		case ok && (now.Verdict == runner.Skipped || now.Verdict == runner.Todo) && t.Verdict != runner.Skipped && t.Verdict != runner.Todo:
			rules[name] = ruleSkipped
		default:
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out = append(out, Refused{Rule: rules[name] + ": " + name, File: files})
		break // one says enough
	}
	return out
}

func crashed(r *result) bool {
	return slices.ContainsFunc(r.failures, func(f failure) bool { return f.Kind == runner.Crash })
}

// loadFails tells whether the file failed as a whole: its tests are then not
// gone, but not reached.
func loadFails(r *result, file string) bool {
	return slices.ContainsFunc(r.failures, func(f failure) bool { return f.Scope != runner.ScopeTest && f.Test.File == file })
}
