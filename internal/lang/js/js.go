// Package js is what regreen knows of JavaScript and TypeScript: a lossless
// tokenizer, a scanner of imports and exports, a resolver of specifiers, a
// reader of scopes, and esbuild as the judge of syntax.
//
// Its invariant is lang's: every position is a byte range of the text as
// given, and no input makes it fail or panic; from a broken text it takes what
// it can. It never runs anything and reads files only through a lang.Tree.
//
// # Design
//
// A text is tokenized once, in one pass, with a stack of brackets that decides
// what a slash, a less-than sign and a brace mean (lexer.go). The scanner
// (scan.go) walks the flat tokens, so that a missing bracket does not hide the
// imports behind it. Only the reader of scopes (scope.go, stmt.go, expr.go,
// types.go) descends recursively, tolerant of errors and bounded in depth.
package js

import (
	"path"
	"strings"

	"regreen/internal/lang"
)

// Language is JavaScript and TypeScript. The zero value works.
type Language struct {
	// Aliases are what the projects' configurations say (moduleNameMapper,
	// resolve.alias).
	Aliases []lang.Alias
}

var _ lang.Language = Language{}

// Name is "js", for TypeScript too.
func (Language) Name() string { return "js" }

// Owns tells whether the file is JavaScript, TypeScript, or a component file
// (.vue, .svelte) whose script blocks are.
func (Language) Owns(p string) bool {
	switch path.Ext(p) {
	case ".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte":
		return true
	}
	return false
}

// dialect says what a text may contain.
type dialect struct {
	ts  bool // type syntax
	jsx bool // elements
	// script allows HTML-like comments.
	script bool
	// types says that the file holds only declarations.
	types bool
}

func dialectOf(p string) dialect {
	if isTypes(p) {
		return dialect{ts: true, types: true}
	}
	switch path.Ext(p) {
	case ".ts", ".mts", ".cts":
		return dialect{ts: true}
	case ".tsx":
		return dialect{ts: true, jsx: true}
	case ".mjs":
		return dialect{jsx: true}
	}
	return dialect{jsx: true, script: true}
}

func isComponent(p string) bool {
	return strings.HasSuffix(p, ".vue") || strings.HasSuffix(p, ".svelte")
}

// isTypes tells whether the file is a .d.ts file or one of its kin.
func isTypes(p string) bool {
	return strings.HasSuffix(p, ".d.ts") || strings.HasSuffix(p, ".d.mts") || strings.HasSuffix(p, ".d.cts")
}
