package runner

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/config"
)

func TestChoose(t *testing.T) {
	c := func(root, fw string, strength int) Candidate {
		eco := "node"
		if fw == "pytest" {
			eco = "python"
		}
		return Candidate{Project: Project{Root: root, Framework: fw}, Strength: strength, Ecosystem: eco}
	}
	broken := c(".", "vitest", ByDependency)
	broken.Problem, broken.Hint = "not installed", "npm ci"
	cases := []struct {
		name  string
		cands []Candidate
		by    []config.Project
		want  []string
		code  string
	}{
		{name: "none", code: "no_framework"},
		{name: "the script wins over a leftover dependency", cands: []Candidate{c(".", "jest", ByDependency), c(".", "vitest", ByScript)}, want: []string{". vitest"}},
		{name: "two scripts are two projects", cands: []Candidate{c(".", "jest", ByScript), c(".", "mocha", ByScript)}, want: []string{". jest", ". mocha"}},
		{name: "two ecosystems in one folder", cands: []Candidate{c(".", "mocha", ByScript), c(".", "pytest", ByConfig)}, want: []string{". mocha", ". pytest"}},
		{name: "a bare folder of tests beside a project", cands: []Candidate{c(".", "mocha", ByScript), c(".", "pytest", ByContent)}, want: []string{". mocha"}},
		{name: "two weak ones are an error", cands: []Candidate{c(".", "jest", ByDependency), c(".", "mocha", ByDependency)}, code: "ambiguous_framework"},
		{name: "content decides between weak ones", cands: []Candidate{c(".", "jest", ByDependency), c(".", "mocha", ByDependency+ByContent)}, want: []string{". mocha"}},
		{name: "only installed", cands: []Candidate{c(".", "jest", ByInstall)}, want: []string{". jest"}},
		{name: "installed beside a real one elsewhere", cands: []Candidate{c(".", "jest", ByInstall), c("py", "pytest", ByConfig)}, want: []string{"py pytest"}},
		{name: "packages of a workspace", cands: []Candidate{c("a", "vitest", ByScript), c("b", "jest", ByScript)}, want: []string{"a vitest", "b jest"}},
		{name: "not installed", cands: []Candidate{broken}, code: "not_installed"},
		{name: "an example nobody installed", cands: []Candidate{c("a", "jest", ByScript), {Project: Project{Root: "example", Framework: "jest"}, Strength: ByScript, Problem: "x", Hint: "y"}}, want: []string{"a jest"}},
		{name: "by hand", cands: []Candidate{c(".", "jest", ByScript), c(".", "mocha", ByDependency)},
			by: []config.Project{{Root: "./web/", Framework: "mocha"}}, want: []string{"web mocha"}},
		{name: "by hand, unknown", by: []config.Project{{Root: ".", Framework: "ava"}}, code: "config"},
		{name: "by hand, nothing to start", by: []config.Project{{Root: ".", Framework: "jest"}}, code: "not_installed"},
		{name: "by hand with a command", by: []config.Project{{Root: ".", Framework: "jest", Command: []string{"jest"}}}, want: []string{". jest"}},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			ps, _, err := Choose(tc.cands, tc.by, []string{"jest", "mocha", "pytest", "vitest"})
			var p *Problem
			if errors.As(err, &p) {
				if p.Code != tc.code || p.Hint == "" {
					t.Errorf("problem %+v, want code %q with a hint", p, tc.code)
				}
				return
			}
			var got []string
			for _, p := range ps {
				got = append(got, p.Root+" "+p.Framework)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("projects (-want +got):\n%s", d)
			}
		})
	}
}

// TestArgumentsByHand holds that arguments set by hand stand in the place of the
// script's, with the detected command and with one of their own.
func TestArgumentsByHand(t *testing.T) {
	found := []Candidate{{Project: Project{Root: ".", Framework: "jest", Command: []string{"node", "jest.js"}, Args: []string{"--ci"}}, Strength: ByScript}}
	for _, tc := range []struct {
		by   config.Project
		want Project
	}{
		{config.Project{Root: ".", Framework: "jest"}, Project{Command: []string{"node", "jest.js"}, Args: []string{"--ci"}}},
		{config.Project{Root: ".", Framework: "jest", Args: []string{"-i"}}, Project{Command: []string{"node", "jest.js"}, Args: []string{"-i"}}},
		{config.Project{Root: ".", Framework: "jest", Command: []string{"j"}, Args: []string{"-i"}}, Project{Command: []string{"j"}, Args: []string{"-i"}}},
	} {
		ps, _, err := Choose(found, []config.Project{tc.by}, []string{"jest"})
		if err != nil || len(ps) != 1 {
			t.Fatalf("Choose(%v) = %v, %v", tc.by, ps, err)
		}
		tc.want.Root, tc.want.Framework, tc.want.Source, tc.want.Env = ".", "jest", "regreen.toml", map[string]string{}
		if d := cmp.Diff(tc.want, ps[0]); d != "" {
			t.Errorf("with %v (-want +got):\n%s", tc.by, d)
		}
	}
}
