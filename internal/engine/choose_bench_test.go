package engine

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"regreen/internal/config"
	"regreen/internal/git/gittest"
)

// BenchmarkChoose measures what a save costs in a daemon's engine, at 10,000 files
// of mocha: the selection alone (issue #4 allows it 5 ms), and all that comes before
// a run. It reports the least of the runs, which other work on the machine moves
// less than their mean.
//
//	go test ./internal/engine -run '^$' -bench Choose -benchtime 20x
func BenchmarkChoose(b *testing.B) {
	deps, err := filepath.Abs("../../testdata/deps/mocha11/node_modules")
	if err != nil {
		b.Fatal(err)
	}
	if _, err := os.Stat(deps); err != nil {
		b.Skip("mocha is not installed: run make deps")
	}
	const n = 5000
	r := gittest.New(b)
	file := func(i int) string { return fmt.Sprintf("src/d%d/m%d.js", i%50, i) }
	text := func(i, salt int) string {
		var t strings.Builder
		for _, dep := range []int{0, i / 3, i / 2} {
			if dep < i {
				fmt.Fprintf(&t, "import { f%d } from '../d%d/m%d.js';\n", dep, dep%50, dep)
			}
		}
		for k := range 12 {
			fmt.Fprintf(&t, "\n/** %s */\nexport function g%d(x) {\n  return x * %d + `${x}`.length;\n}\n", strings.Repeat("about ", 8), k, k)
		}
		fmt.Fprintf(&t, "\nexport const f%d = (x) => x + %d;\n", i, salt)
		return t.String()
	}
	files := []string{"package.json", `{"type":"module","devDependencies":{"mocha":"11"}}`,
		".mocharc.json", `{"spec":"src/**/*.test.js"}`, ".gitignore", "node_modules\n"}
	for i := range n {
		files = append(files, file(i), text(i, 0), strings.TrimSuffix(file(i), ".js")+".test.js", fmt.Sprintf("import { f%d } from './m%d.js';\n\nit('f', () => f%d(1));\n", i, i, i))
	}
	r.Write(files...)
	r.Commit("all")
	if err := os.Symlink(deps, r.Path("node_modules")); err != nil {
		b.Fatal(err)
	}
	e, err := Open(b.Context(), Options{Dir: r.Dir, Environ: append(gittest.Environ(), "PATH="+os.Getenv("PATH")), Config: config.Default(), StateDir: b.TempDir(), Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			b.Error(err)
		}
	}()
	if _, err := e.prepare(b.Context(), Request{All: true}); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name string
		at   int
		new  bool
	}{{"leaf", n - 1, false}, {"middle", n / 5, false}, {"hub", 0, false}, {"new", 0, true}} {
		b.Run(c.name, func(b *testing.B) {
			var choose, all []time.Duration
			for i := 0; b.Loop(); i++ {
				saved := file(c.at)
				if c.new {
					saved = fmt.Sprintf("src/new%d.js", i)
				}
				r.Write(saved, text(c.at, i+1))
				start := time.Now()
				p, err := e.prepare(context.Background(), Request{Files: []string{saved}, Saved: true})
				if err != nil {
					b.Fatal(err)
				}
				choose, all = append(choose, p.choosing), append(all, time.Since(start))
			}
			least := func(ds []time.Duration) float64 { return float64(slices.Min(ds).Microseconds()) / 1000 }
			b.ReportMetric(least(choose), "choose-ms")
			b.ReportMetric(least(all), "all-ms")
			r.Git("checkout", "-q", ".")
			r.Git("clean", "-fdq", "src")
		})
	}
}
