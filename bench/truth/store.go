package main

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"

	"regreen/bench/internal/jsonlines"
)

// line is one line of the results file: what holds for a repository, or what
// came of one edit.
type line struct {
	Start *start    `json:"start,omitempty"`
	Edit  *measured `json:"edit,omitempty"`
}

// place is a repository at a commit.
type place struct {
	Repo string `json:"repo"`
	Rev  string `json:"rev"`
}

// start is a repository before any edit.
type start struct {
	place
	Projects  []string `json:"projects"` // framework, version and root of each
	Framework string   `json:"framework"`
	Files     int      `json:"files"`
	Tests     []string `json:"tests"`
	SuiteMS   int64    `json:"suite_ms"`
	// Results are hashes of what the suite says of each test file.
	Results results `json:"results"`
	// Shaky are test files of which two runs of the same tree differ.
	Shaky []string `json:"shaky"`
	Red   int      `json:"red"`
}

// caseID names an edit: the same ID is the same edit.
type caseID struct {
	place
	Seed uint64 `json:"seed"`
	Only string `json:"only,omitempty"`
	N    int    `json:"n"`
}

// measured is one edit's outcome.
type measured struct {
	caseID
	Kind   string `json:"kind"`
	What   string `json:"what"`
	Silent bool   `json:"silent,omitempty"`
	// Tree is a hash of what the suite ran on, as far as it differs from the commit.
	Tree string `json:"tree"`
	// Tests is how many test files there are before the edit.
	Tests int `json:"tests"`
	// Truth are the test files whose results differ.
	Truth []string `json:"truth"`
	// Spared are test files that load what differs, are not selected, and whose
	// results no face of the edit that can be loaded changes.
	Spared []string `json:"spared,omitempty"`
	// Alone are test files that were run by themselves too and do not differ.
	Alone []string `json:"alone,omitempty"`
	// Listing are those of Alone that list a folder whose names the edit changes.
	Listing []string `json:"listing,omitempty"`
	// Selected is regreen's selection; Refused says why it selected none and
	// stopped, which counts as everything.
	Selected []string `json:"selected"`
	Refused  string   `json:"refused,omitempty"`
	// Traced is what it selects with affected.precision = "traced"; nil where it
	// was not asked.
	Traced []string `json:"traced"`
	// Peers are the selections of others, by name and version. One that failed
	// is not there.
	Peers    map[string][]string `json:"peers,omitempty"`
	SelectMS int64               `json:"select_ms"`
	SuiteMS  int64               `json:"suite_ms"`
}

// missed are tests that depend on the edit and were not selected.
func (m *measured) missed(selected []string) []string {
	_, _, missed := compare(m.Truth, selected)
	return missed
}

// store is the results file.
type store struct{ *jsonlines.File[line] }

func openStore(name string) (*store, error) {
	f, err := jsonlines.Open[line](name)
	if err != nil {
		return nil, err
	}
	return &store{f}, nil
}

func (s *store) start(p place) *start {
	for _, l := range s.List {
		if l.Start != nil && l.Start.place == p {
			return l.Start
		}
	}
	return nil
}

// edits are the last outcomes of each edit, in the order of the first ones.
func (s *store) edits() []*measured {
	var out []*measured
	at := map[caseID]int{}
	for _, l := range s.List {
		if l.Edit == nil {
			continue
		}
		if n, ok := at[l.Edit.caseID]; ok {
			out[n] = l.Edit
			continue
		}
		at[l.Edit.caseID] = len(out)
		out = append(out, l.Edit)
	}
	return out
}

func (s *store) edit(id caseID) *measured {
	for _, m := range slices.Backward(s.List) {
		if m.Edit != nil && m.Edit.caseID == id {
			return m.Edit
		}
	}
	return nil
}

// truth is the last edit that the suite was run for on a tree, nil for none.
func (s *store) truth(p place, tree string) *measured {
	for _, l := range slices.Backward(s.List) {
		if l.Edit != nil && l.Edit.place == p && l.Edit.Tree == tree {
			return l.Edit
		}
	}
	return nil
}

// short is a hash for people and for files.
func short(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:6])
}
