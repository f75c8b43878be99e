package cli

import (
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// screen is what is known about where something is printed.
type screen struct {
	w      io.Writer
	tty    bool
	colour bool
	width  int // columns, of a terminal
}

func (a *app) screen(w io.Writer) screen {
	s := screen{w: w, width: 80}
	if o, ok := w.(*output); ok {
		w = o.w
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		s.tty = true
		if cols, _, err := term.GetSize(int(f.Fd())); err == nil && cols > 0 {
			s.width = cols
		}
	}
	s.colour = wantsColour(a.flags.color, a.environ, s.tty)
	if env(a.environ, "TERM") == "dumb" {
		s.tty = false
	}
	return s
}

// wantsColour follows no-color.org and bixense.com/clicolors.
func wantsColour(flag string, environ []string, tty bool) bool {
	switch force := env(environ, "CLICOLOR_FORCE"); {
	case flag == "always":
		return true
	case flag == "never", env(environ, "NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return tty && env(environ, "TERM") != "dumb" && env(environ, "CLICOLOR") != "0"
}

// env gives a variable's value; the last setting wins.
func env(environ []string, name string) string {
	for i := len(environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return v
		}
	}
	return ""
}

// The few styles there are. Colour never carries meaning alone.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (s screen) paint(style, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

// printable makes text of others harmless on a terminal: test names and
// messages may hold escape codes. Line ends and tabs stay.
func printable(s string) string {
	s = strings.ReplaceAll(uncoloured(s), "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r):
			return '\ufffd'
		}
		return r
	}, s)
}

// uncoloured takes colour codes (ESC [ … m and its like) away.
func uncoloured(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "\x1b[")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		end := strings.IndexFunc(s[i+2:], func(r rune) bool { return r >= '@' && r <= '~' })
		if end < 0 {
			return b.String()
		}
		s = s[i+2+end+1:]
	}
}

// oneLine is printable text on one line.
func oneLine(s string) string { return strings.Join(strings.Fields(printable(s)), " ") }

// cut shortens text to n characters.
func cut(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	if n < 1 {
		return ""
	}
	return string(r[:n-1]) + "…"
}
