package fixers

import (
	"slices"
	"strings"

	"regreen/internal/lang"
)

// callSite is one call of a function whose signature changed.
type callSite struct {
	t    *text
	open int // the bracket's token
	args []argument
	// edited: the user's diff reached into the call already.
	edited bool
}

// word is an argument's text.
func (c callSite) text(a argument) string {
	ks := c.t.significant()
	return c.t.at(lang.Span{Start: ks[a.first].Start, End: ks[a.last].End})
}

// spread: how many arguments there are cannot be told.
func (c callSite) spread() bool {
	return slices.ContainsFunc(c.args, func(a argument) bool { return strings.HasPrefix(c.text(a), "...") || strings.HasPrefix(c.text(a), "*") })
}

// positional are the arguments before the first one that is given by name.
func (c callSite) positional() int {
	for i, a := range c.args {
		if c.t.lang.Name() == "python" && c.t.word(a.first+1) == "=" {
			return i
		}
	}
	return len(c.args)
}

// callsOf finds the calls: through imports and in the own file for a
// function; by the member's name for a method, where no other thing has a
// member of that name.
func (v *view) callsOf(s signatureChange) []callSite {
	var out []callSite
	for _, rel := range v.sources(s.t.lang) {
		t := v.text(rel)
		if t == nil || !t.mentions(s.name) {
			continue
		}
		var at []int
		if s.method {
			for _, i := range t.idents(s.name, 0) {
				if definesMember(t, i) && !(t == s.t && i == s.def) {
					return nil
				}
				if t.isMember(i) {
					at = append(at, i)
				}
			}
			if isBuiltinMember(t.lang, s.name) {
				return nil
			}
		} else {
			at = v.refersTo(t, s)
		}
		touched := v.touched(t)
		for _, i := range at {
			if t.word(i+1) != "(" || t == s.t && i == s.def {
				continue
			}
			c := callSite{t: t, open: i + 1, args: arguments(t, i+1)}
			end := t.matching(i + 1)
			c.edited = end < 0 || touched(i+1, end)
			out = append(out, c)
		}
	}
	return out
}

// gives tells whether a name that a module offers is the export with that name
// of origin.
func (v *view) gives(module, name, origin string) bool {
	return module == origin || module != "" && v.offers(module).origin[name] == origin
}

// refersTo are the tokens of a text that name the function.
func (v *view) refersTo(t *text, s signatureChange) []int {
	var spans []lang.Span
	if t == s.t {
		spans = t.lang.Uses(t.path, t.src, s.name, -1)
	}
	var out []int
	for _, imp := range t.scan().Imports {
		if !loads(imp) || imp.Kind == lang.Mock || imp.Kind == lang.Asset {
			continue
		}
		to := primary(imp, v.resolve(t, imp))
		for _, n := range imp.Names {
			switch {
			case n.Imported == s.name && v.gives(to, s.name, s.t.path):
				spans = append(spans, t.lang.Uses(t.path, t.src, n.Local, n.LocalSpan.Start)...)
			case n.Imported == "*" || n.Imported == "default" && v.isObject(s.t.path) || v.submodule(to, n.Imported) == s.t.path:
				if !v.gives(to, s.name, s.t.path) && v.submodule(to, n.Imported) != s.t.path {
					continue
				}
				with := imp
				if v.submodule(to, n.Imported) != "" {
					with = lang.Import{}
				}
				for _, i := range v.memberUses(t, with, n) {
					if t.word(i) == s.name {
						out = append(out, i)
					}
				}
			}
		}
	}
	for _, sp := range spans {
		if i := t.index(sp.Start); i >= 0 && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// touched tells whether the diff from the base changed something in a range of
// significant tokens.
func (v *view) touched(t *text) func(first, last int) bool {
	b := v.before(t.path)
	if b == nil {
		return func(int, int) bool { return true }
	}
	hs := diffTokens(b, b.significant(), t, t.significant())
	return func(first, last int) bool {
		return slices.ContainsFunc(hs, func(h hunk) bool { return h.B0 <= last && h.B1 >= first && (h.B1 > first || h.B0 > first) })
	}
}

// valueInDiff is what the calls that the user already mended give for a new
// parameter, when they agree and the text means the same everywhere.
func (v *view) valueInDiff(s signatureChange, calls []callSite, at, was int) (string, bool) {
	value := ""
	for _, c := range calls {
		if !c.edited || len(c.args) != was+1 && !(len(c.args) > at) || at >= len(c.args) {
			continue
		}
		x := c.text(c.args[at])
		if value != "" && x != value {
			return "", false
		}
		value = x
	}
	if value == "" {
		return "", false
	}
	for _, c := range calls {
		if c.edited {
			continue
		}
		// A name has to be there at the other call too.
		part := &text{path: c.t.path, src: []byte(value), lang: c.t.lang}
		for i, k := range part.significant() {
			if k.Kind == lang.Ident && !part.isMember(i) && !isKey(part, i) && !usableAt(c.t, c.t.significant()[c.open].Start, part.str(k)) {
				return "", false
			}
		}
	}
	return value, true
}

// permute puts positional arguments into the new order.
func permute(c callSite, old, now []string) []lang.TextEdit {
	n := c.positional()
	if c.spread() || n == 0 {
		return nil
	}
	var out []lang.TextEdit
	for i, name := range now {
		from := slices.Index(old, name)
		if i >= n && from >= n {
			continue
		}
		if i >= n || from >= n {
			return nil // an argument that is left out would come before one that is given
		}
		if i != from {
			a := c.args[i]
			ks := c.t.significant()
			out = append(out, lang.TextEdit{Span: lang.Span{Start: ks[a.first].Start, End: ks[a.last].End}, New: c.text(c.args[from])})
		}
	}
	return out
}

// insertArgument gives a new one at its place; a call with as many arguments
// as before but fewer than come before it is left alone.
func insertArgument(c callSite, at, was int, value string) []lang.TextEdit {
	n := c.positional()
	if c.spread() || n < at || n > was {
		return nil
	}
	ks := c.t.significant()
	switch {
	case at < len(c.args):
		p := ks[c.args[at].first].Start
		return []lang.TextEdit{{Span: lang.Span{Start: p, End: p}, New: value + ", "}}
	case len(c.args) > 0:
		p := ks[c.args[len(c.args)-1].last].End
		return []lang.TextEdit{{Span: lang.Span{Start: p, End: p}, New: ", " + value}}
	}
	p := ks[c.open].End
	return []lang.TextEdit{{Span: lang.Span{Start: p, End: p}, New: value}}
}

// dropArgument takes out what the function takes no more.
func dropArgument(c callSite, at, was int, name string) []lang.TextEdit {
	if c.spread() {
		return nil
	}
	i := -1
	if at < c.positional() {
		i = at
	}
	for j := c.positional(); j < len(c.args); j++ {
		if c.t.word(c.args[j].first) == name {
			i = j
		}
	}
	if i < 0 || len(c.args) > was {
		return nil
	}
	ks := c.t.significant()
	span := lang.Span{Start: ks[c.args[i].first].Start, End: ks[c.args[i].last].End}
	switch {
	case i+1 < len(c.args):
		span.End = ks[c.args[i+1].first].Start
	case i > 0:
		span.Start = ks[c.args[i-1].last].End
	}
	return []lang.TextEdit{{Span: span}}
}

// renameKeys writes the new names of what is given by name.
func renameKeys(c callSite, keys map[string]string) []lang.TextEdit {
	var out []lang.TextEdit
	t, ks := c.t, c.t.significant()
	key := func(i int, sep string) {
		to, ok := keys[t.word(i)]
		if !ok {
			return
		}
		if sep == ":" && (t.word(i+1) == "," || t.word(i+1) == "}") {
			to += ": " + t.word(i)
		} else if t.word(i+1) != sep {
			return
		}
		out = append(out, lang.TextEdit{Span: ks[i].Span, New: to})
	}
	for _, a := range c.args {
		if t.lang.Name() == "python" {
			key(a.first, "=")
			continue
		}
		if t.word(a.first) == "{" {
			for _, k := range arguments(t, a.first) {
				key(k.first, ":")
			}
		}
	}
	return out
}
