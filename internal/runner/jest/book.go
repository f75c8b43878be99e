package jest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// book keeps what the records of one run say.
type book struct {
	context  node.Context
	progress func(runner.Progress)
	wanted   map[string]bool // keys of the tests asked for, nil for all

	began     bool
	tests     []runner.Test
	failures  []runner.Failure
	unloaded  []string
	finished  map[string]bool // files that were told
	openFiles []string
	openTests []runner.TestID
	rejected  []string // stacks of rejections that nobody handled
	exits     []string // stacks of calls of process.exit
	counted   totals
	claimed   *totals
	warnings  []string
}

// totals are what jest itself counts.
type totals struct {
	Passed, Failed, Pending, Todo, Unloaded int
	Interrupted                             bool
}

func newBook(c node.Context, req runner.Request) *book {
	b := &book{context: c, progress: req.Progress, finished: map[string]bool{}}
	if _, narrowed := namePattern(req.Tests); narrowed {
		b.wanted = map[string]bool{}
		for _, t := range req.Tests {
			t.Framework = "jest"
			b.wanted[t.Key()] = true
		}
	}
	return b
}

func (b *book) id(r runner.Record) runner.TestID {
	rel, ok := node.Rel(b.context, r.File)
	if !ok {
		rel = r.File
	}
	return runner.TestID{Framework: "jest", File: rel, Path: r.Path}
}

// each takes one record.
func (b *book) each(r runner.Record) {
	switch r.T {
	case "start":
		b.began = true
	case "begin":
		b.begin(b.id(r))
	case "done":
		b.done(b.id(r), r.Verdict)
	case "test":
		b.test(b.id(r), r)
	case "file":
		b.file(b.id(r), r)
	case "run":
		for _, e := range r.Errors {
			b.failures = append(b.failures, node.Failure(b.context, runner.ScopeRun, runner.TestID{Framework: "jest"}, split(e)))
		}
	case "note":
		b.note(r.Data)
	case "end":
		b.claimed = &totals{}
		_ = json.Unmarshal(r.Data, b.claimed) // what is missing does not add up
	}
}

func (b *book) begin(id runner.TestID) {
	if len(id.Path) == 0 {
		b.openFiles = append(b.openFiles, id.File)
		return
	}
	b.openTests = append(b.openTests, id)
	if b.progress != nil {
		b.progress(runner.Progress{Test: id})
	}
}

func (b *book) done(id runner.TestID, v runner.Verdict) {
	b.close(func(o runner.TestID) bool { return o.Key() == id.Key() })
	if b.progress != nil {
		b.progress(runner.Progress{Test: id, Done: true, Verdict: v})
	}
}

func (b *book) close(which func(runner.TestID) bool) {
	b.openTests = slices.DeleteFunc(b.openTests, which)
}

// declaration is the test that jest-jasmine2, the runner up to jest 26, puts in
// the place of a describe block that threw (its Env.js). It is none: once the
// block does not throw any more there is no such test.
const declaration = "encountered a declaration exception"

func (b *book) test(id runner.TestID, r runner.Record) {
	b.counted.add(r.Verdict)
	if n := len(id.Path); n > 0 && id.Path[n-1] == declaration && r.Verdict == runner.Failed {
		for _, e := range r.Errors {
			f, _ := b.failure(runner.ScopeFile, runner.TestID{Framework: id.Framework, File: id.File}, e)
			b.failures = append(b.failures, f)
		}
		if len(r.Errors) > 0 {
			return
		}
	}
	if b.wanted != nil && r.Verdict == runner.Skipped && !b.wanted[id.Key()] {
		return // left out by its name: this run says nothing of it
	}
	t := runner.Test{
		ID: id, Verdict: r.Verdict, Asserts: r.Asserts,
		Duration: time.Duration(r.Ms * float64(time.Millisecond)),
	}
	errs := r.Errors
	if r.Verdict == runner.Failed && len(errs) == 0 {
		errs = []runner.RawError{{}}
	}
	for _, e := range errs {
		f, hook := b.failure(runner.ScopeTest, id, e)
		if strings.HasPrefix(hook, "before") {
			t.NotRun = true
		}
		b.failures = append(b.failures, f)
	}
	b.tests = append(b.tests, t)
}

func (t *totals) add(v runner.Verdict) {
	switch v {
	case runner.Passed:
		t.Passed++
	case runner.Failed:
		t.Failed++
	case runner.Skipped:
		t.Pending++
	case runner.Todo:
		t.Todo++
	}
}

// file is a file's end: what it has beside its tests' own errors.
func (b *book) file(id runner.TestID, r runner.Record) {
	b.finished[id.File] = true
	b.openFiles = slices.DeleteFunc(b.openFiles, func(f string) bool { return f == id.File })
	b.close(func(o runner.TestID) bool { return o.File == id.File })
	var data struct{ Tests int }
	_ = json.Unmarshal(r.Data, &data) // our own reporter's
	if len(r.Errors) > 0 {
		b.counted.Unloaded++
	}
	for _, e := range apart(r.Errors) {
		f, _ := b.failure(runner.ScopeFile, id, e)
		b.failures = append(b.failures, f)
		if data.Tests == 0 && f.Kind != runner.NoTests && !slices.Contains(b.unloaded, id.File) {
			b.unloaded = append(b.unloaded, id.File)
		}
	}
}

// failure reads an error, and finds the hook that it comes from.
func (b *book) failure(scope runner.Scope, id runner.TestID, e runner.RawError) (f runner.Failure, hook string) {
	e = split(e)
	if e.Attr == nil {
		e.Attr = map[string]string{}
	}
	if b.isRejection(e) {
		e.Attr["unhandled"] = "rejection"
	}
	if hook = b.hook(id, e); hook != "" {
		scope, e.Attr["hook"] = runner.ScopeHook, hook
	}
	f = node.Failure(b.context, scope, id, e)
	if f.Kind == runner.Crash && len(f.Frames) == 0 {
		b.blame(&f)
	}
	return f, hook
}

// blame finds the call of process.exit behind a crash.
func (b *book) blame(f *runner.Failure) bool {
	for _, stack := range slices.Backward(b.exits) {
		frames := node.Frames(b.context, runner.RawError{Stack: stack})
		if len(frames) == 0 || f.Test.File != "" && !slices.ContainsFunc(frames, func(fr runner.Frame) bool { return fr.File == f.Test.File }) {
			continue
		}
		f.Place, f.Frames, f.Stack = frames[0].Place, frames, stack
		f.Message = strings.TrimPrefix(node.FirstLines(stack, 1), "Error: ") + "\n" + f.Message
		return true
	}
	return false
}

// hook is the hook that an error was thrown in, "" for none. jest's own
// frames tell, as long as nothing was awaited; else the place does.
func (b *book) hook(id runner.TestID, e runner.RawError) string {
	if strings.Contains(e.Stack, "_callCircusTest") {
		return ""
	}
	called := strings.Contains(e.Stack, "_callCircusHook") ||
		strings.HasPrefix(node.Plain(e.Stack), "Error: thrown: \"Exceeded timeout") && strings.Contains(e.Stack, " for a hook.")
	cause := e
	if e.Cause != nil {
		cause = *e.Cause
	}
	for _, raw := range []runner.RawError{e, cause} {
		for _, fr := range node.Frames(b.context, raw) {
			if h, ok := node.Enclosing(b.context, fr.Place); ok {
				return h
			}
		}
	}
	if called {
		return "before" // a hook of a setup file
	}
	return ""
}

// split takes the causes out of an error's text: jest 30 prints them below it.
func split(e runner.RawError) runner.RawError {
	const mark = "\n[cause]: "
	if i := strings.Index(e.Stack, mark); i >= 0 {
		cause := split(runner.RawError{Stack: e.Stack[i+len(mark):]})
		e.Stack, e.Cause = strings.TrimRight(e.Stack[:i], "\n"), &cause
	}
	return e
}

var anotherError = lazyregexp.New(`(?m)^(\s+at .*)\n((?:\w*Error|thrown)\b.*)$`)

// apart takes errors apart that jest joined to one text: those of a file's
// afterAll hooks, and those thrown between its tests.
func apart(errs []runner.RawError) []runner.RawError {
	var out []runner.RawError
	for _, e := range errs {
		if e.Message != "" {
			out = append(out, e)
			continue
		}
		for {
			m := anotherError.FindStringSubmatchIndex(e.Stack)
			if m == nil {
				break
			}
			out = append(out, runner.RawError{Stack: e.Stack[:m[3]]})
			e.Stack = e.Stack[m[4]:]
		}
		out = append(out, e)
	}
	return out
}

func (b *book) note(data json.RawMessage) {
	var n struct{ What, Stack string }
	if json.Unmarshal(data, &n) != nil {
		return
	}
	switch n.What {
	case "rejection":
		b.rejected = append(b.rejected, head(n.Stack))
	case "exit":
		b.exits = append(b.exits, n.Stack)
	}
}

// isRejection tells whether the error was noted as a rejection.
func (b *book) isRejection(e runner.RawError) bool {
	return e.Stack != "" && slices.Contains(b.rejected, head(e.Stack))
}

// head is an error's text down to its first frame.
func head(stack string) string {
	var out []string
	for line := range strings.Lines(node.Plain(stack)) {
		out = append(out, strings.TrimSpace(line))
		if strings.HasPrefix(strings.TrimSpace(line), "at ") {
			break
		}
	}
	return strings.Join(out, "\n")
}

// adds tells why the records do not add up to what jest counted.
func (b *book) adds() string {
	switch c := b.claimed; {
	case c == nil:
		return "jest's end record is missing"
	case c.Interrupted:
		return "jest says that the run was interrupted"
	case c.Passed != b.counted.Passed || c.Failed != b.counted.Failed || c.Todo != b.counted.Todo ||
		c.Pending != b.counted.Pending || c.Unloaded > b.counted.Unloaded:
		return fmt.Sprintf("the records of jest's tests do not add up: %d passed and %d failed of %d and %d",
			b.counted.Passed, b.counted.Failed, c.Passed, c.Failed)
	}
	return ""
}
