package pytest

import (
	"path"
	"strconv"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// failure makes a Failure of an error that the plugin described. One that was
// raised over another says less than the other, where that is a slip in code.
func (a *assembly) failure(scope runner.Scope, test runner.TestID, line int, e runner.RawError) runner.Failure {
	f := a.classify(scope, test, line, e)
	for cause, depth := a.essence(e).Cause, 0; cause != nil && depth < 4 && f.Kind == runner.ThrownError; cause, depth = cause.Cause, depth+1 {
		inner := a.classify(scope, test, line, *cause)
		switch inner.Kind {
		case runner.MissingImport, runner.MissingExport, runner.UndefinedVariable, runner.AttributeError, runner.SyntaxError:
			if len(inner.Frames) == 0 {
				continue // of a library's own making
			}
			f.Kind, f.Place, f.Symbol, f.Specifier = inner.Kind, inner.Place, inner.Symbol, inner.Specifier
			f.Names, f.Frames = inner.Names, inner.Frames
			f.Message += "\ncaused by " + inner.Name + ": " + inner.Message
		}
	}
	return f
}

// classify makes a Failure of an error by itself.
func (a *assembly) classify(scope runner.Scope, test runner.TestID, line int, e runner.RawError) runner.Failure {
	stack := e.Stack
	e = a.essence(e)
	// a text must not differ between two copies of one tree
	e.Message, stack = a.tree.shorten(e.Message), a.tree.shorten(stack)
	f := runner.Failure{
		Scope: scope, Test: test, Name: e.Name, Stack: withoutColour(stack),
		Message: withoutColour(e.Message), Expected: e.Expected, Received: e.Actual,
		Frames: a.frames(e.Frames),
	}
	if e.Operator != "" && e.Operator != "==" && e.Operator != "is" && e.Operator != "snapshot" {
		f.Expected, f.Received = "", "" // `assert 3 in xs` does not say what was to be there
	}
	if n := e.Attr["names"]; n != "" {
		f.Names = strings.Split(n, ",")
	}
	if len(f.Frames) > 0 {
		f.Place = f.Frames[0].Place
	} else if test.File != "" && line > 0 {
		f.Place = runner.Place{File: test.File, Line: line}
	}
	f.Kind = kindOf(e, scope)
	a.refine(&f, e)
	if f.Place.File == "" {
		f.Place.File = test.File
	}
	return f
}

// essence unwraps what pytest and groups wrap around the error that counts.
func (a *assembly) essence(e runner.RawError) runner.RawError {
	if e.Name == "UsageError" {
		// What broke while pytest read its configuration is told as text only.
		if printed, ok := a.printedError(e.Message); ok {
			return printed
		}
	}
	for range 5 {
		switch {
		case e.Cause == nil:
			return e
		case e.Name == "CollectError", e.Name == "ConftestImportFailure", e.Name == "PluginImportFailure":
		case strings.HasSuffix(e.Name, "ExceptionGroup"):
		case strings.HasPrefix(e.Message, "Error importing plugin"):
		default:
			return e
		}
		e = *e.Cause
	}
	return e
}

// arose tells whether an error came out of the project's own code: pytest
// imports it to read its configuration (a warning's class in filterwarnings).
func (a *assembly) arose(e runner.RawError) bool {
	if len(a.frames(e.Frames)) > 0 {
		return true
	}
	_, own := a.tree.own(e.Attr["filename"])
	return own
}

// kindOf sorts an error by its type; only pytest's own outcomes, which have
// one type for many things, are told apart by their text.
func kindOf(e runner.RawError, scope runner.Scope) runner.Kind {
	other := runner.ThrownError
	if scope == runner.ScopeHook {
		other = runner.HookError
	}
	switch e.Name {
	case "ModuleNotFoundError":
		return runner.MissingImport
	case "ImportError":
		if e.Attr["symbol"] != "" {
			return runner.MissingExport
		}
		return other
	case "NameError", "UnboundLocalError":
		return runner.UndefinedVariable
	case "AttributeError":
		return runner.AttributeError
	case "SyntaxError", "IndentationError", "TabError":
		return runner.SyntaxError
	case "FixtureLookupError":
		return runner.MissingFixture
	case "SystemExit", "os._exit", "crash", "KeyboardInterrupt", "Exit":
		return runner.Crash
	case "Timeout":
		return runner.Timeout
	case "Failed":
		if timeoutText.MatchString(e.Message) {
			return runner.Timeout
		}
	case "XPASS", "DocTestFailure":
		return runner.AssertionMismatch
	case "AssertionError":
		if e.Operator == "snapshot" {
			return runner.SnapshotMismatch
		}
	case "":
		return runner.Unknown
	default:
		return other
	}
	if scope != runner.ScopeTest {
		return other
	}
	return runner.AssertionMismatch
}

// timeoutText is how pytest-timeout's failures begin (2.1: "Timeout >0.3s",
// 2.4: "Timeout (>0.3s) from pytest-timeout.").
var timeoutText = lazyregexp.New(`^Timeout \(?>[0-9.]+s`)

// refine adds what belongs to the kind: the symbol, the specifier, the place.
func (a *assembly) refine(f *runner.Failure, e runner.RawError) {
	switch f.Kind {
	case runner.MissingImport:
		f.Symbol = e.Attr["name"]
		f.Specifier = a.written(f.Place, f.Symbol)
	case runner.MissingExport:
		f.Symbol = e.Attr["symbol"]
		f.Specifier = a.written(f.Place, e.Attr["name"])
	case runner.UndefinedVariable:
		f.Symbol = e.Attr["name"]
	case runner.AttributeError:
		f.Symbol, f.Specifier = e.Attr["name"], e.Attr["module"]
	case runner.MissingFixture:
		f.Symbol = e.Attr["fixture"]
		f.Message = "fixture '" + f.Symbol + "' not found"
		if rel, ok := a.tree.own(e.Attr["filename"]); ok {
			f.Place = runner.Place{File: rel, Line: number(e.Attr["lineno"])}
		}
	case runner.SyntaxError:
		a.syntax(f, e)
	}
}

// syntax moves a syntax error to where the parser stopped. One in a text that
// is no file of the project (eval, a template) is an error like any other.
func (a *assembly) syntax(f *runner.Failure, e runner.RawError) {
	rel, ok := a.tree.own(e.Attr["filename"])
	if !ok {
		f.Kind = runner.ThrownError
		return
	}
	f.Place = runner.Place{File: rel, Line: number(e.Attr["lineno"]), Column: number(e.Attr["offset"])}
	if m := e.Attr["msg"]; m != "" {
		f.Message = m
	}
	f.Symbol = wantedToken(f.Message, e.Attr["text"], f.Place.Column)
}

var (
	neverClosed = lazyregexp.New(`'([(\[{])' was never closed`)
	unmatched   = lazyregexp.New(`(?:unmatched|closing parenthesis) '([)\]}])'`)
	expectedTok = lazyregexp.New(`expect(?:ed|ing) '(\W+)'`)
)

// wantedToken is the token that CPython's message says is missing or too
// many; "" when it names none.
func wantedToken(msg, text string, column int) string {
	if m := neverClosed.FindStringSubmatch(msg); m != nil {
		return map[string]string{"(": ")", "[": "]", "{": "}"}[m[1]]
	}
	if m := unmatched.FindStringSubmatch(msg); m != nil {
		return m[1]
	}
	if m := expectedTok.FindStringSubmatch(msg); m != nil {
		return m[1]
	}
	if strings.Contains(msg, "unterminated") && strings.Contains(msg, "string literal") {
		r := []rune(text)
		for i := max(0, column-1); i < len(r); i++ {
			if r[i] == '"' || r[i] == '\'' {
				if strings.Contains(msg, "triple-quoted") {
					return strings.Repeat(string(r[i]), 3)
				}
				return string(r[i])
			}
		}
	}
	if strings.Contains(msg, "forgot a comma") {
		return ","
	}
	return ""
}

// written gives the module as the import statement at the place writes it, or
// name where the statement is not found (importlib.import_module).
func (a *assembly) written(at runner.Place, name string) string {
	for _, s := range scan(a.source(at.File)) {
		if at.Line < s.line || at.Line > s.end {
			continue
		}
		for i, t := range s.toks {
			if t.kind != tokName || (t.text != "from" && t.text != "import") {
				continue
			}
			if spec := dotted(s.toks[i+1:]); spec != "" && (strings.HasPrefix(spec, ".") || related(spec, name)) {
				return spec
			}
			for _, part := range split(s.toks[i+1:]) {
				if spec := dotted(part); t.text == "import" && related(spec, name) {
					return spec
				}
			}
		}
	}
	return name
}

// related tells whether loading spec may fail with "no module named name".
func related(spec, name string) bool {
	return spec == name || strings.HasPrefix(spec, name+".")
}

// dotted joins the tokens of a dotted name, leading dots included.
func dotted(toks []token) string {
	var b strings.Builder
	word := false
	for _, t := range toks {
		switch {
		case t.text == ".":
			word = false
		case t.kind == tokName && !word && t.text != "import":
			word = true
		default:
			return b.String()
		}
		b.WriteString(t.text)
	}
	return b.String()
}

// frames keeps the project's own frames, innermost first.
func (a *assembly) frames(raw []runner.RawFrame) []runner.Frame {
	var out []runner.Frame
	for _, r := range raw {
		if rel, ok := a.tree.own(r.File); ok {
			out = append(out, runner.Frame{
				Place:    runner.Place{File: rel, Line: r.Line, Column: r.Column},
				Function: r.Function,
			})
		}
	}
	return out
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

var ansi = lazyregexp.New(`\x1b\[[0-9;:?]*[A-Za-z]`)

// withoutColour takes colour codes out.
func withoutColour(s string) string { return ansi.ReplaceAllString(s, "") }

func base(rel string) string { return path.Base(rel) }
