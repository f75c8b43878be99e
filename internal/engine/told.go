package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"regreen/cycle"
	"regreen/internal/sandbox"
)

// manyFiles is from how many files on a cycle after a save begins with what the
// watcher told of, and lists the whole tree only when it ends: to list fewer
// takes no time that a person could notice.
const manyFiles = 10_000

// snapshot images the working tree for a cycle.
func (e *Engine) snapshot(ctx context.Context, req Request) (*sandbox.Snapshot, error) {
	if req.Saved && len(req.Files) > 0 && !req.All && !req.whole && e.selecting.snap != nil && len(e.selecting.snap.Files) >= manyFiles {
		return e.box.SnapshotOf(ctx, req.Files)
	}
	return e.box.Snapshot(ctx)
}

// missed gives the files that differed already when a cycle began and that
// nobody had told of: its verdict is not of the tree that there was. What was
// saved since is told of in its turn. A merge looked at the whole tree itself.
func (e *Engine) missed(ctx context.Context, p *prepared, doc *cycle.Document) []string {
	if !p.snap.Told || doc == nil || len(doc.Merged) > 0 || ctx.Err() != nil {
		return nil
	}
	now, err := e.box.Snapshot(ctx)
	if err != nil { // it is being written to: more will be told
		e.opts.Log.Debug("the verdict is not confirmed", "err", err)
		return nil
	}
	var missed []string
	for _, rel := range differing(p.snap, now) {
		fi, err := os.Lstat(filepath.Join(e.box.Origin(), filepath.FromSlash(rel)))
		if err != nil || fi.ModTime().Before(p.start) {
			missed = append(missed, rel)
		}
	}
	return missed
}

// meanwhile warns of files that changed since the cycle began: its verdict is
// of what they were then. What it merged itself is no such change.
func (e *Engine) meanwhile(ctx context.Context, p *prepared, doc *cycle.Document) string {
	if doc == nil || ctx.Err() != nil {
		return ""
	}
	now, err := e.box.Snapshot(ctx)
	if err != nil {
		return "the files change while the tests run: the verdict is of " + p.start.Format(time.TimeOnly)
	}
	own := map[string]string{}
	for _, m := range doc.Merged {
		own[m.File] = m.After
	}
	files := slices.DeleteFunc(differing(p.snap, now), func(rel string) bool {
		after, ok := own[rel]
		sum, _ := now.Hash(rel)
		return ok && sum == after
	})
	if len(files) == 0 {
		return ""
	}
	more := ""
	if n := len(files); n > maxNamed {
		files, more = files[:maxNamed], fmt.Sprintf(" and %d more", n-maxNamed)
	}
	return fmt.Sprintf("%s%s changed while the tests ran: the verdict is of the files as they were at %s", strings.Join(files, ", "), more, p.start.Format(time.TimeOnly))
}

// maxNamed bounds the files that a sentence names.
const maxNamed = 5
