package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"regreen/cycle"
	"regreen/internal/history"
	"regreen/internal/sandbox"
)

// remember puts a cycle into the history.
func (e *Engine) remember(started time.Time, doc *cycle.Document, kept []history.Proposal) error {
	if err := e.keepFull(doc); err != nil {
		return err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return fmt.Errorf("write the result as JSON: %w", err)
	}
	rec := history.Record{ID: doc.ID, Started: started, Outcome: string(doc.Outcome), Files: doc.ModifiedFiles,
		DurationMS: time.Since(started).Milliseconds(), Undo: doc.Undo}
	if n := len(doc.Iterations); n > 0 {
		rec.Tests = doc.Iterations[n-1].Total
	}
	for _, it := range doc.Iterations {
		for _, f := range it.Fixes {
			if f.Kept && len(doc.Merged) > 0 {
				rec.Fixes = append(rec.Fixes, f.Title)
			}
		}
	}
	if err := e.hist.Append(rec, text, kept); err != nil {
		return fmt.Errorf("keep the result: %w", err)
	}
	return nil
}

// Tidy bounds what cycles leave behind. It is to be called between cycles and
// can be cancelled at any moment.
func (e *Engine) Tidy(ctx context.Context) error {
	errs := []error{e.hist.Trim(time.Now())}
	for _, b := range e.boxes() {
		errs = append(errs, b.Tidy(ctx))
	}
	return errors.Join(errs...)
}

// lastFull reads how long the last full suite took; 0 is not known.
func (e *Engine) lastFull() time.Duration {
	text, err := os.ReadFile(e.fullFile())
	if err != nil {
		return 0
	}
	ms, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || ms < 0 {
		return 0
	}
	return time.Duration(ms) * time.Millisecond
}

// keepFull notes how long the full suite took, for full_suite = "auto".
func (e *Engine) keepFull(doc *cycle.Document) error {
	if doc.Timings.FullSuite == 0 {
		return nil
	}
	if err := keepWhole(e.fullFile(), []byte(strconv.FormatInt(doc.Timings.FullSuite, 10)+"\n")); err != nil {
		return fmt.Errorf("keep the full suite's time: %w", err)
	}
	return nil
}

func (e *Engine) fullFile() string { return filepath.Join(e.box.Dir(), "full-suite-ms") }

// Records are what was done in a repository. Reading them needs neither the
// sandbox nor its lock, so it works while a cycle runs.
type Records struct {
	dir  string
	hist *history.Store
}

// OpenRecords opens the records of the repository at root (abs).
func OpenRecords(stateDir, root string) (*Records, error) {
	dir, err := sandbox.StateDir(stateDir, root)
	if err != nil {
		return nil, err
	}
	hist, err := history.Open(dir, history.Limits{}) // nothing is appended
	if err != nil {
		return nil, err
	}
	return &Records{dir, hist}, nil
}

// Log lists the cycles, newest first. Undo is the merge or applied proposal of
// the cycle that can still be undone.
func (r *Records) Log() ([]history.Record, error) {
	recs, err := r.hist.List()
	if err != nil {
		return nil, err
	}
	markUndo(recs, sandbox.Undos(r.dir))
	return recs, nil
}

// markUndo sets each cycle's Undo to the newest of its merges that can still be
// undone: its own, or that of a proposal of it that was applied since. undos
// are the newest first.
func markUndo(recs []history.Record, undos []sandbox.UndoRecord) {
	open := map[string]string{} // cycle to merge
	cycleOf := map[string]string{}
	for _, r := range recs {
		for _, id := range append([]string{r.ID, r.Undo}, r.Proposals...) {
			cycleOf[id] = r.ID
		}
	}
	for _, u := range undos {
		if id, ok := cycleOf[u.ID]; ok && open[id] == "" {
			open[id] = u.ID
		}
	}
	for i := range recs {
		recs[i].Undo = open[recs[i].ID]
	}
}

// Show gives a cycle's document; history.ErrNotFound is in the chain when
// there is none.
func (r *Records) Show(id string) (*cycle.Document, error) {
	text, err := r.hist.Document(id)
	if err != nil {
		return nil, err
	}
	var doc cycle.Document
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("read cycle %s: %w", id, err)
	}
	return &doc, nil
}

// Written is what an apply or an undo did.
type Written struct {
	ID    string
	Files []cycle.Merged
	Patch string
	Undo  string
	// Nothing and Refused say why nothing was written; "" for neither.
	Nothing, Refused string
}

// Apply writes a proposal into the user's files: where a file changed since,
// by a three-way merge; where that conflicts, not at all. An empty id is the
// newest proposal.
func (e *Engine) Apply(ctx context.Context, id string) (*Written, error) {
	if id == "" {
		latest, err := e.hist.Latest()
		if errors.Is(err, history.ErrNotFound) {
			return &Written{Nothing: "no proposal is waiting"}, nil
		}
		if err != nil {
			return nil, err
		}
		id = latest
	}
	w := &Written{ID: id}
	kept, err := e.hist.Proposal(id)
	if errors.Is(err, history.ErrNotFound) {
		w.Nothing = "there is no proposal " + id
		return w, nil
	}
	if err != nil {
		return nil, err
	}
	changes := fromHistory(kept.Changes)
	w.Patch = cycle.Patch(toCycle(changes))
	m, err := e.box.Apply(ctx, id, changes)
	if err != nil {
		return w, e.refused(w, err)
	}
	e.written(w, m)
	if m.ID == "" {
		w.Nothing = "the files are already as the proposal wants them"
	}
	w.Undo = m.ID
	return w, nil
}

// Undo takes back a merge; an empty id is the newest.
func (e *Engine) Undo(ctx context.Context, id string) (*Written, error) {
	if id == "" {
		if id = e.box.Newest(); id == "" {
			return &Written{Nothing: "nothing was merged that could be undone"}, nil
		}
	}
	w := &Written{ID: id}
	m, err := e.box.Undo(ctx, id)
	if errors.Is(err, sandbox.ErrNothingToUndo) {
		w.Nothing = "there is no merge " + id + " to undo"
		return w, nil
	}
	if err != nil {
		return w, e.refused(w, err)
	}
	e.written(w, m)
	return w, nil
}

func (e *Engine) written(w *Written, m *sandbox.Merged) {
	for _, f := range m.Files {
		w.Files = append(w.Files, cycle.Merged{File: f.Path, Before: f.Before, After: f.After})
	}
}

// refused turns a refusal into a result; another error stays one.
func (e *Engine) refused(w *Written, err error) error {
	var conflict *sandbox.Conflict
	var refusal *sandbox.Refusal
	switch {
	case errors.As(err, &conflict):
		w.Refused = fmt.Sprintf("%s changed in the same place", strings.Join(conflict.Files, ", "))
	case errors.As(err, &refusal):
		w.Refused = refusal.Error()
	default:
		return err
	}
	return nil
}

func toHistory(changes []sandbox.Change) []history.Change {
	var out []history.Change
	for _, c := range changes {
		out = append(out, history.Change{Path: c.Path, Op: string(c.Op), Mode: c.Mode, BeforeMode: c.BeforeMode, Before: c.Before, After: c.After})
	}
	return out
}

func fromHistory(changes []history.Change) []sandbox.Change {
	var out []sandbox.Change
	for _, c := range changes {
		out = append(out, sandbox.Change{Path: c.Path, Op: sandbox.Op(c.Op), Mode: c.Mode, BeforeMode: c.BeforeMode, Before: c.Before, After: c.After})
	}
	return out
}

func toCycle(changes []sandbox.Change) []cycle.Change {
	var out []cycle.Change
	for _, c := range changes {
		out = append(out, cycle.Change{File: c.Path, Before: c.Before, After: c.After, BeforeMode: c.BeforeMode, Mode: c.Mode,
			Created: c.Op == sandbox.Create, Deleted: c.Op == sandbox.Delete})
	}
	return out
}
