package watch

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"regreen/internal/git"
)

// scope says which files are watched.
type scope struct {
	root     string // real path
	prefixes []string
	ignore   globs
	extra    globs
	global   *rules // core.excludesFile
	fold     bool
	common   string // .git, for info/exclude

	// tracked are the tracked files that ignore rules cover, trackedDirs the
	// folders that lead to them.
	tracked     map[string]bool
	trackedDirs map[string]bool
}

// globs are patterns on rel: without a slash on the last element, with one
// from the root.
type globs []string

func (g globs) check(key string) error {
	for _, p := range g {
		if !doublestar.ValidatePattern(p) {
			return fmt.Errorf("%s: %q is not a valid pattern", key, p)
		}
	}
	return nil
}

func (g globs) match(rel string) bool {
	for _, p := range g {
		name := rel
		if !strings.Contains(p, "/") {
			name = path.Base(rel)
		}
		if doublestar.MatchUnvalidated(strings.TrimPrefix(strings.TrimSuffix(p, "/"), "/"), name) {
			return true
		}
	}
	return false
}

// leadsInto tells whether a pattern can match something below a folder.
// Package folders must be named for that.
func (g globs) leadsInto(rel string, packages bool) bool {
	for _, p := range g {
		if !strings.Contains(p, "/") {
			continue
		}
		base, _ := doublestar.SplitPattern(strings.TrimPrefix(p, "/"))
		switch {
		case base == ".":
			if !packages {
				return true
			}
		case base == rel, strings.HasPrefix(base, rel+"/"), strings.HasPrefix(rel, base+"/"):
			return true
		}
	}
	return false
}

// rulesOf are the rules that hold in a folder, read anew.
func (s *scope) rulesOf(d *folder) *rules {
	base := d.rel
	if base != "" {
		base += "/"
	}
	var r *rules
	switch repo, _ := nested(d.abs); {
	case d.parent == nil:
		r = s.global.with("", readPatterns(filepath.Join(s.common, "info", "exclude"), true), s.fold)
	case d.parent.link != d.link:
		r = s.outer(base)
	case repo:
		r = s.outer(base).with(base, readPatterns(filepath.Join(d.abs, ".git", "info", "exclude"), true), s.fold)
	default:
		r = d.parent.rules
	}
	return r.with(base, readPatterns(filepath.Join(d.abs, ".gitignore"), false), s.fold)
}

// outer are the global rules for a tree of its own at base.
func (s *scope) outer(base string) *rules {
	if s.global == nil {
		return nil
	}
	g := *s.global
	g.base = base
	return &g
}

// packages are folders that hold installed or compiled code.
func packages(name string) bool { return name == "node_modules" || name == "__pycache__" }

func (s *scope) own(name string) bool {
	for _, p := range s.prefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

func (s *scope) skipFile(d *folder, name string) bool {
	rel := join(d.rel, name)
	switch {
	case name == ".git", temporary(name), s.own(name), s.ignore.match(rel):
		return true
	case d.ignored || d.rules.match(rel, false):
		return !s.tracked[rel] && !s.extra.match(rel)
	}
	return false
}

// skipFolder also tells whether a folder that is watched is an ignored one.
func (s *scope) skipFolder(d *folder, name, abs string) (skip, ignored bool) {
	rel := join(d.rel, name)
	if name == ".git" || s.own(name) || s.ignore.match(rel) {
		return true, false
	}
	if !s.trackedDirs[rel] {
		if _, err := os.Lstat(filepath.Join(abs, "pyvenv.cfg")); packages(name) || err == nil {
			return !s.extra.leadsInto(rel, true), true
		}
	}
	if _, worktree := nested(abs); worktree {
		return true, false
	}
	if d.ignored || d.rules.match(rel, true) {
		return !s.trackedDirs[rel] && !s.extra.leadsInto(rel, false), true
	}
	return false, false
}

// readTracked asks git for the tracked files that rules cover: few or none.
func (s *scope) readTracked(ctx context.Context, repo *git.Repo) error {
	out, err := repo.Runner().Run(ctx, git.Call{Dir: repo.Root(), Args: []string{"ls-files", "-z", "-c", "-i",
		"--exclude-standard", "-x", "node_modules", "-x", "__pycache__"}})
	if err != nil {
		return fmt.Errorf("list tracked files that are ignored: %w", err)
	}
	s.tracked, s.trackedDirs = map[string]bool{}, map[string]bool{}
	for rel := range strings.SplitSeq(string(out), "\x00") {
		if rel == "" {
			continue
		}
		s.tracked[rel] = true
		for dir := path.Dir(rel); dir != "." && !s.trackedDirs[dir]; dir = path.Dir(dir) {
			s.trackedDirs[dir] = true
		}
	}
	return nil
}
