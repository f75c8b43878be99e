package main

import (
	"fmt"
	"slices"
	"strings"
)

// compare gives recall and precision of a selection, and what it missed.
func compare(truth, selected []string) (recall, precision float64, missed []string) {
	hit := 0
	for _, f := range truth {
		if slices.Contains(selected, f) {
			hit++
		} else {
			missed = append(missed, f)
		}
	}
	recall, precision = 1, 1
	if len(truth) > 0 {
		recall = float64(hit) / float64(len(truth))
	}
	if len(selected) > 0 {
		precision = float64(hit) / float64(len(selected))
	}
	return recall, precision, missed
}

func (b *bench) show(n int, m measured) {
	if !b.verbose && len(m.missed) == 0 {
		return
	}
	line := fmt.Sprintf("%3d %-7s %s: truth %d, selected %d", n+1, m.edit.kind, m.edit.what, len(m.truth), len(m.selected))
	if m.peerKnown {
		line += fmt.Sprintf(", %s %d", b.peer, len(m.peer))
		if len(m.peerMissed) > 0 {
			line += fmt.Sprintf(" (missed %d)", len(m.peerMissed))
		}
	}
	fmt.Fprintln(b.out, line)
	if len(m.missed) > 0 {
		fmt.Fprintf(b.out, "    MISSED %s\n", strings.Join(m.missed[:min(len(m.missed), 8)], ", "))
	}
	if m.precision < 0.5 {
		extra := slices.DeleteFunc(slices.Clone(m.selected), func(f string) bool { return slices.Contains(m.truth, f) })
		fmt.Fprintf(b.out, "    more than depends: %s\n", strings.Join(extra[:min(len(extra), 4)], ", "))
	}
}

// summary prints the figures over all edits. Silent edits have no truth: their
// precision is left out, and what was selected for them is told apart.
func (b *bench) summary(all []measured) {
	type side struct {
		name                 string
		recalls, precisions  []float64
		selected, missed     int
		missedEdits, silents int
	}
	sides := []side{{name: "regreen"}, {name: b.peer}}
	truth := 0
	for _, m := range all {
		truth += len(m.truth)
		for i := range sides {
			s := &sides[i]
			recall, precision, missed, selected := m.recall, m.precision, m.missed, m.selected
			if i == 1 {
				if !m.peerKnown {
					continue
				}
				recall, precision, missed, selected = m.peerRecall, m.peerPrecision, m.peerMissed, m.peer
			}
			if m.edit.silent {
				s.silents += len(selected)
				continue
			}
			s.recalls = append(s.recalls, recall)
			s.selected += len(selected)
			s.missed += len(missed)
			if len(missed) > 0 {
				s.missedEdits++
			}
			if len(selected) > 0 {
				s.precisions = append(s.precisions, precision)
			}
		}
	}
	fmt.Fprintf(b.out, "%d edits; %d dependent test files in all\n", len(all), truth)
	for _, s := range sides {
		if len(s.recalls) == 0 {
			continue
		}
		fmt.Fprintf(b.out, "  %-8s recall %s; precision %s; selected %d, missed %d in %d edits; for comments %d\n", s.name,
			figures(s.recalls), figures(s.precisions), s.selected, s.missed, s.missedEdits, s.silents)
	}
}

// figures are median, mean and worst.
func figures(x []float64) string {
	if len(x) == 0 {
		return "of nothing"
	}
	slices.Sort(x)
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return fmt.Sprintf("median %.3f mean %.3f worst %.3f (n=%d)", x[len(x)/2], sum/float64(len(x)), x[0], len(x))
}
