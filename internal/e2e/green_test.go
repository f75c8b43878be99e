package e2e

import (
	"testing"

	"regreen/cycle"
)

// TestCauseSinceGreen breaks a line of files that were never committed: the
// cause is that line, since the tests passed before it, and not the files as a
// whole, which is all that a comparison with the last commit can tell.
func TestCauseSinceGreen(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ deps, source, good, bad, test, text string }{
		{"mocha12", "src/tax.js", "export const rate = 20;\nexport const tax = (sum) =>\n  (sum * rate) / 100;\n", "export const rate = 20;\nexport const tax = (sum) =>\n  (sum + rate) / 100;\n",
			"test/tax.test.js", "import assert from 'node:assert';\nimport { tax } from '../src/tax.js';\nit('takes a share', () => assert.equal(tax(200), 40));\n"},
		{"pytest9", "tax.py", "RATE = 20\n\n\ndef tax(amount):\n    return amount * RATE / 100\n", "RATE = 20\n\n\ndef tax(amount):\n    return amount + RATE / 100\n",
			"test_tax.py", "from tax import tax\n\n\ndef test_takes_a_share():\n    assert tax(200) == 40\n"},
	} {
		t.Run(tc.deps, func(t *testing.T) {
			files := map[string]string{"README.md": "shop\n", "pytest.ini": "[pytest]\n"}
			if tc.deps == "mocha12" {
				files = map[string]string{"package.json": `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`}
			}
			r := newRepo(t, tc.deps, files)
			r.write(tc.source, tc.good)
			r.write(tc.test, tc.text)
			if doc, res := r.run(); doc.Outcome != cycle.Passed {
				t.Fatalf("outcome %s, want passed: %s", doc.Outcome, res.stderr)
			}
			r.write(tc.source, tc.bad)
			doc, _ := r.run()
			if doc.Outcome != cycle.Failed || doc.Cause == nil {
				t.Fatalf("outcome %s, cause %v; want failed with one", doc.Outcome, doc.Cause)
			}
			if c := doc.Cause; c.Since != cycle.SinceGreen || len(c.Parts) != 1 || c.Parts[0].File != tc.source || c.Parts[0].Line != c.Parts[0].EndLine {
				t.Errorf("cause = %+v, want one line of %s since the last green run", c, tc.source)
			}
		})
	}
}
