package main

import (
	"io/fs"
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"regreen/internal/lang"
)

// treeOf is a tree to resolve imports in.
func treeOf(t tree) lang.Tree { return asTree{t} }

type asTree struct{ t tree }

func (a asTree) ReadFile(rel string) ([]byte, error) {
	if src, ok := a.t[rel]; ok {
		return src, nil
	}
	return nil, fs.ErrNotExist
}

func (a asTree) Exists(rel string) bool { return a.t[rel] != nil }

func (a asTree) IsDir(rel string) bool {
	for f := range a.t {
		if rel == "." || rel == "" || strings.HasPrefix(f, rel+"/") {
			return true
		}
	}
	return false
}

func (a asTree) Files() []string { return a.t.files() }

// wordDiff is one difference: words [from, to) became [bFrom, bTo).
type wordDiff struct{ from, to, bFrom, bTo int }

// diffWords compares lists of words.
func diffWords(a, b []string) []wordDiff {
	var out []wordDiff
	for _, d := range lcs.DiffLines(a, b) {
		out = append(out, wordDiff{d.Start, d.End, d.ReplStart, d.ReplEnd})
	}
	return out
}
