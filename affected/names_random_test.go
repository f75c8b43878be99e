package affected_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"regreen/affected"
)

// model makes a random program of modules that import one another, in cycles
// too, with an index that hands on some of their names.
type model struct {
	r       *rand.Rand
	exports [][]string // by module
	lines   [][]string
}

const modules = 5

func newModel(seed uint64) *model {
	m := &model{r: rand.New(rand.NewPCG(seed, 4))}
	for k := range modules {
		var names []string
		for i := range 3 + m.r.IntN(3) {
			names = append(names, fmt.Sprintf("n%d_%d", k, i))
		}
		m.exports = append(m.exports, names)
	}
	for k := range modules {
		m.lines = append(m.lines, m.module(k))
	}
	return m
}

func (m *model) pick(of []string) string { return of[m.r.IntN(len(of))] }

// module makes the lines of one.
func (m *model) module(k int) []string {
	lines := []string{"import { val, on } from './base.mjs';"}
	known := slices.Clone(m.exports[k])
	var early, classes []string // what surely is there when the module is run
	for n := range m.r.IntN(4) {
		other := m.r.IntN(k + 1)
		if other == k || m.r.IntN(6) == 0 {
			other = m.r.IntN(modules)
		}
		name := m.pick(m.exports[other])
		switch local := fmt.Sprintf("i%d", n); m.r.IntN(4) {
		case 0:
			lines = append(lines, fmt.Sprintf("import * as %s from './m%d.mjs';", local, other))
			known = append(known, local+"."+name)
		case 1:
			lines = append(lines, fmt.Sprintf("import { all_%s as %s } from './index.mjs';", name, local))
			known = append(known, local)
		default:
			lines = append(lines, fmt.Sprintf("import { %s as %s } from './m%d.mjs';", name, local, other))
			known = append(known, local)
			if other < k {
				early = append(early, local)
				if strings.Contains(strings.Join(m.lines[other], "\n"), "class "+name) {
					classes = append(classes, local)
				}
			}
		}
	}
	lines = append(lines, "function own() { return "+m.uses(known)+"; }")
	known = append(known, "own")
	for _, name := range m.exports[k] {
		lines = append(lines, m.declaration(name, known, early, classes))
		early = append(early, name)
		if strings.Contains(lines[len(lines)-1], "class "+name) {
			classes = append(classes, name)
		}
	}
	if m.r.IntN(3) == 0 {
		lines = append(lines, fmt.Sprintf("on(() => val(%s));", m.pick(known)))
	}
	return lines
}

// uses is an expression that depends on a number and perhaps on a name.
func (m *model) uses(known []string) string {
	if m.r.IntN(3) == 0 {
		return fmt.Sprint(m.r.IntN(100))
	}
	return fmt.Sprintf("[%d, val(%s)]", m.r.IntN(100), m.pick(known))
}

func (m *model) declaration(name string, known, early, classes []string) string {
	if len(early) == 0 || m.r.IntN(30) == 0 {
		early = known
	}
	if len(classes) == 0 {
		classes = []string{"Object"}
	}
	switch m.r.IntN(11) {
	case 0, 1:
		return fmt.Sprintf("export function %s() { return %s; }", name, m.uses(known))
	case 2, 3:
		return fmt.Sprintf("export const %s = () => %s;", name, m.uses(known))
	case 4:
		return fmt.Sprintf("export const %s = %d;", name, m.r.IntN(100))
	case 5:
		return fmt.Sprintf("export class %s { m() { return %s; } }", name, m.uses(known))
	case 6:
		return fmt.Sprintf("export class %s extends %s { o() { return %s; } }", name, m.pick(classes), m.uses(known))
	case 7:
		return fmt.Sprintf("export const %s = { a: %s, b: 1 };", name, m.pick(early))
	case 8:
		return fmt.Sprintf("export const %s = %s;", name, m.uses(early))
	}
	return fmt.Sprintf("export const %s = function () { return %s; };", name, m.uses(known))
}

// edit changes one line of one module.
func (m *model) edit() int {
	k := m.r.IntN(modules)
	lines := slices.Clone(m.lines[k])
	at := 1 + m.r.IntN(len(lines)-1)
	for strings.HasPrefix(lines[at], "import") {
		at = 1 + m.r.IntN(len(lines)-1)
	}
	words := strings.Fields(lines[at])
	switch m.r.IntN(10) {
	case 0:
		lines[at-1], lines[at] = lines[at], lines[at-1]
	case 1:
		lines = append(lines, fmt.Sprintf("on(() => %d);", m.r.IntN(100)))
	case 2:
		lines[at] = strings.Replace(lines[at], "function own() {", "const own = () => {", 1)
	default:
		if len(words) > 2 && words[0] == "export" {
			name, _, _ := strings.Cut(words[2], "(")
			known := append(slices.Clone(m.exports[k]), "own")
			lines[at] = m.declaration(name, known, known, nil)
		} else {
			lines[at] = strings.Replace(lines[at], "return ", "return 1000 + ", 1)
		}
	}
	m.lines[k] = lines
	return k
}

// base is what the modules call: val makes a text of anything, on registers.
const base = `let depth = 0
export const hooks = []
export function on(f) { hooks.push(f) }
export function val(x) {
  if (depth > 4) return '-'
  depth++
  try {
    if (typeof x !== 'function') return x && typeof x === 'object' ? Object.keys(x).map((k) => k + val(x[k])).join() : String(x)
    if (!String(x).startsWith('class')) return val(x())
    const o = new x()
    return [o.m ? val(o.m()) : '', o.o ? val(o.o()) : ''].join()
  } finally { depth-- }
}
`

func (m *model) files(tests []string) files {
	out := files{"package.json": "{}", "base.mjs": base}
	index := ""
	for k := range modules {
		out[fmt.Sprintf("m%d.mjs", k)] = strings.Join(m.lines[k], "\n") + "\n"
		if k%2 == 0 {
			index += fmt.Sprintf("export * from './m%d.mjs';\n", k)
		}
		for _, name := range m.exports[k] {
			index += fmt.Sprintf("export { %s as all_%s } from './m%d.mjs';\n", name, name, k)
		}
	}
	out["index.mjs"] = index
	for n, text := range tests {
		out[fmt.Sprintf("t%d.test.mjs", n)] = text
	}
	return out
}

func (m *model) tests() []string {
	var out []string
	for n := range 6 {
		k := m.r.IntN(modules)
		name := m.pick(m.exports[k])
		from := fmt.Sprintf("import { all_%s as x } from './index.mjs';", name)
		use := "x"
		switch n % 3 {
		case 1:
			from = fmt.Sprintf("import { %s as x } from './m%d.mjs';", name, k)
		case 2:
			from, use = "import * as ns from './index.mjs';", "ns.all_"+name
		}
		extra := ""
		if m.r.IntN(3) == 0 {
			extra = " + hooks.map(val)"
		}
		out = append(out, from+"\nimport { val, hooks } from './base.mjs';\nexport default () => val("+use+")"+extra+";\n")
	}
	return out
}

const driver = `import { readFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
const out = []
for (const f of JSON.parse(readFileSync(0, 'utf8'))) {
  try { out.push(String((await import(pathToFileURL(f))).default())) } catch (e) { out.push(String(e)) }
}
console.log(JSON.stringify(out))
`

// TestNamesAgainstNode holds on random programs that every test whose result an
// edit really changes is selected: Node runs each test before and after, each
// with modules of its own.
func TestNamesAgainstNode(t *testing.T) {
	bin, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on PATH")
	}
	const seeds = 40
	dir := t.TempDir()
	var runs []string
	place := func(tree files, seed, version int) {
		for n := range 6 {
			at := filepath.Join(dir, fmt.Sprintf("%d-%d-%d", seed, version, n))
			if err := os.Mkdir(at, 0o755); err != nil {
				t.Fatal(err)
			}
			for f, text := range tree {
				if test := fmt.Sprintf("t%d.test.mjs", n); f == test || !strings.Contains(f, ".test.") {
					if err := os.WriteFile(filepath.Join(at, f), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
			}
			runs = append(runs, filepath.Join(at, fmt.Sprintf("t%d.test.mjs", n)))
		}
	}
	type outcome struct {
		before, after files
		selected      map[string]bool
		whole         int
	}
	var all []outcome
	for seed := range seeds {
		m := newModel(uint64(seed))
		tests := m.tests()
		o := outcome{before: m.files(tests), selected: map[string]bool{}}
		k := m.edit()
		o.after = m.files(tests)
		place(o.before, seed, 0)
		place(o.after, seed, 1)
		file := fmt.Sprintf("m%d.mjs", k)
		set := selectAfter(t, o.before, []affected.Project{node(".")}, edit{file, o.before[file], o.after[file]})
		for _, f := range set.Tests {
			o.selected[f.File] = true
		}
		o.whole = len(set.WhyFile(file))
		all = append(all, o)
	}
	results := runNode(t, bin, dir, runs)
	spared, differ := 0, 0
	for seed, o := range all {
		for n := range 6 {
			test := fmt.Sprintf("t%d.test.mjs", n)
			before, after := results[seed*12+n], results[seed*12+6+n]
			before, after = strings.ReplaceAll(before, fmt.Sprintf("%d-0-", seed), ""), strings.ReplaceAll(after, fmt.Sprintf("%d-1-", seed), "")
			if before == after {
				continue
			}
			differ++
			if !o.selected[test] {
				t.Errorf("seed %d: %s is not selected: %q became %q\n%s\nbefore: %v\nafter: %v", seed, test, before, after, o.before[test], texts(o.before), texts(o.after))
			}
		}
		spared += o.whole - len(o.selected)
	}
	t.Logf("%d results differ; %d tests are spared", differ, spared)
	if differ < seeds/4 || spared < seeds/2 {
		t.Errorf("%d results differ, %d tests are spared: the programs say too little", differ, spared)
	}
}

func runNode(t *testing.T, bin, dir string, runs []string) []string {
	t.Helper()
	script := filepath.Join(dir, "driver.mjs")
	list, err := json.Marshal(runs)
	if err == nil {
		err = os.WriteFile(script, []byte(driver), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), bin, script)
	cmd.Stdin = strings.NewReader(string(list))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var results []string
	if err := json.Unmarshal(out, &results); err != nil || len(results) != len(runs) {
		t.Fatalf("%v: %d results of %d", err, len(results), len(runs))
	}
	return results
}

// texts prints the modules of a program.
func texts(f files) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if strings.HasPrefix(name, "m") {
			b.WriteString("\n// " + name + "\n" + f[name])
		}
	}
	return b.String()
}
