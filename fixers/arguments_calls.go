package fixers

import (
	"path"
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

// callsOf finds the calls: through imports and in the own file for a function;
// by the member's name for a method.
func (v *view) callsOf(s signatureChange) []callSite {
	var out []callSite
	at := func(t *text) []int { return v.refersTo(t, s) }
	if s.method {
		at = v.readsOf(s.name, []member{{s.t, s.def, s.name}}).in
	}
	for _, rel := range v.sources(s.t.lang) {
		t := v.text(rel)
		if t == nil || s.name != anonymous && !t.mentions(s.name) || v.IsTest(s.t.path) && !v.IsTest(rel) {
			continue
		}
		touched := v.touched(t)
		for _, i := range at(t) {
			open := i + 1
			if isTypeScript(t.path) {
				open = afterTypeParameters(t, open)
			}
			if t.word(open) != "(" || t == s.t && i == s.def {
				continue
			}
			c := callSite{t: t, open: open, args: arguments(t, open)}
			end := t.matching(open)
			c.edited = end < 0 || touched(open, end)
			out = append(out, c)
		}
	}
	return out
}

func isTypeScript(rel string) bool {
	return slices.Contains([]string{".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte"}, path.Ext(rel))
}

// refersTo are the tokens of a text that name the function.
func (v *view) refersTo(t *text, s signatureChange) []int {
	var spans []lang.Span
	names := v.exportedAs(s)
	var out []int
	switch {
	case t != s.t || s.name == anonymous:
	case t.isMember(s.def):
		for _, e := range exportReads(t, s.name) {
			spans = append(spans, t.significant()[e].Span)
		}
	default:
		spans = t.lang.Uses(t.path, t.src, s.name, t.significant()[s.def].Start)
	}
	for _, imp := range t.scan().Imports {
		if len(names) == 0 || !loads(imp) || imp.Kind == lang.Mock || imp.Kind == lang.Asset {
			continue
		}
		to := primary(imp, v.resolve(t, imp))
		for _, n := range imp.Names {
			if v.isFunction(to, n, names, s) {
				spans = append(spans, t.lang.Uses(t.path, t.src, n.Local, n.LocalSpan.Start)...)
				continue
			}
			out = append(out, v.memberCalls(t, imp, n, to, names, s)...)
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

// isFunction tells whether an imported name is the function itself: one of its
// export's names, or a CommonJS module that is nothing but the function.
func (v *view) isFunction(module string, n lang.Name, names []string, s signatureChange) bool {
	imported := n.Imported
	if imported == "*" && s.t.scan().CommonJS && slices.Contains(names, anonymous) {
		imported = anonymous
	}
	if imported == "*" {
		return false
	}
	file, name := v.source(module, imported)
	return file == s.t.path && slices.Contains(names, name)
}

// memberCalls are the members that are read off a binding of a whole module and
// are the function.
func (v *view) memberCalls(t *text, imp lang.Import, n lang.Name, to string, names []string, s signatureChange) []int {
	module := to
	if sub := v.submodule(to, n.Imported); sub != "" {
		module, imp = sub, lang.Import{}
	} else if n.Imported != "*" && !(n.Imported == "default" && v.isObject(to)) {
		return nil
	}
	var out []int
	for _, i := range v.memberUses(t, imp, n) {
		if file, name := v.source(module, t.word(i)); file == s.t.path && slices.Contains(names, name) {
			out = append(out, i)
		}
	}
	return out
}

// exportedAs lists the names by which others can import the function; none for
// one that is declared inside of something.
func (v *view) exportedAs(s signatureChange) []string {
	if s.name == anonymous {
		return []string{anonymous}
	}
	at := s.t.significant()[s.def].Start
	if s.t.around(s.def) >= 0 && s.t.lang.Name() == "js" && !s.t.isMember(s.def) {
		return nil
	}
	if !s.t.isMember(s.def) && !slices.ContainsFunc(s.t.lang.InScope(s.t.path, s.t.src, len(s.t.src)), func(b lang.Binding) bool {
		return b.Name == s.name && b.Span.Start == at
	}) {
		return nil
	}
	var out []string
	for _, e := range s.t.scan().Exports {
		if e.From == "" && (e.Local == s.name || e.Local == "" && e.Name == s.name) {
			out = append(out, e.Name)
		}
	}
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
