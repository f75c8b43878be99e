package fixers

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDiffStrings applies the hunks again: they must lead from a to b, and no
// hunk may begin or end with what is equal.
func TestDiffStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	word := func() []string {
		var w []string
		for range r.IntN(14) {
			w = append(w, string(rune('a'+r.IntN(3))))
		}
		return w
	}
	for range 20000 {
		a, b := word(), word()
		hs := diffStrings(a, b)
		var got []string
		at := 0
		for _, h := range hs {
			if h.A0 < at || h.A1 < h.A0 || h.B1 < h.B0 {
				t.Fatalf("diff(%v, %v) = %v: not in order", a, b, hs)
			}
			got = append(got, a[at:h.A0]...)
			got = append(got, b[h.B0:h.B1]...)
			at = h.A1
		}
		got = append(got, a[at:]...)
		if strings.Join(got, "") != strings.Join(b, "") {
			t.Fatalf("diff(%v, %v) = %v leads to %v", a, b, hs, got)
		}
		if d, want := editDistance(hs), len(a)+len(b)-2*lcs(a, b); d != want {
			t.Fatalf("diff(%v, %v) has %d edits, want %d", a, b, d, want)
		}
	}
}

func lcs(a, b []string) int {
	if len(a) == 0 || len(b) == 0 {
		return 0
	}
	t := make([][]int, len(a)+1)
	for i := range t {
		t[i] = make([]int, len(b)+1)
	}
	for i, x := range a {
		for j, y := range b {
			if x == y {
				t[i+1][j+1] = t[i][j] + 1
			} else {
				t[i+1][j+1] = max(t[i][j+1], t[i+1][j])
			}
		}
	}
	return t[len(a)][len(b)]
}
