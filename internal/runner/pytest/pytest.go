// Package pytest drives pytest 7 and later: it finds the projects that use it
// and their interpreter, runs tests in a copy of the tree with the user's own
// interpreter, and reads what the embedded plugin told.
//
// Its invariant: the verdict comes from the plugin's records, its end record
// and the exit code, and all three must agree. Standard output is only shown.
//
// # Design
//
// Python files are written into the session's folder outside the repository and
// put in front of PYTHONPATH: the plugin (loaded with -p), its reader of
// exceptions, what notes opened files and executed functions, and a
// sitecustomize that moves editable installs from the user's tree to the copy. The interpreter is always the user's own: a
// copied virtual environment would be another environment. Bytecode is never
// written: a candidate fix of equal length within the same second would be
// taken for the old code (pyc files are told apart by whole seconds and size).
package pytest

import (
	"context"

	"regreen/internal/runner"
)

// Name is the framework's name in identities, reports and configuration.
const Name = "pytest"

// Framework is pytest as a runner.Framework. The zero value is ready.
type Framework struct{}

// New gives the framework.
func New() *Framework { return &Framework{} }

var _ runner.Framework = (*Framework)(nil)

// Name is "pytest".
func (*Framework) Name() string { return Name }

// Discover lists the tests that a file declares, also when it does not parse,
// with pytest's default names (functions test*, classes Test* and TestCase).
func (*Framework) Discover(file string, src []byte) []runner.Decl {
	if !isPython(file) {
		return nil
	}
	return discover(src)
}

// Layout reads the project's ini file and conftest files in env's tree.
func (*Framework) Layout(_ context.Context, env runner.Env, p runner.Project) (runner.Layout, error) {
	return readLayout(env.OnDisk(), p)
}

// Open writes the plugin into a folder below env.Scratch and gives a session.
// It starts no process; every run is one.
func (*Framework) Open(_ context.Context, env runner.Env, p runner.Project) (runner.Session, error) {
	return open(env, p)
}
