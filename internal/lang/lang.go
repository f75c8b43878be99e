// Package lang is what regreen knows of a programming language: which modules
// a file loads, what it offers, where those names stand, how a specifier
// finds a file and how one is written, and whether a text parses.
//
// Its invariant: every position is a byte range of the text as given, so that
// an edit changes those bytes and no others. Scanning never fails and never
// panics: from a text that does not parse it takes what it can.
//
// One language stands in one folder below this one; it is registered in one
// line in internal/cli.
package lang

import (
	"context"
	"sort"
)

// Span is a byte range [Start, End).
type Span struct{ Start, End int }

// Len is the number of bytes.
func (s Span) Len() int { return s.End - s.Start }

// ImportKind says how a file loads another.
type ImportKind string

// The ways. TypeOnly imports vanish at run time; Mock is a module path handed
// to jest.mock, vi.mock, unittest.mock.patch and the like; Asset is a file
// named by new URL(…, import.meta.url) or a ?raw import; Wide is a computed
// specifier of which only Specifier's literal prefix is known.
const (
	Static   ImportKind = "import"
	TypeOnly ImportKind = "import type"
	ReExport ImportKind = "export from"
	Require  ImportKind = "require"
	Dynamic  ImportKind = "import()"
	Mock     ImportKind = "mock"
	Asset    ImportKind = "asset"
	Wide     ImportKind = "computed import"
	From     ImportKind = "from import" // Python: from M import names
	// Mention is a module that a text names without importing it: an attribute
	// of an imported package (pkg.sub.f()), a dotted path in a string. It
	// resolves where that is a module of the repository and is never Missing.
	Mention ImportKind = "mention"
)

// Import is one module that a file names.
type Import struct {
	Kind      ImportKind
	Specifier string // as written, without quotes; Python: dotted, with leading dots
	Span      Span   // the whole statement (or call)
	SpecSpan  Span   // the specifier's text, without quotes
	Names     []Name
	Line      int // of the specifier, from 1
	Column    int // from 1, in bytes
	// Erased is set where whatever compiles the file takes the import out, and
	// looks at what it leads to only if it checks types or makes code of them.
	Erased bool
	// Lazy is set where the import is not executed when the file loads (inside
	// a function, under TYPE_CHECKING, in try/except ImportError).
	Lazy bool
}

// Name is one binding of an import or a re-export.
type Name struct {
	Imported  string // the exported name; "default"; "*" for the whole module
	Local     string // the name in this file
	Span      Span   // the imported name's text (the local one for default and *)
	LocalSpan Span
	TypeOnly  bool
}

// Export is one name that a file offers.
type Export struct {
	Name  string // "default" for a default export, "*" for everything of From
	Local string // the local name behind it, "" where there is none
	Span  Span   // the name's text
	From  string // the specifier, for a re-export
	// Func, Class, Const, Type, Var or "" when unknown
	Kind string
	// Body is the span of the whole declaration, where the scanner knows it.
	Body Span
}

// File is what a text says.
type File struct {
	Path    string
	Imports []Import
	Exports []Export
	// Defs are all top-level definitions, exported or not (Python: the same
	// as Exports, private names too).
	Defs []Export
	// AllKnown is false when Exports may be incomplete (module.exports = f(),
	// export * from a package, __getattr__, star imports).
	AllKnown bool
	// Uncertain lists why the imports may be incomplete, each for a person to
	// read ("line 12: import() of a computed path"); empty when they are complete.
	Uncertain []string
	// Globals are the files a text reads by literal path (fixtures, JSON),
	// relative as written; candidates only.
	DataPaths []string
	// CommonJS tells the module system for JavaScript: require/module.exports
	// are used and no import/export statement is.
	CommonJS bool
}

// SyntaxError is where a text stops parsing.
type SyntaxError struct {
	Line, Column int    // from 1; Column in bytes
	Offset       int    // byte offset
	Token        string // what stands there, "" at the end of the text
	Expected     string // what the parser wanted, as it says, "" if it does not
	Message      string
}

// Tree is the set of files a language resolves in: the sandbox, the user's
// tree, or a map in a test. Paths are rel with slashes.
type Tree interface {
	ReadFile(rel string) ([]byte, error)
	// Exists is true for a regular file.
	Exists(rel string) bool
	IsDir(rel string) bool
	// Files are the repository's own files, sorted; node_modules, virtual
	// environments and ignored files are not among them, though ReadFile and
	// Exists may reach them.
	Files() []string
}

// Alias is one rule of a project's configuration by which a specifier means
// another path or module than it says. Where several rules match, what each
// leads to counts: which of them a tool takes depends on its version and on the
// order of its configuration.
type Alias struct {
	// Scope is the folder (rel) of the configuration: what lies below it goes by
	// it, and what lies below none goes by all.
	Scope string
	// Find is the specifier, with at most one star that stands for any text.
	// One without a star stands for what lies below it too. A star alone looks
	// for the targets beside what is installed.
	Find string
	// Pattern is, where no Find says it, a regular expression (RE2) that matches
	// somewhere in a specifier, also in a relative one; the targets name its
	// groups as ${1}.
	Pattern string
	// Rest keeps what follows the text that Pattern matches.
	Rest bool
	// Targets are the rel paths that it may mean, with a star in the place of
	// Find's.
	Targets []string
	// Modules are the specifiers that it may mean, where these are no paths.
	Modules []string
	// Above looks for the targets in each folder from the importer's upwards, as
	// node_modules is looked for.
	Above bool
}

// Resolution is what one import leads to.
type Resolution struct {
	// Files are the repository's files it loads (Python: the packages'
	// __init__.py too); more than one where it is widened.
	Files []string
	// Waiting are paths that would satisfy or shadow it if they existed.
	Waiting []string
	// Package is the name of an installed or missing package it goes to, "" for the repository's own files.
	Package string
	// Missing: it should be one of the repository's own files and is not there.
	Missing bool
	// Wide says why Files are more than the import surely loads.
	Wide string
	// Mapped: an alias of a configuration was applied, so the files need not
	// have a name that the specifier holds.
	Mapped bool
}

// Resolver finds modules in one tree. It may cache; it is made anew for a
// changed tree and used by one goroutine at a time.
type Resolver interface {
	Resolve(importer string, imp Import) Resolution
	// Specifiers lists how importer may write target, best first: in the way
	// of like (the specifier that is replaced, "" for none), then in the way
	// of the importer's other imports.
	Specifiers(importer, target, like string) []string
}

// Configured is what a Resolver may offer besides: the folders below which
// everything goes by a file that may lie elsewhere.
type Configured interface {
	Configures(file string) []string
}

// Implicit is what a Resolver may offer besides: the files that loading a file
// loads too without an import of its own (Python: the __init__.py of its
// packages).
type Implicit interface {
	Implicit(file string) []string
}

// TokenKind sorts tokens.
type TokenKind string

// The kinds of token. Newline, Indent and Dedent are Python's; JSXText is
// JavaScript's; a Template's or f-string's holes are tokens of their own
// between the String parts.
const (
	Ident   TokenKind = "ident"
	Keyword TokenKind = "keyword"
	Number  TokenKind = "number"
	String  TokenKind = "string" // also a part of a template or f-string
	Regexp  TokenKind = "regexp"
	Comment TokenKind = "comment"
	Punct   TokenKind = "punct"
	JSXText TokenKind = "jsxtext"
	Newline TokenKind = "newline"
	Indent  TokenKind = "indent"
	Dedent  TokenKind = "dedent"
	Invalid TokenKind = "invalid" // an unclosed string, a stray byte
)

// Token is one piece of a text. Tokens are in order, do not overlap, and
// between them stands only white space.
type Token struct {
	Kind TokenKind
	Span
}

// Binding is a name that code at some place can use.
type Binding struct {
	Name string
	// Kind is param | local | module | import | builtin.
	Kind string
	Span Span // where it is bound; empty for a builtin
}

// TextEdit replaces a byte range of a text.
type TextEdit struct {
	Span
	New string
}

// Apply applies edits that do not overlap, given in any order.
func Apply(src []byte, edits []TextEdit) []byte {
	es := append([]TextEdit(nil), edits...)
	sort.SliceStable(es, func(i, j int) bool { return es[i].Start < es[j].Start })
	var out []byte
	at := 0
	for _, e := range es {
		out = append(out, src[at:e.Start]...)
		out = append(out, e.New...)
		at = e.End
	}
	return append(out, src[at:]...)
}

// Language is one programming language.
type Language interface {
	Name() string
	// Owns tells whether the file (by its name) is in this language.
	Owns(path string) bool
	Scan(path string, src []byte) *File
	NewResolver(t Tree) Resolver
	// Tokens splits a text, whether it parses or not.
	Tokens(path string, src []byte) []Token
	// InScope lists the names that code at the offset can use, nearest scope
	// first, builtins last.
	InScope(path string, src []byte, offset int) []Binding
	// Uses lists where the file uses the name as a reference to the binding
	// visible at the offset (-1: the module's), the binding itself included;
	// members (x.name), keys and strings are not uses.
	Uses(path string, src []byte, name string, offset int) []Span
	// AddImport gives the edits that make names importable from specifier, in
	// the file's own style: it extends an existing import of that module, else
	// adds a line beside the others (after a docstring, "use strict", a
	// shebang, __future__ imports). A name that is bound already is an error.
	AddImport(path string, src []byte, specifier string, names []Name) ([]TextEdit, error)
	// Check parses the text; nil when it parses. The error is for "could not
	// be found out" (no interpreter).
	Check(ctx context.Context, path string, src []byte) (*SyntaxError, error)
}

// Set is the languages in use.
type Set []Language

// For gives the language of a file, nil when none owns it.
func (s Set) For(path string) Language {
	for _, l := range s {
		if l.Owns(path) {
			return l
		}
	}
	return nil
}
