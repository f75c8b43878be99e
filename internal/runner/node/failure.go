package node

import (
	"bytes"
	"encoding/json"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// Failure turns an error as a reporter saw it into what went wrong and where.
//
// The reporters give structure in e.Attr where they have it: "matcher" (an
// assertion library's own mark), "id" (the file a transform failed on),
// "unhandled" ("rejection" or "exception"), "hook" (the hook's call:
// beforeAll, before each, …). Columns count from 1.
func Failure(c Context, scope runner.Scope, test runner.TestID, e runner.RawError) runner.Failure {
	f := classify(c, scope, test, e)
	// An error that only wraps another says less than what it wraps.
	for cause, depth := e.Cause, 0; cause != nil && depth < 4 && f.Kind == runner.ThrownError; cause, depth = cause.Cause, depth+1 {
		inner := classify(c, scope, test, *cause)
		if mechanical(inner.Kind) || inner.Kind == runner.AttributeError {
			f.Kind, f.Place, f.Symbol, f.Specifier = inner.Kind, inner.Place, inner.Symbol, inner.Specifier
			f.Frames = inner.Frames
			f.Message += "\ncaused by " + inner.Name + ": " + inner.Message
		}
	}
	switch {
	case e.Attr["unhandled"] == "rejection" && !mechanical(f.Kind) && f.Kind != runner.Crash:
		f.Kind = runner.UnhandledRejection
	case scope == runner.ScopeHook && !mechanical(f.Kind) && f.Kind != runner.Timeout && f.Kind != runner.Crash:
		f.Kind = runner.HookError
	}
	// A person knows their own tree, not the copy that the tests ran in.
	f.Message, f.Stack = c.unrooted(f.Message), c.unrooted(f.Stack)
	return f
}

// unrooted takes the tree's own path out of a text.
func (c Context) unrooted(text string) string {
	for _, root := range []string{c.Root, c.Origin, c.Disk} {
		if root != "" {
			text = strings.ReplaceAll(text, root+"/", "")
		}
	}
	return text
}

// mechanical kinds are the same fault wherever they surface.
func mechanical(k runner.Kind) bool {
	switch k {
	case runner.MissingImport, runner.MissingExport, runner.UndefinedVariable, runner.SyntaxError:
		return true
	}
	return false
}

// raw is an error made ready for reading.
type raw struct {
	runner.RawError
	name    string // its class
	message string // plain, without the stack
	frames  []runner.Frame
	scope   runner.Scope
	test    runner.TestID
}

func classify(c Context, scope runner.Scope, test runner.TestID, e runner.RawError) runner.Failure {
	r := prepare(c, scope, test, e)
	f := runner.Failure{
		Scope: scope, Test: test, Kind: runner.ThrownError,
		Name: r.name, Message: r.message, Frames: r.frames,
		Expected: e.Expected, Received: e.Actual, Stack: Plain(e.Stack),
	}
	if len(r.frames) > 0 {
		f.Place = r.frames[0].Place
	}
	for _, rule := range []func(Context, raw, *runner.Failure) bool{
		emptyFile, timeout, crash, snapshot, assertion,
		missingImport, missingExport, unparsable, compiled, undefined, member,
	} {
		if rule(c, r, &f) {
			return place(c, r, f)
		}
	}
	if r.name == "" && r.message == "" {
		f.Kind = runner.Unknown
	}
	return place(c, r, f)
}

// place fills in a place where the error itself has none.
func place(c Context, r raw, f runner.Failure) runner.Failure {
	if f.Place.Line > 0 || f.Kind == runner.NoTests || f.Kind == runner.Crash && f.Place.File == "" {
		return f
	}
	if f.Place.File == "" {
		if p, ok := placeInText(c, r.message); ok {
			f.Place = p
			return f
		}
	}
	switch r.scope {
	case runner.ScopeTest:
		if p, ok := Declaration(c, r.test); ok && f.Place.File == "" {
			f.Place = p
		}
	case runner.ScopeHook:
		if p, ok := HookCall(c, r.test, r.Attr["hook"]); ok && f.Place.File == "" {
			f.Place = p
		}
	}
	if f.Place.File == "" {
		f.Place.File = r.test.File
	}
	return f
}

var errorHead = lazyregexp.New(`^(?:Uncaught )?((?:[A-Za-z_$][\w$]*)?(?:Error|Exception))(?: \[\w+\])?(?:: |$)`)

func prepare(c Context, scope runner.Scope, test runner.TestID, e runner.RawError) raw {
	r := raw{RawError: e, scope: scope, test: test, frames: Frames(c, e)}
	r.message = Plain(e.Message)
	if r.message == "" {
		r.message = messageOfStack(Plain(e.Stack))
	}
	if i := stackStart(r.message); i >= 0 {
		if len(r.frames) == 0 && e.Stack == "" {
			r.frames = Frames(c, runner.RawError{Stack: r.message[i:]})
		}
		r.message = r.message[:i]
	}
	r.message = strings.TrimSpace(r.message)
	r.name = e.Name
	if m := errorHead.FindStringSubmatch(r.message); m != nil {
		if r.name == "" || r.name == "Error" || r.name == m[1] {
			r.name = m[1]
			r.message = r.message[len(m[0]):]
		}
	}
	if r.name == "" || r.name == "Error" {
		for line := range strings.Lines(Plain(e.Stack)) {
			if m := errorHead.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				r.name = m[1]
				break
			}
		}
	}
	const limit = 16 << 10
	if len(r.message) > limit {
		r.message = strings.ToValidUTF8(r.message[:limit], "") + "…"
	}
	return r
}

// messageOfStack is what stands above a stack's frames.
func messageOfStack(stack string) string {
	if i := stackStart(stack); i >= 0 {
		return stack[:i]
	}
	return stack
}

var frameLine = lazyregexp.New(`(?m)^\s+at (?:async )?\S.*(?::\d+:\d+\)?|\(<anonymous>\)|<anonymous>)\s*$`)

func stackStart(s string) int {
	if m := frameLine.FindStringIndex(s); m != nil {
		return m[0]
	}
	return -1
}

func emptyFile(_ Context, r raw, f *runner.Failure) bool {
	if r.scope != runner.ScopeFile && r.scope != runner.ScopeRun {
		return false
	}
	if !strings.HasPrefix(r.message, "Your test suite must contain at least one test") &&
		!strings.HasPrefix(r.message, "No test suite found in file") {
		return false
	}
	f.Kind, f.Place, f.Frames = runner.NoTests, runner.Place{File: r.test.File}, nil
	return true
}

var timeouts = lazyregexp.New(`^(?:thrown: ")?(?:` +
	`Exceeded timeout of [\d.,]+ ?ms for a (?:test|hook)` + // jest-circus
	`|(?:Test|Hook) timed out in [\d.,]+ ?ms` + // vitest
	`|Timeout of [\d.,]+ ?ms exceeded\. For async tests and hooks` + // mocha
	`|Timeout - Async (?:callback|function) (?:was not invoked|did not complete) within` + // jest-jasmine2
	`)`)

func timeout(c Context, r raw, f *runner.Failure) bool {
	if r.Code != "ERR_MOCHA_TIMEOUT" && r.name != "TestTimeoutError" && !timeouts.MatchString(r.message) {
		return false
	}
	f.Kind = runner.Timeout
	f.Message = strings.Trim(strings.TrimPrefix(f.Message, "thrown: "), `"`)
	// The stack, where there is one, is of the declaration; of a callback
	// that came too late it is somewhere else.
	var p runner.Place
	ok := false
	if r.scope == runner.ScopeHook {
		p, ok = HookCall(c, r.test, r.Attr["hook"])
	} else if len(r.test.Path) > 0 {
		p, ok = Declaration(c, r.test)
	}
	switch {
	case !ok, len(r.frames) > 0 && r.frames[0].File == p.File && r.frames[0].Line == p.Line:
	case len(r.frames) > 0 && r.scope == runner.ScopeHook:
	default:
		f.Place = p
	}
	return true
}

var crashes = lazyregexp.New(`^(?:` +
	`process\.exit (?:unexpectedly )?called with` +
	`|Worker (?:exited unexpectedly|forcefully terminated)` +
	`|\[vitest-(?:pool|worker)\]:? (?:Worker .*(?:exited|emitted error|unexpectedly)|Failed to (?:start|terminate))` +
	`|Terminating worker thread` +
	`|Jest worker encountered \d+ child process exceptions` +
	`|A jest worker process \(pid=\d+\) (?:was terminated|crashed)` +
	`|Call retries were exceeded` +
	`|Channel closed` +
	`|Worker terminated due to reaching memory limit` +
	`)`)

func crash(_ Context, r raw, f *runner.Failure) bool {
	if r.Code != "ERR_IPC_CHANNEL_CLOSED" && r.Code != "ERR_WORKER_OUT_OF_MEMORY" && !crashes.MatchString(r.message) {
		return false
	}
	f.Kind = runner.Crash
	return true
}

var snapshots = lazyregexp.New(`^(?:expect\(.*\)\.(?:\w+\.)*to(?:Match(?:Inline|File|Aria|Image)?Snapshot|ThrowErrorMatching(?:Inline)?Snapshot)\b` +
	`|Snapshot .* mismatched|Obsolete snapshot|Mismatched snapshot` +
	`|Multiple inline snapshots)`)

func snapshot(_ Context, r raw, f *runner.Failure) bool {
	m := r.Attr["matcher"]
	if !strings.HasSuffix(m, "Snapshot") && !snapshots.MatchString(r.message) {
		return false
	}
	f.Kind = runner.SnapshotMismatch
	f.Expected, f.Received = differing(unquote(r.Expected), unquote(r.Actual))
	return true
}

func assertion(_ Context, r raw, f *runner.Failure) bool {
	structural := r.Attr["matcher"] != "" || r.Code == "ERR_ASSERTION" || r.Operator != "" ||
		r.name == "AssertionError" || r.name == "JestAssertionError" || r.Expected != "" && r.Actual != ""
	if !structural && !assertText.MatchString(r.message) {
		return false
	}
	f.Kind = runner.AssertionMismatch
	// Values that went through JSON between processes lost NaN and undefined;
	// what was printed has not.
	expected, received := printedValues(r.message)
	if expected != "" && (f.Expected == "" || f.Expected == "null") {
		f.Expected = expected
	}
	if received != "" && (f.Received == "" || f.Received == "null") {
		f.Received = received
	}
	return true
}

// assertText is how expect and, inside jest, node:assert word a failure.
var assertText = lazyregexp.New(`^(?:expect\(|expect\.|assert(?:\.\w+)?\((?:received|value|function|\)))`)

var (
	printedExpected = lazyregexp.New(`(?m)^Expected(?: \w+)?: +(.+)$`)
	printedReceived = lazyregexp.New(`(?m)^Received(?: \w+)?: +(.+)$`)
	printedAssert   = lazyregexp.New(`(?m)^Expected value to [^\n]*:\n  ([^\n]+)\nReceived:\n  ([^\n]+)$`)
)

// printedValues reads a matcher's message for matchers that give no typed
// values; only the first pair stands for the values themselves.
func printedValues(msg string) (expected, received string) {
	if m := printedAssert.FindStringSubmatch(msg); m != nil {
		return typed(m[1]), typed(m[2])
	}
	e, r := printedExpected.FindStringSubmatch(msg), printedReceived.FindStringSubmatch(msg)
	if e == nil || r == nil {
		return "", ""
	}
	return typed(e[1]), typed(r[1])
}

// typed is a printed value as JSON where it is some.
func typed(s string) string {
	s = strings.TrimSpace(s)
	var out bytes.Buffer
	if json.Compact(&out, []byte(s)) == nil {
		return out.String()
	}
	return s
}

var notDefined = lazyregexp.New(`^([\p{L}_$][\p{L}\p{N}_$]*) is not defined`)

func undefined(_ Context, r raw, f *runner.Failure) bool {
	m := notDefined.FindStringSubmatch(r.message)
	if m == nil || r.name != "ReferenceError" && r.name != "" {
		return false
	}
	f.Kind, f.Symbol = runner.UndefinedVariable, m[1]
	return true
}
