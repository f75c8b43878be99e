// Package githook writes regreen's block into a git hook, and takes it out
// again.
//
// Its invariant: what is taken out leaves every byte of the hook as it was
// before, and a hook that held nothing else is gone. It decides nothing about
// where hooks are run from but by the files that are there, and it runs no git.
package githook

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lazyregexp"
)

// The marks around the block. The first may be followed by flags in brackets.
const (
	begin = "# >>> regreen >>>"
	end   = "# <<< regreen <<<"

	flagMade   = "made"   // the hook's file is ours
	flagJoined = "joined" // the line before the block had no line end
)

// shebang is what a hook of ours begins with.
const shebang = "#!/bin/sh\n"

// ErrNotShell says that a hook is no shell script, so that no block of ours
// fits into it.
var ErrNotShell = errors.New("the hook is not a shell script")

// Names are the hooks that regreen has a block for.
func Names() []string { return []string{"pre-commit", "pre-push"} }

// Block is the block for a hook, without its marks. program is a word of the
// shell.
func Block(hook, program string) string {
	head := `# "regreen hook git --remove" takes this block away.
if command -v ` + program + ` >/dev/null 2>&1; then
`
	if hook == "pre-push" {
		return head + `  regreen_base=$(git rev-parse --verify --quiet '@{push}' || git rev-parse --verify --quiet '@{upstream}') || regreen_base=
  if [ -n "$regreen_base" ]; then
    ` + program + ` run --no-merge --quiet --base "$regreen_base" </dev/null
  else
    ` + program + ` run --no-merge --quiet --all </dev/null
  fi || {
    regreen_exit=$?
    echo "regreen: not pushed; regreen apply takes a proposed repair, git push --no-verify pushes all the same" >&2
    exit "$regreen_exit"
  }
fi
`
	}
	return head + `  ` + program + ` run --no-merge --quiet </dev/null || {
    regreen_exit=$?
    echo "regreen: not committed; regreen apply takes a proposed repair, git commit --no-verify commits all the same" >&2
    exit "$regreen_exit"
  }
fi
`
}

// Insert gives the hook with the block in it; nil is a hook that is not there.
// An older block is replaced where it is.
func Insert(src []byte, block string) ([]byte, error) {
	if src == nil {
		return []byte(shebang + marked(block, flagMade)), nil
	}
	if !shell(src) {
		return nil, ErrNotShell
	}
	if from, to, flags, ok := find(src); ok {
		return slices.Concat(src[:from], []byte(marked(block, flags...)), src[to:]), nil
	}
	at := place(src)
	if at == len(src) && len(src) > 0 && src[at-1] != '\n' {
		return slices.Concat(src, []byte("\n"+marked(block, flagJoined))), nil
	}
	return slices.Concat(src[:at], []byte(marked(block)), src[at:]), nil
}

// Remove gives the hook without the block, nil when nothing but what Insert
// made would be left; had is false when there is no block.
func Remove(src []byte) (out []byte, had bool) {
	from, to, flags, ok := find(src)
	if !ok {
		return src, false
	}
	if slices.Contains(flags, flagJoined) && from > 0 {
		from--
	}
	out = append(append([]byte{}, src[:from]...), src[to:]...) // never nil
	if slices.Contains(flags, flagMade) && string(out) == shebang {
		return nil, true
	}
	return out, true
}

func marked(block string, flags ...string) string {
	first := begin
	if len(flags) > 0 {
		first += " (" + strings.Join(flags, ", ") + ")"
	}
	return first + "\n" + block + end + "\n"
}

var beginLine = lazyregexp.New(`(?m)^` + begin + `(?: \(([a-z, ]*)\))?$`)

// find gives the place of the block with its marks and their line ends.
func find(src []byte) (from, to int, flags []string, ok bool) {
	m := beginLine.FindStringSubmatchIndex(string(src))
	if m == nil {
		return 0, 0, nil, false
	}
	n := bytes.Index(src[m[1]:], []byte("\n"+end))
	if n < 0 {
		return 0, 0, nil, false
	}
	to = m[1] + n + 1 + len(end)
	if to < len(src) && src[to] == '\n' {
		to++
	}
	if m[2] >= 0 {
		flags = strings.Split(string(src[m[2]:m[3]]), ", ")
	}
	return m[0], to, flags, true
}

var shellLine = lazyregexp.New(`^#!.*\b(?:sh|bash|dash|zsh|ksh|ash)\b`)

// shell tells whether a hook is a shell script. Without a first line that says
// so it is one: husky runs such files with sh, and so does git.
func shell(src []byte) bool {
	line, _, _ := bytes.Cut(src, []byte("\n"))
	return !bytes.HasPrefix(line, []byte("#!")) && bytes.IndexByte(src, 0) < 0 || shellLine.Match(line)
}

var ending = lazyregexp.New(`^(?:exit|exec)\b`)

// place is where a block goes: at the end, but before a last line that ends the
// script, which the block would never be reached behind.
func place(src []byte) int {
	at := len(src)
	for at > 0 {
		from := bytes.LastIndexByte(bytes.TrimSuffix(src[:at], []byte("\n")), '\n') + 1
		line := src[from:at]
		if text := bytes.TrimSpace(line); len(text) > 0 && text[0] != '#' {
			if ending.Match(line) {
				return from
			}
			break
		}
		at = from
	}
	return len(src)
}

// Snippet is what a person adds to the configuration of a hook manager that
// writes the hooks itself, and where.
func Snippet(m Manager, hook, program string) (path, text string) {
	command := program + " run --no-merge --quiet"
	if hook == "pre-push" {
		command = program + " run --no-merge --quiet --base @{upstream}"
	}
	if m == PreCommit {
		return ".pre-commit-config.yaml", fmt.Sprintf(`repos:
  - repo: local
    hooks:
      - id: regreen
        name: regreen
        entry: %s
        language: system
        pass_filenames: false
        always_run: true
        stages: [%s]
`, command, hook)
	}
	return "lefthook.yml", fmt.Sprintf("%s:\n  commands:\n    regreen:\n      run: %s\n", hook, command)
}
