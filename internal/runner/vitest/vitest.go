// Package vitest drives vitest 3, 4 and 5.
//
// A run is read through an own reporter that writes records while the tests
// go. Its invariant: what vitest leaves out of its own verdict (unhandled
// errors, hooks that failed, files that did not load) is in the report, and
// nothing that the plan did not ask for is. It never writes snapshots unless
// it is told to, measures no coverage and checks no types.
package vitest

import (
	"context"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// Name is the framework's name.
const Name = "vitest"

// Framework is vitest.
type Framework struct{}

var _ runner.Framework = Framework{}

// Name is "vitest".
func (Framework) Name() string { return Name }

// testKey finds a "test" key in a vite configuration's text.
var testKey = lazyregexp.New(`(?m)(^|[{,\s])['"]?test['"]?\s*:\s*[\w{(]|vitest/config`)

var spec = node.Spec{
	Name: Name, Oldest: 3, Packages: []string{"vitest"}, Bins: []string{"vitest"},
	Configs:      []string{"vitest.config.*", "vitest.*.config.*", "vitest.workspace.*", "vitest.projects.*"},
	MaybeConfigs: []string{"vite.config.*"}, ConfigText: testKey.Match,
	Covers: true, Skip: runsNoTests, Content: node.VitestContent,
}

// Detect looks for projects that use vitest.
func (Framework) Detect(ctx context.Context, in runner.DetectInput) ([]runner.Candidate, error) {
	return node.Detect(ctx, in, spec)
}

// Discover lists the tests that a file declares.
func (Framework) Discover(file string, src []byte) []runner.Decl { return node.Discover(file, src) }

// reporterName is where the reporter lies in the scratch folder: among packages,
// for these vitest lets Node load. Anything else it has vite read, and some
// (seen with vitest 3.2.7 on vite 6.4.6) read nothing outside of the project.
const reporterName = "node_modules/regreen-vitest.mjs"

// Open prepares one-shot runs: every Run is a process of its own.
func (Framework) Open(_ context.Context, env runner.Env, p runner.Project) (runner.Session, error) {
	reporter, err := node.WriteScript(env, reporterName, reporterSource)
	if err != nil {
		return nil, err
	}
	return &session{env: env, project: p, reporter: reporter}, nil
}
