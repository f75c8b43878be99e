package engine

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"regreen/affected"
	"regreen/internal/lang"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// What is kept of the trees that tests ran in, and of what they executed. Beyond
// it the oldest is forgotten: such tests are selected as if they had not been
// watched.
const (
	maxTrees     = 256
	maxRanBodies = 1_000_000
)

// executedStore is what test files were seen to execute, with how the tree
// differs from the one that each ran in. It is read from one file of the state
// folder; one that cannot be read is as none.
type executedStore struct {
	file string

	mu      sync.Mutex // guards the fields below
	pending []executedRun
	fresh   bool
	known   knownRuns
}

// executedRun is a run of which nothing was taken in yet.
type executedRun struct {
	tree    int
	project string // see projectKey
	saw     *runner.Executed
}

// knownRuns is the file's content, which holds for the program that wrote it: another may watch, or take
// files apart, otherwise. The trees have numbers that go up; Head is
// what is in the last one, and Steps, the oldest first, are what each tree's
// files were that differ in the next.
type knownRuns struct {
	Build string
	Head  map[string]string // rel to sum
	Steps []map[string]string
	First int // the number of the tree before Steps
	Runs  map[int]ranOnce
	Next  int // number of the next run
	Tests map[string]ranTest
	// Loads are the test files that passed as a whole while all that they load was
	// seen.
	Loads map[string]ranLoads
	// Parts are of the files in which something was executed, by path and sum.
	Parts map[string]lang.Parts
}

type ranOnce struct {
	Tree    int
	Project string
	Shared  map[string]affected.Bits
	Sums    map[string]string // of the files in which something was executed
	Loose   []string          // of them, those that chance has to do with at loading
}

type ranTest struct {
	Run    int
	Doubt  string                   `json:",omitempty"`
	Bodies map[string]affected.Bits `json:",omitempty"`
}

func openExecuted(dir string) *executedStore {
	s := &executedStore{file: filepath.Join(dir, "executed.json")}
	if text, err := os.ReadFile(s.file); err != nil || json.Unmarshal(text, &s.known) != nil {
		s.known = knownRuns{}
	}
	if build := buildID(); s.known.Build != build || !s.known.whole() {
		s.known = knownRuns{Build: build, Runs: map[int]ranOnce{}, Tests: map[string]ranTest{}, Parts: map[string]lang.Parts{}, Loads: map[string]ranLoads{}}
	}
	return s
}

// whole tells whether all is there that the rest leads to.
func (k *knownRuns) whole() bool {
	last := k.First + len(k.Steps)
	for n, r := range k.Runs {
		if r.Tree < k.First || r.Tree > last || n >= k.Next {
			return false
		}
	}
	for _, t := range k.Tests {
		if _, ok := k.Runs[t.Run]; !ok {
			return false
		}
	}
	for _, l := range k.Loads {
		if l.Tree < k.First || l.Tree > last {
			return false
		}
	}
	return k.Runs != nil && k.Tests != nil && k.Parts != nil && k.Loads != nil
}

// sumText is what tells a file's content; a link's is another than that of a
// file that holds its target's name.
func sumText(e sandbox.Entry) string {
	s := base64.RawStdEncoding.EncodeToString(e.Sum[:18])
	if e.Mode&fs.ModeSymlink != 0 {
		return "link " + s
	}
	return s
}

// tree is the number of the present tree. The caller holds the lock.
func (s *executedStore) tree() int { return s.known.First + len(s.known.Steps) }

// at notes which files the tree holds from now on.
func (s *executedStore) at(files map[string]sandbox.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &s.known
	step := map[string]string{}
	for rel, e := range files {
		if sum := sumText(e); k.Head[rel] != sum {
			step[rel] = k.Head[rel]
		}
	}
	for rel, sum := range k.Head {
		if _, ok := files[rel]; !ok {
			step[rel] = sum
		}
	}
	if len(step) == 0 {
		return
	}
	first := k.Head == nil
	if first {
		k.Head = make(map[string]string, len(files))
	}
	for rel := range step {
		if e, ok := files[rel]; ok {
			k.Head[rel] = sumText(e)
		} else {
			delete(k.Head, rel)
		}
	}
	if first {
		return
	}
	s.fresh = true
	k.Steps = append(k.Steps, step)
	if len(k.Steps) > maxTrees {
		k.Steps = slices.Delete(k.Steps, 0, 1)
		k.First++
		s.prune()
	}
}

// prune forgets what nothing needs. The caller holds the lock.
func (s *executedStore) prune() {
	k := &s.known
	for file, l := range k.Loads {
		if l.Tree < k.First {
			delete(k.Loads, file)
		}
	}
	used, size := map[int]bool{}, 0
	for file, t := range k.Tests {
		if k.Runs[t.Run].Tree < k.First {
			delete(k.Tests, file)
			continue
		}
		used[t.Run] = true
		for _, b := range t.Bodies {
			size += len(b) + 1
		}
	}
	if size > maxRanBodies {
		clear(k.Tests)
		clear(used)
	}
	parts := map[string]bool{}
	for n, r := range k.Runs {
		if !used[n] {
			delete(k.Runs, n)
			continue
		}
		for file, sum := range r.Sums {
			parts[file+"\x00"+sum] = true
		}
	}
	for key := range k.Parts {
		if !parts[key] {
			delete(k.Parts, key)
		}
	}
}

// ran notes a run in the present tree.
func (s *executedStore) ran(project string, saw *runner.Executed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, executedRun{s.tree(), project, saw})
}

// take turns the lines of the runs in the tree of a snapshot into bodies, by the
// texts that ran.
func (s *executedStore) take(read func(rel string) ([]byte, error), langs lang.Set) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, run := range s.pending {
		if run.tree == s.tree() {
			s.takeRun(run, read, langs)
		}
	}
	if len(s.pending) > 0 {
		s.fresh = true
		s.prune()
	}
	s.pending = nil
}

func (s *executedStore) takeRun(run executedRun, read func(rel string) ([]byte, error), langs lang.Set) {
	k := &s.known
	once := ranOnce{Tree: run.tree, Project: run.project, Sums: map[string]string{}}
	parts := func(file string) (*lang.Parts, bool) {
		sum, ok := k.Head[file]
		if !ok {
			return &lang.Parts{}, true // ignored, or made by the run: no change can be one of it
		}
		key := file + "\x00" + sum
		p, known := k.Parts[key]
		if !known {
			d, divides := langs.For(file).(lang.Divider)
			src, err := read(file)
			if !divides || err != nil {
				return nil, false
			}
			if p, ok = d.Divide(file, src); !ok {
				return nil, false
			}
			k.Parts[key] = p
		}
		if once.Sums[file] = sum; p.Loose && !slices.Contains(once.Loose, file) {
			once.Loose = append(once.Loose, file)
		}
		return &p, true
	}
	var doubt string
	once.Shared, doubt = bodiesOf(run.saw.Shared, parts)
	for file, saw := range run.saw.Tests {
		t := ranTest{Run: k.Next, Doubt: saw.Doubt}
		if t.Doubt == "" {
			t.Doubt = doubt
		}
		if t.Doubt == "" {
			t.Bodies, t.Doubt = bodiesOf(saw.Ran, parts)
		}
		// Twice in one tree: both count.
		if old, ok := k.Tests[file]; ok && t.Doubt == "" && old.Doubt == "" && k.Runs[old.Run].Tree == run.tree {
			t.Bodies = union(t.Bodies, old.Bodies, k.Runs[old.Run].Shared)
		}
		k.Tests[file] = t
	}
	k.Runs[k.Next] = once
	k.Next++
}

// bodiesOf turns lines into the bodies that they stand in. doubt says why a test
// that executed them cannot be spared.
func bodiesOf(ran map[string][]int, parts func(string) (*lang.Parts, bool)) (out map[string]affected.Bits, doubt string) {
	out = map[string]affected.Bits{}
	for file, lines := range ran {
		p, ok := parts(file)
		if !ok {
			return nil, "executes " + file + ", which cannot be taken apart"
		}
		for _, line := range lines {
			for i, b := range p.Bodies {
				if b.First > line || line > b.Last {
					continue
				}
				if b.Loose && doubt == "" {
					doubt = fmt.Sprintf("calls %s of %s, which may do another thing each time", b.Name, file)
				}
				out[file] = out[file].With(i)
			}
		}
	}
	return out, doubt
}

func union(to map[string]affected.Bits, more ...map[string]affected.Bits) map[string]affected.Bits {
	for _, m := range more {
		for file, bits := range m {
			for i := range len(bits) * 8 {
				if bits.Has(i) {
					to[file] = to[file].With(i)
				}
			}
		}
	}
	return to
}

// toSelect gives what is known, beside the present tree, for a selection.
// projects tells how each test is run now, was what a changed file was before the
// change (its sumText, "" for none), false for a file that is not changed.
func (s *executedStore) toSelect(project func(test string) string, was func(rel string) (string, bool)) *affected.Executed {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := &s.known
	out := &affected.Executed{Tests: map[string]*affected.Ran{}, Loaded: map[string]*affected.Loaded{}}
	thens := map[int]*affected.Then{}
	loose := map[string]bool{}
	for file, t := range k.Tests {
		run, ok := k.Runs[t.Run]
		if !ok || run.Project != project(file) {
			continue
		}
		then := thens[t.Run]
		if then == nil {
			then = s.then(run)
			thens[t.Run] = then
		}
		for _, f := range run.Loose {
			loose[f] = true
		}
		out.Tests[file] = &affected.Ran{Doubt: t.Doubt, Then: then, Bodies: t.Bodies, Shared: run.Shared}
	}
	for f := range loose {
		out.Loose = append(out.Loose, f)
	}
	slices.Sort(out.Loose)
	trees := map[int]*affected.Loaded{}
	for file, l := range k.Loads {
		if l.Project != project(file) {
			continue
		}
		if trees[l.Tree] == nil {
			trees[l.Tree] = &affected.Loaded{Apart: s.apart(l.Tree, was)}
		}
		out.Loaded[file] = trees[l.Tree]
	}
	return out
}

// since gives the files that may differ from a tree, with what they were in it.
// The caller holds the lock.
func (s *executedStore) since(tree int) map[string]string {
	was := map[string]string{}
	for _, step := range s.known.Steps[tree-s.known.First:] {
		for file, sum := range step {
			if _, known := was[file]; !known {
				was[file] = sum
			}
		}
	}
	return was
}

// then gives what differs from the tree of a run. The caller holds the lock.
func (s *executedStore) then(run ranOnce) *affected.Then {
	k := &s.known
	out := &affected.Then{Differ: map[string]*lang.Parts{}}
	for file, sum := range s.since(run.Tree) {
		now, there := k.Head[file]
		if now == sum {
			continue
		}
		if !there {
			out.Gone = append(out.Gone, file)
			continue
		}
		out.Differ[file] = nil
		if p, ok := k.Parts[file+"\x00"+sum]; ok && run.Sums[file] == sum {
			out.Differ[file] = &p
		}
	}
	slices.Sort(out.Gone)
	return out
}

// save writes what is known of test files of the tree.
func (s *executedStore) save(exists func(rel string) bool) error {
	s.mu.Lock()
	for file := range s.known.Tests {
		if !exists(file) {
			delete(s.known.Tests, file)
			s.fresh = true
		}
	}
	for file := range s.known.Loads {
		if !exists(file) {
			delete(s.known.Loads, file)
			s.fresh = true
		}
	}
	fresh := s.fresh
	s.fresh = false
	var text []byte
	var err error
	if fresh {
		text, err = json.Marshal(s.known)
	}
	s.mu.Unlock()
	if err == nil && fresh {
		err = keepWhole(s.file, text)
	}
	if err != nil {
		return fmt.Errorf("keep what the tests executed: %w", err)
	}
	return nil
}

// traced tells whether it is wanted to know what tests execute.
func (e *Engine) traced() bool { return e.opts.Config.Affected.Precision == "traced" }

// executed is what test files were seen to execute.
func (e *Engine) executed() *executedStore {
	if e.selecting.executed == nil {
		e.selecting.executed = openExecuted(e.box.Dir())
	}
	return e.selecting.executed
}

// takeExecuted keeps what the runs of a cycle executed.
func (e *Engine) takeExecuted(ctx context.Context, p *prepared) error {
	if !e.traced() {
		return nil
	}
	e.executed().take(func(rel string) ([]byte, error) { return p.snap.Bytes(ctx, rel) }, e.langs.set)
	return e.executed().save(p.work.Exists)
}
