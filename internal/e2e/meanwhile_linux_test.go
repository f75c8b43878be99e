package e2e

import (
	"os"
	"strings"

	"regreen/cycle"
)

// meanwhileHazards have the user go on while the tests run, or between a merge
// or a proposal and what follows.
func meanwhileHazards() []hazard {
	// saved starts the program on the broken file and saves while tests run.
	saved := func(l *lab, name, text string) (cycle.Document, result) {
		l.write("src/tax.js", brokenTax)
		l.frozen()
		return l.during(func() {
			l.put(name, text)
			l.was = l.image()
		})
	}
	// holds checks a file and what git says of the user's own changes.
	holds := func(l *lab, name, want string) {
		l.t.Helper()
		if got := l.read(name); got != want {
			l.t.Errorf("%s holds %q, want %q", name, got, want)
		}
	}
	refused := func(l *lab, command string) {
		l.t.Helper()
		l.was = l.image()
		if res := l.regreen(command); res.exit != 4 {
			l.t.Errorf("%s: exit %d: %s%s", command, res.exit, res.stdout, res.stderr)
		}
		l.unchanged()
	}
	done := func(l *lab, command string) {
		l.t.Helper()
		l.was = l.image()
		if res := l.regreen(command); res.exit != 0 {
			l.t.Errorf("%s: exit %d: %s%s", command, res.exit, res.stdout, res.stderr)
		}
		l.unchanged("src/tax.js")
	}
	afterCommit := func(l *lab) {
		l.write("regreen.toml", "[cycle]\nmerge_after_commit = true\n"+l.read("regreen.toml"))
		l.commit()
		l.write("src/tax.js", brokenTax)
		l.write("notes.txt", "mine\n")
		l.frozen()
	}
	return []hazard{
		{"04 saved elsewhere in the file", func(l *lab) {
			d, res := saved(l, "src/tax.js", brokenTax+"// mine\r\n")
			l.isRepaired(d, res, "src/tax.js")
			holds(l, "src/tax.js", wholeTax+"// mine\r\n")
			l.put("src/tax.js", "// later\n"+wholeTax+"// mine\r\n")
			done(l, "undo")
			holds(l, "src/tax.js", "// later\n"+brokenTax+"// mine\r\n")
		}},
		{"04 saved in the same place", func(l *lab) {
			d, res := saved(l, "src/tax.js", strings.Replace(brokenTax, "/ 5", "/ 6", 1))
			l.notMerged(d, res, cycle.Proposed, "in the same place")
			refused(l, "apply")
			l.put("src/tax.js", brokenTax+"// mine\n")
			done(l, "apply")
			holds(l, "src/tax.js", wholeTax+"// mine\n")
			l.put("src/tax.js", strings.Replace(wholeTax, "/ 5", "/ 6", 1))
			refused(l, "undo")
		}},
		{"04 saved so that a test fails", func(l *lab) {
			d, res := saved(l, "test/tax.test.js", strings.Replace(taxTest, "!== 2", "!== 3", 1))
			l.notMerged(d, res, cycle.Proposed, "you saved test/tax.test.js meanwhile, and with that")
		}},
		{"04 saved what no test sees", func(l *lab) {
			d, res := saved(l, "notes.md", "mine\n")
			l.isRepaired(d, res, "src/tax.js")
		}},
		{"06 a commit that may be", func(l *lab) {
			afterCommit(l)
			d, res := l.during(func() {
				l.in(".", "add", "src/tax.js")
				l.in(".", "commit", "-q", "-m", "while it runs")
				l.was = l.image()
			})
			l.isRepaired(d, res, "src/tax.js")
		}},
		{"06 a commit that may be, with another file", func(l *lab) {
			afterCommit(l)
			l.moved("HEAD moved, and files changed with it: notes.txt", func() {
				l.put("notes.txt", "other\n")
				l.in(".", "commit", "-q", "-a", "-m", "while it runs")
			})
		}},
		{"06 a stash where commits may be", func(l *lab) {
			afterCommit(l)
			l.moved("the stash changed", func() { l.in(".", "stash", "-q") })
		}},
		{"12 one line in git diff", func(l *lab) {
			crlf := strings.ReplaceAll(wholeTax, "\n", "\r\n")
			sources := []source{{"crlf", crlf}, {"mixed", strings.Replace(crlf, "{\r\n", "{\n", 1)}, {"bom", "\ufeff" + wholeTax},
				{"endless", strings.TrimSuffix(wholeTax, "\n")}, {"binary", "// \x80\xff\n" + wholeTax}, {"run", wholeTax}}
			l.tested(true, sources...)
			if err := os.Chmod(l.path("src/run.js"), 0o755); err != nil {
				l.t.Fatal(err)
			}
			l.commit()
			l.frozen()
			var files []string
			for _, s := range sources {
				files = append(files, "src/"+s.name+".js")
			}
			d, res := l.run("--all")
			l.isRepaired(d, res, files...)
			for _, s := range sources {
				out := l.in(".", "diff", "--raw", "--numstat", "--", "src/"+s.name+".js")
				mode := ":100644 100644 "
				if s.name == "run" {
					mode = ":100755 100755 "
				}
				if !strings.HasPrefix(out, mode) || !strings.Contains(out, "\n1\t1\tsrc/") {
					l.t.Errorf("git diff of %s: %s", s.name, out)
				}
			}
		}},
	}
}
