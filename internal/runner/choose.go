package runner

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"regreen/internal/config"
)

// The strengths of evidence that detection gives.
const (
	ByScript     = 40
	ByConfig     = 30
	ByDependency = 20
	ByInstall    = 10
	ByContent    = 5
)

// Problem is why the projects of a repository cannot be run, for a person.
type Problem struct {
	// Code is no_framework | not_installed | ambiguous_framework | config.
	Code, Message, Hint string
}

// Error is the message.
func (p *Problem) Error() string { return p.Message }

// Choose decides which of the candidates are the repository's projects.
//
// In one folder the strongest evidence of an ecosystem counts: what the project's scripts run,
// else what has a configuration file, else what the manifest names. Two
// frameworks with equal and weak evidence are an error, not a guess. Folders
// whose tests run from above are the frameworks' own knowledge: detection does
// not give them. by is what the user set in [[project]]; it replaces detection.
//
// A project that cannot be started (an example or fixture folder that nobody
// installed) is left out with a warning when another one can be.
func Choose(cands []Candidate, by []config.Project, supported []string) (ps []Project, warnings []string, err error) {
	if len(by) > 0 {
		ps, err = byHand(cands, by, supported)
		return ps, nil, err
	}
	groups := map[string][]Candidate{}
	best := 0
	for _, c := range cands {
		key := c.Project.Root + "\x00" + c.Ecosystem
		if c.Ecosystem == "" {
			key += c.Project.Framework
		}
		groups[key] = append(groups[key], c)
		best = max(best, c.Strength)
	}
	var out []Candidate
	for _, key := range sortedKeys(groups) {
		keep, err := strongest(groups[key][0].Project.Root, groups[key], best)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, keep...)
	}
	if len(out) == 0 {
		return nil, nil, &Problem{Code: "no_framework", Message: "no test framework was found",
			Hint: fmt.Sprintf("supported are %s; name one in regreen.toml: [[project]] root = \".\" framework = \"%s\"",
				strings.Join(supported, ", "), supported[0])}
	}
	var first *Problem
	for _, c := range out {
		if c.Problem == "" {
			ps = append(ps, c.Project)
			if c.Warning != "" {
				warnings = append(warnings, c.Warning)
			}
			continue
		}
		if first == nil {
			first = &Problem{Code: "not_installed", Message: c.Problem, Hint: c.Hint}
		}
		warnings = append(warnings, fmt.Sprintf("the tests of %s are left out: %s (%s)", c.Project.Root, c.Problem, c.Hint))
	}
	if len(ps) == 0 {
		return nil, nil, first
	}
	return ps, warnings, nil
}

func strongest(root string, cs []Candidate, best int) ([]Candidate, error) {
	sort.SliceStable(cs, func(i, j int) bool { return cs[i].Strength > cs[j].Strength })
	top := cs[0].Strength
	// What is merely installed, or merely looks like a test, counts only
	// where nothing better is known of the whole repository.
	if top < ByDependency && best >= ByDependency {
		return nil, nil
	}
	n := 0
	for n < len(cs) && level(cs[n].Strength) == level(top) {
		n++
	}
	cs = cs[:n]
	if n < 2 || level(top) >= ByConfig {
		return cs, nil
	}
	// The manifest names several and nothing says which runs the tests, unless
	// the test files' content weighed in.
	if cs[0].Strength > cs[1].Strength {
		return cs[:1], nil
	}
	var names []string
	for _, c := range cs {
		names = append(names, c.Project.Framework)
	}
	return nil, &Problem{Code: "ambiguous_framework",
		Message: fmt.Sprintf("%s are both possible in %s, and no script or configuration says which runs the tests", strings.Join(names, " and "), root),
		Hint:    fmt.Sprintf("set it in regreen.toml: [[project]] root = %q framework = %q", root, names[0])}
}

// level drops the small change that content adds to a strength.
func level(s int) int { return s / 10 * 10 }

// within tells whether the folder sub lies in dir.
func within(dir, sub string) bool {
	return dir == "." || sub == dir || strings.HasPrefix(sub, dir+"/")
}

func byHand(cands []Candidate, by []config.Project, supported []string) ([]Project, error) {
	var out []Project
	for _, p := range by {
		root := strings.Trim(strings.TrimPrefix(p.Root, "./"), "/")
		if root == "" {
			root = "."
		}
		if !slices.Contains(supported, p.Framework) {
			return nil, &Problem{Code: "config", Message: fmt.Sprintf("framework %q of project %q is not supported", p.Framework, root),
				Hint: "supported are " + strings.Join(supported, ", ")}
		}
		var found *Candidate
		for i, c := range cands {
			if c.Project.Framework == p.Framework && within(c.Project.Root, root) &&
				(found == nil || len(c.Project.Root) > len(found.Project.Root) || c.Project.Root == root) {
				found = &cands[i]
			}
		}
		proj := Project{Root: root, Framework: p.Framework}
		if found != nil {
			proj = found.Project
			proj.Root = root
			if found.Project.Root != root {
				proj.Args = nil
			}
		}
		proj.Source = "regreen.toml"
		if len(p.Command) > 0 {
			proj.Command, proj.Args = p.Command, nil
		} else if found == nil || found.Problem != "" {
			pr := &Problem{Code: "not_installed", Message: fmt.Sprintf("%s of project %q was not found", p.Framework, root), Hint: "install it, or set the project's command"}
			if found != nil {
				pr.Message, pr.Hint = found.Problem, found.Hint
			}
			return nil, pr
		}
		if len(p.Args) > 0 {
			proj.Args = slices.Clone(p.Args)
		}
		env := map[string]string{}
		for k, v := range proj.Env {
			env[k] = v
		}
		for k, v := range p.Env {
			env[k] = v
		}
		proj.Env = env
		out = append(out, proj)
	}
	return out, nil
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}
