package fixers

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// byName looks for the file that an import means by the file's name.
func (v *view) byName(b broken) []Fix {
	if b.name != nil {
		return nil
	}
	last := lastPart(b.imp.Specifier)
	if last == "" {
		return nil
	}
	if r := v.resolve(b.t, b.imp); !r.Missing && primary(b.imp, r) != "" {
		return v.spellings(b)
	}
	bare := isBare(b)
	wanted := v.wanted(b.t, b.imp)
	if bare && len(wanted) == 0 {
		return nil // import yaml says nothing about shop/yaml.py
	}
	var same, variant, close []string
	dist := map[string]int{}
	for _, rel := range v.sources(b.t.lang) {
		if rel == b.t.path || v.IsTest(rel) && !v.IsTest(b.t.path) {
			continue
		}
		name := baseName(rel)
		if sure, maybe := v.providesCheap(rel, name, last, wanted); !sure && !maybe {
			continue
		}
		switch {
		case strings.EqualFold(name, last) && v.isVariant(b, rel):
			variant = append(variant, rel)
		case strings.EqualFold(name, last):
			same = append(same, rel)
		case b.imp.Kind != lang.Mock && len(wanted) > 0:
			if d, ok := nameDistance(last, name); ok {
				close = append(close, rel)
				dist[rel] = d
			}
		}
	}
	if out := v.retargets(b, variant, Safe, 0, "%s is what %s means, written otherwise"); len(out) > 0 {
		return out
	}
	level := Safe
	if bare || len(wanted) == 0 {
		level = Likely
	}
	if out := v.retargets(b, same, level, 3, "%s is the only file of the name that exports what %s should give"); len(out) > 0 {
		return out
	}
	if bare {
		return nil
	}
	return v.retargets(b, clearFiles(close, dist), Likely, 10, "%s is nearest by name to %s and exports all names imported from it")
}

// isBare tells whether an import names a package rather than a place in the
// project.
func isBare(b broken) bool {
	s := b.imp.Specifier
	if b.was != "" || strings.HasPrefix(s, ".") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "@/") || strings.HasPrefix(s, "~") ||
		strings.HasPrefix(s, "#") {
		return false
	}
	return b.t.lang.Name() == "js" || !strings.Contains(s, ".")
}

// providesCheap asks what a file offers only when its name is near.
func (v *view) providesCheap(rel, name, last string, wanted []string) (sure, maybe bool) {
	if !strings.EqualFold(name, last) {
		if _, ok := nameDistance(last, name); !ok {
			return false, false
		}
		sure, _ = v.provides(rel, wanted)
		return sure, sure
	}
	return v.provides(rel, wanted)
}

// nameDistance says how near two files' names are: letters apart, or one the
// beginning of the other (calc, calculator).
func nameDistance(a, b string) (int, bool) {
	x, y := strings.ToLower(a), strings.ToLower(b)
	if len(x) < 3 || len(y) < 3 || x == y {
		return 0, false
	}
	d := distance(x, y)
	if strings.HasPrefix(x, y) || strings.HasPrefix(y, x) || d <= maxDistance(x, y) {
		return d, true
	}
	return 0, false
}

// clearFiles keeps the nearest file where it leads by a letter, else all.
func clearFiles(files []string, dist map[string]int) []string {
	slices.SortStableFunc(files, func(a, b string) int { return dist[a] - dist[b] })
	if len(files) > 1 && dist[files[1]]-dist[files[0]] >= step {
		return files[:1]
	}
	return files
}

// isVariant tells whether a file is where the import says, but for extension,
// letter case, index file or leading dots.
func (v *view) isVariant(b broken, rel string) bool {
	r := v.resolve(b.t, b.imp)
	for _, w := range r.Waiting {
		if strings.EqualFold(stem(w), stem(rel)) {
			return true
		}
	}
	spec := b.imp.Specifier
	return b.t.lang.Name() == "js" && isBare(b) && !strings.Contains(spec, "/") && dirOf(rel) == dirOf(b.t.path)
}

// spellings are other ways to write an import of a file that resolves here but
// did not in the run: Node's modules want the extension.
func (v *view) spellings(b broken) []Fix {
	r := v.resolve(b.t, b.imp)
	to := primary(b.imp, r)
	if r.Missing || to == "" || b.was != "" && b.was != to || b.t.lang.Name() != "js" || !strings.HasPrefix(b.imp.Specifier, ".") {
		return nil
	}
	dot := strings.LastIndexByte(to, '.')
	for _, like := range []string{b.imp.Specifier + to[dot:], b.imp.Specifier + "/index" + to[dot:], ""} {
		for _, s := range v.Resolver(b.t.lang).Specifiers(b.t.path, to, like) {
			if s == b.imp.Specifier || !slices.ContainsFunc(codeExtensions, func(e string) bool { return strings.HasSuffix(s, e) }) {
				continue
			}
			return []Fix{{Title: fmt.Sprintf("import %s instead of %s", s, b.imp.Specifier), Applicability: Safe, Rank: 0,
				Edits:    inFile(b.t.path, []lang.TextEdit{{Span: b.imp.SpecSpan, New: s}}),
				Evidence: to + " is there; the run wants its whole name"}}
		}
	}
	return nil
}

// retargets gives a fix for each target; with several they are proposals of
// one rank. Where other files have the same broken import, all are mended at
// once first.
func (v *view) retargets(b broken, targets []string, level Applicability, rank int, why string) []Fix {
	if len(targets) > 1 {
		level = Propose
	}
	var out []Fix
	for _, to := range targets[:min(len(targets), 6)] {
		one, spec, ok := v.retarget(b, to)
		if !ok {
			continue
		}
		f := Fix{Title: fmt.Sprintf("import %s instead of %s", spec, b.imp.Specifier), Applicability: level, Rank: rank,
			Edits: inFile(b.t.path, one), Evidence: fmt.Sprintf(why, to, b.imp.Specifier)}
		if len(targets) > 1 {
			f.Evidence = fmt.Sprintf("%s is one of %d files that %s may mean", to, len(targets), b.imp.Specifier)
		}
		all, files := v.sameBroken(b, to)
		if len(files) > 1 {
			out = append(out, Fix{Title: fmt.Sprintf("import %s instead of %s in %s", spec, b.imp.Specifier, fileCount(len(files))), Applicability: level,
				Rank: rank, Edits: all, Evidence: f.Evidence})
			f.Rank++
		}
		out = append(out, f)
	}
	return out
}

// sameBroken mends all imports that are broken as b is: those that led to the
// same file, or wait for the same one.
func (v *view) sameBroken(b broken, to string) (edits []Edit, files []string) {
	key := v.brokenKey(b)
	last := lastPart(b.imp.Specifier)
	for _, rel := range v.sources(b.t.lang) {
		t := v.text(rel)
		if t == nil || rel == to || !t.mentions(last) || !v.editable(rel) {
			continue
		}
		var mine []lang.TextEdit
		for _, x := range v.brokenImports(t) {
			if x.name != nil || v.brokenKey(x) != key {
				continue
			}
			if sure, maybe := v.provides(to, v.wanted(t, x.imp)); !sure && !maybe {
				continue
			}
			if es, _, ok := v.retarget(x, to); ok {
				mine = merge(mine, es)
			}
		}
		if len(mine) > 0 {
			files = append(files, rel)
			edits = append(edits, inFile(rel, mine)...)
		}
	}
	return edits, files
}

func (v *view) brokenKey(b broken) string {
	if b.was != "" {
		return b.was
	}
	if r := v.resolve(b.t, b.imp); len(r.Waiting) > 0 {
		return r.Waiting[0]
	}
	return b.imp.Specifier
}
