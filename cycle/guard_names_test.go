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

// TestGuardOfWarningFilters: the category of a filter follows a rename that is
// certain; whatever else a filter says is the user's.
func TestGuardOfWarningFilters(t *testing.T) {
	python := py.New("")
	t.Cleanup(func() { _ = python.Close() })
	none := func(string, []byte) []runner.Decl { return nil }
	const before = "@pytest.mark.filterwarnings('error::shop.Old')\ndef test_a():\n    pass\n"
	for _, tc := range []struct {
		name, now, by string
		level         fixers.Applicability
		want          string
	}{
		{"renamed", "error::shop.New", "", fixers.Safe, ""},
		{"perhaps renamed", "error::shop.New", "", fixers.Likely, ruleExpectation},
		{"by another program", "error::shop.New", "agent", fixers.Safe, ruleExpectation},
		{"another action", "ignore::shop.New", "", fixers.Safe, ruleExpectation},
		{"another message", "error:old:shop.New", "", fixers.Safe, ruleExpectation},
	} {
		t.Run(tc.name, func(t *testing.T) {
			after := strings.Replace(before, "error::shop.Old", tc.now, 1)
			got := guard(lang.Set{python}.For("test_a.py"), none, fixers.Fix{By: tc.by, Applicability: tc.level, Kind: runner.MissingExport}, "test_a.py", []byte(before), []byte(after))
			if got != tc.want {
				t.Errorf("guard = %q, want %q", got, tc.want)
			}
		})
	}
}

// TestGuardOfNamesInStrings: the name of a member that a test replaces is a name,
// any other string in a test is what it expects.
func TestGuardOfNamesInStrings(t *testing.T) {
	python := py.New("")
	t.Cleanup(func() { _ = python.Close() })
	none := func(string, []byte) []runner.Decl { return nil }
	cases := []struct {
		name, file, rule, before, after, want string
	}{
		{"a spy", "a.test.js", "attribute_error", "vi.spyOn(cart, 'total');", "vi.spyOn(cart, 'sum');", ""},
		{"a node mock", "a.test.js", "attribute_error", "t.mock.method(cart, 'total', () => 1);", "t.mock.method(cart, 'sum', () => 1);", ""},
		{"a patched object", "test_a.py", "missing_export", "with patch.object(net, 'fetch'):\n    pass\n", "with patch.object(net, 'download'):\n    pass\n", ""},
		{"a replaced text", "a.test.js", "attribute_error", "f(s.replace(x, 'total'));", "f(s.replace(x, 'sum'));", ruleExpectation},
		{"an expected text", "a.test.js", "attribute_error", "vi.spyOn(cart, 'total'); expect(x).toBe('a');", "vi.spyOn(cart, 'sum'); expect(x).toBe('b');", ruleExpectation},
		{"how far timers advance", "a.test.js", fixers.RuleTimers, "f();", "jest.advanceTimersByTime(1000); f();", ""},
		{"a number elsewhere", "a.test.js", "missing_await", "f();", "f(1000);", ruleExpectation},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			l := lang.Set{js.Language{}, python}.For(tc.file)
			got := guard(l, none, fixers.Fix{Rule: tc.rule, Kind: runner.AssertionMismatch}, tc.file, []byte(tc.before), []byte(tc.after))
			if got != tc.want {
				t.Errorf("guard(%q) = %q, want %q", tc.after, got, tc.want)
			}
		})
	}
}
