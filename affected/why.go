package affected

import (
	"fmt"
	"path"
	"strings"
)

// said is the sentence of a step, and the node that it leads to: a virtual one
// is passed over.
type said struct {
	text string
	to   int32
}

// chain explains how a node depends on a change, a sentence a step, appended to
// why.
func (w *walk) chain(at int32, why []string) []string {
	if w.dist[at] == 0 {
		word := w.seed[at]
		switch word {
		case created, deleted:
			word = "is " + word
		}
		return append(why, w.g.nodes[at].name+" "+strings.Replace(word, "renamed", "was renamed", 1))
	}
	if w.said == nil {
		w.said = make([]said, len(w.dist))
	}
	for w.dist[at] > 0 {
		if w.said[at].text == "" {
			w.said[at] = w.say(at)
		}
		why = append(why, w.said[at].text)
		at = w.said[at].to
	}
	return why
}

func (w *walk) say(at int32) said {
	to, verb := w.next[at], w.g.labels[w.via[at]].verb
	for w.g.nodes[to].virtual && !w.g.nodes[to].pkg && w.next[to] >= 0 {
		if w.g.labels[w.via[to]].verb == mayNeed {
			verb = mayNeed
		}
		to = w.next[to]
	}
	parts := [...]string{w.g.nodes[at].shown(), " ", verb, " ", w.g.nodes[to].shown(), "", "", ""}
	if word, ok := w.seed[to]; ok && w.dist[to] == 0 {
		parts[5], parts[6], parts[7] = " (", word, ")"
	}
	return said{w.joined(parts[:]), to}
}

// joined is strings.Join without a piece of memory for each: a change may need
// a sentence for every file of the repository.
func (w *walk) joined(parts []string) string {
	size := 0
	for _, p := range parts {
		size += len(p)
	}
	if have := w.text.Cap(); have-w.text.Len() < size {
		w.text = strings.Builder{} // what was made before keeps the old one alive
		w.text.Grow(max(size, min(2*have, 1<<16), 1<<10))
	}
	from := w.text.Len()
	for _, p := range parts {
		w.text.WriteString(p)
	}
	return w.text.String()[from:]
}

// notes gives why the steps to the tests are unsure or hold for many, each once,
// and whether a test was reached by a reason for a whole project.
func (w *walk) notes() (notes []string, whole bool) {
	have, said := map[string]bool{}, map[edge]bool{}
	seen := make([]bool, len(w.dist))
	add := func(note string) {
		if !have[note] {
			have[note] = true
			notes = append(notes, note)
		}
	}
	for _, at := range w.g.tests {
		if !w.hit(at) {
			continue
		}
		for ; w.dist[at] > 0 && !seen[at]; at = w.next[at] {
			seen[at] = true
			l, to := &w.g.labels[w.via[at]], w.next[at]
			project := w.g.nodes[to].isProject()
			whole = whole || project || l.verb == "is below"
			if !project && l.note == "" {
				continue
			}
			if project || l.verb == "is below" || l.verb == goesBy || l.verb == "is in the folder of" {
				if said[edge{to, w.via[at]}] {
					continue
				}
				said[edge{to, w.via[at]}] = true
			}
			add(w.note(at, to, l))
		}
	}
	return notes, whole
}

// note is the note of one step.
func (w *walk) note(at, to int32, l *label) string {
	file := to
	for w.g.nodes[file].virtual && !w.g.nodes[file].pkg && w.next[file] >= 0 {
		file = w.next[file]
	}
	name := w.g.nodes[file].shown()
	switch {
	case w.g.nodes[to].isProject():
		var n int
		_, _ = fmt.Sscanf(w.g.nodes[to].name, "\x00project %d", &n)
		p := w.g.in.Projects[n]
		if via := &w.g.labels[w.via[to]]; via.verb == mayNeed {
			return fmt.Sprintf("every test of %s in %s may depend on %s: %s", p.Framework, show(path.Clean(p.Root)), name, via.note)
		}
		return fmt.Sprintf("every test of %s in %s is run with %s", p.Framework, show(path.Clean(p.Root)), name)
	case l.verb == "is below":
		what := name + " " + w.seed[file]
		if note := w.effects[file].note; note != "" {
			what = note
		}
		return fmt.Sprintf("%s: everything below %s depends on it", what, show(path.Dir(name)))
	case l.verb == goesBy:
		return fmt.Sprintf("%s %s: everything goes by it below a tsconfig that extends it", name, w.seed[file])
	case l.verb == "is in the folder of":
		return fmt.Sprintf("%s is gone and %s: the tests of %s are run", name, l.note, show(path.Dir(name)))
	}
	return fmt.Sprintf("%s %s %s: %s", w.g.nodes[at].shown(), l.verb, name, l.note)
}
