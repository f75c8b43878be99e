// Package py is the Python language: tokens, imports and names, scopes, how a
// module is found by the tests of a project, and whether a text parses.
//
// Its invariant is lang's: positions are byte ranges of the text as given, and
// reading a text never fails and never panics, whatever its encoding. Only
// Check asks a real interpreter; everything else is read by this package, so
// that a text that does not parse still tells its imports and names.
//
// # Design
//
// A text is cut into tokens (token.go), which form a tree of statements
// (stmt.go). Scan walks the module's statements; InScope and Uses walk all of
// them and keep a tree of scopes (scope.go, expr.go). Expressions are not
// parsed: a walk over their tokens knows enough (attributes, keyword
// arguments, lambdas, comprehensions, assignment targets) to tell bindings
// from references, and cannot be confused by a broken line elsewhere.
package py

import (
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// Language is Python. Make it with New; Close ends the interpreter that Check
// started.
type Language struct {
	check  *checker
	python string
}

var (
	_ lang.Language = (*Language)(nil)
	_ lang.Steering = (*Language)(nil)
)

// New gives the language. python is the project's own interpreter (abs), used
// by Check, and to find what is installed; with "" everything else works and
// Check is an error.
func New(python string) *Language {
	return &Language{check: newChecker(python), python: python}
}

// Name is "python".
func (*Language) Name() string { return "python" }

// Owns is true for .py and .pyi files.
func (*Language) Owns(path string) bool {
	return strings.HasSuffix(path, ".py") || strings.HasSuffix(path, ".pyi")
}

// Close ends the interpreter, if one was started. The language can be used
// afterwards; a later Check starts a new one.
func (l *Language) Close() error { return l.check.close() }

// Roots is true for what findRoots makes folders of sys.path of.
func (*Language) Roots(file string) bool {
	base := path.Base(file)
	return isTestName(base) || slices.Contains(projectFiles, base)
}

// Steers is true for packages: what an __init__.py binds decides whether a
// name that is imported from it is a module.
func (*Language) Steers(path string) bool {
	return strings.HasSuffix(path, "__init__.py") || strings.HasSuffix(path, "__init__.pyi")
}
