package lang

import "context"

// Comparer is what a Language may offer besides: whether two versions of a
// file run alike, whatever the input, for they differ in comments, white space
// and line numbers alone. A comment that a tool obeys is code. False where
// that cannot be told.
//
// What code can learn about its own text (Function.prototype.toString,
// inspect.getsource, the line numbers in a stack) is left out of account.
type Comparer interface {
	SameCode(path string, before, after []byte) bool
}

// Ambient is what a Language may offer besides: the packages that a file may
// load without naming them, as the compilers of elements do.
type Ambient interface {
	Ambient(path string) []string
}

// Steering is what a Language may offer besides: the files of its own whose
// text decides where the imports of other files lead, beside configuration.
type Steering interface {
	Steers(path string) bool
}

// Rooted is what a Language may offer besides, if an import that begins with no
// dot leads to no path but one that is put together of its own words, below
// folders that do not depend on what is imported. Roots tells of a file by whose
// coming or going those folders may become others; they may too where a folder
// comes or goes.
type Rooted interface {
	Roots(path string) bool
}

// Distributions is what a Language may offer besides, where the name by which
// a package is installed is not the one that code imports.
type Distributions interface {
	// Modules are the top-level modules that a distribution may bring, as far
	// as its name tells.
	Modules(distribution string) []string
	// Installed are the distributions of the project's own environment by
	// normal name (lower case, dashes); nil where it cannot be read.
	Installed() map[string]Distribution
}

// Distribution is one installed package.
type Distribution struct {
	Modules  []string // top-level modules
	Requires []string // normal names
	// EntryPoints are the groups it registers itself in ("pytest11").
	EntryPoints []string
}

// Lister is what a Tree may offer besides: the names in one folder for which
// Exists is true; nil where it cannot tell.
type Lister interface {
	List(rel string) map[string]bool
}

// Linker is what a Language may offer besides: by which names a change of a
// file can reach those who load it.
type Linker interface {
	// Differs compares two versions of a file. ok tells that to load the one
	// does to everybody the same as to load the other, and that both offer the
	// same names; exported are then those whose values or behaviour may differ.
	// Where that cannot be shown, ok is false.
	Differs(ctx context.Context, path string, before, after []byte) (exported Names, ok bool)
	// Module reads a file for what names of other modules mean to it; false
	// where it cannot.
	Module(path string, src []byte) (Module, bool)
	// Links tells of each module that the file names what it does with the
	// names of that one. Several may lead to one module.
	Links(path string, src []byte) []Link
	// Checked are installed packages with which to load a file can fail for
	// what its types say, or which make code of types, so that no proof by
	// Differs holds.
	Checked() []string
	// Components are the endings of files whose compilers make code of types,
	// which they look for in other files too.
	Components() []string
}

// Names are names whose values or behaviour may differ between two states. True
// stands for what is made by a class in both.
type Names map[string]bool

// Add takes in a name; it tells whether that says anything new.
func (n Names) Add(name string, class bool) bool {
	have, ok := n[name]
	n[name] = class && (have || !ok)
	return !ok || have && !class
}

// Module is what a Linker knows of a file that is the same in both states.
type Module interface {
	// Spread tells the exported names that may differ where local ones, bound by
	// imports, do. ok is false where to load the file may do something else.
	Spread(local Names) (exported Names, ok bool)
}

// Link is one import as its names see it. The zero value but for Import uses
// nothing of what it leads to.
type Link struct {
	Import Import
	// Whole: any name may be used, in any way.
	Whole bool
	// Uses are the names that the file uses itself, As being the local ones.
	Uses []Passed
	// Passes are the names that it hands on as its own, by the name they have in
	// the module: "*" as "*" is all but the default, "*" as a name is the module
	// itself under that name.
	Passes []Passed
}

// Passed is a name of a module and what the file makes it.
type Passed struct{ From, As string }

// Divider is what a Language may offer besides: it tells what of a file runs
// when the file is loaded from what runs when somebody calls it.
type Divider interface {
	// Divide takes a text that parses apart; ok is false where that cannot be
	// told.
	Divide(path string, src []byte) (p Parts, ok bool)
}

// Parts are a file taken apart. Two versions with the same Rest load alike, and
// whoever calls none of the bodies that differ cannot tell one from the other.
type Parts struct {
	// Rest is a hash of all but the bodies, with what can be seen of a body
	// without running it. Comments and white space do not count.
	Rest string
	// Bodies are those of the outermost functions, in the order of the text.
	Bodies []Body
	// Loose: what runs at loading may be another thing each time.
	Loose bool
}

// Body is the body of a function, with all that is defined in it.
type Body struct {
	Name string // with the names of the classes around it, joined with dots
	// First and Last are the lines of the whole definition, from 1.
	First, Last int
	Sum         string // hash
	// Loose: what it does may be another thing each time, or hang on the code of
	// functions that it does not call.
	Loose bool
}
