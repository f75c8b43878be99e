package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// caseID names a case: the same ID is the same fault in the same place.
type caseID struct {
	Repo string `json:"repo"`
	Kind string `json:"kind"`
	N    int    `json:"n"`
	Seed uint64 `json:"seed"`
}

// verdict is what came of a case.
type verdict string

const (
	// equal: merged, and the tree is the original or has the only right answer.
	equal verdict = "equal"
	// partly: merged, every edit is right, and some uses that no red test
	// reaches are left as they were.
	partly verdict = "partly"
	// wrong: merged, and an edit is not of the right answer.
	wrong verdict = "wrong"
	// offered: not merged; a proposal is the right answer.
	offered verdict = "offered"
	// left: not merged, and nothing right was proposed.
	left verdict = "left"
	// noPlace: the repository has no place for such a fault.
	noPlace verdict = "no place"
	// notRed: no fault of some tries turned a test red.
	notRed verdict = "not red"
	// noAnswer: the last of some tries turned one red that is so with the right
	// answer, too.
	noAnswer verdict = "no answer"
)

// result is one line of the results file.
type result struct {
	caseID
	Framework string  `json:"framework"`
	Verdict   verdict `json:"verdict"`
	What      string  `json:"what"` // the fault, for a person
	Note      string  `json:"note"` // why the verdict
	Outcome   string  `json:"outcome"`
	Reason    string  `json:"reason"`
	Cause     string  `json:"cause"` // of a trap: "named", "wider", "other" or ""
	Patch     string  `json:"patch"` // what was merged
	// Dropped are faults that were tried before and turned no test red.
	Dropped int `json:"dropped"`
	// Invalid are those that no right answer turns green again.
	Invalid int   `json:"invalid"`
	MS      int64 `json:"ms"`       // the whole run
	FirstMS int64 `json:"first_ms"` // one run of the affected tests
	FullMS  int64 `json:"full_ms"`  // the full suite at the gate
	AfterMS int64 `json:"after_ms"` // from the first red verdict to the end
}

// counted tells whether the fault was really there, and had a right answer.
func (r result) counted() bool {
	return r.Verdict != noPlace && r.Verdict != notRed && r.Verdict != noAnswer
}

// store keeps results in a file of JSON lines.
type store struct {
	file string
	list []result
}

func openStore(file string) (*store, error) {
	s := &store{file: file}
	if file == "" {
		return s, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var r result
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		s.list = append(s.list, r)
	}
	return s, sc.Err()
}

func (s *store) has(id caseID) bool {
	for _, r := range s.list {
		if r.caseID == id {
			return true
		}
	}
	return false
}

func (s *store) add(r result) error {
	s.list = append(s.list, r)
	if s.file == "" {
		return nil
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	if _, err = f.Write(append(line, '\n')); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
