package cycle

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"regreen/internal/lang"
)

// words are what a source file is made of.
type words struct {
	imports []string
	strings []string // without quotes
	numbers []string
	idents  map[string]int // but for members
	members map[string]int // names after a dot
	exits   int
	// computed counts members of global objects, and modules, whose names are
	// not written down.
	computed int
	clock    int // times that the clock is asked: new Date(), time.time()
	// patched counts what is put into things that are not the file's own.
	patched int
}

func vocabulary(l lang.Language, file string, src []byte) words {
	v := words{idents: map[string]int{}, members: map[string]int{}}
	foreign := slices.Clone(sharedGlobals[l.Name()])
	for _, imp := range l.Scan(file, src).Imports {
		v.imports = append(v.imports, imp.Specifier)
		for _, n := range imp.Names {
			foreign = append(foreign, n.Local)
			if imp.Kind == lang.From && n.Imported != "*" {
				v.imports = append(v.imports, imp.Specifier+"."+n.Imported) // from tests import test_tax
			}
		}
	}
	tokens := slices.DeleteFunc(slices.Clone(l.Tokens(file, src)), func(t lang.Token) bool {
		return slices.Contains([]lang.TokenKind{lang.Comment, lang.Newline, lang.Indent, lang.Dedent}, t.Kind)
	})
	v.patched = patches(src, tokens, foreign)
	v.numbers, v.strings = folded(src, tokens)
	called, before := "", [2]string{}
	for _, tok := range tokens {
		text := string(src[tok.Start:tok.End])
		switch tok.Kind {
		case lang.String:
			v.strings = append(v.strings, unquote(text))
		case lang.Number:
			v.numbers = append(v.numbers, number(text))
		case lang.Ident, lang.Keyword:
			if before[1] == "." || before[1] == "?." {
				v.members[text]++
			} else {
				v.idents[text]++
			}
			if before[1] == "." && endsProcess(before[0], text) || before[1] != "." && (text == "SystemExit" || text == "KeyboardInterrupt") {
				v.exits++
			}
		}
		switch {
		case text == "[" && slices.Contains([]string{"process", "global", "window", "self", "module"}, before[1]),
			loads(before[0]) && before[1] == "(" && tok.Kind != lang.String,
			before[0] == ")" && before[1] == "." && text == "stack",
			loads(called) && before[0] == "(" && text == "+":
			v.computed++
		case before[0] == "Date" && before[1] == "(" && text == ")", before[0] == "time" && before[1] == "." && text == "time":
			v.clock++
		}
		called, before[0], before[1] = before[0], before[1], text
	}
	return v
}

// loads names the calls that take a module's name.
func loads(name string) bool { return name == "require" || name == "import" }

func endsProcess(object, method string) bool {
	switch object {
	case "process":
		return slices.Contains([]string{"exit", "abort", "kill", "reallyExit", "exitCode", "emit", "removeAllListeners", "binding"}, method)
	case "os":
		return slices.Contains([]string{"_exit", "abort", "kill", "killpg", "execv", "execve", "execvp", "fork"}, method)
	case "sys":
		return slices.Contains([]string{"exit", "exitfunc", "excepthook"}, method)
	case "signal":
		return slices.Contains([]string{"raise_signal", "alarm"}, method)
	case "atexit":
		return method == "register"
	}
	return false
}

// sharedGlobals are what all code of a process has in common, the framework too:
// with Object.is replaced, everything is what it should be.
var sharedGlobals = map[string][]string{"js": {"Object", "Math", "JSON", "Number", "String", "Boolean", "Array", "Date", "Promise", "Symbol", "Map", "Set",
	"RegExp", "Error", "Buffer", "process", "global", "window", "self", "console"}}

// patches counts the assignments to members of foreign things, and where the
// things are handed on as they are so that this can be done elsewhere.
func patches(src []byte, tokens []lang.Token, foreign []string) int {
	word := func(i int) string {
		if i < 0 || i >= len(tokens) {
			return ""
		}
		return string(src[tokens[i].Start:tokens[i].End])
	}
	n := 0
	for i := range tokens {
		switch w := word(i); {
		case w == "=" && (word(i-2) == "." || word(i-1) == "]"):
			if r := root(word, i-1); slices.Contains(foreign, word(r)) && !annotates(src, tokens, word, r, i) {
				n++
			}
		case w == "assign" && word(i-1) == "." && word(i+1) == "(":
			if slices.Contains(foreign, word(i+2)) {
				n++
			}
		case w == "Object" || w == "JSON" || w == "Math":
			if next := word(i + 1); next != "." && next != "[" && next != "(" && word(i-1) != "." && word(i-1) != ":" && slices.Contains(foreign, w) {
				n++
			}
		}
	}
	return n
}

// root is the first token of the members that are read up to a token.
func root(word func(int) string, i int) int {
	for i >= 0 {
		if word(i) == "]" {
			for depth := 0; i >= 0; i-- {
				switch word(i) {
				case "]":
					depth++
				case "[":
					depth--
				}
				if depth == 0 {
					break
				}
			}
			i--
			continue
		}
		if word(i-1) != "." {
			return i
		}
		i -= 2
	}
	return i
}

// annotates tells whether what ends before the "=" at i is the type of a variable,
// and no label or head of a block before an assignment.
func annotates(src []byte, tokens []lang.Token, word func(int) string, r, i int) bool {
	if word(r-1) != ":" || slices.Contains(sharedGlobals["js"], word(r)) && (word(i-1) != "]" || word(i-2) != "[") {
		return false
	}
	first := root(word, r-2)
	if first < 0 || first >= r-1 || tokens[r-2].Kind != lang.Ident {
		return false
	}
	return first == 0 || slices.Contains([]string{"(", ",", "const", "let", "var", "private", "public", "protected", "readonly", "static"}, word(first-1)) ||
		strings.Contains(string(src[tokens[first-1].End:tokens[first].Start]), "\n")
}

// folded gives what two literals make with an operator between them.
func folded(src []byte, tokens []lang.Token) (numbers, texts []string) {
	for i := 1; i+1 < len(tokens); i++ {
		a, op, b := tokens[i-1], string(src[tokens[i].Start:tokens[i].End]), tokens[i+1]
		x, y := string(src[a.Start:a.End]), string(src[b.Start:b.End])
		switch {
		case a.Kind == lang.String && b.Kind == lang.String && op == "+":
			texts = append(texts, unquote(x)+unquote(y))
		case a.Kind == lang.Number && b.Kind == lang.Number:
			m, err := strconv.ParseFloat(number(x), 64)
			k, err2 := strconv.ParseFloat(number(y), 64)
			if err != nil || err2 != nil {
				continue
			}
			switch op {
			case "+":
				m += k
			case "-":
				m -= k
			case "*":
				m *= k
			case "/":
				m /= k
			case "**":
				m = math.Pow(m, k)
			default:
				continue
			}
			numbers = append(numbers, strconv.FormatFloat(m, 'g', -1, 64))
		}
	}
	return numbers, texts
}

// number writes a number in one way, however it is written: 0x96 is 150.
func number(lit string) string {
	s := strings.TrimSuffix(strings.ReplaceAll(lit, "_", ""), "n")
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return strconv.FormatFloat(float64(n), 'g', -1, 64)
	}
	if f, err := strconv.ParseFloat(s, 64); err == nil {
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	return lit
}
