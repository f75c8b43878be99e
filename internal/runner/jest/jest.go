// Package jest runs jest: how its projects are found, started and read.
//
// Its invariant: a verdict comes from our own reporter's records alone, and
// these must add up to what jest itself counted; what jest prints is for
// people.
//
// # Design
//
// The reporter (assets/reporter.cjs) tells a file's tests when jest has
// settled them, since a test that is tried again ends more than once; what
// begins and ends meanwhile is for the progress and for naming what hung. A
// small preload (assets/preload.cjs) notes in every process of the run what
// reporters cannot see: rejections that nobody handled, and the caller of
// process.exit.
//
// jest gives an error in a beforeAll to each test below it and counts these
// as failed although their bodies never ran. Such a failure has the scope
// hook, and its test is not run.
package jest

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"regreen/internal/lang/js"
	"regreen/internal/plain"
	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

//go:embed assets/reporter.cjs
var reporterSource []byte

//go:embed assets/preload.cjs
var preloadSource []byte

// Framework is jest. The zero value works.
type Framework struct{}

var _ runner.Framework = Framework{}

// Name is "jest".
func (Framework) Name() string { return "jest" }

// Detect finds jest's projects in scripts, configuration files and manifests.
func (Framework) Detect(ctx context.Context, in runner.DetectInput) ([]runner.Candidate, error) {
	return node.Detect(ctx, in, node.Spec{
		Name:        "jest",
		Oldest:      29,
		Packages:    []string{"jest", "jest-cli"},
		Bins:        []string{"jest"},
		Configs:     []string{"jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs", "jest.config.mts", "jest.config.cts", "jest.config.json"},
		ManifestKey: "jest",
		Covers:      true,
		Skip:        runsNothing,
		Content:     node.JestContent,
	})
}

// runsNothing tells that an invocation only asks jest something.
func runsNothing(args []string) bool {
	for _, a := range args {
		switch strings.SplitN(a, "=", 2)[0] {
		case "--showConfig", "--listTests", "--clearCache", "--init", "--version", "--help":
			return true
		}
	}
	return false
}

// Discover lists the tests that a file declares.
func (Framework) Discover(file string, src []byte) []runner.Decl { return node.Discover(file, src) }

// Open writes our reporter into the session's scratch folder.
func (Framework) Open(_ context.Context, env runner.Env, p runner.Project) (runner.Session, error) {
	s := &session{
		env: env, project: p, context: node.NewContext(env, p, js.Language{}),
		reporter: filepath.Join(env.Scratch, "regreen-jest-reporter.cjs"),
		preload:  filepath.Join(env.Scratch, "regreen-jest-preload.cjs"),
		cache:    filepath.Join(filepath.Dir(env.Scratch), "cache", "jest-"+p.Version),
	}
	s.context.Framework = "jest"
	for path, src := range map[string][]byte{s.reporter: reporterSource, s.preload: preloadSource} {
		if err := plain.WriteIn(env.Scratch, path, src); err != nil {
			return nil, fmt.Errorf("write the reporter: %w", err)
		}
	}
	if err := os.MkdirAll(s.cache, 0o700); err != nil {
		return nil, fmt.Errorf("make jest's cache: %w", err)
	}
	return s, nil
}
