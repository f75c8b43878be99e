package main

import "testing"

// TestTableCountsFaults holds that a row counts the faults that were there and
// had a right answer, whatever came of them.
func TestTableCountsFaults(t *testing.T) {
	var list []result
	for _, v := range []verdict{equal, partly, wrong, offered, left, noPlace, notRed, noAnswer} {
		list = append(list, result{caseID: caseID{Repo: "r", Kind: "export", N: len(list)}, Verdict: v})
	}
	r := rowOf("export", false, list)
	if r.Cases != 5 || r.Merged != 3 || r.Equal != 1 || r.Offered != 1 {
		t.Errorf("row = %+v, want 5 cases, 3 merged, 1 equal, 1 offered", r)
	}
}
