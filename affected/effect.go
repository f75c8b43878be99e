package affected

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"reflect"
	"strings"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"

	"regreen/internal/lang"
	"regreen/internal/lock"
)

// effect is what is known of a change beyond that the file differs. The zero
// value is a change that may do anything.
type effect struct {
	// quiet: the difference cannot be seen by whoever loads the file, only by
	// whoever reads its bytes.
	quiet bool
	// narrow: a manifest or lock file whose difference is told by packages
	// alone, so that it does not rule all below its folder.
	narrow   bool
	packages []int32 // nodes of the packages that differ
	verb     string  // how these depend on the change, "" for the usual
	// named: the change reaches others by the names in names alone.
	named bool
	names lang.Names
	// only are the tests that a file that tests are run with reaches; nil for all.
	only map[int32]bool
	// plugs are the files that name it as one to run tests with and do no more
	// with it.
	plugs map[int32]bool
	// note says why less (quiet, narrow) or everything is selected.
	note string
}

// judge compares a changed file with the base.
func (g *Graph) judge(ctx context.Context, c Change) effect {
	file := path.Clean(c.Path)
	if e, ok := g.bundlerEffect(file); ok && (c.From == "" || c.From == file) {
		return e
	}
	if e, ok := g.buildEffect(file); ok && (c.From == "" || c.From == file) {
		return e
	}
	if c.Deleted || c.From != "" || g.in.Base == nil {
		return effect{}
	}
	before, ok := g.in.Base(file)
	if !ok {
		return effect{}
	}
	now, err := g.in.Tree.ReadFile(file)
	if err != nil {
		return effect{}
	}
	if bytes.Equal(before, now) {
		// It was named as changed, so it is: what it was before is not known.
		return effect{}
	}
	if l := g.in.Languages.For(file); l != nil {
		if c, ok := l.(lang.Comparer); ok && len(now) <= maxScan && c.SameCode(file, before, now) {
			return effect{quiet: true, narrow: true, note: file + " differs in comments and white space alone"}
		}
		if e := g.fixtureEffect(ctx, file, l, before, now); e.note != "" {
			return e
		}
		return g.nameEffect(ctx, file, l, before, now)
	}
	if !isManifest(file) {
		return effect{}
	}
	if sameData(file, before, now) {
		return effect{narrow: true, note: file + " differs in white space, comments and order alone"}
	}
	if lock.Known(file) {
		return g.lockEffect(file, before, now)
	}
	return g.manifestEffect(file, before, now)
}

// sameData tells whether a structured file means the same. In JSON the order
// of keys counts as white space.
func sameData(file string, before, now []byte) bool {
	var a, b any
	var err error
	switch path.Ext(file) {
	case ".json":
		x, xerr := canonical(before)
		y, yerr := canonical(now)
		// The order of conditions in exports and imports decides.
		return xerr == nil && yerr == nil && x == y && (path.Base(file) != "package.json" || sameConditions(before, now))
	case ".yaml", ".yml":
		if err = yaml.Unmarshal(before, &a); err == nil {
			err = yaml.Unmarshal(now, &b)
		}
	case ".toml":
		if _, err = toml.Decode(string(before), &a); err == nil {
			_, err = toml.Decode(string(now), &b)
		}
	default:
		return false
	}
	return err == nil && reflect.DeepEqual(a, b)
}

func sameConditions(before, now []byte) bool {
	m, err := lock.DiffManifest("package.json", before, now)
	return err == nil && len(m.Keys) == 0
}

// quietly walks from a change that only readers of its bytes can see: those
// are the edges of assets.
func (w *walk) quietly(at int32, visit func(to, label int32)) {
	for _, e := range w.g.nodes[at].rev {
		if w.g.labels[e.label].verb == verbs[lang.Asset] {
			visit(e.to, e.label)
		}
	}
	w.told(at, visit)
}

// told visits whoever reads a changed file or was declared to.
func (w *walk) told(at int32, visit func(to, label int32)) {
	name := w.g.nodes[at].name
	for _, edges := range [][]edge{w.g.readers(name), w.g.snapshotOf(name), w.g.folderOf(name), w.g.declared(name), w.opened(at)} {
		for _, e := range edges {
			visit(e.to, e.label)
		}
	}
}

// isProject tells whether a node stands for a project.
func (n *node) isProject() bool { return n.virtual && strings.HasPrefix(n.name, "\x00project") }

func canonical(src []byte) (string, error) {
	v, err := readJSON(src)
	if err != nil {
		return "", err
	}
	out, err := json.Marshal(v)
	return string(out), err
}
