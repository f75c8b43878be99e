package e2e

import (
	"testing"

	"regreen/cycle"
)

// TestTestsWriteIntoTheTree holds that what tests write into the tree they run
// in is neither merged nor what a verdict rests on.
func TestTestsWriteIntoTheTree(t *testing.T) {
	head := "const fs = require('fs');\nconst path = require('path');\n"
	cases := []struct {
		name, test string
		want       cycle.Outcome
		remaining  int
	}{
		{"into the file that is repaired", head + "test('writes', () => fs.appendFileSync(path.join(__dirname, '../src/tax.js'), '// litter\\n'));\n",
			cycle.Repaired, 0},
		{"what another test needs", head + "const rate = require('../src/rate');\n" +
			"test('writes', () => fs.writeFileSync(path.join(__dirname, '../src/rate.js'), 'module.exports = 2;\\n'));\n" +
			"test('reads', () => expect(rate).toBe(2));\n", cycle.Failed, 2},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := stacks()[1]
			r := s.repoWith(t, func(files map[string]string) {
				files["test/litter.test.js"], files["src/rate.js"] = c.test, "module.exports = 2;\n"
			})
			r.write("src/rate.js", "module.exports = 1;\n") // a test that reads it passed before
			s.breakIt(r, scenarios()[3])
			before := r.files()
			d, res := r.run("--all", "--target", "100")
			if d.Outcome != c.want || len(d.Remaining) != c.remaining {
				t.Errorf("outcome %q (%s), %d remaining, want %q and %d\n%s", d.Outcome, d.Reason, len(d.Remaining), c.want, c.remaining, res.stderr)
			}
			if c.want == cycle.Repaired {
				before["src/tax.js"] = r.base["src/tax.js"]
			}
			diffMaps(t, "files", before, r.files())
		})
	}
}
