// Command graph measures the import graph on a made-up repository: cold, with
// remembered scans, a save, the save of a file that everything imports, the same
// by the names that differ, a new
// file, a branch switch, and memory; beside jest's --findRelatedTests on the
// same tree where a folder with jest is given.
//
//	go run ./bench/graph -n 5000
//	go run ./bench/graph -n 2500 -jest testdata/deps/jest30
//
// What the daemon's engine adds to that is measured by BenchmarkChoose in
// internal/engine.
//
// It prints medians with the least and the most, for the machine it runs on;
// only ratios are worth keeping. Limits are held against the median of the CPU
// time, which other people's work on the machine moves less than the clock.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/lang/py"
	"regreen/internal/runner"
)

func main() {
	n := flag.Int("n", 5000, "modules; each has a test, so there are twice as many files")
	kind := flag.String("lang", "ts", "ts, js or py")
	jest := flag.String("jest", "", "a folder whose node_modules hold jest, to compare with")
	runs := flag.Int("runs", 9, "runs of each")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *n, *kind, *jest, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "graph: error:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer, n int, kind, jest string, runs int) (err error) {
	dir, err := os.MkdirTemp("", "graph")
	if err != nil {
		return err
	}
	defer func() {
		if rerr := os.RemoveAll(dir); err == nil {
			err = rerr
		}
	}()
	m := newModel(n, kind)
	t := &disk{root: dir, sums: map[string]string{}}
	for i := range n {
		t.write(m.file(i), m.text(i, 0))
		t.write(m.test(i), m.testText(i))
	}
	if t.err != nil {
		return t.err
	}
	slices.Sort(t.files)
	b := bench{ctx: ctx, out: out, t: t, m: m, runs: runs, state: filepath.Join(dir, "scans")}
	fmt.Fprintf(out, "%d modules, %d files, %s, %s/%s, %d cpus\n", n, len(t.files), kind, runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	b.all()
	if b.err == nil && jest != "" {
		b.jest(jest)
	}
	return b.err
}

// bench runs one measurement after the other; the first error stays.
type bench struct {
	ctx   context.Context
	out   io.Writer
	t     *disk
	m     *model
	runs  int
	state string
	err   error
	cold  time.Duration // CPU
}

func (b *bench) input(changed ...string) affected.Input {
	in := affected.Input{Tree: b.t, Languages: lang.Set{js.Language{}, py.New("")}, BaseFiles: b.t.files, Sum: b.t.sum,
		Projects: []affected.Project{{Project: runner.Project{Root: ".", Framework: "x"}, Layout: runner.Layout{IsTest: b.m.isTest}}}}
	for _, c := range changed {
		in.Changes = append(in.Changes, affected.Change{Path: c})
	}
	return in
}

// measure times several runs; prepare is not timed.
func (b *bench) measure(name string, runs int, prepare func(i int), do func(i int) (int, error)) (wall, cpu time.Duration) {
	var walls, cpus []time.Duration
	tests := 0
	for i := range runs {
		if b.err != nil {
			return 0, 0
		}
		if prepare != nil {
			prepare(i)
		}
		runtime.GC()
		c, start := processTime(), time.Now()
		tests, b.err = do(i)
		walls, cpus = append(walls, time.Since(start)), append(cpus, processTime()-c)
	}
	slices.Sort(walls)
	slices.Sort(cpus)
	wall, cpu = walls[len(walls)/2], cpus[len(cpus)/2]
	fmt.Fprintf(b.out, "%-34s %9.2f ms (%.2f to %.2f)  cpu %9.2f ms (least %.2f)  %d tests%s\n", name, ms(wall), ms(walls[0]), ms(walls[len(walls)-1]), ms(cpu), ms(cpus[0]), tests, b.limit(name, ms(cpu), "ms"))
	return wall, cpu
}

// limits are what the figures may be, for the sizes that the issue names.
var limits = []struct {
	name  string
	files int // at most
	max   float64
}{
	{"save", 10_000, 5}, {"a new file", 10_000, 5}, {"a deleted file", 10_000, 5}, {"a switch of", 50_000, 500}, {"memory", 50_000, 100},
}

// limit says whether a figure keeps its limit, "" where it has none.
func (b *bench) limit(name string, value float64, unit string) string {
	for _, l := range limits {
		if !strings.HasPrefix(name, l.name) || len(b.t.files) > l.files+100 {
			continue
		}
		word := "held"
		if value > l.max {
			word = "PASSED"
		}
		return fmt.Sprintf("  limit %g %s: %s", l.max, unit, word)
	}
	return ""
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func (b *bench) all() {
	n := b.m.n
	leaf, mid, hub := b.m.file(n-1), b.m.file(n/2), b.m.file(0)
	_, b.cold = b.measure("cold", min(b.runs, 5), nil, func(int) (int, error) {
		s, err := affected.Select(b.ctx, b.input(leaf))
		return count(s), err
	})
	b.measure("cold, scans remembered", min(b.runs, 5), nil, func(int) (int, error) {
		in := b.input(leaf)
		in.Scans = affected.OpenScans(b.state, "bench")
		s, err := affected.Select(b.ctx, in)
		if err == nil {
			err = in.Scans.Save()
		}
		return count(s), err
	})
	before := heap()
	g, err := affected.Build(b.ctx, b.input())
	if err != nil {
		b.err = err
		return
	}
	mib := float64(heap()-before) / (1 << 20)
	fmt.Fprintf(b.out, "%-34s %9.1f MiB%s\n", "memory of the graph", mib, b.limit("memory", mib, "MiB"))
	for _, c := range []struct {
		name string
		at   int
		file string
	}{{"save of a leaf", n - 1, leaf}, {"save in the middle", n / 2, mid}, {"save of what all import", 0, hub}} {
		b.measure(c.name, b.runs, func(i int) { b.t.write(c.file, b.m.text(c.at, i+1)) }, func(int) (int, error) {
			s, err := g.Update(b.ctx, b.input(c.file), []string{c.file})
			return count(s), err
		})
	}
	for _, c := range []struct {
		name string
		at   int
		file string
	}{{"save by names in the middle", n / 2, mid}, {"save by names of what all import", 0, hub}} {
		before := b.m.text(c.at, 0)
		b.measure(c.name, b.runs, func(i int) { b.t.write(c.file, strings.Replace(before, "=> x;", fmt.Sprintf("=> x + %d;", i), 1)) }, func(int) (int, error) {
			in := b.input(c.file)
			in.Base = func(string) ([]byte, bool) { return []byte(before), true }
			s, err := g.Update(b.ctx, in, []string{c.file})
			return count(s), err
		})
		b.t.write(c.file, before)
	}
	b.measure("save that changes the imports", b.runs, func(i int) { b.t.write(mid, b.m.text(n/2+i%2, i)) }, func(int) (int, error) {
		s, err := g.Update(b.ctx, b.input(mid), []string{mid})
		return count(s), err
	})
	b.measure("a new file", b.runs, func(i int) {
		b.t.write(b.m.fresh(i), "")
		slices.Sort(b.t.files)
	}, func(i int) (int, error) {
		f := b.m.fresh(i)
		s, err := g.Update(b.ctx, b.input(f), []string{f})
		return count(s), err
	})
	b.measure("a deleted file", b.runs, func(i int) {
		f := b.m.fresh(i)
		b.t.files = slices.DeleteFunc(b.t.files, func(have string) bool { return have == f })
		delete(b.t.sums, f)
		if err := os.Remove(b.t.abs(f)); b.err == nil {
			b.err = err
		}
	}, func(i int) (int, error) {
		f := b.m.fresh(i)
		in := b.input(f)
		in.Changes[0].Deleted = true
		s, err := g.Update(b.ctx, in, []string{f})
		return count(s), err
	})
	var many []string
	for i := range min(1000, n) {
		many = append(many, b.m.file(i*n/min(1000, n)))
	}
	b.measure(fmt.Sprintf("a switch of %d files", len(many)), b.runs, func(i int) {
		for k, f := range many {
			b.t.write(f, b.m.text(k*n/len(many)+i%2, i))
		}
	}, func(int) (int, error) {
		s, err := g.Update(b.ctx, b.input(many...), many)
		return count(s), err
	})
	runtime.KeepAlive(g)
}

func count(s *affected.Set) int {
	if s == nil {
		return 0
	}
	return len(s.Tests)
}

// jest compares with the same question asked of jest, after one run that fills
// its caches is thrown away: its haste map is then as warm as it gets.
func (b *bench) jest(deps string) {
	deps, b.err = filepath.Abs(deps)
	if b.err != nil {
		return
	}
	if b.err = os.Symlink(filepath.Join(deps, "node_modules"), filepath.Join(b.t.root, "node_modules")); b.err != nil {
		return
	}
	b.t.write("package.json", "{}")
	for _, cached := range []bool{false, true} {
		var cpus []time.Duration
		for range min(b.runs, 5) {
			args := []string{"node_modules/jest/bin/jest.js", "--listTests", "--cacheDirectory", filepath.Join(b.t.root, ".cache"), "--findRelatedTests", b.m.file(b.m.n - 1)}
			if !cached {
				args = append(args, "--no-cache")
			}
			cmd := exec.CommandContext(b.ctx, "node", args...)
			cmd.Dir = b.t.root
			if text, err := cmd.CombinedOutput(); err != nil {
				b.err = fmt.Errorf("jest: %w: %s", err, text)
				return
			}
			cpus = append(cpus, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		}
		slices.Sort(cpus)
		cpu := cpus[len(cpus)/2]
		name := map[bool]string{false: "jest --findRelatedTests, no cache", true: "jest --findRelatedTests, its cache"}[cached]
		fmt.Fprintf(b.out, "%-34s %21s cpu %9.2f ms  cold graph / jest = %.2f%s\n", name, "", ms(cpu), ms(b.cold)/ms(cpu), map[bool]string{true: "  limit 0.5: held", false: "  limit 0.5: PASSED"}[ms(b.cold) <= ms(cpu)/2])
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// disk is a lang.Tree of files in a folder.
type disk struct {
	root  string
	files []string
	sums  map[string]string
	err   error
}

func (d *disk) abs(rel string) string { return filepath.Join(d.root, filepath.FromSlash(rel)) }

func (d *disk) write(rel, text string) {
	if d.err != nil {
		return
	}
	if _, have := d.sums[rel]; !have {
		d.files = append(d.files, rel)
		d.err = os.MkdirAll(filepath.Dir(d.abs(rel)), 0o755)
	}
	d.sums[rel] = text
	if d.err == nil {
		d.err = os.WriteFile(d.abs(rel), []byte(text), 0o644)
	}
}

func (d *disk) sum(rel string) (string, bool)       { s, ok := d.sums[rel]; return s, ok }
func (d *disk) ReadFile(rel string) ([]byte, error) { return os.ReadFile(d.abs(rel)) }
func (d *disk) Files() []string                     { return slices.Clone(d.files) }

func (d *disk) List(rel string) map[string]bool {
	entries, err := os.ReadDir(d.abs(rel))
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for _, e := range entries {
		out[e.Name()] = e.Type().IsRegular()
	}
	return out
}

func (d *disk) Exists(rel string) bool {
	fi, err := os.Stat(d.abs(rel))
	return err == nil && fi.Mode().IsRegular()
}

func (d *disk) IsDir(rel string) bool {
	fi, err := os.Stat(d.abs(rel))
	return err == nil && fi.IsDir()
}

// model is a repository of n modules in layers: each imports one to four of
// the layers below, mostly of its own domain.
type model struct {
	n    int
	kind string
	deps [][]int
}

func newModel(n int, kind string) *model {
	m := &model{n: n, kind: kind}
	seed := uint32(12345)
	next := func(k int) int {
		seed = seed*1103515245 + 12345
		return int(seed>>8) % k
	}
	for i := range n {
		var deps []int
		if i > n/50 {
			for range 1 + next(4) {
				dep := next(i)
				if next(5) > 0 {
					dep = next(i)/2 + i/2
				}
				if next(6) == 0 {
					dep = next(1 + n/50)
				}
				deps = append(deps, min(dep, i-1))
			}
		}
		slices.Sort(deps)
		m.deps = append(m.deps, slices.Compact(deps))
	}
	return m
}

func (m *model) py() bool { return m.kind == "py" }

func (m *model) file(i int) string {
	if m.py() {
		return fmt.Sprintf("app/d%d/m%d.py", i%50, i)
	}
	return fmt.Sprintf("src/d%d/m%d.%s", i%50, i, m.kind)
}

func (m *model) test(i int) string {
	if m.py() {
		return fmt.Sprintf("tests/d%d/test_m%d.py", i%50, i)
	}
	return fmt.Sprintf("src/d%d/m%d.test.%s", i%50, i, m.kind)
}

// fresh is the i-th file that comes and goes.
func (m *model) fresh(i int) string {
	if m.py() {
		return fmt.Sprintf("app/new%d.py", i)
	}
	return fmt.Sprintf("src/new%d.%s", i, m.kind)
}

func (m *model) isTest(f string) bool {
	return strings.Contains(f, ".test.") || strings.Contains(f, "/test_")
}

// text is module i; salt makes it another text.
func (m *model) text(i, salt int) string {
	var b strings.Builder
	i = min(i, m.n-1)
	for _, d := range m.deps[i] {
		if m.py() {
			fmt.Fprintf(&b, "from app.d%d.m%d import f%d\n", d%50, d, d)
		} else {
			fmt.Fprintf(&b, "import { f%d } from '../d%d/m%d';\n", d, d%50, d)
		}
	}
	for k := range 12 {
		if m.py() {
			fmt.Fprintf(&b, "\n\ndef g%d(x):\n    \"\"\"%s\"\"\"\n    return x * %d + len('%s')\n", k, strings.Repeat("about ", 8), salt+k, "text")
		} else {
			fmt.Fprintf(&b, "\n/** %s */\nexport function g%d(x) {\n  return x * %d + `${x}`.length;\n}\n", strings.Repeat("about ", 8), k, salt+k)
		}
	}
	if m.py() {
		fmt.Fprintf(&b, "\n\ndef f%d(x):\n    return x\n", i)
	} else {
		fmt.Fprintf(&b, "\nexport const f%d = (x) => x;\n", i)
	}
	return b.String()
}

func (m *model) testText(i int) string {
	if m.py() {
		return fmt.Sprintf("from app.d%d.m%d import f%d\n\n\ndef test_f():\n    assert f%d(1) == 1\n", i%50, i, i, i)
	}
	return fmt.Sprintf("import { f%d } from './m%d';\n\ntest('f', () => {\n  expect(f%d(1)).toBe(1);\n});\n", i, i, i)
}
