package engine

import (
	"context"
	"os"
	"path/filepath"

	"regreen/cycle"
	"regreen/internal/sandbox"
)

// manyFiles is from how many files on a cycle after a save begins with what the
// watcher told of, and lists the whole tree only when it ends: to list fewer
// takes no time that a person could notice.
const manyFiles = 10_000

// snapshot images the working tree for a cycle.
func (e *Engine) snapshot(ctx context.Context, req Request) (*sandbox.Snapshot, error) {
	if req.Saved && len(req.Files) > 0 && !req.All && !req.whole && len(e.selecting.files) >= manyFiles {
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
