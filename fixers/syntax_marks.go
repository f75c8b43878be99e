package fixers

import (
	"slices"
	"strings"

	"regreen/internal/lang"
)

// marks guesses commas, colons, semicolons and arrows, where the brackets are
// in balance.
func (g *guesser) marks() {
	expected := g.bad.Expected + " " + g.bad.Message
	for i := range g.ks {
		l := g.t.lineOf(g.ks[i].End)
		if !g.near[l] {
			continue
		}
		at := g.ks[i].End
		for _, s := range []string{",", ":", ";", " =>"} {
			t := strings.TrimSpace(s)
			if g.t.lang.Name() == "python" && (t == ";" || t == "=>") || t == ":" && g.makesLabel(i) ||
				(t == "," || t == "=>") && g.beginsStatement(i) {
				continue
			}
			wanted := strings.Contains(expected, `"`+t+`"`) || strings.Contains(expected, "'"+t+"'") || strings.Contains(expected, "comma") && t == ","
			g.insert(at, s, g.classAt(at, wanted))
			// Two statements on a line are rarer than a word too many.
			g.out[len(g.out)-1].weak = t == ";" && (g.t.around(i) < 0 || g.t.word(g.t.around(i)-1) != "for")
		}
		switch s := g.t.str(g.ks[i]); s {
		case ",", ":", ";", "=>":
			g.deleteToken(i, 3)
			for _, r := range []string{",", ":", ";"} {
				if r != s {
					g.replace(g.ks[i], r, 4)
				}
			}
		}
	}
}

// makesLabel tells whether a colon behind a token would make a label of it, or
// an annotation that says no type: both parse nearly always, and are meant by
// nobody who wrote half a statement.
func (g *guesser) makesLabel(i int) bool {
	if k := g.ks[i]; k.Kind != lang.Ident && k.Kind != lang.Keyword {
		return false
	}
	if g.t.lang.Name() == "python" {
		return g.t.around(i) < 0 && !slices.Contains(compound, g.t.word(g.t.firstOfLine(i))) && !slices.Contains(compound, g.t.word(i))
	}
	return g.t.word(i) != "default" && g.beginsStatement(i)
}

// beginsStatement tells whether a token is the first word of a statement that
// is no member of a class or an object: a list or a function that begins there
// is of no use to anybody.
func (g *guesser) beginsStatement(i int) bool {
	if k := g.ks[i]; k.Kind != lang.Ident && k.Kind != lang.Keyword {
		return false
	}
	o := g.t.around(i)
	if g.t.lang.Name() == "python" {
		if o >= 0 || !g.t.startsStatement(i) || slices.Contains(compound, g.t.word(i)) {
			return false
		}
		for j := i + 1; j < len(g.ks) && !g.t.startsStatement(j); j++ {
			if g.t.word(j) == "=" {
				return false // a, b = …
			}
		}
		return true
	}
	if !g.t.startsStatement(i) && !slices.Contains([]string{"{", "}", ";"}, g.t.word(i-1)) {
		return false
	}
	if _, body := bodyAt(g.t, o); o >= 0 && body {
		return true
	}
	return o < 0 || slices.Contains([]string{")", ";", "{", "}", "else", "try", "finally", "do", "=>"}, g.t.word(o-1))
}

// compound begin the statements of Python that a colon ends the head of.
var compound = []string{"if", "elif", "else", "for", "while", "try", "except", "finally", "with", "def", "class", "async", "match", "case", "lambda"}
