package js

// kind sorts our own tokens, finer than lang's.
type kind uint8

const (
	kIdent kind = iota
	kKeyword
	kPrivate // #name
	kNumber
	kString
	kTemplate // `…` without holes
	kTplHead  // `…${
	kTplMiddle
	kTplTail
	kRegexp
	kPunct
	kJSXText
	kComment
	kInvalid
)

// frameKind says what an open bracket is.
type frameKind uint8

const (
	fRoot frameKind = iota
	fParen
	fBracket
	fBlock     // statements
	fFunc      // a function's statements
	fTry       // the statements of a try
	fObject    // a literal, a pattern, a type, import and export lists
	fClass     // class body, also interface and enum
	fNamespace // namespace, module and global blocks
	fTemplate  // a template's hole
	fJSXExpr   // { } inside an element
	fJSXTag    // <a …
	fJSXClose  // </a
	fJSXKids   // between > and </
	fAngle     // type arguments of a tag
)

// tok is a token. Comments are kept apart from the others.
type tok struct {
	start, end int32
	match      int32 // index of the partner of a bracket, -1 for none
	kind       kind
	frame      frameKind // of an opening bracket
	nl         bool      // a line ends between the token before and this one
	jsx        bool      // a name inside a tag
}

// pending is a head whose brace is still to come.
type pending uint8

const (
	pendNone pending = iota
	pendFuncDecl
	pendFuncExpr
	pendClassDecl
	pendClassExpr
	pendInterface
)

// frame is an open bracket.
type frame struct {
	open    int32 // token index
	kind    frameKind
	ctl     bool // a paren after if, while, for, with, switch, catch
	operand bool // its end is the end of an operand
	inCase  bool // between case and its colon
	pend    pending
	ternary int32 // open ? : pairs
}

// text is a tokenized text.
type text struct {
	src      string
	dia      dialect
	toks     []tok
	comments []tok
	// broken says that brackets do not match or a token did not end.
	broken bool
}

// str is the text of token i; "" outside the tokens.
func (t *text) str(i int) string {
	if i < 0 || i >= len(t.toks) {
		return ""
	}
	k := &t.toks[i]
	return t.src[k.start:k.end]
}

// is tells whether token i is the given punctuation or word (not a string).
func (t *text) is(i int, s string) bool {
	if i < 0 || i >= len(t.toks) {
		return false
	}
	k := &t.toks[i]
	return int(k.end-k.start) == len(s) && k.kind != kString && t.src[k.start:k.end] == s
}

func (t *text) kindAt(i int) kind {
	if i < 0 || i >= len(t.toks) {
		return kInvalid
	}
	return t.toks[i].kind
}

// word tells whether token i is a name or a keyword.
func (t *text) word(i int) bool {
	k := t.kindAt(i)
	return k == kIdent || k == kKeyword
}

type lexer struct {
	*text
	pos, limit int
	frames     []frame
	operand    bool // the token before ends an operand
	nl         bool
}

// lex tokenizes src[from:to].
func lex(src string, from, to int, d dialect) *text {
	l := &lexer{text: &text{src: src, dia: d}, pos: from, limit: to, nl: true}
	l.toks = make([]tok, 0, (to-from)/5+16)
	l.frames = append(l.frames, frame{open: -1})
	if from == 0 && l.at(0) == '#' && l.at(1) == '!' {
		l.comment(l.lineEnd(0))
	}
	for l.step() {
	}
	if len(l.frames) > 1 {
		l.broken = true
	}
	return l.text
}

func (l *lexer) at(i int) byte {
	if i < l.limit {
		return l.src[i]
	}
	return 0
}

func (l *lexer) top() *frame { return &l.frames[len(l.frames)-1] }

// push opens a bracket whose token was just emitted.
func (l *lexer) push(f frame) {
	f.open = int32(len(l.toks) - 1)
	if f.open >= 0 {
		l.toks[f.open].frame = f.kind
	}
	l.frames = append(l.frames, f)
}

// emit adds a token that ends at end and moves there.
func (l *lexer) emit(k kind, end int, operand bool) {
	if end > l.limit {
		end = l.limit
	}
	if k == kInvalid {
		l.broken = true
	}
	l.toks = append(l.toks, tok{start: int32(l.pos), end: int32(end), match: -1, kind: k, nl: l.nl})
	l.pos, l.operand, l.nl = end, operand, false
}

func (l *lexer) comment(end int) {
	l.comments = append(l.comments, tok{start: int32(l.pos), end: int32(end), match: -1, kind: kComment, nl: l.nl})
	l.pos = end
}

// lineEnd is the end of the line that i stands in, without its line end.
func (l *lexer) lineEnd(i int) int {
	for i < l.limit {
		switch c := l.src[i]; {
		case c == '\n' || c == '\r':
			return i
		case c == 0xE2 && i+2 < l.limit && l.src[i+1] == 0x80 && (l.src[i+2] == 0xA8 || l.src[i+2] == 0xA9):
			return i
		}
		i++
	}
	return i
}

// step reads one token, comment or run of white space; false at the end.
func (l *lexer) step() bool {
	if l.top().kind == fJSXKids {
		return l.jsxKids()
	}
	for {
		if l.pos >= l.limit {
			return false
		}
		c := l.src[l.pos]
		if c == '\n' || c == '\r' {
			l.nl = true
			l.pos++
			continue
		}
		if c < 0x80 {
			if class[c]&clsSpace == 0 {
				break
			}
			l.pos++
			continue
		}
		n, nl := wideSpace(l.src[l.pos:l.limit])
		if n == 0 {
			break
		}
		l.pos += n
		l.nl = l.nl || nl
	}
	c := l.src[l.pos]
	if c == '/' && l.slashComment() {
		return true
	}
	if k := l.top().kind; k == fJSXTag || k == fJSXClose {
		l.jsxTag(c)
		return true
	}
	switch {
	case c >= 0x80 || class[c]&clsStart != 0 || c == '\\':
		l.name()
	case class[c]&clsDigit != 0 || c == '.' && isDigit(l.at(l.pos+1)):
		l.emit(kNumber, l.numberEnd(l.pos), true)
	case c == '"' || c == '\'':
		l.quoted(c)
	case c == '`':
		l.template(l.pos+1, true)
	case c == '#' && (isIdentByte(l.at(l.pos+1)) || l.at(l.pos+1) == '\\'):
		l.emit(kPrivate, l.nameEnd(l.pos+1), true)
	default:
		l.punct(c)
	}
	return true
}

// slashComment reads a comment, if one stands here.
func (l *lexer) slashComment() bool {
	switch l.at(l.pos + 1) {
	case '/':
		l.comment(l.lineEnd(l.pos))
		return true
	case '*':
		i := l.pos + 2
		for ; i < l.limit; i++ {
			switch l.src[i] {
			case '\n', '\r':
				l.nl = true
			case '*':
				if l.at(i+1) == '/' {
					l.comment(i + 2)
					return true
				}
			}
		}
		l.broken = true
		l.comment(i)
		return true
	}
	return false
}

// nameEnd is the end of the identifier characters from i on.
func (l *lexer) nameEnd(i int) int {
	for i < l.limit {
		c := l.src[i]
		switch {
		case c < 0x80 && class[c]&clsPart != 0:
			i++
		case c >= 0x80:
			n, _ := wideSpace(l.src[i:l.limit])
			if n > 0 {
				return i
			}
			i++
		case c == '\\' && l.at(i+1) == 'u':
			i += 2
			if l.at(i) == '{' {
				for i < l.limit && l.src[i] != '}' && l.src[i] != '\n' {
					i++
				}
				if l.at(i) == '}' {
					i++
				}
				continue
			}
			for n := 0; n < 4 && i < l.limit && isIdentByte(l.src[i]); n++ {
				i++
			}
		default:
			return i
		}
	}
	return i
}

// name reads an identifier or keyword and keeps the frame's heads in mind.
func (l *lexer) name() {
	end := l.nameEnd(l.pos)
	if end == l.pos { // a lone backslash
		l.emit(kInvalid, l.pos+1, false)
		return
	}
	s := l.src[l.pos:end]
	n := len(l.toks)
	if n > 0 {
		if p := &l.toks[n-1]; p.kind == kPunct {
			if d := l.src[p.start:p.end]; d == "." || d == "?." {
				l.emit(kIdent, end, true)
				return
			}
		}
	}
	if !isReserved(s) {
		switch s {
		case "of":
			l.emit(kIdent, end, !(l.top().ctl && l.operand))
			return
		case "interface":
			if l.stmtStart() {
				l.top().pend = pendInterface
			}
		}
		l.emit(kIdent, end, true)
		return
	}
	operand := false
	f := l.top()
	switch s {
	case "this", "super", "null", "true", "false":
		operand = true
	case "function":
		f.pend = pendFuncExpr
		if l.stmtStart() {
			f.pend = pendFuncDecl
		}
	case "class":
		f.pend = pendClassExpr
		if l.stmtStart() {
			f.pend = pendClassDecl
		}
	case "enum":
		f.pend = pendInterface
	case "case", "default":
		if f.kind == fBlock {
			f.inCase = true
		}
	}
	l.emit(kKeyword, end, operand)
}

// stmtStart guesses whether the next token begins a statement.
func (l *lexer) stmtStart() bool {
	for i := len(l.toks) - 1; i >= 0; i-- {
		switch l.str(i) {
		case "async", "export", "default", "declare", "abstract", "const":
			if l.toks[i].nl || i == 0 {
				return true
			}
			continue
		case ";", "else", "do":
			return true
		case "{":
			k := l.toks[i].frame
			return k != fObject && k != fJSXExpr
		case "}":
			return !l.operand || l.nl
		case ")":
			return !l.operand || l.nl && i == len(l.toks)-1
		case ":":
			f := l.top()
			return f.kind != fObject && f.kind != fParen && f.ternary == 0
		}
		return i == len(l.toks)-1 && l.nl && l.operand
	}
	return true
}

// closeTop pops the top frame and links its opener with the last token.
func (l *lexer) closeTop() {
	f := l.frames[len(l.frames)-1]
	l.frames = l.frames[:len(l.frames)-1]
	last := int32(len(l.toks) - 1)
	if f.open >= 0 && f.open < last {
		l.toks[f.open].match = last
		l.toks[last].match = f.open
	}
}
