package affected

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// interpreters are the programs that run a script whose name has no ending, and
// the ending that it would have.
var interpreters = []struct {
	ending string
	names  []string
}{
	{".js", []string{"node", "nodejs", "bun"}},
	{".ts", []string{"tsx", "ts-node", "deno"}},
	{".py", []string{"python", "python2", "python3", "pypy", "pypy3"}},
}

// scriptName gives a script whose name has no ending the one that its first line
// asks for ("#!/usr/bin/env node"); "" for any other file. Tests start such
// programs, and what they import counts as if the test imported it.
func scriptName(file string, src []byte) string {
	line, _, _ := bytes.Cut(src[:min(len(src), 256)], []byte("\n"))
	program, ok := strings.CutPrefix(string(line), "#!")
	if !ok || path.Ext(file) != "" {
		return ""
	}
	words := strings.Fields(program)
	for len(words) > 0 && (path.Base(words[0]) == "env" || strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
		words = words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	name := path.Base(words[0])
	for _, i := range interpreters {
		if slices.Contains(i.names, name) || i.ending == ".py" && strings.HasPrefix(name, "python3.") {
			return file + i.ending
		}
	}
	return ""
}

// script finds the language of a script without an ending, its text and the name
// to read it by; false for any other file.
func (g *Graph) script(file string) (n int, as string, src []byte, ok bool) {
	if path.Ext(file) != "" {
		return 0, "", nil, false
	}
	src, err := g.in.Tree.ReadFile(file)
	if err != nil || len(src) > maxScan {
		return 0, "", nil, false
	}
	as = scriptName(file, src)
	n = slices.IndexFunc(g.in.Languages, func(l lang.Language) bool { return as != "" && l.Owns(as) })
	return n, as, src, n >= 0
}
