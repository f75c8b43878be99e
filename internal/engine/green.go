package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"regreen/cycle"
	"regreen/internal/git"
	"regreen/internal/plain"
)

// green is the last state in which the selected tests passed: the base that it
// stood on, and what differed from that. It is kept for the search for a
// cause, which is much shorter for those who keep many changes uncommitted.
// Whether the tests that fail now passed in it the search finds out itself.
type green struct {
	Base  string               `json:"base"`  // the revision's object
	Files map[string]greenFile `json:"files"` // those that differed from it
}

type greenFile struct {
	Text []byte `json:"text,omitempty"`
	Gone bool   `json:"gone,omitempty"`
}

// What is kept of a green state is bounded: one that differs by more from its
// base is none.
const (
	maxGreenFiles = 1000
	maxGreenSize  = 8 << 20
)

func (e *Engine) greenFile() string { return filepath.Join(e.box.Dir(), "green.json") }

// keepGreen takes a cycle's result in.
func (e *Engine) keepGreen(ctx context.Context, p *prepared, doc *cycle.Document) error {
	if doc.Outcome != cycle.Passed && doc.Outcome != cycle.Repaired || len(doc.Remaining) > 0 {
		return nil
	}
	err := os.Remove(e.greenFile()) // what was green before is not the last any more
	if err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("forget the last green state: %w", err)
	}
	g, err := e.greenOf(ctx, p, doc)
	if err != nil || g == nil {
		return err
	}
	text, err := json.Marshal(g)
	if err == nil {
		err = keepWhole(e.greenFile(), text)
	}
	if err != nil {
		return fmt.Errorf("keep the last green state: %w", err)
	}
	return nil
}

// greenOf is the state that a cycle left, nil where it is too large to keep or
// the user wrote into it meanwhile.
func (e *Engine) greenOf(ctx context.Context, p *prepared, doc *cycle.Document) (*green, error) {
	base, err := e.repo.Base(ctx, e.opts.Config.Affected.Base)
	if err != nil {
		return nil, err
	}
	g := &green{Base: base, Files: map[string]greenFile{}}
	size := 0
	for _, c := range p.changes {
		if size += int(p.snap.Files[c.Path].Size); len(g.Files) >= maxGreenFiles || size > maxGreenSize {
			return nil, nil
		}
		if c.Status == git.Deleted {
			g.Files[c.Path] = greenFile{Gone: true}
			continue
		}
		if _, ok := p.snap.Files[c.Path]; !ok {
			continue // a submodule
		}
		src, err := p.snap.Bytes(ctx, c.Path)
		if err != nil {
			return nil, err
		}
		g.Files[c.Path] = greenFile{Text: src}
	}
	for _, m := range doc.Merged {
		if m.After == "" {
			g.Files[m.File] = greenFile{Gone: true}
			continue
		}
		abs := filepath.Join(e.repo.Root(), filepath.FromSlash(m.File))
		if src, err := plain.ReadFile(abs); err == nil && hexSum(src) == m.After {
			g.Files[m.File] = greenFile{Text: src}
			continue
		}
		return nil, nil
	}
	return g, nil
}

func hexSum(src []byte) string {
	sum := sha256.Sum256(src)
	return hex.EncodeToString(sum[:])
}

// lastGreen gives the last green state to a cycle: nil where none is known, it
// stood on another base, or nothing differed from that.
func (e *Engine) lastGreen(p *prepared) func(context.Context) (*cycle.Reference, error) {
	return func(ctx context.Context) (*cycle.Reference, error) {
		text, err := os.ReadFile(e.greenFile())
		if err != nil {
			return nil, nil
		}
		var g green
		if json.Unmarshal(text, &g) != nil || len(g.Files) == 0 {
			return nil, nil
		}
		base, err := e.repo.Base(ctx, e.opts.Config.Affected.Base)
		if err != nil || base != g.Base {
			return nil, err
		}
		changed := slices.Clone(p.work.changed)
		for f := range g.Files {
			changed = append(changed, f)
		}
		return &cycle.Reference{Changed: changed, Text: func(rel string) ([]byte, bool) {
			if f, ok := g.Files[rel]; ok {
				return bytes.Clone(f.Text), !f.Gone
			}
			return p.work.Base(rel)
		}}, nil
	}
}
