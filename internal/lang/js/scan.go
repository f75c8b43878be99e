package js

import (
	"fmt"
	"strings"

	"regreen/internal/lang"
)

// Scan reads what the text imports, exports and defines. `import … from` of a
// style sheet, JSON or other data, and any specifier with a query, is an
// Asset; so is require.resolve. import.meta.glob is Wide with the whole
// pattern as its specifier. An import in a try block counts as lazy.
func (Language) Scan(path string, src []byte) *lang.File {
	s := string(src)
	f := &lang.File{Path: path, AllKnown: true}
	if isComponent(path) {
		for _, b := range scriptBlocks(s) {
			scan(f, lex(s, b.Start, b.End, b.dialect))
		}
		outsourced(f, s)
		// A component is its own default export.
		f.Exports = append(f.Exports, lang.Export{Name: "default", Kind: "Const"})
		f.CommonJS = false
		return f
	}
	scan(f, lex(s, 0, len(s), dialectOf(path)))
	return f
}

// scanner walks the tokens of a text once.
type scanner struct {
	*text
	f *lang.File
	// open are the indices of the brackets that stand open, outermost first.
	open []int32
	line lineCounter

	esm, cjs bool
	// common are the exports by way of module.exports, which count only in a
	// file without import and export statements; commonOpen says that they
	// may be incomplete.
	common     []lang.Export
	commonOpen bool
	// exportsName is the local name that module.exports is set to, if any.
	exportsName string
	// requires are the names that createRequire's result or require itself is
	// given, each with the folder that it starts from: "" is the file's own.
	requires map[string]string
	// paths are those of f.DataPaths.
	paths map[string]bool
	// makers are other names of createRequire.
	makers map[string]bool
}

func scan(f *lang.File, t *text) {
	s := &scanner{text: t, f: f, line: lineCounter{src: t.src, line: 1}}
	s.references()
	s.environments()
	for i := 0; i < len(t.toks); {
		k := &t.toks[i]
		switch k.kind {
		case kTplHead, kTplMiddle, kTplTail:
			s.templatePath(i)
			s.bracket(i)
		case kPunct:
			s.bracket(i)
		case kString, kTemplate:
			s.literalPath(i)
		case kIdent, kKeyword:
			if !k.jsx {
				if next := s.name(i); next > i {
					i = next
					continue
				}
			}
		}
		i++
	}
	f.CommonJS = s.cjs && !s.esm
	if !s.esm {
		s.finishCommonJS()
	}
}

// bracket keeps the stack of open brackets.
func (s *scanner) bracket(i int) {
	k := &s.toks[i]
	if k.match < 0 {
		return
	}
	if int(k.match) < i || k.kind == kTplMiddle {
		if n := len(s.open); n > 0 {
			s.open = s.open[:n-1]
		}
		if k.kind != kTplMiddle {
			return
		}
	}
	s.open = append(s.open, int32(i))
}

// lazyAt tells whether code at token i is not run when the file loads.
func (s *scanner) lazyAt(i int) bool {
	at := i
	for n := len(s.open) - 1; ; n-- {
		if s.arrowBefore(at) {
			return true
		}
		if n < 0 {
			return false
		}
		at = int(s.open[n])
		if f := s.toks[at].frame; f == fFunc || f == fTry {
			return true
		}
	}
}

// arrowBefore looks back from token i, on its level, for the => of an arrow
// function whose body is the expression that i stands in.
func (s *scanner) arrowBefore(i int) bool {
	for j := i - 1; j >= 0; j-- {
		k := &s.toks[j]
		if k.match >= 0 && int(k.match) < j {
			if k.kind == kPunct || k.kind == kTplTail {
				if s.is(j, "}") && s.toks[k.match].frame != fObject && s.toks[j+1].nl {
					return false
				}
				j = int(k.match)
				continue
			}
		}
		switch k.kind {
		case kPunct:
			switch s.str(j) {
			case "=>":
				return true
			case ";", ",", "(", "[", "{":
				return false
			}
		case kTplHead, kTplMiddle:
			return false
		case kKeyword:
			switch s.str(j) {
			case "var", "let", "const", "import", "export", "function", "class", "return", "throw":
				return false
			}
		}
	}
	return false
}

// inNamespace tells whether a namespace block is open.
func (s *scanner) inNamespace() bool {
	for _, o := range s.open {
		if s.toks[o].frame == fNamespace {
			return true
		}
	}
	return false
}

// atTop tells whether the statement at token i is one of the file's own. In a
// text whose brackets do not match, what starts in the first column is.
func (s *scanner) atTop(i int) bool {
	if s.broken {
		at := s.toks[i].start
		return at == 0 || s.src[at-1] == '\n'
	}
	return len(s.open) == 0
}

// startsStatement guesses whether token i begins a statement.
func (s *scanner) startsStatement(i int) bool {
	if i == 0 || s.toks[i].nl && s.endsOperand(i-1) {
		return true
	}
	switch s.str(i - 1) {
	case ";", "}", "{", ")", ":", "else":
		return s.toks[i-1].kind != kString
	}
	return false
}

// name handles one name or keyword; it gives the index to go on at, or i.
func (s *scanner) name(i int) int {
	word := s.str(i)
	if base, is := s.requires[word]; is && word != "require" {
		s.requireFrom(i, base)
	} else if s.makers[word] {
		s.createRequire(i)
	}
	switch word[0] {
	case 'i':
		switch word {
		case "import":
			return s.importWord(i)
		case "importActual", "importMock":
			s.loadsActual(i)
		case "interface":
			s.declaration(i)
		}
	case 'e':
		switch word {
		case "export":
			return s.exportWord(i)
		case "exports":
			s.exportsWord(i, i)
		case "enum":
			s.declaration(i)
		case "existsSync":
			s.readCall(i)
		case "esmock":
			s.mockCall(i, i)
		}
	case 'r':
		switch word {
		case "require":
			s.requireWord(i)
		case "requireActual", "requireMock":
			s.loadsActual(i)
		case "readFileSync", "readFile", "readdirSync", "readdir", "readJson", "readJsonSync", "readJSON", "readJSONSync":
			s.readCall(i)
		case "resolve":
			s.joinCall(i)
		case "rewire":
			s.loads(i)
		}
	case 'm':
		if word == "module" {
			s.moduleWord(i)
		} else if word == "mock" && s.is(i+1, ".") && s.is(i+2, "module") {
			s.mockCall(i, i+2)
		}
	case 'j':
		if word == "jest" {
			s.mockWord(i)
		} else if word == "join" {
			s.joinCall(i)
		}
	case 'v':
		switch word {
		case "vi", "vitest":
			s.mockWord(i)
		case "var":
			s.declaration(i)
		}
	case 't':
		switch word {
		case "type":
			s.declaration(i)
		case "td":
			s.mockWord(i)
		case "toMatchFileSnapshot":
			s.readCall(i)
		}
	case 'p':
		if word == "proxyquire" {
			s.proxyWord(i)
		}
	case 'q':
		if word == "quibble" {
			s.mockCall(i, i)
		}
	case 'f', 'l', 'n':
		switch word {
		case "function", "let", "namespace":
			s.declaration(i)
		case "new":
			s.newURL(i)
		}
	case 'c':
		switch word {
		case "class", "const":
			s.declaration(i)
		case "createReadStream":
			s.readCall(i)
		case "createRequire":
			s.createRequire(i)
		case "createMockFromModule":
			s.loadsActual(i)
		}
	case 'O':
		if word == "Object" {
			s.objectWord(i)
		}
	case '_':
		switch word {
		case "__dirname":
			s.dirname(i, i+1)
		case "__exportStar":
			s.exportStar(i)
		case "__export":
			s.bundledExports(i)
		}
	case 's':
		if word == "statSync" {
			s.readCall(i)
		}
	}
	return i
}

// span is the byte range of tokens a to b, b included.
func (t *text) span(a, b int) lang.Span {
	if a < 0 || b >= len(t.toks) || a > b {
		return lang.Span{}
	}
	return lang.Span{Start: int(t.toks[a].start), End: int(t.toks[b].end)}
}

// literal gives a string's value and its range without the quotes. A template
// without holes is one too.
func (t *text) literal(i int) (string, lang.Span, bool) {
	switch t.kindAt(i) {
	case kString, kTemplate:
		k := &t.toks[i]
		if k.end-k.start < 2 {
			return "", lang.Span{}, false
		}
		sp := lang.Span{Start: int(k.start) + 1, End: int(k.end) - 1}
		return unescape(t.src[sp.Start:sp.End]), sp, true
	}
	return "", lang.Span{}, false
}

// closing is the partner of the opening bracket at i, -1 for none.
func (t *text) closing(i int) int {
	if i < 0 || i >= len(t.toks) {
		return -1
	}
	if m := int(t.toks[i].match); m > i {
		return m
	}
	return -1
}

// add records an import.
func (s *scanner) add(imp lang.Import) {
	if (imp.Kind == lang.Static || imp.Kind == lang.Require) && isAsset(imp.Specifier) {
		imp.Kind = lang.Asset
	}
	for _, n := range imp.Names {
		if n.Imported == "createRequire" && n.Local != "" && n.Local != n.Imported {
			if s.makers == nil {
				s.makers = map[string]bool{}
			}
			s.makers[n.Local] = true
		}
	}
	imp.Line, imp.Column = s.line.at(imp.SpecSpan.Start)
	// import("./x") where a type stands is a guess.
	imp.Erased = imp.Kind == lang.TypeOnly && s.dia.ts && !isComponent(s.f.Path) && s.src[imp.Span.Start] != '/' && s.statementAt(imp.Span.Start)
	s.f.Imports = append(s.f.Imports, imp)
}

// statementAt tells whether a statement of import or export type begins there.
func (s *scanner) statementAt(at int) bool {
	word, rest, _ := strings.Cut(s.src[at:], " ")
	return (word == "import" || word == "export") && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "type")
}

func (s *scanner) uncertain(i int, what string) {
	line, _ := s.line.at(int(s.toks[i].start))
	s.f.Uncertain = append(s.f.Uncertain, fmt.Sprintf("line %d: %s of a computed path", line, what))
}

// lineCounter turns offsets into lines; it is fast when they mostly grow.
type lineCounter struct {
	src              string
	pos, start, line int // start of the line that pos stands in
}

func (c *lineCounter) at(off int) (line, column int) {
	if off < c.pos {
		c.pos, c.start, c.line = 0, 0, 1
	}
	for c.pos < off {
		n := strings.IndexByte(c.src[c.pos:off], '\n')
		if n < 0 {
			break
		}
		c.pos += n + 1
		c.start = c.pos
		c.line++
	}
	c.pos = off
	return c.line, off - c.start + 1
}

// references reads the /// <reference path="…"/> comments at the top.
func (s *scanner) references() {
	for i := range s.comments {
		c := &s.comments[i]
		if len(s.toks) > 0 && c.start > s.toks[0].start {
			return
		}
		body := s.src[c.start:c.end]
		rest, ok := strings.CutPrefix(body, "///")
		if !ok || !strings.HasPrefix(strings.TrimSpace(rest), "<reference") {
			continue
		}
		for _, attr := range []string{"path=", "types="} {
			k := strings.Index(body, attr)
			if k < 0 || k+len(attr) >= len(body) {
				continue
			}
			q := k + len(attr)
			end := strings.IndexByte(body[q+1:], body[q])
			if body[q] != '"' && body[q] != '\'' || end < 0 {
				continue
			}
			spec := body[q+1 : q+1+end]
			at := int(c.start) + q + 1
			s.add(lang.Import{Kind: lang.TypeOnly, Specifier: spec,
				Span:     lang.Span{Start: int(c.start), End: int(c.end)},
				SpecSpan: lang.Span{Start: at, End: at + end}})
		}
	}
}
