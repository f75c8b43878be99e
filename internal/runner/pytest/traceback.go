package pytest

import (
	"strconv"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

var (
	tracebackFrame = lazyregexp.New(`^ *File "([^"]+)", line (\d+)(?:, in (.+))?$`)
	tracebackEnd   = lazyregexp.New(`^(?:[\w.]+\.)?(\w+(?:Error|Exception))(?:: (.*))?$`)
	caretLine      = lazyregexp.New(`^ *\^+ *$`)

	lacksModule = lazyregexp.New(`^No module named '([^']+)'`)
	lacksName   = lazyregexp.New(`^cannot import name '([^']+)' from (?:partially initialized module )?'([^']+)'`)
	undefined   = lazyregexp.New(`^name '([^']+)' is not defined`)
	lacksMember = lazyregexp.New(`has no attribute '([^']+)'`)
	ofModule    = lazyregexp.New(`module '([^']+)' has no attribute`)
)

// printedError finds, in what Python printed, the error that came out of the
// project's own code. It is for processes that ended before the plugin could
// speak: pytest imports the project to read its configuration, or needs the
// very package that is under test. That the run failed is known without it; it
// only says why and where.
func (a *assembly) printedError(output string) (runner.RawError, bool) {
	var found runner.RawError
	ok := false
	lines := strings.Split(withoutColour(output), "\n")
	for i := 0; i < len(lines); i++ {
		if !strings.HasSuffix(strings.TrimRight(lines[i], "\r"), "Traceback (most recent call last):") {
			continue
		}
		e, next := a.traceback(lines[i+1:])
		i += next
		if e.Name != "" && a.arose(e) {
			found, ok = e, true
		}
	}
	return found, ok
}

// traceback reads one traceback, and how many lines it has.
func (a *assembly) traceback(lines []string) (runner.RawError, int) {
	e := runner.RawError{Attr: map[string]string{}}
	text, caret := "", -1
	for i, line := range lines {
		line = strings.TrimRight(line, "\r")
		if m := tracebackFrame.FindStringSubmatch(line); m != nil {
			n, _ := strconv.Atoi(m[2])
			// the innermost frame comes first in a report
			e.Frames = append([]runner.RawFrame{{File: m[1], Line: n, Function: m[3]}}, e.Frames...)
			text, caret = "", -1
			continue
		}
		if caretLine.MatchString(line) {
			caret = strings.IndexByte(line, '^')
			continue
		}
		if m := tracebackEnd.FindStringSubmatch(line); m != nil && len(e.Frames) > 0 {
			e.Name, e.Message = m[1], m[2]
			a.printedAttr(&e, text, caret)
			return e, i
		}
		if strings.HasSuffix(line, "Traceback (most recent call last):") {
			return runner.RawError{}, i
		}
		text = line
	}
	return runner.RawError{}, len(lines)
}

// printedAttr reads what the plugin would have told of the error.
func (a *assembly) printedAttr(e *runner.RawError, text string, caret int) {
	set := func(re *lazyregexp.Regexp, keys ...string) {
		if m := re.FindStringSubmatch(e.Message); m != nil {
			for i, k := range keys {
				e.Attr[k] = m[i+1]
			}
		}
	}
	switch e.Name {
	case "ModuleNotFoundError":
		set(lacksModule, "name")
	case "ImportError":
		set(lacksName, "symbol", "name")
	case "NameError":
		set(undefined, "name")
	case "AttributeError":
		set(lacksMember, "name")
		set(ofModule, "module")
	case "SyntaxError", "IndentationError", "TabError":
		at := e.Frames[0]
		e.Frames = e.Frames[1:]
		e.Attr["filename"], e.Attr["lineno"], e.Attr["msg"] = at.File, strconv.Itoa(at.Line), e.Message
		// Python prints the line without its indentation.
		rel, ok := a.tree.own(at.File)
		if !ok || caret < 0 {
			return
		}
		source := strings.Split(string(a.source(rel)), "\n")
		if at.Line < 1 || at.Line > len(source) {
			return
		}
		whole, shown := source[at.Line-1], strings.TrimLeft(text, " ")
		before := strings.Index(whole, strings.TrimRight(shown, " "))
		if before < 0 {
			return
		}
		e.Attr["text"] = whole
		column := max(0, caret-(len(text)-len(shown))+before)
		e.Attr["offset"] = strconv.Itoa(len([]rune(whole[:min(column, len(whole))])) + 1)
	}
}
