package engine

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/config"
	"regreen/internal/runner"
	"regreen/internal/sandbox"
)

// named turns the files that were named into files of the repository: a folder
// stands for all that is below it, a deleted file is one that the base has. A
// name that fits nothing is an error: to take it for a file that no test can
// see would be a green for a slip of the pen.
func (e *Engine) named(snap *sandbox.Snapshot, baseFiles []string, req Request) ([]string, error) {
	base := map[string]bool{}
	for _, f := range baseFiles {
		base[f] = true
	}
	var out []string
	for _, name := range req.Files {
		if _, ok := snap.Files[name]; ok || base[name] || req.Saved {
			out = append(out, name)
			continue
		}
		below := filesBelow(name, snap.Names())
		for _, f := range filesBelow(name, baseFiles) {
			if _, ok := snap.Files[f]; !ok {
				below = append(below, f)
			}
		}
		if len(below) > 0 {
			out = append(out, below...)
			continue
		}
		if _, err := os.Lstat(filepath.Join(e.repo.Root(), filepath.FromSlash(name))); err == nil {
			e.warnings = append(e.warnings, fmt.Sprintf("%s is not among the files that git would track", name))
			out = append(out, name)
			continue
		}
		return nil, &runner.Problem{Code: "usage", Message: fmt.Sprintf("there is no file %s, and the last commit has none either", name),
			Hint: "give files or folders of the repository, and for one that an earlier commit deleted a revision with --base; without any, what differs from the last commit is taken"}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// checkRoots refuses a project that was set by hand for a folder without files:
// no test of it would ever run.
func checkRoots(projects []config.Project, files []string) error {
	for i, p := range projects {
		if len(filesBelow(path.Clean(p.Root), files)) == 0 {
			return &runner.Problem{Code: "config", Message: fmt.Sprintf("project[%d].root: there are no files in %q", i, p.Root),
				Hint: "write a folder of the repository, relative to its root"}
		}
	}
	return nil
}

// filesBelow lists the files of a folder; "." is the root.
func filesBelow(dir string, files []string) []string {
	var out []string
	for _, f := range files {
		if dir == "." || strings.HasPrefix(f, dir+"/") {
			out = append(out, f)
		}
	}
	return out
}
