package fixers

import (
	"slices"

	"regreen/internal/lang"
)

// signature is what a function takes, and where a text gives it its name.
type signature struct {
	name string
	// method: calls read it off something.
	method bool
	def    int // the name's token
	params []parameter
}

// anonymous is the name of a module's default export that has no other.
const anonymous = "default"

// signatures lists the functions that a text declares or assigns to a name, a
// field or a key, a method with its class before it. A class stands for its
// constructor. What is named twice is left out.
func signatures(t *text) map[string]signature {
	out := map[string]signature{}
	twice := map[string]bool{}
	read := jsSignature
	if t.lang.Name() == "python" {
		read = pythonSignature
	}
	for i := range t.significant() {
		s, ok := read(t, i)
		if !ok {
			continue
		}
		key := s.name
		if c, ok := t.ownerOf(s.def); ok && s.method {
			key = c.name + "." + key
		}
		if _, ok := out[key]; ok {
			twice[key] = true
		}
		out[key] = s
	}
	for key := range twice {
		delete(out, key)
	}
	return out
}

// pythonSignature reads the function that the token at i names: def name(…), or
// name = lambda ….
func pythonSignature(t *text, i int) (signature, bool) {
	s := signature{name: t.word(i), def: i}
	if t.significant()[i].Kind != lang.Ident {
		return s, false
	}
	if t.word(i+1) == "=" && t.word(i+2) == "lambda" && t.startsStatement(i) {
		end := i + 3
		for ; t.word(end) != ":" && end < len(t.significant()); end++ {
			if c := t.matching(end); c > 0 {
				end = c
			}
		}
		s.params = parameters(t, i+3, end)
		return s, true
	}
	if t.word(i-1) != "def" || t.word(i+1) != "(" {
		return s, false
	}
	s.params = parameters(t, i+2, t.matching(i+1))
	if len(s.params) == 0 || s.params[0].name != "self" && s.params[0].name != "cls" {
		return s, true
	}
	s.method, s.params = true, s.params[1:]
	return s, s.name != "__init__" || s.constructs(t)
}

// constructs makes the signature of a constructor that of its class.
func (s *signature) constructs(t *text) bool {
	c, ok := t.classAround(s.def)
	if !ok {
		return false
	}
	s.name, s.def, s.method = c.name, c.def, false
	return true
}

// jsSignature reads the function that the token at i names.
func jsSignature(t *text, i int) (signature, bool) {
	s := signature{name: t.word(i), def: i}
	value := -1 // where the function begins that is assigned
	switch ident := t.significant()[i].Kind == lang.Ident; {
	case s.name == "default" && t.word(i-1) == "export":
		s.name, value = anonymous, i+1
		if f := firstWord(t, i+1, "async"); t.word(f) == "function" && t.word(f+1) != "(" {
			return s, false // it has a name of its own
		}
	case s.name == "exports" && t.word(i-2) == "module" && t.word(i+1) == "=":
		s.name, value = anonymous, i+2
	case !ident && s.name != "constructor":
		return s, false
	case declaresFunction(t, i):
		open := afterTypeParameters(t, i+1)
		s.params = parameters(t, open+1, t.matching(open))
		return s, t.word(open) == "("
	case definesMember(t, i) && t.word(afterTypeParameters(t, i+1)) == "(" && (t.inClass(i) || t.inObject(i)):
		open := afterTypeParameters(t, i+1)
		s.method, s.params = true, parameters(t, open+1, t.matching(open))
		return s, s.name != "constructor" || s.constructs(t)
	default:
		value, s.method = assignedTo(t, i)
	}
	var ok bool
	s.params, ok = functionValue(t, value)
	return s, ok
}

// firstWord is i, or the token after it where i is the word.
func firstWord(t *text, i int, word string) int {
	if t.word(i) == word {
		return i + 1
	}
	return i
}

// declaresFunction tells whether the token names a function by declaration: the
// name of a function that is a value is seen by nobody else.
func declaresFunction(t *text, i int) bool {
	j := i - 1
	if t.word(j) == "*" {
		j--
	}
	if t.word(j) != "function" {
		return false
	}
	if t.word(j-1) == "async" {
		j--
	}
	switch t.word(j - 1) {
	case "", ";", "{", "}", ")", "export", "default", "declare":
		return true
	}
	return t.startsStatement(j) && t.significant()[j-1].Kind != lang.Punct && t.significant()[j-1].Kind != lang.Keyword
}

// assignedTo gives the token at which the value begins that is put into what
// the token at i names, -1 for none; method where it is a field or a key.
func assignedTo(t *text, i int) (value int, method bool) {
	prev := t.word(i - 1)
	declares := prev == "const" || prev == "let" || prev == "var"
	switch t.word(i + 1) {
	case "=":
		switch {
		case declares:
			return i + 2, false
		case t.isMember(i):
			return i + 2, t.word(i-2) != "exports"
		case definesMember(t, i) && t.inClass(i):
			return i + 2, true
		}
	case ":":
		if declares {
			return annotationEnd(t, i+2), false
		}
		if definesMember(t, i) && t.inObject(i) {
			return i + 2, true
		}
	}
	return -1, false
}

// annotationEnd is the token behind the "=" that ends a type at i, -1 where
// none does.
func annotationEnd(t *text, i int) int {
	for n := 0; n < 60; n++ {
		switch t.word(i) {
		case "=":
			return i + 1
		case ";", "", ")", "]", "}":
			return -1
		case "(", "[", "{":
			c := t.matching(i)
			if c < 0 {
				return -1
			}
			i = c
		}
		i++
	}
	return -1
}

// functionValue reads the parameters of a function expression or an arrow
// function that begins at a token.
func functionValue(t *text, i int) ([]parameter, bool) {
	if i < 0 {
		return nil, false
	}
	i = firstWord(t, i, "async")
	if t.word(i) == "function" {
		i = firstWord(t, i+1, "*")
		if t.word(i) != "(" && t.word(i) != "<" {
			i++
		}
		i = afterTypeParameters(t, i)
		return parameters(t, i+1, t.matching(i)), t.word(i) == "("
	}
	if t.word(i+1) == "=>" {
		return parameters(t, i, i+1), true
	}
	i = afterTypeParameters(t, i)
	if t.word(i) != "(" {
		return nil, false
	}
	end := t.matching(i)
	arrow := end + 1
	if t.word(arrow) == ":" {
		arrow = arrowAfter(t, arrow)
	}
	return parameters(t, i+1, end), end > 0 && t.word(arrow) == "=>"
}

// arrowAfter finds the arrow behind a return type.
func arrowAfter(t *text, i int) int {
	for n := 0; n < 40; n++ {
		switch t.word(i) {
		case "=>":
			return i
		case ";", "", "=", ")", "]", "}":
			return -1
		case "(", "[", "{":
			if i = t.matching(i); i < 0 {
				return -1
			}
		}
		i++
	}
	return -1
}

// afterTypeParameters is the token behind <…> at i, i where there is none.
func afterTypeParameters(t *text, i int) int {
	if t.word(i) != "<" {
		return i
	}
	depth := 0
	for j := i; j < i+80; j++ {
		switch t.word(j) {
		case "<":
			depth++
		case ">>":
			depth -= 2
		case ">":
			depth--
		case ";", "", ")", "]", "}":
			return i
		case "(", "[", "{":
			if j = t.matching(j); j < 0 {
				return i
			}
		}
		if depth <= 0 {
			return j + 1
		}
	}
	return i
}

// inObject tells whether the token is directly inside an object literal that is
// handed to no call: there the call says what its functions are given.
func (t *text) inObject(i int) bool {
	o := t.around(i)
	if t.word(o) != "{" || t.inClass(i) {
		return false
	}
	if _, isBody := bodyAt(t, o); isBody {
		return false
	}
	for t.word(o-1) == ":" && t.word(t.around(o)) == "{" {
		o = t.around(o)
	}
	return t.word(o-1) != "(" && t.word(o-1) != "," || t.word(o-2) == "=>"
}

// parameter is one of a signature.
type parameter struct {
	name  string
	plain bool // a plain name: no default, no pattern, no rest
	keys  []string
	span  lang.Span // with its type and default
}

// parameters reads the tokens from first to end, without it.
func parameters(t *text, first, end int) []parameter {
	var out []parameter
	for _, a := range split(t, first, end) {
		for slices.Contains(modifiers, t.word(a.first)) && a.first < a.last && t.significant()[a.first+1].Kind == lang.Ident {
			a.first++ // a field that the constructor declares
		}
		ks := t.significant()
		p := parameter{name: t.word(a.first), span: lang.Span{Start: ks[a.first].Start, End: ks[a.last].End}}
		p.plain = ks[a.first].Kind == lang.Ident && (a.last == a.first || t.word(a.first+1) == ":") && !hasDefault(t, a)
		if p.name == "{" {
			for _, k := range arguments(t, a.first) {
				p.keys = append(p.keys, t.word(k.first))
			}
			p.name = "{}"
		}
		out = append(out, p)
	}
	return out
}

// hasDefault tells whether a parameter is given a value outside its brackets.
func hasDefault(t *text, a argument) bool {
	for i := a.first; i <= a.last; i++ {
		if t.word(i) == "=" {
			return true
		}
		if c := t.matching(i); c > 0 {
			i = c
		}
	}
	return false
}

// argument is a range of significant tokens, both included.
type argument struct{ first, last int }

// arguments splits what stands between brackets at its commas.
func arguments(t *text, open int) []argument { return split(t, open+1, t.matching(open)) }

// split cuts the tokens from first to end, without it, at the commas outside
// brackets.
func split(t *text, first, end int) []argument {
	var out []argument
	start := first
	for i := first; i <= end; i++ {
		if i == end || t.word(i) == "," {
			if i > start {
				out = append(out, argument{start, i - 1})
			}
			start = i + 1
			continue
		}
		switch t.word(i) {
		case "(", "[", "{", "${":
			if i = t.matching(i); i < 0 || i >= end {
				return nil
			}
		}
	}
	return out
}

func sameParameter(a, b parameter) bool {
	return a.name == b.name && a.plain == b.plain && slices.Equal(a.keys, b.keys)
}
