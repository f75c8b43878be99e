package node

import (
	"slices"
	"testing"

	"regreen/internal/runner"
)

func TestEnvironColours(t *testing.T) {
	tests := []struct {
		name  string
		args  []string
		env   map[string]string
		wants []string
		not   []string
	}{
		{name: "plain", args: []string{"test"}, wants: []string{"NO_COLOR=1", "FORCE_COLOR=0"}},
		{name: "flag", args: []string{"--color"}, wants: []string{"FORCE_COLOR=1"}, not: []string{"NO_COLOR=1"}},
		{name: "flag with a value", args: []string{"--color=true"}, wants: []string{"FORCE_COLOR=1"}, not: []string{"NO_COLOR=1"}},
		{name: "plural", args: []string{"--colors", "test"}, wants: []string{"FORCE_COLOR=1"}, not: []string{"NO_COLOR=1"}},
		{name: "taken back", args: []string{"--color", "--no-color"}, wants: []string{"NO_COLOR=1", "FORCE_COLOR=0"}},
		{name: "not a flag", args: []string{"--", "--color"}, wants: []string{"NO_COLOR=1", "FORCE_COLOR=0"}},
		{name: "variable", env: map[string]string{"FORCE_COLOR": "3"}, wants: []string{"FORCE_COLOR=3"}, not: []string{"NO_COLOR=1"}},
		{name: "variable against", args: []string{"--color"}, env: map[string]string{"FORCE_COLOR": "0"}, wants: []string{"NO_COLOR=1", "FORCE_COLOR=0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			env := runner.Env{Root: t.TempDir(), Environ: []string{"NO_COLOR=1", "FORCE_COLOR=0"}}
			got := Environ(env, runner.Project{Root: ".", Args: tt.args, Env: tt.env}, nil)
			for _, w := range tt.wants {
				if !slices.Contains(got, w) {
					t.Errorf("Environ(%q, %v) lacks %s: %q", tt.args, tt.env, w, got)
				}
			}
			for _, n := range tt.not {
				if slices.Contains(got, n) {
					t.Errorf("Environ(%q, %v) has %s", tt.args, tt.env, n)
				}
			}
		})
	}
}
