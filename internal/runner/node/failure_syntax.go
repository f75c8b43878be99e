package node

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// broken is where a text does not parse.
type broken struct {
	line, column int
	symbol       string
	message      string
}

// parse checks a text; known is false when there is no parser for the file.
func parse(rel string, src []byte) (b *broken, known bool) {
	var loader api.Loader
	switch path.Ext(rel) {
	case ".js", ".jsx", ".mjs", ".cjs":
		loader = api.LoaderJSX
	case ".ts", ".mts", ".cts":
		loader = api.LoaderTS
	case ".tsx":
		loader = api.LoaderTSX
	case ".json":
		return parseJSON(src), true
	default:
		return nil, false
	}
	res := api.Transform(string(src), api.TransformOptions{
		Loader: loader, LogLevel: api.LogLevelSilent, Sourcefile: rel,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true}}`,
	})
	if len(res.Errors) == 0 {
		return nil, true
	}
	e := res.Errors[0]
	b = &broken{message: e.Text, line: 1, column: 1}
	if e.Location != nil {
		b.line, b.column = e.Location.Line, e.Location.Column+1
	}
	b.symbol = symbolOf(rel, src, e.Text)
	return b, true
}

func parseJSON(src []byte) *broken {
	var v any
	err := json.Unmarshal(src, &v)
	if err == nil {
		return nil
	}
	b := &broken{message: err.Error()}
	offset := len(src)
	if se, ok := err.(*json.SyntaxError); ok {
		offset = int(se.Offset) - 1
	}
	b.line, b.column = lineAt(src, offset)
	if offset >= 0 && offset < len(src) {
		b.symbol = string(src[offset : offset+1])
	}
	return b
}

var (
	wanted  = lazyregexp.New(`^Expected ("[^"]+"|[\w ]+?) but found (.+)$`)
	stray   = lazyregexp.New(`^Unexpected (.+)$`)
	endFile = "end of file"
)

// symbolOf is the token that is missing, or the one that is too much; at the
// end of the text it is all that would close what is open.
func symbolOf(rel string, src []byte, text string) string {
	if strings.HasSuffix(text, endFile) {
		if s := closers(rel, src); s != "" {
			return s
		}
		return ""
	}
	if m := wanted.FindStringSubmatch(text); m != nil {
		if strings.HasPrefix(m[1], `"`) {
			return unquote(m[1])
		}
		return unquote(m[2])
	}
	if m := stray.FindStringSubmatch(text); m != nil {
		return unquote(m[1])
	}
	switch {
	case strings.HasPrefix(text, "Unterminated string"):
		return "'"
	case strings.HasPrefix(text, "Unterminated template"):
		return "`"
	case strings.HasPrefix(text, "Unterminated regular"):
		return "/"
	}
	if i := strings.IndexByte(text, '"'); i >= 0 {
		if j := strings.IndexByte(text[i+1:], '"'); j > 0 {
			return text[i+1 : i+1+j]
		}
	}
	return ""
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' {
		var out string
		if json.Unmarshal([]byte(s), &out) == nil {
			return out
		}
		return strings.Trim(s, `"`)
	}
	return s
}

var (
	babelAt   = lazyregexp.New(`(?m)^(?:\w*Error: )?((?:file://)?(?:[A-Za-z]:)?[^\n:]+\.\w+): [^\n]*\((\d+):(\d+)\)\s*$`)
	headerAt  = lazyregexp.New(`(?m)^((?:file://)?(?:[A-Za-z]:)?[^\s:][^\n:]*\.\w+):(\d+)\s*$`)
	esbuildAt = lazyregexp.New(`(?m)^\s*((?:[A-Za-z]:)?[^\s:][^\n:]*\.\w+):(\d+):(\d+): (?:ERROR|error)\b`)
	viteAt    = lazyregexp.New(`(?m)^\s*File: ((?:[A-Za-z]:)?[^\n:]+?)(?::(\d+):(\d+))?\s*$`)
	boxAt     = lazyregexp.New(`[╭,][─-]+\[\s*((?:[A-Za-z]:)?[^\n\]:]+?):(\d+):(\d+)\s*\]`)
	tsAt      = lazyregexp.New(`(?m)^\s*((?:[A-Za-z]:)?\S[^:(\n]*)[:(](\d+)[:,](\d+)\)?(?: - |: )error TS1\d{3}:`)
	namedAt   = lazyregexp.New(`(?m)^(?:\w*Error: )?((?:file://)?(?:[A-Za-z]:)?[^\n:]+\.\w+): `)
	failedOn  = lazyregexp.New(`^(?:\[vite\] )?(?:Internal server error: )?(?:Failed to parse source|Transform failed|Parse (?:failed|error)|Parsing error|Build failed|Unexpected token|\[PARSE_ERROR\]|Jest encountered an unexpected token|Jest failed to parse)|PARSE_ERROR`)
)

// told lists where a text says that something does not parse.
func told(c Context, text string) []runner.Place {
	var out []runner.Place
	for _, re := range []*lazyregexp.Regexp{babelAt, headerAt, esbuildAt, boxAt, viteAt, tsAt, namedAt} {
		for _, m := range re.FindAllStringSubmatch(text, 8) {
			rel, ok := Rel(c, m[1])
			if !ok || !c.exists(rel) {
				continue
			}
			p := runner.Place{File: rel}
			if len(m) > 2 {
				p.Line, _ = strconv.Atoi(m[2])
			}
			if len(m) > 3 {
				p.Column, _ = strconv.Atoi(m[3])
				if re == babelAt || re == esbuildAt {
					p.Column++
				}
			}
			out = append(out, p)
		}
	}
	return out
}

// header is the "file:line" that Node puts above a compile or link error.
func header(c Context, stack string) (runner.Place, bool) {
	m := headerAt.FindStringSubmatch(stack)
	if m == nil || !strings.HasPrefix(strings.TrimSpace(stack), m[1]) {
		return runner.Place{}, false
	}
	rel, ok := Rel(c, m[1])
	line, _ := strconv.Atoi(m[2])
	return runner.Place{File: rel, Line: line}, ok
}

// placeInText is a position that only the message has.
func placeInText(c Context, text string) (runner.Place, bool) {
	for _, p := range told(c, text) {
		return p, true
	}
	return runner.Place{}, false
}

// unparsable is a file that does not parse. The file is read and parsed to be
// sure: a SyntaxError thrown at run time (JSON.parse, new Function) is none.
func unparsable(c Context, r raw, f *runner.Failure) bool {
	failed := failedOn.MatchString(r.message)
	if r.name != "SyntaxError" && !failed && r.name != "TSError" && !strings.Contains(r.name, "Parse") &&
		!babelAt.MatchString(r.message) && !tsAt.MatchString(r.message) && !esbuildAt.MatchString(r.message) && !boxAt.MatchString(r.message) &&
		r.Attr["id"] == "" {
		return false
	}
	text := r.message + "\n" + messageOfStack(Plain(r.Stack))
	if id := r.Attr["id"]; id != "" {
		text = "File: " + id + "\n" + text
	}
	places := told(c, text)
	for _, p := range places {
		src, _ := c.read(p.File)
		if b, _ := parse(p.File, src); b != nil {
			unparsed(f, p, b, src)
			return true
		}
	}
	if atRunTime(r) && !failed {
		return false
	}
	// The runner names no file, or the wrong one.
	if (failed || len(r.frames) == 0) && r.scope != runner.ScopeTest && r.test.File != "" {
		found := false
		c.reach(r.test.File, func(rel string, _ *lang.File, src []byte) bool {
			b, _ := parse(rel, src)
			if b == nil {
				return true
			}
			unparsed(f, runner.Place{File: rel}, b, src)
			found = true
			return false
		})
		if found {
			return true
		}
	}
	// It parses for us and not for the runner: a module system or a dialect
	// that the project is not set up for.
	if len(places) > 0 && (r.name == "SyntaxError" || failed) {
		f.Kind, f.Place = runner.SyntaxError, places[0]
		return true
	}
	return false
}

// unparsed says where a file does not parse: where the runner says, if it says
// anything useful (vite always says 1:0), else where our parser stopped.
func unparsed(f *runner.Failure, p runner.Place, b *broken, src []byte) {
	if p.Line <= 1 && b.line > 1 || p.Line == 0 || p.Line > b.line && b.line == lastLine(src) {
		p.Line, p.Column = b.line, b.column
	} else if p.Line == b.line && p.Column == 0 {
		p.Column = b.column
	}
	f.Kind, f.Place, f.Symbol = runner.SyntaxError, p, b.symbol
	f.Frames = nil
	if !strings.Contains(f.Message, b.message) && !babelAt.MatchString(f.Message) {
		f.Message = strings.TrimSpace(f.Message + "\n" + p.File + ":" + strconv.Itoa(b.line) + ":" + strconv.Itoa(b.column) + ": " + b.message)
	}
}

func lastLine(src []byte) int {
	n, _ := lineAt(src, len(src))
	return n
}

// atRunTime tells whether a SyntaxError was thrown by code that parses a text of
// its own.
func atRunTime(r raw) bool {
	frames := r.RawError.Frames
	if st := ParseStack(r.Stack); len(st) > 0 {
		frames = st
	}
	if len(frames) == 0 {
		return false
	}
	for _, own := range []string{"JSON.parse", "new Function", "new RegExp", "RegExp", "eval", "new Script", "parse"} {
		if frames[0].Function == own {
			return true
		}
	}
	return false
}
