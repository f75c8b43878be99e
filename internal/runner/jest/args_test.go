package jest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

func TestKept(t *testing.T) {
	tests := []struct {
		name, args     string
		kept, patterns string
	}{
		{"nothing", "", "", ""},
		{"configuration stays", "--config jest.unit.js --selectProjects a b --runInBand src/unit", "--config jest.unit.js --selectProjects a b --runInBand", "src/unit"},
		{"inline values", "--config=x.js -c y.js --maxWorkers=50% -w 2 --env jsdom", "--config=x.js -c y.js --maxWorkers=50% -w 2 --env jsdom", ""},
		{"what is at odds goes", "--watchAll --coverage --coverageReporters text lcov --bail 3 -o --ci --json --outputFile out.json --no-cache --verbose src", "", "src"},
		{"kebab case", "--run-in-band --collect-coverage --test-timeout 100", "--run-in-band --test-timeout 100", ""},
		{"bail before a pattern", "--bail unit", "", "unit"},
		{"a boolean with its value", "--coverage false --injectGlobals true x", "--injectGlobals true", "x"},
		{"after two dashes", "--silent -- --odd", "--silent", "--odd"},
		{"reporters end at a flag", "--reporters default jest-junit --silent", "--silent", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := parse(strings.Fields(tt.args))
			if d := cmp.Diff([]string{tt.kept, tt.patterns}, []string{strings.Join(c.kept(), " "), strings.Join(c.patterns, " ")}); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestNamePattern(t *testing.T) {
	p, ok := namePattern([]runner.TestID{{Path: []string{"a (b)", `c+ [d] \e`}}, {Path: []string{"x/y"}}, {Path: []string{"x/y"}}})
	if want := `^a \(b\) c\+ \[d\] \\e$|^x\/y$`; p != want || !ok {
		t.Errorf("namePattern = %q, %v, want %q", p, ok, want)
	}
	if _, ok := namePattern(nil); ok {
		t.Error("no tests narrow the run")
	}
	if _, ok := namePattern([]runner.TestID{{Path: []string{strings.Repeat("x", maxPattern+1)}}}); ok {
		t.Error("a pattern that no system takes narrows the run")
	}
}

func FuzzParse(f *testing.F) {
	f.Add("--config x --reporters a b -- c")
	f.Add("--bail 3 - --=")
	f.Fuzz(func(t *testing.T, line string) {
		args := strings.Fields(line)
		c := parse(args)
		n := len(c.patterns)
		for _, fl := range c.flags {
			n += len(fl)
		}
		if n != len(args) && n != len(args)-1 { // "--" itself goes
			t.Fatalf("parse(%q) keeps %d of %d words", args, n, len(args))
		}
	})
}
