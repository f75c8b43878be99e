package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
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
func Candidates(ctx context.Context, in runner.DetectInput) ([]runner.Candidate, error) {
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

// findPrograms makes the program of each project's command absolute: a bare
// name is looked for along PATH, as a shell does, a path is the project's own.
// What detection found is absolute already.
func findPrograms(ps []runner.Project, root string, environ []string) error {
	for i, p := range ps {
		if len(p.Command) == 0 || filepath.IsAbs(p.Command[0]) {
			continue
		}
		program := p.Command[0]
		abs, err := filepath.Join(root, filepath.FromSlash(p.Root), filepath.FromSlash(program)), error(nil)
		if !strings.ContainsAny(program, `/\`) {
			abs, err = node.LookPath(environ, program)
		} else if _, serr := os.Stat(abs); serr != nil {
			err = serr
		}
		if err != nil {
			return &runner.Problem{Code: "config", Message: fmt.Sprintf("the command of project %q starts %q, which is not there", p.Root, program),
				Hint: "give a program of PATH, or a path from the project's folder, in [[project]] command"}
		}
		ps[i].Command = append([]string{abs}, p.Command[1:]...)
	}
	return nil
}
