package watch

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type sum = [sha256.Size]byte

// entry is what is known of a file.
type entry struct {
	size, mtime int64
	ino         uint64
	sum         sum
	known       bool // sum is of this content
	// racy: the file was so new when it was looked at that a later write may
	// have left the same time stamp.
	racy bool
}

// racyFor is the coarsest time stamp that a file system in use has (FAT).
const racyFor = 2 * time.Second

func (e *entry) same(fi fs.FileInfo) bool {
	return e.size == fi.Size() && e.mtime == fi.ModTime().UnixNano() && e.ino == inode(fi)
}

func (e *entry) stamp(fi fs.FileInfo, now time.Time) {
	e.size, e.mtime, e.ino = fi.Size(), fi.ModTime().UnixNano(), inode(fi)
	e.racy = now.Sub(fi.ModTime()) < racyFor
}

// state is what a file was, or is, for the comparison at a batch's end.
type state struct {
	exists, known bool
	sum           sum
	size          int64
}

func (s state) equal(o state) bool {
	if !s.exists || !o.exists {
		return s.exists == o.exists
	}
	return s.known && o.known && s.sum == o.sum
}

func (e *entry) state() state {
	if e == nil {
		return state{}
	}
	return state{exists: true, known: e.known, sum: e.sum, size: e.size}
}

// folder is a watched folder.
type folder struct {
	rel, abs string // abs is the real path
	parent   *folder
	rules    *rules
	ignored  bool // itself covered by a rule, watched for the sake of some file
	link     bool // the target of a link that leads out of the repository
	polled   bool
	ino      uint64
	files    map[string]*entry
	subs     map[string]*folder
}

// tree is the table of everything that is watched. It belongs to one goroutine.
type tree struct {
	scope
	src      source // nil: everything is polled
	expected *expected
	warn     func(message, hint string)
	deaf     func(dir string) string
	never    bool // nothing is polled

	dirs  map[string]*folder // by rel
	byAbs map[string]*folder

	baseline bool             // the first scan: nothing is a change
	dirty    map[string]state // what changed since the last batch, as it was before
	hits     int              // changes since the loop last looked
	late     map[string]bool  // changed files too large to be hashed at each event
	fresh    map[string]bool  // folders made in this window
	cold     []*folder        // folders with files whose content is not known yet
	rescan   bool             // ignore rules changed

	exhausted   bool // the kernel gives no more watches
	outside     int  // folders watched beyond links
	outsideFull bool
	devices     map[uint64]string // why the folders of a file system are polled
}

// Files beyond lateSize are hashed once at a batch's end, those beyond
// hashSize never: they changed when their stamp did.
const (
	lateSize = 4 << 20
	hashSize = 256 << 20
)

// maxOutside bounds what a link to some large place can cost.
const maxOutside = 5000

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}

// see brings a file's entry up to date.
func (t *tree) see(d *folder, name string, fi fs.FileInfo) {
	rel := join(d.rel, name)
	e := d.files[name]
	if e != nil && e.same(fi) && !e.racy {
		return
	}
	now := time.Now()
	if t.baseline {
		e = &entry{}
		e.stamp(fi, now)
		if e.racy && d.polled && e.size <= lateSize {
			// No event will tell of a write that leaves the stamp as it is.
			e.sum, e.known = hash(filepath.Join(d.abs, name), fi)
		}
		if len(d.files) == 0 {
			t.cold = append(t.cold, d)
		}
		d.files[name] = e
		return
	}
	before := e.state()
	if e == nil {
		e = &entry{}
		d.files[name] = e
	}
	e.stamp(fi, now)
	e.known = false
	switch {
	case fi.Size() <= lateSize || !before.exists && fi.Size() <= hashSize:
		e.sum, e.known = hash(filepath.Join(d.abs, name), fi)
	case fi.Size() <= hashSize:
		t.late[rel] = true
	}
	if before.equal(e.state()) {
		return
	}
	t.mark(rel, before, e.state())
	if name == ".gitignore" {
		t.rescan = true
	}
}

// mark notes a change, unless it leads back to what was told last or is our own.
func (t *tree) mark(rel string, before, after state) {
	if t.baseline {
		return
	}
	if (after.known || !after.exists) && t.expected.has(rel, after.sum, !after.exists, time.Now()) {
		delete(t.dirty, rel)
		return
	}
	t.hits++
	was, ok := t.dirty[rel]
	if !ok {
		was = before
	}
	if was.equal(after) {
		delete(t.dirty, rel)
		return
	}
	t.dirty[rel] = was
}

// gone notes that a file is no more.
func (t *tree) gone(d *folder, name string) {
	e := d.files[name]
	if e == nil {
		return
	}
	delete(d.files, name)
	t.mark(join(d.rel, name), e.state(), state{})
	if name == ".gitignore" {
		t.rescan = true
	}
}

// forget takes a file out that is not to be watched any longer.
func (t *tree) forget(d *folder, name string) {
	if _, ok := d.files[name]; ok {
		delete(d.files, name)
		delete(t.dirty, join(d.rel, name))
	}
}

// enter begins to watch a folder: watched first, then listed.
func (t *tree) enter(d *folder) {
	fi, err := os.Stat(d.abs)
	if err != nil || !fi.IsDir() || !t.watchFolder(d, fi) {
		return
	}
	d.files, d.subs = map[string]*entry{}, map[string]*folder{}
	t.dirs[d.rel], t.byAbs[d.abs] = d, d
	if d.parent != nil {
		d.parent.subs[filepath.Base(filepath.FromSlash(d.rel))] = d
	}
	if !t.baseline {
		t.fresh[d.rel] = true
	}
	t.scan(d, true)
}

// again watches a folder anew, which may be another one under the same name.
func (t *tree) again(d *folder) {
	fi, err := os.Stat(d.abs)
	if err != nil || !fi.IsDir() {
		t.drop(d)
		return
	}
	if inode(fi) != d.ino {
		t.unwatch(d)
	}
	if t.watchFolder(d, fi) {
		t.fresh[d.rel] = true
		t.scan(d, true)
	}
}

// scan compares a folder with what is known of it; deep goes on into the
// folders below that are known.
func (t *tree) scan(d *folder, deep bool) {
	names, err := os.ReadDir(d.abs)
	if os.IsNotExist(err) {
		t.drop(d)
		return
	}
	if err != nil && len(names) == 0 {
		return // it cannot be read now; an event or the next poll comes again
	}
	if deep {
		d.rules = t.rulesOf(d)
	}
	present := make(map[string]bool, len(names))
	for _, n := range names {
		name := n.Name()
		switch {
		case n.IsDir():
			present[name] = true
			t.sub(d, name, deep)
		case n.Type().IsRegular() || n.Type()&fs.ModeSymlink != 0:
			if t.skipFile(d, name) {
				t.forget(d, name)
				continue
			}
			fi, err := n.Info()
			if err != nil {
				continue // gone since, as the next lines find
			}
			present[name] = true
			t.see(d, name, fi)
			t.notFolder(d, name, n.Type()&fs.ModeSymlink != 0, deep)
		}
	}
	for name := range d.files {
		if !present[name] {
			t.gone(d, name)
		}
	}
	for name, s := range d.subs {
		if !present[name] {
			t.drop(s)
		}
	}
}

// sub looks at a folder inside a watched one.
func (t *tree) sub(d *folder, name string, deep bool) {
	rel, known := join(d.rel, name), d.subs[name]
	abs := filepath.Join(d.abs, name)
	skip, ignored := t.skipFolder(d, name, abs)
	if known != nil && known.link != d.link { // a link became a folder
		t.drop(known)
		known = nil
	}
	switch {
	case skip:
		if known != nil {
			t.leave(known)
		}
		if name == "node_modules" {
			t.followPackages(d, rel, abs)
		}
	case known == nil:
		if _, ok := d.files[name]; ok {
			t.gone(d, name) // a file or link became a folder
		}
		t.enter(&folder{rel: rel, abs: abs, parent: d, ignored: ignored, link: d.link})
	case deep:
		known.ignored = ignored
		t.rewatch(known)
		t.scan(known, true)
	}
}

// notFolder looks whether a file that was seen took a folder's place, or is a
// link to one.
func (t *tree) notFolder(d *folder, name string, link, deep bool) {
	switch s := d.subs[name]; {
	case link:
		t.follow(d, name, deep)
	case s != nil:
		t.drop(s)
	}
}

// rewatch makes sure of a watch; a folder that was replaced has a new one.
func (t *tree) rewatch(d *folder) {
	fi, err := os.Stat(d.abs)
	if err != nil {
		return // the scan that follows finds out
	}
	if inode(fi) != d.ino {
		t.unwatch(d)
	}
	// A new folder may have the number of the old one, whose watch is dead.
	t.watchFolder(d, fi)
}

// drop is the end of a folder: all that it held is gone.
func (t *tree) drop(d *folder) {
	for _, s := range d.subs {
		t.drop(s)
	}
	for name := range d.files {
		t.gone(d, name)
	}
	t.detach(d)
}

// leave ends the watching of a folder that is still there.
func (t *tree) leave(d *folder) {
	for _, s := range d.subs {
		t.leave(s)
	}
	for name := range d.files {
		t.forget(d, name)
	}
	t.detach(d)
}

func (t *tree) detach(d *folder) {
	t.unwatch(d)
	if t.dirs[d.rel] == d {
		delete(t.dirs, d.rel)
	}
	if t.byAbs[d.abs] == d {
		delete(t.byAbs, d.abs)
	}
	delete(t.fresh, d.rel)
	if d.link {
		t.outside--
	}
	if d.parent != nil {
		name := d.rel[strings.LastIndexByte(d.rel, '/')+1:]
		if d.parent.subs[name] == d {
			delete(d.parent.subs, name)
		}
	}
}

// finish settles what only the end of a window can: large files, and folders
// made in it. It says whether that changed anything.
func (t *tree) finish() bool {
	hits := t.hits
	for rel := range t.fresh {
		delete(t.fresh, rel)
		if d := t.dirs[rel]; d != nil {
			if t.src != nil && !d.polled {
				_ = t.src.Remove(d.abs)
				_ = t.src.Add(d.abs)
			}
			t.scan(d, false)
		}
	}
	for rel := range t.late {
		delete(t.late, rel)
		d, name := t.home(rel)
		if d == nil || d.files[name] == nil {
			continue
		}
		e := d.files[name]
		abs := filepath.Join(d.abs, name)
		if fi, err := os.Lstat(abs); err == nil {
			e.stamp(fi, time.Now())
			e.sum, e.known = hash(abs, fi)
			was := t.dirty[rel]
			t.mark(rel, was, e.state())
		}
	}
	for rel := range t.dirty {
		// A poll sees a write half done, and nothing tells of the other half.
		if d, name := t.home(rel); d != nil && d.polled && len(t.dirty) < stormEvents {
			t.look(d, name)
		}
	}
	return t.hits != hits
}

// home is the folder that a path lies in.
func (t *tree) home(rel string) (*folder, string) {
	i := strings.LastIndexByte(rel, '/')
	return t.dirs[rel[:max(i, 0)]], rel[i+1:]
}

// look brings one name in a folder up to date.
func (t *tree) look(d *folder, name string) {
	fi, err := os.Lstat(filepath.Join(d.abs, name))
	if err != nil {
		t.gone(d, name)
		return
	}
	if fi.Mode().IsRegular() || fi.Mode()&fs.ModeSymlink != 0 {
		t.see(d, name, fi)
		t.notFolder(d, name, fi.Mode()&fs.ModeSymlink != 0, false)
	}
}

// halfway tells whether what changed may be the first half of a save: a file
// moved away or emptied, to be written anew.
func (t *tree) halfway() bool {
	if len(t.dirty) > stormEvents {
		return false
	}
	for rel, was := range t.dirty {
		if d, name := t.home(rel); was.exists && was.size > 0 && (d == nil || d.files[name] == nil || d.files[name].size == 0) {
			return true
		}
	}
	return false
}
