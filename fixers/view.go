package fixers

import (
	"context"
	"iter"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// view is a workspace that remembers what fixers ask for again and again:
// texts, scans, tokens, resolutions. It holds for one state of the tree.
type view struct {
	Workspace
	now       map[string]*text
	base      map[string]*text
	resolvers map[string]lang.Resolver // of the base tree, by language
	baseTree  *baseTree
	resolved  map[string]lang.Resolution
	moves     *moves
	checks    map[string]*lang.SyntaxError
	files     map[string]bool
	stopped   func() bool // nobody waits for what is looked for; nil: somebody does
}

// Cached gives a workspace that keeps what the fixers read from w, for use
// with several causes while the tree does not change.
func Cached(w Workspace) Workspace { return look(w) }

func look(w Workspace) *view {
	if v, ok := w.(*view); ok {
		return v
	}
	return &view{Workspace: w, now: map[string]*text{}, base: map[string]*text{}, resolvers: map[string]lang.Resolver{},
		resolved: map[string]lang.Resolution{}, checks: map[string]*lang.SyntaxError{}}
}

// text is one version of one file in a known language.
type text struct {
	path  string
	src   []byte
	lang  lang.Language
	file  *lang.File
	toks  []lang.Token
	code  []lang.Token
	lines []int
	cls   []class
}

// maxText is the largest file that fixers read.
const maxText = 2 << 20

// text gives a file of the present tree, nil when it is not there, too large
// or in no known language.
func (v *view) text(rel string) *text {
	if t, ok := v.now[rel]; ok {
		return t
	}
	var t *text
	if l := v.Languages().For(rel); l != nil && rel != "" {
		if src, err := v.ReadFile(rel); err == nil && len(src) <= maxText {
			t = &text{path: rel, src: src, lang: l}
		}
	}
	v.now[rel] = t
	return t
}

// old gives a file of the base revision, nil as text does.
func (v *view) old(rel string) *text {
	if t, ok := v.base[rel]; ok {
		return t
	}
	var t *text
	if l := v.Languages().For(rel); l != nil && rel != "" {
		if src, ok := v.Base(rel); ok && len(src) <= maxText {
			t = &text{path: rel, src: src, lang: l}
		}
	}
	v.base[rel] = t
	return t
}

// before gives the base version of a present file, also where it had another
// path then, or was the module that became a package, or the other way round.
func (v *view) before(rel string) *text {
	if t := v.old(rel); t != nil {
		return t
	}
	if from, ok := v.movesOf().from[rel]; ok {
		return v.old(from)
	}
	for _, twin := range moduleTwins(rel) {
		if t := v.old(twin); t != nil && !v.Exists(twin) {
			return t
		}
	}
	return nil
}

// moduleTwins are the other files that the name of a module can stand for: a.py
// and a/__init__.py, a.js and a/index.js.
func moduleTwins(rel string) []string {
	ext := path.Ext(rel)
	index := "index" + ext
	if ext == ".py" {
		index = "__init__.py"
	}
	if path.Base(rel) == index {
		return []string{path.Dir(rel) + ext}
	}
	return []string{strings.TrimSuffix(rel, ext) + "/" + index}
}

// own tells whether the path is one of the repository's own files.
func (v *view) own(rel string) bool {
	if v.files == nil {
		v.files = map[string]bool{}
		for _, f := range v.Files() {
			v.files[f] = true
		}
	}
	return v.files[rel]
}

// editable tells whether a fix may edit the file.
func (v *view) editable(rel string) bool {
	return !IsProtected(rel) && v.own(rel) && v.text(rel) != nil
}

// check parses a text of the present tree, once.
func (v *view) check(ctx context.Context, t *text) (*lang.SyntaxError, error) {
	if bad, ok := v.checks[t.path]; ok {
		return bad, nil
	}
	bad, err := t.lang.Check(ctx, t.path, t.src)
	if err != nil {
		return nil, err
	}
	v.checks[t.path] = bad
	return bad, nil
}

// sameLanguage tells whether one known language owns both files.
func (v *view) sameLanguage(a, b string) bool {
	l, m := v.Languages().For(a), v.Languages().For(b)
	return l != nil && m != nil && l.Name() == m.Name()
}

// sources gives the present files of a language, in the order of Files. It ends
// early where nobody waits for the result any more: a large repository has so
// many that to go through all takes longer than a person waits after Ctrl-C.
func (v *view) sources(l lang.Language) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for _, f := range v.Files() {
			if v.stopped != nil && v.stopped() {
				return
			}
			if o := v.Languages().For(f); o != nil && o.Name() == l.Name() && !IsProtected(f) {
				if !yield(n, f) {
					return
				}
				n++
			}
		}
	}
}

// resolve finds what an import of a present file leads to.
func (v *view) resolve(t *text, imp lang.Import) lang.Resolution {
	key := "n\x00" + importKey(t, imp)
	if r, ok := v.resolved[key]; ok {
		return r
	}
	r := v.Resolver(t.lang).Resolve(t.path, imp)
	v.resolved[key] = r
	return r
}

// resolveOld finds what an import of a base file led to.
func (v *view) resolveOld(t *text, imp lang.Import) lang.Resolution {
	key := "b\x00" + importKey(t, imp)
	if r, ok := v.resolved[key]; ok {
		return r
	}
	if v.baseTree == nil {
		v.baseTree = newBaseTree(v)
	}
	rs := v.resolvers[t.lang.Name()]
	if rs == nil {
		rs = t.lang.NewResolver(v.baseTree)
		v.resolvers[t.lang.Name()] = rs
	}
	r := rs.Resolve(t.path, imp)
	v.resolved[key] = r
	return r
}

func importKey(t *text, imp lang.Import) string {
	var b strings.Builder
	b.WriteString(t.path + "\x00" + string(imp.Kind) + "\x00" + imp.Specifier)
	for _, n := range imp.Names {
		b.WriteString("\x00" + n.Imported)
	}
	return b.String()
}

// baseTree is the base revision as a tree to resolve in. What the repository
// does not hold (node_modules) is looked up in the present tree.
type baseTree struct {
	v     *view
	files []string
	set   map[string]bool
	dirs  map[string]bool
}

func newBaseTree(v *view) *baseTree {
	b := &baseTree{v: v, files: v.BaseFiles(), set: map[string]bool{}, dirs: map[string]bool{".": true}}
	for _, f := range b.files {
		b.set[f] = true
		for d := path.Dir(f); !b.dirs[d]; d = path.Dir(d) {
			b.dirs[d] = true
		}
	}
	return b
}

func (b *baseTree) foreign(rel string) bool { return !b.set[rel] && !b.v.own(rel) }

// ReadFile reads from the base.
func (b *baseTree) ReadFile(rel string) ([]byte, error) {
	if src, ok := b.v.Base(rel); ok {
		return src, nil
	}
	if b.foreign(rel) {
		return b.v.ReadFile(rel)
	}
	return nil, notInBase(rel)
}

// Exists is true for a file of the base.
func (b *baseTree) Exists(rel string) bool {
	return b.set[rel] || b.foreign(rel) && b.v.Exists(rel)
}

// IsDir is true for a folder of the base.
func (b *baseTree) IsDir(rel string) bool {
	return b.dirs[rel] || strings.Contains("/"+rel+"/", "/node_modules/") && b.v.IsDir(rel)
}

// Files are the base's files.
func (b *baseTree) Files() []string { return b.files }

type notInBase string

func (n notInBase) Error() string { return string(n) + " is not in the base revision" }

// places lists the files where a cause may be mended, nearest first: its
// place, then the victims' frames, then the victims' test files.
func (v *view) places(c Cause) []runner.Place {
	var out []runner.Place
	add := func(p runner.Place) {
		if p.File != "" && !slices.Contains(out, p) && len(out) < 40 {
			out = append(out, p)
		}
	}
	add(c.Place)
	for _, f := range c.Failures {
		add(f.Place)
		for _, fr := range f.Frames {
			add(fr.Place)
		}
	}
	for _, f := range c.Failures {
		if f.Test.File != "" && !slices.ContainsFunc(out, func(p runner.Place) bool { return p.File == f.Test.File }) {
			add(runner.Place{File: f.Test.File})
		}
	}
	return out
}
