package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/cycle"
)

// edit is one thing a person does to the shop. Files have no extension; in
// Python src/ is shop/.
type edit struct{ file, old, new string }

// move is the edit that renames a file.
func move(from, to string) edit { return edit{from, "", to} }

// scenario is a mechanical break that has to be repaired.
type scenario struct {
	name     string
	js, py   []edit
	merged   []string // exactly these files are written
	restored bool     // and they get their committed bytes back
}

func scenarios() []scenario {
	moved := move("src/units", "src/lib/units")
	return []scenario{
		{"moved module", []edit{moved}, []edit{moved}, []string{"src/order", "src/refund", "src/tax"}, false},
		{"renamed export",
			[]edit{{"src/words", "heading", "title"}}, []edit{{"src/words", "heading", "title"}},
			[]string{"src/mail", "src/page"}, false},
		{"lost import",
			[]edit{{"src/order", "import { toCents } from './units.js';\n\n", ""}},
			[]edit{{"src/order", "from shop.units import to_cents\n\n\n", ""}},
			[]string{"src/order"}, false},
		{"misspelt identifier",
			[]edit{{"src/tax", "(base *", "(bsae *"}}, []edit{{"src/tax", "(base *", "(bsae *"}},
			[]string{"src/tax"}, true},
		{"missing bracket",
			[]edit{{"src/words", "join(' ')", "join(' '"}}, []edit{{"src/words", "join(words)", "join(words"}},
			[]string{"src/words"}, true},
		{"missing colon",
			[]edit{{"src/order", "name: name", "name name"}}, []edit{{"src/words", "heading(words):", "heading(words)"}},
			nil, true},
		{"missing quote",
			[]edit{{"src/refund", "'refund'", "'refund"}}, []edit{{"src/refund", `"refund"`, `"refund`}},
			[]string{"src/refund"}, true},
		{"missing await",
			[]edit{{"src/store", "= await load", "= load"}}, []edit{{"src/store", "= await load", "= load"}},
			[]string{"src/store"}, true},
		{"five of one kind",
			[]edit{{"src/order", "cents: cents", "cents: censt"}, {"src/refund", "-amount", "-amuont"}, {"src/tax", "(base *", "(bsae *"},
				{"src/page", "+ heading(", "+ haeding("}, {"src/mail", "+ text", "+ txet"}},
			[]edit{{"src/order", `"cents": cents`, `"cents": censt`}, {"src/refund", "-amount", "-amuont"}, {"src/tax", "(base *", "(bsae *"},
				{"src/page", "+ heading(", "+ haeding("}, {"src/mail", "+ text", "+ txet"}},
			[]string{"src/mail", "src/order", "src/page", "src/refund", "src/tax"}, true},
		{"most of it broken",
			[]edit{moved, {"src/words", "join(' ')", "join(' '"}, {"src/store", "item.name", "itme.name"}},
			[]edit{moved, {"src/words", "join(words)", "join(words"}, {"src/store", `item["name"]`, `itme["name"]`}},
			[]string{"src/order", "src/refund", "src/store", "src/tax", "src/words"}, false},
	}
}

// TestRepairs is acceptance point 2 of issue 2: each repair in each stack, with
// the real framework.
func TestRepairs(t *testing.T) {
	for _, s := range stacks() {
		for _, sc := range scenarios() {
			t.Run(s.name+"/"+strings.ReplaceAll(sc.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				repair(t, s, sc)
			})
		}
	}
}

// TestVersions tries one repair with each other version that has to work.
func TestVersions(t *testing.T) {
	for _, s := range versions() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			repair(t, s, scenarios()[0])
		})
	}
}

func repair(t *testing.T, s stack, sc scenario) {
	r := s.repo(t)
	broken := s.breakIt(r, sc)
	d, res := r.run()
	if d.Outcome != cycle.Repaired || res.exit != 0 {
		t.Fatalf("outcome %q, exit %d, want repaired and 0\nreason: %s\ndocument: %s\nstderr: %s", d.Outcome, res.exit, d.Reason, res.stdout, res.stderr)
	}
	after := r.files()
	want := s.merged(sc)
	var merged []string
	for _, m := range d.Merged {
		merged = append(merged, m.File)
	}
	slices.Sort(merged)
	if diff := cmp.Diff(want, merged); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, changed(broken, after)); diff != "" {
		t.Errorf("files that differ (-want +got):\n%s", diff)
	}
	for _, f := range want {
		if sc.restored && after[f] != r.base[f] {
			t.Errorf("%s is not what was committed (-committed +repaired):\n%s", f, cmp.Diff(r.base[f], after[f]))
		}
	}
	if len(d.Remaining) > 0 || d.BestPassRate != 100 || d.Undo == "" {
		t.Errorf("remaining %d, best pass rate %v, undo %q, want none, 100 and an id", len(d.Remaining), d.BestPassRate, d.Undo)
	}
	// What regreen calls green is green for the framework itself.
	if again, res := r.run("--all", "--no-merge"); again.Outcome != cycle.Passed {
		t.Errorf("second run: %q, want passed\n%s", again.Outcome, res.stderr)
	}
	if res := r.regreen("undo", d.Undo); res.exit != 0 {
		t.Fatalf("undo: exit %d: %s%s", res.exit, res.stdout, res.stderr)
	}
	diffMaps(t, "undo", broken, r.files())
}

// breakIt does a scenario's edits and gives the files after them.
func (s stack) breakIt(r *repo, sc scenario) map[string]string {
	r.t.Helper()
	edits := sc.js
	if s.python() {
		edits = sc.py
	}
	for _, e := range edits {
		file := s.file(e.file)
		if e.old == "" {
			to := r.path(s.file(e.new))
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				r.t.Fatal(err)
			}
			if err := os.Rename(r.path(file), to); err != nil {
				r.t.Fatal(err)
			}
			if s.python() {
				r.write("shop/lib/__init__.py", "")
			}
			continue
		}
		src := r.read(file)
		old := s.flavour(e.old)
		if !strings.Contains(src, old) {
			r.t.Fatalf("%s has no %q", file, old)
		}
		r.write(file, strings.ReplaceAll(src, old, s.flavour(e.new)))
	}
	return r.files()
}

// flavour writes an ES import as this stack has it.
func (s stack) flavour(text string) string {
	switch s.archive {
	case "ts":
		return strings.ReplaceAll(text, ".js';", "';")
	case "cjs":
		text = strings.NewReplacer(
			"import { toCents } from './units.js';", "const { toCents } = require('./units');",
			"import pad from 'left-padd-x';", "const pad = require('left-padd-x');",
			"export function", "function", "export const", "const",
		).Replace(text)
	}
	return text
}

func (s stack) file(name string) string {
	if s.python() {
		name = strings.Replace(name, "src/", "shop/", 1)
	}
	return name + s.ext
}

func (s stack) merged(sc scenario) []string {
	names := sc.merged
	if names == nil { // the one file that the scenario edits
		names = []string{sc.js[0].file}
		if s.python() {
			names = []string{sc.py[0].file}
		}
	}
	var out []string
	for _, n := range names {
		out = append(out, s.file(n))
	}
	slices.Sort(out)
	return out
}
