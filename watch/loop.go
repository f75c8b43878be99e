package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

// loop is Run's goroutine: it owns the tree and all that is here.
type loop struct {
	w    *Watcher
	tree *tree
	deb  debounce
	poll poller

	mark     gitMark // of the repository, at the last batch
	ready    gitMark // of the batch that is ready
	early    bool    // the last batch was told when git had written its index, and not yet HEAD
	late     bool    // HEAD moved after such a batch, which is to be told
	excludes string  // stamp of the ignore files outside the tree
	full     bool    // the whole tree was compared in this window
	markAt   time.Time
	waiting  string
	freed    time.Time // when git was last seen to work
	active   time.Time // when anything last happened, in .git too
	warmed   bool      // the content of all files is known
}

// ErrGone says that the repository's folder is no more.
var ErrGone = errors.New("the repository's folder is gone")

// warmStep bounds how long hashing in idle time keeps events waiting.
const warmStep = 5 * time.Millisecond

func (l *loop) run(ctx context.Context, out chan<- Batch) error {
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if err := l.drain(); err != nil {
			return err
		}
		if l.tree.dirs[""] == nil {
			return fmt.Errorf("watch %s: %w", l.tree.root, ErrGone)
		}
		now := time.Now()
		batch, next := l.step(ctx, now)
		if !l.warmed && batch == nil && l.deb.events == 0 {
			if l.tree.warm(now.Add(warmStep)) {
				next = now
			} else {
				l.warmed = true
				l.count()
			}
		}
		timer.Reset(max(time.Until(next), 0))
		send := out
		if batch == nil {
			send, batch = nil, &Batch{}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-l.w.queue.wake:
		case <-timer.C:
		case send <- *batch:
			l.early = l.ready.index != l.mark.index && !batch.Checkout
			l.sent(l.ready)
		}
	}
}

// far is the timer's rest while there is nothing to wait for.
const far = time.Hour

// step does what is due and gives the batch that is ready, if one is, and when
// to come again.
func (l *loop) step(ctx context.Context, now time.Time) (*Batch, time.Time) {
	next := now.Add(far)
	at := func(t time.Time) {
		if t.Before(next) {
			next = t
		}
	}
	if l.tree.src == nil || l.polls() {
		l.poll.step(l, now)
		at(l.poll.next)
	}
	if !l.markAt.IsZero() {
		if now.Before(l.markAt) {
			at(l.markAt)
		} else {
			l.idleMark(ctx)
		}
	}
	if l.deb.events == 0 {
		l.wait("")
		return nil, next
	}
	if due := l.due(); now.Before(due) {
		at(due)
		return nil, next
	}
	if why := l.busy(now); why != "" {
		l.wait(why)
		at(now.Add(gitPoll))
		return nil, next
	}
	if left := l.freed.Add(gitSettle); now.Before(left) {
		at(left)
		return nil, next
	}
	l.wait("")
	if l.tree.finish() {
		l.hit(now)
		at(l.due())
		return nil, next
	}
	if len(l.tree.dirty) == 0 && !l.late {
		l.sent(l.w.git.mark())
		return nil, next
	}
	return l.batch(), next
}

// due is when the present window is over.
func (l *loop) due() time.Time {
	var atLeast, settled time.Duration
	if l.tree.halfway() {
		atLeast = halfwayQuiet
	}
	if l.w.git.mark() != l.mark {
		settled = gitSettle
	}
	return l.deb.due(atLeast, settled)
}

// halfwayQuiet is how long a file may be away or empty in the middle of a save.
const halfwayQuiet = 250 * time.Millisecond

// busy says why a batch has to wait for git, "" when it need not.
func (l *loop) busy(now time.Time) string {
	if why := l.w.git.operation(); why != "" {
		l.freed = now
		return why
	}
	why := l.w.git.locked()
	if why == "" {
		return ""
	}
	if now.Sub(l.active) > staleLock {
		if l.waiting != "" {
			l.warn("a lock of git's seems to be left over: "+why, "if no git runs, remove it")
		}
		return ""
	}
	l.freed = now
	return why
}

func (l *loop) wait(why string) {
	if why == l.waiting {
		return
	}
	l.waiting = why
	if l.w.cfg.Waiting != nil {
		l.w.cfg.Waiting(why)
	}
}

// batch is what is to be told now.
func (l *loop) batch() *Batch {
	b := &Batch{Full: l.full}
	for rel := range l.tree.dirty {
		if d, name := l.tree.home(rel); d != nil && d.files[name] != nil {
			b.Paths = append(b.Paths, rel)
		} else {
			b.Deleted = append(b.Deleted, rel)
		}
	}
	slices.Sort(b.Paths)
	slices.Sort(b.Deleted)
	m := l.w.git.mark()
	b.Checkout = m.moved(l.mark)
	l.ready = m
	b.Reason = b.reason()
	return b
}

// sent begins a new window. m is the mark of what was told: what moved since
// belongs to the next one.
func (l *loop) sent(m gitMark) {
	clear(l.tree.dirty)
	l.deb.reset()
	l.full, l.late = false, false
	if m != l.mark {
		l.mark = m
		l.markAt = time.Now() // tracked files may have changed
	}
	l.count()
}

func (l *loop) hit(now time.Time) {
	l.deb.hit(now, max(l.tree.hits, 1))
	l.tree.hits = 0
	l.poll.poke(now)
}

// drain takes in what the events named.
func (l *loop) drain() error {
	paths, _, lost := l.w.queue.take()
	now := time.Now()
	if lost {
		l.w.cfg.Log.Debug("events were lost, comparing the whole tree")
		l.compare()
	}
	if len(paths) > 0 {
		l.active = now
		if err := l.look(paths, now); err != nil {
			return err
		}
	}
	if l.tree.rescan {
		l.tree.rescan = false
		l.compare()
	}
	if l.tree.hits > 0 || len(l.tree.fresh) > 0 && l.deb.events == 0 {
		l.hit(now)
	}
	l.nothingNew()
	return nil
}

// nothingNew keeps a comparison of the tree of which nothing came from being
// part of the next batch.
func (l *loop) nothingNew() {
	if l.deb.events == 0 && len(l.tree.fresh) == 0 {
		l.full = false
	}
}

// compare looks at the whole tree.
func (l *loop) compare() {
	l.full = true
	if root := l.tree.dirs[""]; root != nil {
		l.tree.rewatch(root)
		l.tree.scan(root, true)
	}
}

// named is a path of an event.
type named struct {
	dir  *folder
	name string
	op   fsnotify.Op
	fi   os.FileInfo
}

// look takes in single paths: first those that are gone, since the watch of a
// folder that moved has to end before the folder is watched at its new place.
func (l *loop) look(paths map[string]fsnotify.Op, now time.Time) error {
	var there []named
	for path, op := range paths {
		if l.inGit(path) {
			l.markAt = now.Add(3 * gitSettle)
			continue
		}
		d := l.tree.byAbs[filepath.Dir(path)]
		if path == l.tree.root {
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("watch %s: %w", path, ErrGone)
			}
			continue
		}
		if d == nil {
			continue
		}
		n := named{dir: d, name: filepath.Base(path), op: op}
		if fi, err := os.Lstat(path); err == nil {
			n.fi = fi
			there = append(there, n)
			continue
		}
		if s := d.subs[n.name]; s != nil {
			l.tree.drop(s)
		}
		if !l.tree.skipFile(d, n.name) {
			l.tree.gone(d, n.name)
		}
	}
	for _, n := range there {
		if l.tree.dirs[n.dir.rel] == n.dir {
			l.present(n)
		}
	}
	return nil
}

func (l *loop) present(n named) {
	t := l.tree
	if !n.fi.IsDir() {
		if !t.skipFile(n.dir, n.name) {
			t.look(n.dir, n.name)
		}
		return
	}
	known := n.dir.subs[n.name]
	switch {
	case known == nil:
		t.sub(n.dir, n.name, false)
	case n.op.Has(fsnotify.Create) || inode(n.fi) != known.ino:
		t.again(known)
	}
}

func (l *loop) inGit(path string) bool {
	return inside(l.w.git.dir, path) || strings.HasPrefix(path, filepath.Join(l.w.git.common, "info"))
}

// idleMark takes the repository's state in when no batch is under way, so that
// a commit made now is not taken for a checkout later, and sees to the ignore
// files outside the tree and to what is tracked. A checkout whose files were
// told before git had moved HEAD is told now.
func (l *loop) idleMark(ctx context.Context) {
	l.markAt = time.Time{}
	if l.deb.events == 0 {
		m := l.w.git.mark()
		moved := m.moved(l.mark)
		if l.late = l.early && moved && !l.w.git.committed(); l.late {
			l.hit(time.Now()) // the batch will show it
		} else {
			l.mark = m
		}
		l.early = l.early && !moved
	}
	before := l.tree.tracked
	if err := l.tree.readTracked(ctx, l.w.cfg.Repo); err != nil {
		if ctx.Err() == nil {
			l.w.cfg.Log.Debug("tracked files are not known", "err", err)
		}
		return
	}
	if s := l.excludeStamp(); s != l.excludes || !sameKeys(before, l.tree.tracked) {
		l.excludes = s
		l.readGlobal()
		l.compare()
		if l.tree.hits > 0 {
			l.hit(time.Now())
		}
		l.nothingNew()
	}
}

func sameKeys(a, b map[string]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}

func (l *loop) globalFile() string {
	return globalIgnore(l.w.cfg.Repo.Config("core.excludesfile"), l.w.env)
}

func (l *loop) excludeStamp() string {
	return stamp(l.globalFile()) + " " + stamp(filepath.Join(l.w.git.common, "info", "exclude"))
}

func (l *loop) readGlobal() {
	var none *rules
	l.tree.global = none.with("", readPatterns(l.globalFile(), true), l.tree.fold)
}

func (l *loop) polls() bool { return l.w.Info().Polled > 0 }

// count brings Info up to date.
func (l *loop) count() {
	i := Info{Folders: len(l.tree.dirs)}
	for _, d := range l.tree.dirs {
		i.Files += len(d.files)
		if d.polled {
			i.Polled++
		}
	}
	if l.warmed {
		i.Known = i.Files
	}
	l.w.mu.Lock()
	l.w.info = i
	l.w.mu.Unlock()
}

func (l *loop) warn(message, hint string) {
	if l.w.cfg.Warn != nil {
		l.w.cfg.Warn(message, hint)
		return
	}
	l.w.cfg.Log.Warn(message, "hint", hint)
}
