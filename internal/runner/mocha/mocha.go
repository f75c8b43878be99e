// Package mocha drives mocha 10, 11 and 12.
//
// A run is read through an own reporter, and a helper that mocha loads first
// sees what mocha would only print: the error of a file that does not load,
// which ends the whole run. Its invariant: the report counts as mocha counts,
// and tests that mocha never came to stand in it as not run.
//
// The project's options are read with mocha's own loader and handed over in a
// generated configuration, so that a run of some files runs no others.
package mocha

import (
	"context"

	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// Name is the framework's name.
const Name = "mocha"

// Framework is mocha.
type Framework struct{}

var _ runner.Framework = Framework{}

// Name is "mocha".
func (Framework) Name() string { return Name }

var spec = node.Spec{
	Name: Name, Oldest: 10, Packages: []string{"mocha"}, Bins: []string{"mocha", "_mocha"},
	Configs: []string{".mocharc.*"}, ManifestKey: "mocha", Content: node.MochaContent,
}

// Detect looks for projects that use mocha.
func (Framework) Detect(ctx context.Context, in runner.DetectInput) ([]runner.Candidate, error) {
	return node.Detect(ctx, in, spec)
}

// Discover lists the tests that a file declares.
func (Framework) Discover(file string, src []byte) []runner.Decl { return node.Discover(file, src) }

// Open prepares one-shot runs: every Run is a process of its own.
func (Framework) Open(_ context.Context, env runner.Env, p runner.Project) (runner.Session, error) {
	s := &session{env: env, project: p}
	var err error
	if s.helper, err = node.WriteScript(env, "regreen-mocha-helper.cjs", helperSource); err != nil {
		return nil, err
	}
	if s.reporter, err = node.WriteScript(env, "regreen-mocha-reporter.cjs", reporterSource); err != nil {
		return nil, err
	}
	return s, nil
}
