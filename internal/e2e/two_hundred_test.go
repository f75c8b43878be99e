package e2e

import (
	"testing"

	"regreen/cycle"
)

// TestOneRedAmongTwoHundred is acceptance point 4: the target of 95 % is met
// from the start, and the one red test is repaired all the same.
func TestOneRedAmongTwoHundred(t *testing.T) {
	for _, s := range stacks() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.repoWith(t, func(files map[string]string) {
				js := "assert.equal(tax(10), 200);\n  });\n  for (let i = 0; i < 199; i += 1) it('number ' + i, () => {\n    assert.ok(i < 199);"
				py := "    assert tax(10) == 200\n\n\n@__import__(\"pytest\").mark.parametrize(\"i\", range(199))\ndef test_number(i):\n    assert i < 199"
				files[s.testFile("many")] = s.test("tax", "many", js, py)
			})
			broken := s.breakIt(r, scenarios()[3])
			d, res := r.run()
			if d.Outcome != cycle.Repaired || res.exit != 0 {
				t.Fatalf("outcome %q, exit %d, want repaired\nreason: %s\nstderr: %s", d.Outcome, res.exit, d.Reason, res.stderr)
			}
			if d.Iterations[0].PassRate < 95 || d.BestPassRate != 100 {
				t.Errorf("pass rate %v then %v, want above 95 and then 100", d.Iterations[0].PassRate, d.BestPassRate)
			}
			if got := changed(broken, r.files()); len(got) != 1 || got[0] != s.file("src/tax") {
				t.Errorf("changed %q", got)
			}
		})
	}
}
