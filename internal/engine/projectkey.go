package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/runner"
)

// projectKey names all that a run of a project hangs on beside the tree: the
// program, what it is given, what is installed beside it, the environment, and
// the ignored files that the sandbox has a copy of (carried).
func projectKey(p runner.Project, origin, carried string, environ []string) string {
	env := []string{carried}
	for _, kv := range environ {
		if k, _, _ := strings.Cut(kv, "="); !slices.Contains([]string{"TMPDIR", "TMP", "TEMP"}, k) { // ours, and the user's of the moment
			env = append(env, kv)
		}
	}
	for k, v := range p.Env {
		env = append(env, k+"="+v)
	}
	slices.Sort(env)
	parts := slices.Concat([]string{p.Framework, p.Root, p.Version}, p.Command, []string{"--"}, p.Args, env)
	if len(p.Command) > 0 {
		folder := filepath.Dir(filepath.Dir(p.Command[0]))
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(origin, filepath.FromSlash(p.Root), folder)
		}
		for _, pattern := range []string{"lib/*/site-packages", "Lib/site-packages"} {
			found, _ := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern))) // the pattern is well-formed
			for _, dir := range found {
				if fi, err := os.Stat(dir); err == nil {
					parts = append(parts, fmt.Sprint(fi.ModTime().UnixNano()))
				}
			}
		}
	}
	return strings.Join(parts, "\x00")
}

// projectKey is the one of a project of this repository.
func (e *Engine) projectKey(p runner.Project) string {
	return projectKey(p, e.box.Origin(), e.box.Carried(), e.box.Environ())
}

// projectOf gives the key of the project that runs a test file.
func (e *Engine) projectOf() func(test string) string {
	keys := make([]string, len(e.projects))
	for i, p := range e.projects {
		keys[i] = e.projectKey(p.Project)
	}
	return func(test string) string {
		for i, p := range e.projects {
			if p.IsTest != nil && p.IsTest(test) {
				return keys[i]
			}
		}
		return ""
	}
}
