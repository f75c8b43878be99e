package main

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// same tells whether two trees are the same byte for byte.
func same(a, b tree) bool {
	if len(a) != len(b) {
		return false
	}
	for rel, src := range a {
		if other, ok := b[rel]; !ok || !bytes.Equal(src, other) {
			return false
		}
	}
	return true
}

// judgeTrap: nothing may be merged.
func judgeTrap(_ lang.Set, _, broken, now tree) (verdict, string) {
	if same(broken, now) {
		return left, ""
	}
	return wrong, "a trap was merged"
}

// judgeRestore: the right answer is the original. Where an import was put back
// elsewhere the file still has to load the same names from the same modules,
// and the rest of its code has to be the original's.
func judgeRestore(ls lang.Set, orig, broken, now tree) (verdict, string) {
	return expect(ls, orig, orig, broken, now)
}

// judgeExpected: the right answer is the original with these files changed.
func judgeExpected(files map[string][]byte) judge {
	return func(ls lang.Set, orig, broken, now tree) (verdict, string) {
		want := tree{}
		for rel, src := range orig {
			want[rel] = src
		}
		for rel, src := range files {
			want[rel] = src
		}
		return expect(ls, want, orig, broken, now)
	}
}

func expect(ls lang.Set, want, orig, broken, now tree) (verdict, string) {
	if same(broken, now) {
		return left, ""
	}
	v := equal
	for _, rel := range union(want, now) {
		if alike(ls, rel, want, now) {
			continue
		}
		switch {
		case bytes.Equal(broken[rel], now[rel]):
			v = partly
		case between(ls, rel, want[rel], broken[rel], now[rel]):
			v = partly
		default:
			return wrong, rel + " is not as it should be"
		}
	}
	return v, ""
}

func union(a, b tree) []string {
	out := append(a.files(), b.files()...)
	slices.Sort(out)
	return slices.Compact(out)
}

// alike compares a file of two trees: the same tokens, or the same imported
// names and the same tokens otherwise.
func alike(ls lang.Set, rel string, a, b tree) bool {
	if bytes.Equal(a[rel], b[rel]) {
		return true
	}
	if a[rel] == nil || b[rel] == nil {
		return false
	}
	if slices.Equal(words(ls, rel, a[rel], false), words(ls, rel, b[rel], false)) {
		return true
	}
	return slices.Equal(words(ls, rel, a[rel], true), words(ls, rel, b[rel], true)) &&
		slices.Equal(bindings(ls, rel, a), bindings(ls, rel, b))
}

// words are the texts of a file's tokens, those of imports aside if asked.
// Commas before a closing bracket and semicolons say nothing.
func words(ls lang.Set, rel string, src []byte, noImports bool) []string {
	var skip []lang.Span
	if noImports {
		for _, imp := range ls.For(rel).Scan(rel, src).Imports {
			if imp.Kind != lang.Mention && imp.Kind != lang.Mock && imp.Kind != lang.Dynamic {
				skip = append(skip, imp.Span)
			}
		}
	}
	var out []string
	for _, k := range code(ls, rel, src) {
		if slices.ContainsFunc(skip, func(s lang.Span) bool { return k.Start >= s.Start && k.End <= s.End }) {
			continue
		}
		w := string(src[k.Start:k.End])
		if (w == ")" || w == "]" || w == "}") && len(out) > 0 && out[len(out)-1] == "," {
			out = out[:len(out)-1]
		}
		if w != ";" {
			out = append(out, w)
		}
	}
	return out
}

// bindings are the names that a file imports, each with what it leads to.
func bindings(ls lang.Set, rel string, t tree) []string {
	r := ls.For(rel).NewResolver(treeOf(t))
	var out []string
	for _, imp := range ls.For(rel).Scan(rel, t[rel]).Imports {
		if imp.Kind == lang.Mention {
			continue
		}
		if len(imp.Names) == 0 {
			file, _ := target(r, rel, imp)
			out = append(out, file)
		}
		for _, n := range imp.Names {
			one := imp
			one.Names = []lang.Name{n}
			if file, itself := target(r, rel, one); itself {
				out = append(out, n.Local+" is the module of "+file)
			} else {
				out = append(out, n.Local+" is "+n.Imported+" of "+file)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// target is the file that an import of at most one name leads to, and whether
// the name is that module itself. Of a module of Python the packages that it
// lies in are loaded, too.
func target(r lang.Resolver, rel string, imp lang.Import) (file string, itself bool) {
	files := r.Resolve(rel, imp).Files
	if len(files) == 0 {
		return strings.TrimPrefix(imp.Specifier, "node:"), false
	}
	if len(imp.Names) == 1 && python(rel) {
		for _, f := range files {
			if module(f) == imp.Names[0].Imported {
				return f, true
			}
		}
	}
	for _, f := range files {
		if python(rel) && module(f) == path.Ext("." + imp.Specifier)[1:] {
			return f, false
		}
	}
	return files[len(files)-1], false
}

// module is the last part of the name of a module of Python.
func module(f string) string {
	if path.Base(f) == "__init__.py" {
		return path.Base(path.Dir(f))
	}
	return stem(f)
}

// between tells whether every token of now is from one of the right answer and
// the broken text, each change of broken being one of want.
func between(ls lang.Set, rel string, want, broken, now []byte) bool {
	if want == nil || broken == nil || now == nil {
		return false
	}
	w, b, n := words(ls, rel, want, false), words(ls, rel, broken, false), words(ls, rel, now, false)
	return subset(changes(b, n), changes(b, w))
}

// changes are the lines' worth of difference between two lists of words, each
// with its place in the first.
func changes(a, b []string) map[string]bool {
	out := map[string]bool{}
	for _, d := range diffWords(a, b) {
		out[fmt.Sprintf("%d-%d %q", d.from, d.to, b[d.bFrom:d.bTo])] = true
	}
	return out
}

func subset(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return true
}

// judgeRename: every edit puts the new name in the place of the old one, or
// keeps the old one as an alias.
func judgeRename(from, to string) judge {
	return func(ls lang.Set, orig, broken, now tree) (verdict, string) {
		if same(broken, now) {
			return left, ""
		}
		for _, rel := range union(broken, now) {
			if !renamedOnly(words(ls, rel, broken[rel], false), words(ls, rel, now[rel], false), from, to) {
				return wrong, rel + " has an edit that is no rename"
			}
		}
		if aliased(ls, now, from, to) {
			return equal, "the old name is an alias"
		}
		for _, rel := range now.files() {
			for _, w := range words(ls, rel, now[rel], false) {
				if w == from && !bytes.Contains(now[rel], []byte(to)) {
					return partly, rel + " still says " + from
				}
			}
		}
		return equal, ""
	}
}

// aliased tells whether a file offers the new name under the old one.
func aliased(ls lang.Set, t tree, from, to string) bool {
	for _, rel := range t.files() {
		w := words(ls, rel, t[rel], false)
		for i := 2; i < len(w); i++ {
			if w[i] == from && (w[i-1] == "as" || w[i-1] == ":") && w[i-2] == to || w[i] == to && w[i-1] == ":" && w[i-2] == from {
				return true
			}
		}
	}
	return false
}

// renamedOnly walks two lists of words side by side.
func renamedOnly(a, b []string, from, to string) bool {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j] && !(a[i] == from && j+2 < len(b) && b[j+1] == ":" && b[j+2] == to && (i+1 >= len(a) || a[i+1] != ":")):
			i, j = i+1, j+1
		case a[i] == b[j]: // { from: to } for { from }
			i, j = i+1, j+3
		case a[i] == from && b[j] == to:
			i, j = i+1, j+1
			if j+1 < len(b) && (b[j] == "as" || b[j] == ":") && b[j+1] == from && (i >= len(a) || a[i] != b[j]) {
				j += 2
			}
		case strings.ReplaceAll(a[i], from, to) == b[j] && strings.ContainsAny(a[i][:1], "\"'`"):
			i, j = i+1, j+1
		default:
			return false
		}
	}
	return i == len(a) && j == len(b)
}

// judgeMove: only specifiers change, and every import leads to where it led.
func judgeMove(from, to string) judge {
	return func(ls lang.Set, orig, broken, now tree) (verdict, string) {
		if same(broken, now) {
			return left, ""
		}
		if !bytes.Equal(now[to], broken[to]) && !slices.Equal(words(ls, to, now[to], true), words(ls, to, broken[to], true)) {
			return wrong, "the moved file's code changed"
		}
		v, note := equal, ""
		for _, rel := range union(orig, now) {
			old := rel
			if rel == to {
				old = from
			}
			if rel == from || orig[old] == nil {
				continue
			}
			if !bytes.Equal(broken[rel], now[rel]) && !movedWords(words(ls, rel, broken[rel], true), words(ls, rel, now[rel], true), from, to) {
				return wrong, rel + " has an edit that is no import"
			}
			was, is := bindings(ls, old, orig), bindings(ls, rel, now)
			for i := range was {
				was[i] = strings.ReplaceAll(was[i]+"\x00", " of "+from+"\x00", " of "+to+"\x00")
				if was[i] == from+"\x00" {
					was[i] = to + "\x00"
				}
				was[i] = strings.TrimSuffix(was[i], "\x00")
			}
			slices.Sort(was)
			if slices.Equal(was, is) || bytes.Equal(broken[rel], now[rel]) && !slices.ContainsFunc(was, func(s string) bool { return strings.HasSuffix(s, to) }) && rel != to {
				continue
			}
			if bytes.Equal(broken[rel], now[rel]) {
				v, note = partly, rel+" still imports the old file"
				continue
			}
			return wrong, fmt.Sprintf("%s imports something else: %q, was %q", rel, is, was)
		}
		return v, note
	}
}

// movedWords: strings may follow the module, and dotted paths of Python.
func movedWords(a, b []string, from, to string) bool {
	if len(a) == len(b) {
		ok := true
		for i := range a {
			ok = ok && (a[i] == b[i] || strings.ContainsAny(a[i][:1], "\"'`") || a[i] == stem(from) && b[i] == stem(to))
		}
		return ok
	}
	without := func(list []string, drop ...string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(drop, w) })
	}
	return slices.Equal(without(a, "."), without(b, ".", "inner"))
}

func stem(rel string) string { return strings.TrimSuffix(path.Base(rel), path.Ext(rel)) }
