package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"regreen/internal/runner"
	"regreen/internal/runner/jest"
	"regreen/internal/runner/mocha"
	"regreen/internal/runner/node"
	"regreen/internal/runner/pytest"
	"regreen/internal/runner/vitest"
)

// Frameworks are the supported test frameworks: to add one is to add its
// folder and its line here.
func Frameworks() []runner.Framework {
	return []runner.Framework{
		jest.Framework{},
		mocha.Framework{},
		pytest.New(),
		vitest.Framework{},
	}
}

func names(fs []runner.Framework) []string {
	var out []string
	for _, f := range fs {
		out = append(out, f.Name())
	}
	return out
}

func byName(fs []runner.Framework, name string) runner.Framework {
	for _, f := range fs {
		if f.Name() == name {
			return f
		}
	}
	return nil
}

// Candidates is what detection sees in a tree, of all frameworks, the broken
// ones too.
func Candidates(ctx context.Context, root string, files, environ []string, exec runner.Executor) ([]runner.Candidate, error) {
	in := runner.DetectInput{Root: root, Files: files, Environ: environ, Exec: exec}
	var out []runner.Candidate
	for _, f := range Frameworks() {
		cs, err := f.Detect(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("look for %s: %w", f.Name(), err)
		}
		out = append(out, cs...)
	}
	return out, nil
}

// withUnsupported names the frameworks that are there and that regreen cannot
// drive, when no other was found.
func withUnsupported(err error, root string, files []string, supported []string) error {
	var p *runner.Problem
	if !errors.As(err, &p) || p.Code != "no_framework" {
		return err
	}
	in := runner.DetectInput{Root: root, Files: files}
	found := append(node.Unsupported(in), pytest.Unsupported(in)...)
	if len(found) == 0 {
		return err
	}
	return &runner.Problem{Code: "unsupported_framework",
		Message: fmt.Sprintf("%s is not supported", strings.Join(found, " and ")),
		Hint:    "supported are " + strings.Join(supported, ", ")}
}
