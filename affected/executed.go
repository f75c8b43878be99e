package affected

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// Executed is what runs of test files were seen to execute. With Traced it
// spares the tests that execute no function that differs.
//
// A test does what it did in the tree of its last run, if all that it depends on
// is as it was then, but for bodies of functions that it did not execute: by
// induction over what it executes, it never comes to anything that differs. The
// same holds of the base, as long as what differs from there is of this kind
// too. So a test is spared where both are known of every file that reaches it.
type Executed struct {
	// Tests are what is known, by test file.
	Tests map[string]*Ran
	// Loose are the files of which loading may do another thing each time.
	Loose []string
	// Loaded are the test files that passed as a whole while all that they load
	// was seen.
	Loaded map[string]*Loaded
}

// Ran is what one test file executed in a run that it passed.
type Ran struct {
	// Doubt says why it may execute more, "" for nothing.
	Doubt string
	// Then is the tree that it ran in; many share one.
	Then *Then
	// Bodies are the indices into lang.Parts.Bodies of what it executed, by file.
	// Shared is the same for all tests of its run.
	Bodies, Shared map[string]Bits
}

// Bits are a set of small numbers.
type Bits []byte

// With gives the set with a number more.
func (b Bits) With(i int) Bits {
	for len(b) <= i/8 {
		b = append(b, 0)
	}
	b[i/8] |= 1 << (i % 8)
	return b
}

// Has tells whether a number is in the set.
func (b Bits) Has(i int) bool { return i/8 < len(b) && b[i/8]&(1<<(i%8)) != 0 }

// Then is a tree of which the present one may differ.
type Then struct {
	// Differ are the files that were others, or were not there, with their parts;
	// nil where these are not known. Gone are those that are not there any more.
	Differ map[string]*lang.Parts
	Gone   []string
}

// maxTraced is how many files may differ, from the base or since a test ran, for
// a selection that goes by what was executed: each costs a walk.
const maxTraced = 32

// tracing is one selection's use of Executed.
type tracing struct {
	g      *Graph
	ctx    context.Context
	now    map[string]*lang.Parts
	base   map[string]*lang.Parts
	reach  map[string]*walk // by changed file: from its difference
	whole  map[string]*walk // from the file as a whole
	spared map[string]string
}

// trace takes from the tests that were reached those that execute nothing that
// differs. spared tells of each why.
func (g *Graph) trace(ctx context.Context, tests []Test, seeds map[int32]string, effects map[int32]effect) (left []Test, spared map[string]string) {
	if !g.in.Traced || g.in.Executed == nil || g.in.Base == nil || len(seeds) > maxTraced || len(g.in.Executed.Loose) > maxTraced {
		return tests, nil
	}
	t := &tracing{g: g, ctx: ctx, now: map[string]*lang.Parts{}, base: map[string]*lang.Parts{}, reach: map[string]*walk{}, whole: map[string]*walk{}, spared: map[string]string{}}
	left = slices.DeleteFunc(tests, func(test Test) bool {
		why := t.spares(test, seeds, effects)
		if why != "" {
			t.spared[test.File] = why
		}
		return why != ""
	})
	return left, t.spared
}

// spares tells why a test is spared, "" where it is not.
func (t *tracing) spares(test Test, seeds map[int32]string, effects map[int32]effect) string {
	ran := t.g.in.Executed.Tests[test.File]
	id := t.g.ids[test.File]
	if ran == nil || ran.Doubt != "" || ran.Then == nil || len(test.Projects) != 1 || seeds[id] != "" || len(ran.Then.Gone) > 0 || len(ran.Then.Differ) > maxTraced {
		return ""
	}
	for _, file := range t.g.in.Executed.Loose {
		if t.reaches(file, id) {
			return ""
		}
	}
	for file, then := range ran.Then.Differ {
		if _, same := t.same(ran, test.File, file, then); !same && t.reaches(file, id) {
			return ""
		}
	}
	var why []string
	for seed, word := range seeds {
		file := t.g.nodes[seed].name
		w := t.reach[file]
		if w == nil {
			own := map[int32]effect{}
			if e, judged := effects[seed]; judged {
				own[seed] = e
			}
			w = t.g.from(map[int32]string{seed: word}, own)
			t.reach[file] = w
		}
		if w.test(id) == nil {
			continue
		}
		if word != changed {
			return ""
		}
		names, same := t.same(ran, test.File, file, t.baseParts(file))
		if !same {
			return ""
		}
		why = append(why, fmt.Sprintf("when %s last ran it called nothing of %s that differs (%s)", test.File, file, some(names)))
	}
	slices.Sort(why)
	return strings.Join(why, "; ")
}

// same tells whether a file is to a test as it was: it differs, if at all, in
// bodies of functions, by these names, that the test did not execute. When the
// garbage collector calls one of them nobody can tell.
func (t *tracing) same(ran *Ran, test, file string, was *lang.Parts) (names []string, same bool) {
	now := t.nowParts(file)
	if was == nil || now == nil || was.Rest != now.Rest || len(was.Bodies) != len(now.Bodies) || t.reads(test, file) {
		return nil, false
	}
	for i, b := range now.Bodies {
		if b.Sum == was.Bodies[i].Sum {
			continue
		}
		if strings.HasSuffix(b.Name, "__del__") || ran.Bodies[file].Has(i) || ran.Shared[file].Has(i) {
			return nil, false
		}
		names = append(names, b.Name)
	}
	return names, true
}

// reads tells whether a test, or a source of which it is not told for whom, reads
// the bytes of a file.
func (t *tracing) reads(test, file string) bool {
	if o := t.g.in.Opened; o != nil {
		for _, by := range o.Read[file] {
			if by == test {
				return true
			}
			if id, ok := t.g.ids[test]; ok && t.reaches(by, id) && by != file {
				return true
			}
		}
	}
	return len(t.g.readers(file)) > 0
}

// reaches tells whether a test depends on a file in any way.
func (t *tracing) reaches(file string, test int32) bool {
	w := t.whole[file]
	if w == nil {
		id, ok := t.g.ids[path.Clean(file)]
		if !ok || len(t.whole) >= 2*maxTraced {
			return true
		}
		w = t.g.from(map[int32]string{id: changed}, nil)
		t.whole[file] = w
	}
	return w.dist[test] >= 0
}

func (t *tracing) nowParts(file string) *lang.Parts {
	return t.parts(t.now, file, func() ([]byte, bool) {
		src, err := t.g.in.Tree.ReadFile(file)
		return src, err == nil
	})
}

func (t *tracing) baseParts(file string) *lang.Parts {
	return t.parts(t.base, file, func() ([]byte, bool) { return t.g.in.Base(file) })
}

// parts takes a text apart that parses.
func (t *tracing) parts(known map[string]*lang.Parts, file string, read func() ([]byte, bool)) *lang.Parts {
	p, ok := known[file]
	if ok {
		return p
	}
	l := t.g.in.Languages.For(file)
	if d, divides := l.(lang.Divider); divides {
		if src, ok := read(); ok && len(src) <= maxScan && parses(t.ctx, l, file, src) {
			if parts, ok := d.Divide(file, src); ok {
				p = &parts
			}
		}
	}
	known[file] = p
	return p
}

// spareNote says for how many tests what they execute decided.
func spareNote(n int) string {
	if n == 1 {
		return "1 test file called nothing that differs when it last ran"
	}
	return fmt.Sprintf("%d test files called nothing that differs when they last ran", n)
}
