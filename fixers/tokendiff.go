package fixers

import "regreen/internal/lang"

// hunk is one stretch of difference between two token lists: a[A0:A1] became
// b[B0:B1].
type hunk struct{ A0, A1, B0, B1 int }

// diffTokens compares two token lists by their texts.
func diffTokens(a *text, as []lang.Token, b *text, bs []lang.Token) []hunk {
	x, y := make([]string, len(as)), make([]string, len(bs))
	for i, k := range as {
		x[i] = tokenKey(a, k)
	}
	for i, k := range bs {
		y[i] = tokenKey(b, k)
	}
	return diffStrings(x, y)
}

// tokenKey is what makes two tokens equal: the text, and for tokens of layout
// the kind alone.
func tokenKey(t *text, k lang.Token) string {
	switch k.Kind {
	case lang.Newline, lang.Indent, lang.Dedent:
		return "\x00" + string(k.Kind)
	}
	return t.str(k)
}

// diffStrings gives the hunks of a shortest edit script. Lists that are too
// far apart come back as one hunk between their common ends.
func diffStrings(a, b []string) []hunk {
	p := 0
	for p < len(a) && p < len(b) && a[p] == b[p] {
		p++
	}
	s := 0
	for s < len(a)-p && s < len(b)-p && a[len(a)-1-s] == b[len(b)-1-s] {
		s++
	}
	x, y := a[p:len(a)-s], b[p:len(b)-s]
	if len(x) == 0 && len(y) == 0 {
		return nil
	}
	if len(x) == 0 || len(y) == 0 {
		return []hunk{{p, p + len(x), p, p + len(y)}}
	}
	return myersHunks(x, y, p)
}

// maxEdits is where two lists count as different altogether.
const maxEdits = 600

// myersHunks is Myers' greedy algorithm with its trace kept; its cost grows
// with the number of edits, not with the length of the texts.
func myersHunks(x, y []string, off int) []hunk {
	limit := min(len(x)+len(y), maxEdits)
	v := make([]int32, 2*limit+3)
	var trace [][]int32
	for d := 0; d <= limit; d++ {
		trace = append(trace, append([]int32(nil), v[limit+1-d:limit+2+d]...))
		for k := -d; k <= d; k += 2 {
			at := limit + 1 + k
			var i int
			if k == -d || k != d && v[at-1] < v[at+1] {
				i = int(v[at+1])
			} else {
				i = int(v[at-1]) + 1
			}
			j := i - k
			for i < len(x) && j < len(y) && x[i] == y[j] {
				i, j = i+1, j+1
			}
			v[at] = int32(i)
			if i >= len(x) && j >= len(y) {
				return backtrack(trace, len(x), len(y), off)
			}
		}
	}
	return []hunk{{off, off + len(x), off, off + len(y)}}
}

// backtrack walks the trace from the end and joins neighbouring edits.
func backtrack(trace [][]int32, i, j, off int) []hunk {
	var rev []hunk
	grow := func(i0, i1, j0, j1 int) {
		if n := len(rev); n > 0 && rev[n-1].A0 == off+i1 && rev[n-1].B0 == off+j1 {
			rev[n-1].A0, rev[n-1].B0 = off+i0, off+j0
			return
		}
		rev = append(rev, hunk{off + i0, off + i1, off + j0, off + j1})
	}
	for d := len(trace) - 1; d > 0; d-- {
		v := trace[d] // v[d+k] is the furthest i on diagonal k after d-1 edits
		get := func(k int) int {
			if n := d + k; n >= 0 && n < len(v) {
				return int(v[n])
			}
			return -1
		}
		k := i - j
		prev := k - 1
		if k == -d || k != d && get(k-1) < get(k+1) {
			prev = k + 1
		}
		pi := get(prev)
		pj := pi - prev
		// The edit, then the diagonal after it.
		if prev == k+1 {
			grow(pi, pi, pj, pj+1)
		} else {
			grow(pi, pi+1, pj, pj)
		}
		i, j = pi, pj
	}
	for a, b := 0, len(rev)-1; a < b; a, b = a+1, b-1 {
		rev[a], rev[b] = rev[b], rev[a]
	}
	return rev
}

// editDistance is the number of tokens deleted and inserted.
func editDistance(hs []hunk) int {
	n := 0
	for _, h := range hs {
		n += h.A1 - h.A0 + h.B1 - h.B0
	}
	return n
}

// swap is one token of the base that has another text now, with its
// surroundings unchanged.
type swap struct {
	old, new string
	tok      lang.Token // in the present text
	i        int        // its index among the significant tokens
}

// swaps lists identifiers that were replaced one for one since the base.
func (v *view) swaps(rel string) []swap {
	t, b := v.text(rel), v.before(rel)
	if t == nil || b == nil {
		return nil
	}
	bs, ts := b.significant(), t.significant()
	var out []swap
	for _, h := range diffTokens(b, bs, t, ts) {
		if h.A1-h.A0 != h.B1-h.B0 {
			continue
		}
		for i := range h.A1 - h.A0 {
			o, n := bs[h.A0+i], ts[h.B0+i]
			if o.Kind == lang.Ident && n.Kind == lang.Ident {
				out = append(out, swap{b.str(o), t.str(n), n, h.B0 + i})
			}
		}
	}
	return out
}

// restored gives the base's name for a token that stands in its place now and
// differs from it by a typo.
func (v *view) restored(rel string, tok lang.Token) (string, bool) {
	for _, s := range v.swaps(rel) {
		if s.tok.Span == tok.Span && isTypo(s.old, s.new) {
			return s.old, true
		}
	}
	return "", false
}

// isTypo tells whether two names are at most two slips apart, and less than
// half of the name.
func isTypo(a, b string) bool {
	d := distance(a, b)
	return d > 0 && d <= 2*step && d < min(len([]rune(a)), len([]rune(b)))*step/2+1
}

// renamed gives the names that an identifier was replaced with in the changed
// files' diffs, where no trace of the old one is left in that file other than
// what use counts.
func (v *view) renamed(old string) map[string][]string {
	out := map[string][]string{}
	for _, rel := range v.Changed() {
		t := v.text(rel)
		if t == nil || !v.own(rel) {
			continue
		}
		for _, s := range v.swaps(rel) {
			if s.old == old {
				if fs := out[s.new]; len(fs) == 0 || fs[len(fs)-1] != rel {
					out[s.new] = append(fs, rel)
				}
			}
		}
	}
	return out
}
