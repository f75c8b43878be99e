package fixers

import (
	"sort"
	"strings"
	"unicode"
)

// step is the cost of one inserted, deleted, replaced or transposed letter; a
// letter in the other case costs half of it. CPython's "Did you mean" uses the
// same weights.
const step = 2

// distance is the optimal string alignment distance between two names, in
// halves of a letter.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	prev2 := make([]int, len(y)+1)
	prev := make([]int, len(y)+1)
	cur := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j * step
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i * step
		for j := 1; j <= len(y); j++ {
			d := prev[j-1] + replaceCost(x[i-1], y[j-1])
			d = min(d, prev[j]+step, cur[j-1]+step)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, prev2[j-2]+step)
			}
			cur[j] = d
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(y)]
}

func replaceCost(a, b rune) int {
	switch {
	case a == b:
		return 0
	case unicode.ToLower(a) == unicode.ToLower(b):
		return step / 2
	}
	return step
}

// maxDistance is how far a misspelling may be from the name that was meant:
// CPython's cut-off, but one letter only in names of up to four, where that
// leaves too little of the name.
func maxDistance(a, b string) int {
	m, n := len([]rune(a)), len([]rune(b))
	if min(m, n) <= 4 {
		return step
	}
	return (m + n + 3) * step / 6
}

// near is a candidate with its distance.
type near struct {
	name string
	dist int
}

// nearest lists the names that wrong may be a misspelling of, nearest first.
// Names under three letters are never misspellings: measured on CPython's
// library they are right too seldom. The name itself is not among them. A name
// that begins with wrong counts as one letter away: it may be what somebody is
// writing.
func nearest(wrong string, names []string) []near {
	if len([]rune(wrong)) < 3 {
		return nil
	}
	seen := map[string]bool{wrong: true}
	var out []near
	for _, n := range names {
		if seen[n] || len([]rune(n)) < 3 || len(n) > 80 {
			continue
		}
		seen[n] = true
		d := distance(wrong, n)
		if strings.HasPrefix(n, wrong) {
			d = min(d, step)
		}
		if d <= maxDistance(wrong, n) {
			out = append(out, near{n, d})
		}
	}
	sort.Slice(out, func(i, j int) bool {
		if out[i].dist != out[j].dist {
			return out[i].dist < out[j].dist
		}
		return out[i].name < out[j].name
	})
	return out
}

// clearWin gives the nearest name when it leads the next one by a whole
// letter.
func clearWin(ns []near) (string, bool) {
	switch {
	case len(ns) == 0:
		return "", false
	case len(ns) == 1 || ns[1].dist-ns[0].dist >= step:
		return ns[0].name, true
	}
	return "", false
}
