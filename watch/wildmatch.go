package watch

import "strings"

// wild matches text against a shell pattern as git's wildmatch does with
// WM_PATHNAME: * and ? stop at a slash, ** between slashes does not. It works
// on bytes. fold ignores the case of ASCII letters.
func wild(pattern, text string, fold bool) bool {
	return wildAt(pattern, text, fold, new(int), true)
}

// wildSteps bounds what a pattern such as *a*a*a*a*b may cost.
const wildSteps = 200_000

func wildAt(p, t string, fold bool, steps *int, start bool) bool {
	for len(p) > 0 {
		if *steps++; *steps > wildSteps {
			return false
		}
		c := p[0]
		if len(t) == 0 && c != '*' {
			return false
		}
		switch c {
		case '?':
			if t[0] == '/' {
				return false
			}
			p, t = p[1:], t[1:]
		case '*':
			return wildStar(p, t, fold, steps, start)
		case '[':
			rest, ok := wildClass(p[1:], t[0], fold)
			if !ok || t[0] == '/' {
				return false
			}
			p, t = rest, t[1:]
		default:
			if c == '\\' {
				if p = p[1:]; len(p) == 0 {
					return false
				}
				c = p[0]
			}
			if lower(c, fold) != lower(t[0], fold) {
				return false
			}
			p, t = p[1:], t[1:]
		}
		start = c == '/'
	}
	return len(t) == 0
}

// wildStar matches a pattern that begins with a star. start says that it
// stands at the beginning of a path element.
func wildStar(p, t string, fold bool, steps *int, start bool) bool {
	stars := len(p) - len(strings.TrimLeft(p, "*"))
	rest := p[stars:]
	deep := stars >= 2 && start && (rest == "" || rest[0] == '/')
	if deep && rest != "" {
		// "**/" is nothing, or any number of folders.
		if wildAt(rest[1:], t, fold, steps, true) {
			return true
		}
	}
	for {
		if *steps++; *steps > wildSteps {
			return false
		}
		if wildAt(rest, t, fold, steps, false) {
			return true
		}
		if len(t) == 0 || t[0] == '/' && !deep {
			return false
		}
		t = t[1:]
	}
}

// wildClass matches one byte against a class; p begins behind the bracket and
// what follows the class is given back.
func wildClass(p string, c byte, fold bool) (rest string, ok bool) {
	negate := len(p) > 0 && (p[0] == '!' || p[0] == '^')
	if negate {
		p = p[1:]
	}
	hit := false
	for first := true; ; first = false {
		if len(p) == 0 {
			return "", false
		}
		if p[0] == ']' && !first {
			return p[1:], hit != negate
		}
		if name, after, found := cutClass(p); found {
			in, known := posix(name, c, fold)
			if !known {
				return "", false
			}
			hit, p = hit || in, after
			continue
		}
		lo, after, valid := classByte(p)
		if !valid {
			return "", false
		}
		hi := lo
		if len(after) > 1 && after[0] == '-' && after[1] != ']' {
			if hi, after, valid = classByte(after[1:]); !valid {
				return "", false
			}
		}
		hit = hit || within(c, lo, hi) || fold && (within(lower(c, true), lo, hi) || within(upper(c), lo, hi))
		p = after
	}
}

func within(c, lo, hi byte) bool { return lo <= c && c <= hi }

func classByte(p string) (c byte, rest string, ok bool) {
	if p[0] != '\\' {
		return p[0], p[1:], true
	}
	if len(p) < 2 {
		return 0, "", false
	}
	return p[1], p[2:], true
}

// cutClass takes "[:name:]" off the front.
func cutClass(p string) (name, rest string, ok bool) {
	if !strings.HasPrefix(p, "[:") {
		return "", "", false
	}
	end := strings.IndexByte(p[2:], ']')
	if end < 1 || p[2+end-1] != ':' {
		return "", "", false
	}
	return p[2 : 2+end-1], p[2+end+1:], true
}

func posix(name string, c byte, fold bool) (in, known bool) {
	up, low, digit := within(c, 'A', 'Z'), within(c, 'a', 'z'), within(c, '0', '9')
	punct := within(c, '!', '/') || within(c, ':', '@') || within(c, '[', '`') || within(c, '{', '~')
	switch name {
	case "alnum":
		return up || low || digit, true
	case "alpha":
		return up || low, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < ' ' || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return within(c, '!', '~'), true
	case "lower":
		return low || fold && up, true
	case "print":
		return within(c, ' ', '~'), true
	case "punct":
		return punct, true
	case "space":
		return c == ' ' || within(c, '\t', '\r'), true
	case "upper":
		return up || fold && low, true
	case "xdigit":
		return digit || within(c, 'a', 'f') || within(c, 'A', 'F'), true
	}
	return false, false
}

func lower(c byte, fold bool) byte {
	if fold && c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
