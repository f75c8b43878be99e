package cli

import (
	"fmt"
	"strings"

	"regreen/cycle"
)

// maxParts bounds the places of a cause that are printed, and the lines of
// each.
const maxParts = 6

// guilty prints the part of the user's own diff without which tests pass.
func (p *printer) guilty(g *cycle.Guilt) {
	if g == nil || len(g.Parts) == 0 {
		return
	}
	n := count(len(g.Tests), "test")
	if len(g.Tests) > 0 && len(g.Tests[0].Path) == 0 {
		n = "what fails"
	}
	part := "part of your changes"
	if g.Since == cycle.SinceGreen {
		part += " since they last passed"
	}
	title := fmt.Sprintf("without this %s %s would pass", part, n)
	if !g.Smallest {
		title += " (the budget ran out before a smaller part was found)"
	}
	p.section(title)
	for i, part := range g.Parts {
		if i == maxParts {
			p.line("… %s", count(len(g.Parts)-i, "more place"))
			return
		}
		p.line("%s:", p.place(part.File, part.Line, 0))
		p.side("-", red, part.Before)
		p.side("+", green, part.After)
	}
}

func (p *printer) side(mark, color, text string) {
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > maxParts {
			p.line("    %s …", mark)
			return
		}
		p.line("    %s", p.paint(color, mark+" "+oneLine(strings.TrimRight(line, "\r\n"))))
	}
}
