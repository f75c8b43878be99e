package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// row is one kind's line of the table.
type row struct {
	Kind     string `json:"kind"`
	Trap     bool   `json:"trap"`
	Cases    int    `json:"cases"`
	Merged   int    `json:"merged"`
	Equal    int    `json:"equal"`
	Partly   int    `json:"partly"`
	Wrong    int    `json:"wrong"`
	Offered  int    `json:"offered"`
	Named    int    `json:"named"`   // traps: the guilty part is named as the cause
	Dropped  int    `json:"dropped"` // faults that turned no test red
	Invalid  int    `json:"invalid"` // places without a right answer that passes
	MedianMS int64  `json:"median_ms"`
	// OverMS is the median time from the first red verdict to the merged repair
	// of one fault beyond two runs of the affected tests and the full suite;
	// GateMS is the median of the full suite, where it was run.
	OverMS int64 `json:"over_ms"`
	GateMS int64 `json:"gate_ms"`
}

func tabulate(list []result) []row {
	var rows []row
	total := row{Kind: "all"}
	for _, k := range kinds() {
		of := slices.DeleteFunc(slices.Clone(list), func(r result) bool { return r.Kind != k.name })
		if r := rowOf(k.name, k.trap, of); r.Cases+r.Dropped+r.Invalid > 0 {
			rows = append(rows, r)
		}
	}
	all := rowOf("all", false, list)
	total = all
	return append(rows, total)
}

func rowOf(name string, trap bool, list []result) row {
	r := row{Kind: name, Trap: trap}
	var ms, over, gate []int64
	for _, x := range list {
		r.Dropped += x.Dropped
		r.Invalid += x.Invalid
		if !x.counted() {
			continue
		}
		r.Cases++
		switch x.Verdict {
		case equal:
			r.Equal++
		case partly:
			r.Partly++
		case wrong:
			r.Wrong++
		case offered:
			r.Offered++
		}
		if x.Cause == "named" {
			r.Named++
		}
		ms = append(ms, x.MS)
		if x.Verdict == equal || x.Verdict == partly {
			if x.Kind != "two" {
				over = append(over, x.AfterMS-x.FullMS-2*x.FirstMS)
			}
			if x.FullMS > 0 {
				gate = append(gate, x.FullMS)
			}
		}
	}
	r.Merged = r.Equal + r.Partly + r.Wrong
	r.MedianMS, r.OverMS, r.GateMS = median(ms), median(over), median(gate)
	return r
}

func median(v []int64) int64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[len(v)/2]
}

func print(w io.Writer, rows []row, list []result, asJSON bool) error {
	repos := map[string]bool{}
	for _, r := range list {
		if r.counted() {
			repos[r.Repo] = true
		}
	}
	if asJSON {
		return json.NewEncoder(w).Encode(struct {
			Repositories int   `json:"repositories"`
			Rows         []row `json:"rows"`
		}{len(repos), rows})
	}
	fmt.Fprintf(w, "%d repositories\n\n", len(repos))
	fmt.Fprintln(w, "| kind | cases | merged | equal | partly | wrong | proposed | cause named | median time |")
	fmt.Fprintln(w, "|---|---:|---:|---:|---:|---:|---:|---:|---:|")
	for _, r := range rows {
		named := "–"
		if r.Trap && r.Kind != "all" {
			named = fmt.Sprint(r.Named)
		}
		fmt.Fprintf(w, "| %s | %d | %s | %d | %d | %d | %d | %s | %.1f s |\n", r.Kind, r.Cases, share(r.Merged, r.Cases), r.Equal, r.Partly, r.Wrong,
			r.Offered, named, float64(r.MedianMS)/1000)
	}
	last := rows[len(rows)-1]
	fmt.Fprintf(w, "\n%d more faults turned no test red and do not count, nor do %d that no right answer turns green again.\n", last.Dropped, last.Invalid)
	fmt.Fprintf(w, "From the first red verdict to the merged repair of one fault, the full suite aside: two runs of the affected tests %+.2f s (median); the full suite took %.1f s (median).\n",
		float64(last.OverMS)/1000, float64(last.GateMS)/1000)
	return nil
}

func share(n, of int) string {
	if of == 0 {
		return "0"
	}
	return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(of))
}
