package node_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/runner"
	"regreen/internal/runner/jest"
	"regreen/internal/runner/mocha"
	"regreen/internal/runner/node/nodetest"
	"regreen/internal/runner/vitest"
)

// TestArgumentsAreTheFrameworks: a test that parses the process's arguments, as
// those of a program for the command line do, sees none of ours.
func TestArgumentsAreTheFrameworks(t *testing.T) {
	const test = `-- test/a.test.js --
test('a', () => {
  if (process.argv.length > 2) throw new Error('given ' + process.argv.slice(2).join(' '));
});
`
	for _, tc := range []struct {
		fw   runner.Framework
		deps []string
		text string
	}{
		{jest.Framework{}, []string{"jest29", "jest30"}, "-- package.json --\n{\"scripts\":{\"test\":\"jest\"},\"jest\":{}}\n" + test},
		{mocha.Framework{}, []string{"mocha10", "mocha12"}, "-- package.json --\n{\"scripts\":{\"test\":\"mocha test/*.test.js\"}}\n" + strings.ReplaceAll(test, "test('", "it('")},
		{vitest.Framework{}, []string{"vitest3", "vitest4"}, "-- package.json --\n{\"type\":\"module\",\"scripts\":{\"test\":\"vitest run\"}}\n-- vitest.config.js --\nexport default { test: { globals: true } };\n" + test},
		{vitest.Framework{}, []string{"vitest4"}, "-- package.json --\n{\"type\":\"module\",\"scripts\":{\"test\":\"vitest run\"}}\n-- vitest.config.js --\nexport default { test: { globals: true, pool: 'threads' } };\n" + test},
	} {
		for _, deps := range tc.deps {
			p := nodetest.New(t, tc.fw, deps, txtar.Parse([]byte(tc.text)))
			r := p.Run(t, runner.Request{})
			if len(r.Tests) != 1 || r.Tests[0].Verdict != runner.Passed || len(r.Failures) != 0 {
				t.Errorf("%s: tests %v, failures %v", deps, r.Tests, r.Failures)
			}
		}
	}
}
