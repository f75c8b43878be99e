package lang

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
