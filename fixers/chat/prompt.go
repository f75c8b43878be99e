package chat

import (
	"bytes"
	"fmt"
	"strings"

	"regreen/fixers"
	"regreen/internal/secret"
)

const system = `You repair source code so that failing tests pass. You answer with a patch and nothing that is not asked for.`

const form = `
Answer in exactly this form, one block for each place, with lines copied exactly and enough of them that they stand only once in the file:

TITLE: what is repaired, in a few words
NOTES: why, in one line
FILE: path/of/the/file
<<<<<<< SEARCH
the lines as they are
=======
the lines as they must be
>>>>>>> REPLACE
`

// The caps on what is shown of files.
const (
	maxFiles   = 12
	maxSnippet = 8 << 10
	maxShown   = 40 << 10
	around     = 60 // lines on either side of a place
)

// prompt is the task in words with the code that it is about. Secrets are
// hidden, and files that are there to hold them are not shown.
func (f *Fixer) prompt(t fixers.Task) string {
	t.Rules = append([]string(nil), t.Rules...)
	for i, r := range t.Rules {
		if strings.Contains(r, "one line of JSON") { // it is for programs
			t.Rules = append(t.Rules[:i], t.Rules[i+1:]...)
			break
		}
	}
	var b strings.Builder
	b.WriteString(t.Prompt())
	shown := 0
	for i, s := range places(t) {
		if i >= maxFiles || shown > maxShown || secret.IsFile(s.File) {
			continue
		}
		src, err := t.Read(s.File)
		if err != nil || bytes.IndexByte(src, 0) >= 0 {
			continue
		}
		text, from := snippet(string(src), s.Line)
		shown += len(text)
		note := ""
		if from > 1 || len(text) < len(src) {
			note = fmt.Sprintf(", from line %d", from)
		}
		fmt.Fprintf(&b, "\nFILE: %s%s\n```\n%s\n```\n", s.File, note, strings.TrimRight(text, "\n"))
	}
	b.WriteString(form)
	return f.secrets.Text(b.String())
}

// places are where the code stands that the task is about, each file once.
func places(t fixers.Task) []fixers.TaskPlace {
	seen := map[string]bool{}
	var out []fixers.TaskPlace
	add := func(p fixers.TaskPlace) {
		if p.File != "" && !seen[p.File] {
			seen[p.File] = true
			out = append(out, p)
		}
	}
	for _, c := range t.Causes {
		add(c.Place)
		for _, test := range c.Tests {
			for _, fr := range test.Frames {
				add(fr)
			}
		}
	}
	for _, file := range t.ModifiedFiles {
		add(fixers.TaskPlace{File: file})
	}
	for _, c := range t.Causes {
		for _, test := range c.Tests {
			add(fixers.TaskPlace{File: test.File})
		}
	}
	return out
}

// snippet is a file that is short, else the lines around one.
func snippet(src string, line int) (text string, from int) {
	if len(src) <= maxSnippet {
		return src, 1
	}
	lines := strings.SplitAfter(src, "\n")
	start := max(0, min(line-1, len(lines)-1)-around)
	var b strings.Builder
	for _, l := range lines[start:min(len(lines), start+2*around)] {
		if b.Len()+len(l) > maxSnippet {
			break
		}
		b.WriteString(l)
	}
	return b.String(), start + 1
}
