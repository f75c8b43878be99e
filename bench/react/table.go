//go:build linux

package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// table is one framework's figures.
type table struct {
	rows             []*row
	oursPSS, peerPSS int // KiB, at rest
}

// print gives the number of wrong verdicts of ours.
func (t *table) print(out io.Writer, name string, n int) (wrong int) {
	fmt.Fprintf(out, "%s, %d modules; at rest %d MiB, its own watch mode %d MiB\n", name, n, t.oursPSS>>10, t.peerPSS>>10)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "  save\twho\tmedian\tleast\tto ours\tgreen CPU\tto ours\twrong\t")
	for _, at := range []string{"leaf", "mid"} {
		ours := figuresOf(t.rows[0].all[at])
		for i, r := range t.rows {
			f := figuresOf(r.all[at])
			fmt.Fprintf(w, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\t%d of %d\t\n", at, r.what, ms(f.wall), ms(f.least), ratio(ours.wall, f.wall), ms(f.cpu), ratio(ours.cpu, f.cpu), f.wrong, f.n)
			if i == 0 {
				wrong += f.wrong
			}
		}
	}
	_ = w.Flush()
	for _, at := range []string{"leaf", "mid"} {
		fmt.Fprintf(out, "  %s, medians of our stages in ms: %s\n", at, stages(t.rows[0].all[at]))
	}
	return wrong
}

type figures struct {
	wall, least, cpu time.Duration
	wrong, n         int
}

func figuresOf(all []seen) (f figures) {
	var walls, cpus []time.Duration
	for _, s := range all {
		walls = append(walls, s.took)
		if !s.red {
			cpus = append(cpus, s.cpu)
		}
		if s.wrong {
			f.wrong++
		}
	}
	f.n, f.wall, f.cpu = len(all), median(walls), median(cpus)
	if len(walls) > 0 {
		f.least = slices.Min(walls)
	}
	return f
}

func median[T int64 | time.Duration](all []T) T {
	if len(all) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

func ms(d time.Duration) string { return fmt.Sprintf("%d ms", d.Milliseconds()) }

func ratio(ours, other time.Duration) string {
	if other == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(ours)/float64(other))
}

func stages(all []seen) string {
	by := map[string][]int64{}
	for _, s := range all {
		for name, ms := range s.stages {
			if !s.red {
				by[name] = append(by[name], ms)
			}
		}
	}
	var out []string
	for _, name := range []string{"snapshot", "affected", "first_run", "total"} {
		out = append(out, fmt.Sprintf("%s %d", name, median(by[name])))
	}
	return strings.Join(out, ", ")
}
