package vitest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

func TestKept(t *testing.T) {
	tests := []struct{ args, flags, filters string }{
		{"", "", ""},
		{"run", "", ""},
		{"run --coverage --reporter verbose src", "", "src"},
		{"--run --config x.ts --project=a -t name lib", "--config x.ts --project=a -t name", "lib"},
		{"watch --ui --bail 1 --changed --outputFile=a.json", "", ""},
		{"run --coverage.enabled true --coverage.reporter text a.test.ts", "", "a.test.ts"},
		{"--coverage.all src/x.ts", "", "src/x.ts"},
		{"--globals test --pool forks --no-isolate", "--globals --pool forks --no-isolate", "test"},
		{"--poolOptions.threads.singleThread src/a.test.ts", "--poolOptions.threads.singleThread", "src/a.test.ts"},
		{"--fsModuleCache --fs-module-cache=true --no-fsModuleCache src", "", "src"},
		{"-u --shard 1/2 --root packages/x -- a b", "--root packages/x", "a b"},
	}
	for _, tt := range tests {
		flags, filters := kept(strings.Fields(tt.args))
		if got := strings.Join(flags, " ") + "|" + strings.Join(filters, " "); got != tt.flags+"|"+tt.filters {
			t.Errorf("kept(%q) = %q, want %q", tt.args, got, tt.flags+"|"+tt.filters)
		}
	}
}

func TestOperands(t *testing.T) {
	tests := []struct{ name, expected, actual, message, wantExpected, wantActual string }{
		{"numbers", "5", "2", "expected 2 to be 5 // Object.is equality", "5", "2"},
		{"strings like numbers", "5", "2", "expected '2' to be '5' // Object.is equality", `"5"`, `"2"`},
		{"strings", "hello", "5", "expected '5' to be 'hello'", `"hello"`, `"5"`},
		{"string and number", `"2"`, "2", "expected 2 to be '2'", `"2"`, "2"},
		{"undefined", `"x"`, "undefined", "expected undefined to be 'x'", `"x"`, "undefined"},
		{"quoted strings", `"b"`, `"a"`, `expected '"a"' to be '"b"'`, `"\"b\""`, `"\"a\""`},
		{"objects", "{\n  \"a\": [\n    1,\n  ],\n}", "{}", "expected {} to deeply equal { a: [ 1 ] }", `{"a":[1]}`, "{}"},
		{"a map", "Map {\n  \"a\" => 1,\n}", "Map {}", "expected Map{} to deeply equal Map{ 'a' => 1 }", "Map {\n  \"a\" => 1,\n}", "Map {}"},
		{"text with brackets", "a {b}", "a [c]", "expected 'a [c]' to be 'a {b}'", `"a {b}"`, `"a [c]"`},
	}
	for _, tt := range tests {
		e, a := operands(tt.expected, tt.actual, tt.message)
		if diff := cmp.Diff([]string{tt.wantExpected, tt.wantActual}, []string{e, a}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// FuzzTyped: no operand makes it panic.
func FuzzTyped(f *testing.F) {
	f.Add("{\n  \"a\": 1,\n}", "[\n  1,\n]", "expected")
	f.Add("", "\"", "'")
	f.Fuzz(func(t *testing.T, expected, actual, message string) {
		typed(&runner.RawError{Message: message, Expected: expected, Actual: actual})
	})
}
