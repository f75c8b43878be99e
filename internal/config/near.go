package config

// Nearest gives the candidate nearest to word by optimal string alignment
// distance, and false when none is near enough to be what was meant: more than
// a third of the word, or two candidates equally near.
func Nearest(word string, candidates []string) (string, bool) {
	best, bestAt, tie := "", -1, false
	for _, c := range candidates {
		d := distance(word, c)
		switch {
		case bestAt < 0 || d < bestAt:
			best, bestAt, tie = c, d, false
		case d == bestAt && c != best:
			tie = true
		}
	}
	limit := max(1, (len([]rune(word))+2)/3)
	if bestAt < 0 || bestAt > limit || tie {
		return "", false
	}
	return best, true
}

// distance counts insertions, deletions, substitutions and swaps of
// neighbours: a swap is the commonest typo, and plain Levenshtein charges 2.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(x)][len(y)]
}
