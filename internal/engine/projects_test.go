package engine

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/runner"
)

func TestFindPrograms(t *testing.T) {
	root := t.TempDir()
	for _, f := range []string{"bin/npx", "web/run.sh"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, f), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	environ := []string{"PATH=" + filepath.Join(root, "bin")}
	cases := []struct {
		command []string
		want    []string // nil is a problem
	}{
		{[]string{"npx", "mocha"}, []string{filepath.Join(root, "bin", "npx"), "mocha"}},
		{[]string{"./run.sh"}, []string{filepath.Join(root, "web", "run.sh")}},
		{[]string{"/anywhere/node"}, []string{"/anywhere/node"}},
		{[]string{"nope"}, nil},
		{[]string{"bin/nope"}, nil},
	}
	for _, tc := range cases {
		ps := []runner.Project{{Root: "web", Command: tc.command}}
		err := findPrograms(ps, root, environ)
		var p *runner.Problem
		if tc.want == nil {
			if !errors.As(err, &p) || p.Hint == "" {
				t.Errorf("findPrograms(%q) = %v, want a problem with a hint", tc.command, err)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, ps[0].Command); err != nil || diff != "" {
			t.Errorf("findPrograms(%q): %v (-want +got)\n%s", tc.command, err, diff)
		}
	}
}
