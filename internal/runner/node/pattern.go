package node

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"regexp/syntax"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// Pattern writes a regular expression of JavaScript's in Go's syntax. The error
// says that Go has no like for it (what looks ahead, what refers back).
func Pattern(js string) (string, error) {
	re := strings.ReplaceAll(js, `\/`, "/")
	if _, err := regexp.Compile(re); err != nil {
		return "", fmt.Errorf("pattern %s: %w", js, err)
	}
	return re, nil
}

var reference = lazyregexp.New(`\$(?:\$|&|\d|)`)

// Groups writes the replacement text of a regular expression of JavaScript's
// ($1, $&, $$) in the syntax of Go's regexp.Expand.
func Groups(js string) string {
	return reference.ReplaceAllStringFunc(js, func(ref string) string {
		switch ref {
		case "$", "$$":
			return "$$"
		case "$&":
			return "${0}"
		}
		return "${" + ref[1:] + "}"
	})
}

// PatternPrefix takes a regular expression of JavaScript's apart into its
// literal beginning, whether it takes in anything that follows, and whether it
// ends with the name ("$"); ok is false for any other form.
func PatternPrefix(pattern string) (literal string, rest, whole, ok bool) {
	re, err := syntax.Parse(strings.ReplaceAll(pattern, `\/`, "/"), syntax.Perl)
	if err != nil {
		return "", false, false, false
	}
	parts := []*syntax.Regexp{re}
	if re.Op == syntax.OpConcat {
		parts = re.Sub
	}
	begun := false
	for _, p := range parts {
		if p.Op == syntax.OpCapture {
			p = p.Sub[0]
		}
		switch {
		case p.Op == syntax.OpBeginText && !begun:
			begun = true
		case p.Op == syntax.OpLiteral && begun && !rest && !whole && p.Flags&syntax.FoldCase == 0:
			literal += string(p.Rune)
		case (p.Op == syntax.OpStar || p.Op == syntax.OpPlus) && begun && !rest && !whole &&
			(p.Sub[0].Op == syntax.OpAnyCharNotNL || p.Sub[0].Op == syntax.OpAnyChar):
			rest = true
		case p.Op == syntax.OpEndText && begun:
			whole = true
		default:
			return "", false, false, false
		}
	}
	return literal, rest, whole, begun && literal != ""
}

// NodePath are the folders of NODE_PATH, as the project's command sets it, in
// which Node's own require looks for modules too.
func NodePath(c Context, p runner.Project) []lang.Alias {
	var out []lang.Alias
	for _, dir := range filepath.SplitList(p.Env["NODE_PATH"]) {
		if dir == "" {
			continue
		}
		rel, ok := Folder(c, dir)
		if !filepath.IsAbs(dir) {
			rel, ok = path.Join(p.Root, filepath.ToSlash(dir)), true
		}
		if ok {
			out = append(out, lang.Alias{Scope: p.Root, Find: "*", Targets: []string{path.Join(rel, "*")}})
		}
	}
	return out
}
