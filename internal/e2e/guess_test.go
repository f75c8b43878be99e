package e2e

import (
	"strings"
	"testing"

	"regreen/cycle"
)

// TestGuesses has a fault of logic: with cycle.guess_budget the slip in the
// guilty line is proposed and nothing is merged, and apply takes it.
func TestGuesses(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ deps, source, good, bad, test, text string }{
		{"mocha12", "src/ship.js", "export const free = (sum) => sum >= 50;\n", "export const free = (sum) => sum > 50;\n",
			"test/ship.test.js", "import assert from 'node:assert';\nimport { free } from '../src/ship.js';\nit('ships for nothing', () => { assert.ok(free(50)); assert.ok(!free(49)); });\n"},
		{"pytest9", "ship.py", "def free(amount):\n    return amount >= 50\n", "def free(amount):\n    return amount > 50\n",
			"test_ship.py", "from ship import free\n\n\ndef test_ships_for_nothing():\n    assert free(50)\n    assert not free(49)\n"},
	} {
		t.Run(tc.deps, func(t *testing.T) {
			files := map[string]string{tc.source: tc.good, tc.test: tc.text, "regreen.toml": "[cycle]\nguess_budget = \"2m\"\n", "pytest.ini": "[pytest]\n"}
			if tc.deps == "mocha12" {
				delete(files, "pytest.ini")
				files["package.json"] = `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`
			}
			r := newRepo(t, tc.deps, files)
			r.write(tc.source, tc.bad)
			doc, res := r.run()
			if doc.Outcome != cycle.Failed || r.read(tc.source) != tc.bad {
				t.Fatalf("outcome %s, want failed and the file as it was: %s", doc.Outcome, res.stderr)
			}
			id := ""
			for _, p := range doc.Proposals {
				if strings.HasPrefix(p.Title, "a guess: >= in the place of >,") && strings.Contains(p.Reason, "does not make it what you meant") {
					id = p.ID
				}
			}
			if id == "" {
				t.Fatalf("proposals = %+v, want the right guess among them", doc.Proposals)
			}
			if res := r.regreen("apply", id); res.exit != 0 || r.read(tc.source) != tc.good {
				t.Errorf("apply = %+v, the file %q", res, r.read(tc.source))
			}
		})
	}
}
