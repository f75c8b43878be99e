package jest

import (
	"testing"

	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// A describe block that throws is no test of its own with jest's older runner
// either: a repair after which it throws no more has lost none.
func TestDeclarationThatThrows(t *testing.T) {
	b := newBook(node.Context{Root: "/r", Framework: "jest"}, runner.Request{})
	b.each(runner.Record{T: "test", File: "/r/a.test.js", Path: []string{"block", "encountered a declaration exception"}, Verdict: runner.Failed,
		Errors: []runner.RawError{{Message: "getGlobal is not defined", Stack: "ReferenceError: getGlobal is not defined\n    at Suite.<anonymous> (/r/a.test.js:3:5)"}}})
	b.each(runner.Record{T: "test", File: "/r/a.test.js", Path: []string{"other"}, Verdict: runner.Passed})
	b.each(runner.Record{T: "file", File: "/r/a.test.js", Data: []byte(`{"tests":2}`)})
	if len(b.tests) != 1 || b.tests[0].ID.Path[0] != "other" {
		t.Errorf("tests %v", b.tests)
	}
	if len(b.failures) != 1 || b.failures[0].Scope != runner.ScopeFile || b.failures[0].Kind != runner.UndefinedVariable || b.failures[0].Test.File != "a.test.js" {
		t.Errorf("failures %+v", b.failures)
	}
	if b.counted.Failed != 1 || b.counted.Passed != 1 {
		t.Errorf("counted %+v: jest's own totals have both", b.counted)
	}
}
