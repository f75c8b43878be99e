package watch

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"regreen/internal/plain"
)

// pattern is one line of an ignore file.
type pattern struct {
	text    string
	negated bool
	dirOnly bool
	name    bool // no slash: matches the last element anywhere below
}

// parsePatterns reads an ignore file as git does.
func parsePatterns(src []byte) []pattern {
	var out []pattern
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	for line := range bytes.SplitSeq(src, []byte("\n")) {
		if p, ok := parsePattern(string(bytes.TrimSuffix(line, []byte("\r")))); ok {
			out = append(out, p)
		}
	}
	return out
}

func parsePattern(line string) (pattern, bool) {
	if line == "" || line[0] == '#' {
		return pattern{}, false
	}
	p := pattern{text: trimSpaces(line)}
	if strings.HasPrefix(p.text, "!") {
		p.negated, p.text = true, p.text[1:]
	}
	if strings.HasSuffix(p.text, "/") {
		p.dirOnly, p.text = true, p.text[:len(p.text)-1]
	}
	p.name = !strings.Contains(p.text, "/")
	p.text = strings.TrimPrefix(p.text, "/")
	return p, p.text != ""
}

// trimSpaces takes trailing spaces off that no backslash protects.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			if i+1 < len(s) {
				i++
			}
		}
		end = i + 1
	}
	return s[:end]
}

// rules are the patterns that hold in a folder, in a chain from the deepest
// ignore file to the global one.
type rules struct {
	parent   *rules
	base     string // rel of the folder that the file stands in, "" or with a slash at the end
	patterns []pattern
	fold     bool
}

// with puts an ignore file in front; without patterns the chain stays.
func (r *rules) with(base string, patterns []pattern, fold bool) *rules {
	if len(patterns) == 0 {
		return r
	}
	return &rules{parent: r, base: base, patterns: patterns, fold: fold}
}

// match tells what the rules say of a path whose parents they do not cover.
func (r *rules) match(rel string, isDir bool) bool {
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	for ; r != nil; r = r.parent {
		below := rel[len(r.base):]
		for i := len(r.patterns) - 1; i >= 0; i-- {
			p := &r.patterns[i]
			if p.dirOnly && !isDir {
				continue
			}
			text := below
			if p.name {
				text = name
			}
			if wild(p.text, text, r.fold) {
				return !p.negated
			}
		}
	}
	return false
}

// readPatterns reads an ignore file; one that is not there has none. Inside a
// working tree git does not follow a link.
func readPatterns(path string, follow bool) []pattern {
	stat := os.Lstat
	if follow {
		stat = os.Stat
	}
	fi, err := stat(path)
	if err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	src, err := plain.ReadFile(path)
	if err != nil {
		return nil // git warns, and goes on without
	}
	return parsePatterns(src)
}

// globalIgnore is the path of core.excludesFile, or git's default for it.
func globalIgnore(configured string, env func(string) string) string {
	home := env("HOME")
	switch {
	case strings.HasPrefix(configured, "~/"):
		return filepath.Join(home, configured[2:])
	case configured != "":
		return configured
	case env("XDG_CONFIG_HOME") != "":
		return filepath.Join(env("XDG_CONFIG_HOME"), "git", "ignore")
	case home != "":
		return filepath.Join(home, ".config", "git", "ignore")
	}
	return ""
}

// nested tells whether a folder is a repository of its own, whose rules begin
// anew, and whether it is a linked worktree of one: another state of the same
// sources, which nobody wants to watch.
func nested(abs string) (repo, worktree bool) {
	dotGit := filepath.Join(abs, ".git")
	fi, err := os.Lstat(dotGit)
	if err != nil {
		return false, false
	}
	if fi.IsDir() {
		return true, false
	}
	if fi.Mode()&fs.ModeSymlink != 0 || fi.Size() > 8<<10 {
		return true, false
	}
	b, err := plain.ReadFile(dotGit)
	return true, err == nil && bytes.Contains(filepathSlash(b), []byte("/worktrees/"))
}

func filepathSlash(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`\`), []byte("/")) }
