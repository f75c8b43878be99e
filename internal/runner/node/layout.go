package node

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Glob is a compiled pattern of the JavaScript world (picomatch, minimatch,
// glob): **, *, ?, classes, braces with lists and ranges, and extended globs.
type Glob struct {
	pattern string
	re      *regexp.Regexp
}

// CompileGlob compiles a pattern. A leading "./" is nothing. With dot, "*" and
// "**" take in names that begin with a dot. "!(x)" means any name: a pattern
// with it matches more than it should, never less.
func CompileGlob(pattern string, dot bool) (*Glob, error) {
	g := globber{src: strings.TrimPrefix(pattern, "./"), dot: dot}
	body := g.sequence("")
	re, err := regexp.Compile(`^(?:` + body + `)$`)
	if err != nil {
		return nil, fmt.Errorf("pattern %q: %w", pattern, err)
	}
	return &Glob{pattern: pattern, re: re}, nil
}

// Match tells whether the pattern takes in the path (slashes).
func (g *Glob) Match(p string) bool { return g.re.MatchString(strings.TrimPrefix(p, "./")) }

// String is the pattern as it was given.
func (g *Glob) String() string { return g.pattern }

// Globs is a list of patterns as JavaScript tools take them: one with a
// leading "!" takes out again what those before it took in.
type Globs []struct {
	*Glob
	not bool
}

// CompileGlobs compiles a list; what does not compile is left out and named in
// bad.
func CompileGlobs(patterns []string, dot bool) (list Globs, bad []string) {
	for _, p := range patterns {
		not := strings.HasPrefix(p, "!") && !strings.HasPrefix(p, "!(")
		g, err := CompileGlob(strings.TrimPrefix(p, "!"), dot)
		if !not {
			g, err = CompileGlob(p, dot)
		}
		if err != nil {
			bad = append(bad, p)
			continue
		}
		list = append(list, struct {
			*Glob
			not bool
		}{g, not})
	}
	return list, bad
}

// Match tells whether the list takes in the path.
func (gs Globs) Match(p string) bool {
	in := false
	for _, g := range gs {
		if in == g.not && g.Glob.Match(p) {
			in = !g.not
		}
	}
	return in
}

// Under gives p relative to dir (both rel, slashes); ok is false when it does
// not lie there.
func Under(dir, p string) (string, bool) {
	dir = path.Clean(dir)
	if dir == "." {
		return p, true
	}
	return strings.CutPrefix(p, dir+"/")
}

// globber translates one pattern.
type globber struct {
	src string
	at  int
	dot bool
	// depth bounds nesting, so that no pattern exhausts the stack.
	depth int
}

// sequence translates up to one of the bytes of stop (which it leaves).
func (g *globber) sequence(stop string) string {
	var b strings.Builder
	start := true // at the beginning of a path segment
	for g.at < len(g.src) {
		c := g.src[g.at]
		if strings.IndexByte(stop, c) >= 0 {
			break
		}
		if c == '\\' && g.at+1 < len(g.src) {
			b.WriteString(regexp.QuoteMeta(string(g.src[g.at+1])))
			g.at += 2
			start = false
			continue
		}
		if g.at+1 < len(g.src) && g.src[g.at+1] == '(' && strings.IndexByte("?*+@!", c) >= 0 {
			b.WriteString(g.extended(c))
			start = false
			continue
		}
		switch c {
		case '*':
			b.WriteString(g.stars(start))
		case '?':
			g.at++
			b.WriteString(`[^/]`)
		case '[':
			b.WriteString(g.class())
		case '{':
			b.WriteString(g.braces())
		case '/':
			g.at++
			b.WriteByte('/')
			start = true
			continue
		default:
			g.at++
			b.WriteString(regexp.QuoteMeta(string(c)))
		}
		start = c == '*' && start && strings.HasSuffix(b.String(), "/)*")
	}
	return b.String()
}

// stars translates "*" and "**".
func (g *globber) stars(start bool) string {
	n := 0
	for g.at < len(g.src) && g.src[g.at] == '*' {
		n, g.at = n+1, g.at+1
	}
	hidden := ""
	if !g.dot && start {
		hidden = `[^/.]`
	}
	end := g.at == len(g.src)
	slash := !end && g.src[g.at] == '/'
	if n > 1 && start && (slash || end) {
		segment := `[^/]+`
		if !g.dot {
			segment = `[^/.][^/]*`
		}
		if slash {
			g.at++
			return `(?:` + segment + `/)*`
		}
		return `(?:` + segment + `(?:/` + segment + `)*)?`
	}
	if hidden != "" {
		if (end || slash) && n == 1 {
			return hidden + `[^/]*`
		}
		return `(?:` + hidden + `[^/]*)?`
	}
	if start && (end || slash) {
		return `[^/]+`
	}
	return `[^/]*`
}

// class translates "[abc]", "[!abc]" and "[[:alpha:]]".
func (g *globber) class() string {
	end := g.at + 1
	if end < len(g.src) && (g.src[end] == '!' || g.src[end] == '^') {
		end++
	}
	if end < len(g.src) && g.src[end] == ']' {
		end++
	}
	for end < len(g.src) && g.src[end] != ']' {
		if strings.HasPrefix(g.src[end:], "[:") {
			if i := strings.Index(g.src[end:], ":]"); i > 0 {
				end += i + 1
			}
		}
		end++
	}
	if end >= len(g.src) {
		g.at++
		return `\[`
	}
	body := g.src[g.at+1 : end]
	g.at = end + 1
	neg := ""
	if strings.HasPrefix(body, "!") || strings.HasPrefix(body, "^") {
		neg, body = "^/", body[1:]
	}
	body = strings.ReplaceAll(body, `\`, `\\`)
	body = strings.ReplaceAll(body, `]`, `\]`)
	body = strings.ReplaceAll(body, `:\]`, `:]`)
	if !strings.Contains(body, "[:") {
		body = strings.ReplaceAll(body, `[`, `\[`)
	}
	out := `[` + neg + body + `]`
	if _, err := regexp.Compile(out); err != nil {
		return `[^/]`
	}
	return out
}

// braces translates "{a,b}" and "{1..3}"; anything else is itself.
func (g *globber) braces() string {
	save := g.at
	if g.depth > 20 {
		g.at++
		return `\{`
	}
	g.at++
	if end := strings.IndexByte(g.src[g.at:], '}'); end >= 0 {
		if out, ok := numbers(g.src[g.at : g.at+end]); ok {
			g.at += end + 1
			return out
		}
	}
	g.depth++
	alternatives := []string{}
	for {
		alternatives = append(alternatives, g.sequence(",}"))
		if g.at >= len(g.src) {
			g.depth--
			g.at = save + 1
			return `\{`
		}
		g.at++
		if g.src[g.at-1] == '}' {
			break
		}
	}
	g.depth--
	return `(?:` + strings.Join(alternatives, "|") + `)`
}

func numbers(body string) (string, bool) {
	lo, hi, ok := strings.Cut(body, "..")
	a, err1 := strconv.Atoi(lo)
	b, err2 := strconv.Atoi(hi)
	if !ok || err1 != nil || err2 != nil || a > b || b-a > 1000 {
		return "", false
	}
	var all []string
	for i := a; i <= b; i++ {
		all = append(all, strconv.Itoa(i))
	}
	return `(?:` + strings.Join(all, "|") + `)`, true
}

// extended translates "?(a|b)" and its kin.
func (g *globber) extended(kind byte) string {
	save := g.at
	if g.depth > 20 {
		g.at++
		return regexp.QuoteMeta(string(kind))
	}
	g.at += 2
	g.depth++
	alternatives := []string{}
	for {
		alternatives = append(alternatives, g.sequence("|)"))
		if g.at >= len(g.src) {
			g.depth--
			g.at = save + 1
			if kind == '*' {
				return `[^/]*`
			}
			if kind == '?' {
				return `[^/]`
			}
			return regexp.QuoteMeta(string(kind))
		}
		g.at++
		if g.src[g.at-1] == ')' {
			break
		}
	}
	g.depth--
	group := `(?:` + strings.Join(alternatives, "|") + `)`
	switch kind {
	case '@':
		return group
	case '!':
		return `[^/]*`
	}
	return group + string(kind)
}
