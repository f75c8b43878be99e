package cycle

import (
	"testing"

	"regreen/fixers"
)

// Every strategy keeps to the guard.
func TestGuardInEveryStrategy(t *testing.T) {
	for _, strategy := range []Strategy{Conservative, Surgical, Aggressive} {
		for _, c := range []struct{ name, file, rule string }{
			{"a protected file", "package.json", ruleProtected},
			{"a file that is none of the repository's", "away/src", ruleOutside},
		} {
			t.Run(string(strategy)+" "+c.name, func(t *testing.T) {
				files := map[string]string{c.file: ""}
				for _, n := range []string{"1", "2", "3", "4", "5"} {
					files["t"+n+".test"] = "loads " + c.file + " has lib" + n + "\none: " + c.file + " has lib" + n
				}
				w := newWorld(files)
				w.fixes = func(x fixers.Cause, w *world) []fixers.Fix {
					return []fixers.Fix{w.say(c.file, x.Symbol, 0, fixers.Safe)}
				}
				if c.rule == ruleOutside {
					w.hidden = c.file
				}
				d := w.cycle(t, func(o *Options, _ *Selection, _ *Deps) {
					o.Config.Cycle.ConservativeUntil, o.Config.Cycle.ConservativeAbove = 0, 101
					switch strategy {
					case Conservative:
						o.Config.Cycle.ConservativeUntil = 10
					case Surgical:
						o.Config.Cycle.SurgicalMaxCritical = 10
					case Aggressive:
						o.Config.Cycle.AggressiveBelow = 100
					}
				})
				if d.Outcome != Failed || len(w.merged) > 0 {
					t.Errorf("outcome %s (%s), merged %d files, want failed", d.Outcome, d.Reason, len(w.merged))
				}
				if len(d.Refused) == 0 || d.Refused[0] != (Refused{Rule: c.rule, File: c.file}) {
					t.Errorf("refused %v, want %q of %s", d.Refused, c.rule, c.file)
				}
			})
		}
	}
}
