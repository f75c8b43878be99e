package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// compare gives recall and precision of a selection, and what it missed. Where
// nothing was selected nothing was selected without need.
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

// side is one program's figures over some edits.
type side struct {
	name                     string
	recall, precision, skip  []float64
	selected, needed, missed int
}

func (s *side) add(m *measured, selected []string) {
	recall, _, missed := compare(m.Truth, selected)
	_, precision, unselected := compare(m.loading(), selected)
	s.recall, s.precision = append(s.recall, recall), append(s.precision, precision)
	if m.Tests > 0 {
		s.skip = append(s.skip, max(0, 1-float64(len(selected))/float64(m.Tests)))
	}
	s.selected += len(selected)
	s.needed += len(m.loading()) - len(unselected)
	s.missed += len(missed)
}

// row is one repository.
type row struct {
	repo, framework string
	ours            side
	// peers are each beside ours on the edits that it gave an answer for.
	peers []pair
	// traced is ours with affected.precision = "traced".
	traced side
	// spared are tests that load what differs and do not depend on it.
	spared int
	// listing are tests that list a folder of which the edit changes the names.
	listing int
	// comments is what was selected for remarks, which nothing depends on.
	comments int
}

type pair struct{ ours, peer side }

// rows are the repositories' figures. Remarks have no truth and count apart.
func (s *store) rows() []row {
	var out []row
	at := map[string]int{}
	for _, m := range s.edits() {
		n, ok := at[m.Repo]
		if !ok {
			n = len(out)
			at[m.Repo] = n
			r := row{repo: m.Repo, ours: side{name: "regreen"}, traced: side{name: "regreen, traced"}}
			if st := s.start(m.place); st != nil {
				r.framework = st.Framework
			}
			out = append(out, r)
		}
		r := &out[n]
		if m.Silent {
			r.comments += len(m.Selected)
			continue
		}
		r.ours.add(m, m.Selected)
		if m.Traced != nil {
			r.traced.add(m, m.Traced)
		}
		r.spared += len(m.Spared)
		r.listing += len(m.Listing)
		for _, name := range slices.Sorted(maps.Keys(m.Peers)) {
			i := slices.IndexFunc(r.peers, func(p pair) bool { return p.peer.name == name })
			if i < 0 {
				i = len(r.peers)
				r.peers = append(r.peers, pair{side{name: "regreen"}, side{name: name}})
			}
			r.peers[i].ours.add(m, m.Selected)
			r.peers[i].peer.add(m, m.Peers[name])
		}
	}
	return out
}

// figures are median, mean and worst.
func figures(x []float64) string {
	if len(x) == 0 {
		return "–"
	}
	x = slices.Sorted(slices.Values(x))
	return fmt.Sprintf("%.2f %.2f %.2f", (x[(len(x)-1)/2]+x[len(x)/2])/2, mean(x), x[0])
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// table prints a line for each repository, and one for each peer.
func table(w io.Writer, rows []row) {
	fmt.Fprintln(w, "median, mean and worst of the edits")
	fmt.Fprintln(w)
	fmt.Fprintln(w, "| repository | | edits | recall | precision | tests skipped | selected, needed, missed |")
	fmt.Fprintln(w, "|---|---|---:|---|---|---|---:|")
	for _, r := range rows {
		printSide(w, r.repo+" ("+r.framework+")", r.ours)
		if len(r.traced.recall) > 0 {
			printSide(w, "", r.traced)
		}
		for _, p := range r.peers {
			if len(p.ours.recall) < len(r.ours.recall) {
				printSide(w, "", p.ours)
			}
			printSide(w, "", p.peer)
		}
	}
	for _, r := range rows {
		if r.spared > 0 {
			fmt.Fprintf(w, "\n%s: %d times a test that loads the edited file was spared, and no edit that can be loaded changes its results\n", r.repo, r.spared)
		}
		if r.listing > 0 {
			fmt.Fprintf(w, "\n%s: %d times a test that stays as it was lists a folder where a file came or went, and counts as dependent where it is selected\n", r.repo, r.listing)
		}
	}
}

func printSide(w io.Writer, repo string, s side) {
	fmt.Fprintf(w, "| %s | %s | %d | %s | %s | %s | %d, %d, %d |\n", repo, s.name, len(s.recall), figures(s.recall), figures(s.precision), figures(s.skip),
		s.selected, s.needed, s.missed)
}

// show prints one edit.
func (b *bench) show(m *measured) {
	missed, traced := m.missed(m.Selected), m.missed(m.Traced)
	if m.Traced == nil {
		traced = nil
	}
	if !b.verbose && len(missed)+len(traced) == 0 {
		return
	}
	text := fmt.Sprintf("%3d %-7s %s: truth %d, selected %d", m.N+1, m.Kind, m.What, len(m.Truth), len(m.Selected))
	if m.Traced != nil {
		text += fmt.Sprintf(", traced %d", len(m.Traced))
	}
	if len(m.Spared) > 0 {
		text += fmt.Sprintf(", spared %d", len(m.Spared))
	}
	if len(m.Listing) > 0 {
		text += fmt.Sprintf(", listing %d", len(m.Listing))
	}
	if m.Refused != "" {
		text += " (refused: " + m.Refused + ")"
	}
	for _, name := range slices.Sorted(maps.Keys(m.Peers)) {
		text += fmt.Sprintf(", %s %d", name, len(m.Peers[name]))
		if lost := m.missed(m.Peers[name]); len(lost) > 0 {
			text += fmt.Sprintf(" (missed %d)", len(lost))
		}
	}
	fmt.Fprintln(b.out, text)
	if len(missed) > 0 {
		fmt.Fprintf(b.out, "    MISSED %s\n", strings.Join(missed[:min(len(missed), 8)], ", "))
	}
	if len(traced) > 0 {
		fmt.Fprintf(b.out, "    MISSED as traced: %s\n", strings.Join(traced[:min(len(traced), 8)], ", "))
	}
	extra := slices.DeleteFunc(slices.Clone(m.Selected), func(f string) bool { return slices.Contains(m.loading(), f) })
	if len(extra) > 0 {
		fmt.Fprintf(b.out, "    %d more than depend: %s\n", len(extra), strings.Join(extra[:min(len(extra), 4)], ", "))
	}
}
