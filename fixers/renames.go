package fixers

import (
	"maps"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// heir is a name that an old one of the same module seems to have become.
type heir struct {
	name  string
	level Applicability
	why   string
}

// heirs gives what an export of a module was renamed to since the base, best
// first, and whether the base had it at all.
func (v *view) heirs(module, name string) (hs []heir, had bool) {
	now, old := v.text(module), v.before(module)
	if now == nil || old == nil {
		return nil, false
	}
	was, is := withPrivate(v.offered(old.path), old), withPrivate(v.offers(module), now)
	gone, ok := was.names[name]
	if _, still := is.names[name]; !ok || still {
		return nil, ok
	}
	why := module + " exported " + name + " at the base and exports "
	var best float64
	swapped := map[string]bool{}
	for _, s := range v.swaps(home(now, is, name, v.text, was).path) {
		if s.old == name {
			swapped[s.new] = true
		}
	}
	for _, n := range is.sorted() {
		e := is.names[n]
		if _, known := was.names[n]; known || n == "default" != (name == "default") {
			continue
		}
		h := heir{name: n, level: Likely, why: why + n + " now, with the same body"}
		sim := v.sameThing(home(old, was, name, v.old), name, gone, home(now, is, n, v.text), n, e)
		switch {
		case sim >= 1:
			h.level = Safe
		case sim < 0.6 && !(sim < 0 && len(swapped) == 1 && swapped[n]):
			continue
		default:
			h.why = why + n + " in its place now"
		}
		if sim > best {
			best = sim
			hs = nil
		}
		if sim >= best-0.05 {
			hs = append(hs, h)
		}
	}
	// Where several are as like, the diff may say which one stands in its place.
	if len(hs) > 1 {
		if one := slices.DeleteFunc(slices.Clone(hs), func(h heir) bool { return !swapped[h.name] }); len(one) == 1 {
			hs = one
		}
	}
	if len(hs) == 1 && v.claimed(module, name, hs[0].name) {
		hs[0].level = min(hs[0].level, Likely)
	}
	return hs, true
}

// home is the text that an offered name's declaration stands in: another file's
// where the module offers everything of that file. Where the offer has the name
// no more, an earlier one tells.
func home(t *text, o offer, name string, read textOf, earlier ...offer) *text {
	if slices.ContainsFunc(t.scan().Exports, func(e lang.Export) bool { return e.Name == name }) {
		return t
	}
	for _, o := range append([]offer{o}, earlier...) {
		if f := o.origin[name]; f != "" {
			if other := read(f); other != nil {
				return other
			}
		}
	}
	return t
}

// withPrivate adds what a Python module keeps to itself by custom only: a name
// with an underscore can be imported like any other.
func withPrivate(o offer, t *text) offer {
	if t.lang.Name() != "python" {
		return o
	}
	names := maps.Clone(o.names)
	for _, d := range t.scan().Defs {
		if _, ok := names[d.Name]; !ok && strings.HasPrefix(d.Name, "_") {
			names[d.Name] = d
		}
	}
	o.names = names
	return o
}

// claimed tells whether another export that is gone has the same heir with the
// same right.
func (v *view) claimed(module, name, heirName string) bool {
	now, old := v.text(module), v.before(module)
	was, is := withPrivate(v.offered(old.path), old), withPrivate(v.offers(module), now)
	heirText := home(now, is, heirName, v.text)
	mine := v.sameThing(home(old, was, name, v.old), name, was.names[name], heirText, heirName, is.names[heirName])
	for n, e := range was.names {
		if _, still := is.names[n]; still || n == name {
			continue
		}
		if v.sameThing(home(old, was, n, v.old), n, e, heirText, heirName, is.names[heirName]) >= mine {
			return true
		}
	}
	return false
}

// sameThing compares what two exports stand for: 1 when they are the same
// local name or have equal bodies but for their own names, less by what
// differs, -1 when the bodies are not known.
func (v *view) sameThing(a *text, an string, ae lang.Export, b *text, bn string, be lang.Export) float64 {
	if ae.Local != "" && ae.Local == be.Local && an != bn && (ae.Local != an || be.Local != bn) && ae.From == be.From {
		return 1
	}
	if ae.Kind != "" && be.Kind != "" && ae.Kind != be.Kind && !(isValueKind(ae.Kind) && isValueKind(be.Kind)) {
		return 0
	}
	x, y := body(a, an, ae), body(b, bn, be)
	if len(x) == 0 || len(y) == 0 {
		return -1
	}
	d := editDistance(diffStrings(x, y))
	return 1 - float64(d)/float64(len(x)+len(y))
}

func isValueKind(k string) bool { return k == "Func" || k == "Const" || k == "Var" }

// body is an export's declaration as token texts, its own name replaced by a
// mark.
func body(t *text, name string, e lang.Export) []string {
	span := e.Body
	local := e.Local
	if local == "" {
		local = name
	}
	if span.Len() == 0 {
		for _, d := range t.scan().Defs {
			if (d.Name == local || d.Local == local) && d.Body.Len() > 0 {
				span = d.Body
				break
			}
		}
	}
	if span.Len() == 0 {
		return nil
	}
	var out []string
	for _, k := range t.significant() {
		if k.Start < span.Start || k.End > span.End {
			continue
		}
		s := t.str(k)
		if k.Kind == lang.Ident && (s == local || s == name) {
			s = "\x00"
		}
		out = append(out, s)
	}
	return out
}

// lastMember is the member that a symbol as the run names it ends in:
// "calc_1.add" is add.
func lastMember(symbol string) string {
	s := strings.TrimSuffix(strings.TrimSpace(symbol), "()")
	if i := strings.LastIndexAny(s, ".#"); i >= 0 {
		s = s[i+1:]
	}
	return s
}
