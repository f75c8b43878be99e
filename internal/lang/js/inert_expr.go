package js

import (
	"slices"
	"strings"
)

// expr judges the expression at token i up to the comma, semicolon or bracket
// that ends it, and gives that token's index.
func (j *judge) expr(i int) (next int, v value) {
	next, v = j.operand(i)
	for v != effect {
		op := j.str(next)
		switch {
		case next >= j.end || slices.Contains([]string{",", ";", ")", "]", "}"}, op) || j.kindAt(next) == kTplMiddle || j.kindAt(next) == kTplTail:
			return next, v
		case op == "||" || op == "&&" || op == "??": // ask at most whether there is a value
			var w value
			if next, w = j.operand(next + 1); w != v {
				v = min(v, w, object)
			}
		case slices.Contains([]string{"+", "-", "*", "/", "%", "**", "|", "&", "^", "<<", ">>", ">>>", "<", ">", "<=", ">=", "==", "===", "!=", "!=="}, op) && v == primitive:
			if next, v = j.operand(next + 1); v != primitive {
				return next, effect
			}
		default:
			return next, effect
		}
	}
	return next, effect
}

// operand judges what stands between operators.
func (j *judge) operand(i int) (int, value) {
	switch j.kindAt(i) {
	case kNumber:
		if strings.HasSuffix(j.str(i), "n") {
			return i + 1, object // it does not mix with other numbers
		}
		return i + 1, primitive
	case kString:
		return i + 1, primitive
	case kTemplate:
		return i + 1, primitive
	case kRegexp:
		return i + 1, object
	case kTplHead:
		return j.template(i)
	case kPunct:
		return j.bracketed(i)
	case kKeyword:
		switch j.str(i) {
		case "true", "false", "null":
			return i + 1, primitive
		case "function":
			if _, next := j.function(i); next > 0 {
				return next, object
			}
		case "class":
			if next := j.class(i); next > 0 {
				return next, aClass
			}
		case "new":
			return j.made(i)
		case "void", "typeof":
			return j.unary(i)
		}
	case kIdent:
		return j.name(i)
	}
	return i, effect
}

func (j *judge) unary(i int) (int, value) {
	next, v := j.operand(i + 1)
	if v != primitive {
		return next, effect
	}
	return next, primitive
}

// template reads a template with holes of primitive values.
func (j *judge) template(i int) (int, value) {
	for {
		next, v := j.expr(i + 1)
		switch {
		case v != primitive:
			return next, effect
		case j.kindAt(next) == kTplTail:
			return next + 1, primitive
		case j.kindAt(next) != kTplMiddle:
			return next, effect
		}
		i = next
	}
}

func (j *judge) bracketed(i int) (int, value) {
	switch j.str(i) {
	case "-", "+", "!", "~":
		return j.unary(i)
	case "[":
		return j.array(i)
	case "{":
		return j.objectLiteral(i)
	case "(":
		end := j.closing(i)
		if end < 0 {
			return i, effect
		}
		if j.is(end+1, "=>") {
			return j.arrow(end + 1)
		}
		if next := j.enum(i); next > 0 {
			return next, object
		}
		next, v := j.expr(i + 1)
		if v == effect || next != end {
			return next, effect
		}
		return end + 1, v
	}
	return i, effect
}

func (j *judge) array(i int) (int, value) {
	end := j.closing(i)
	for i++; i < end; i++ {
		if j.is(i, ",") {
			continue
		}
		next, v := j.expr(i)
		if v == effect || next != end && !j.is(next, ",") {
			return next, effect
		}
		i = next
	}
	if end < 0 {
		return i, effect
	}
	return end + 1, object
}

func (j *judge) objectLiteral(i int) (int, value) {
	end := j.closing(i)
	for i++; i < end; i++ {
		next := j.property(i)
		if next == 0 || next != end && !j.is(next, ",") {
			return i, effect
		}
		i = next
	}
	if end < 0 {
		return i, effect
	}
	return end + 1, object
}

// property gives the token behind one property, 0 where it may do something.
func (j *judge) property(i int) int {
	for slices.Contains([]string{"get", "set", "async", "*"}, j.str(i)) && !slices.Contains([]string{":", "(", ",", "}"}, j.str(i+1)) {
		i++
	}
	next := j.key(i)
	switch {
	case next == 0:
		return 0
	case j.is(next, "("):
		return j.body(next)
	case j.is(next, ":"):
		next, v := j.expr(next + 1)
		if v == effect {
			return 0
		}
		return next
	case j.kindAt(i) == kIdent:
		if _, v := j.name(i); v != effect {
			return next
		}
	}
	return 0
}

// arrow reads what stands behind the parameters: it runs when it is called.
func (j *judge) arrow(i int) (int, value) {
	if !j.is(i, "=>") {
		return i, effect
	}
	i++
	if j.is(i, "{") {
		if end := j.closing(i); end > 0 {
			return end + 1, object
		}
		return i, effect
	}
	for ; i < j.end; i++ {
		switch {
		case j.closing(i) > 0:
			for j.closing(i) > 0 {
				i = j.closing(i)
			}
			continue
		case j.is(i, ","), j.is(i, ";"), j.is(i, ")"), j.is(i, "]"), j.is(i, "}"), j.kindAt(i) == kTplMiddle, j.kindAt(i) == kTplTail:
			return i, object
		}
	}
	return i, effect
}

// name judges an expression that begins with a name.
func (j *judge) name(i int) (int, value) {
	name := j.str(i)
	switch {
	case j.is(i+1, "=>"):
		return j.arrow(i + 1)
	case name == "async" && j.is(i+1, "function"):
		if _, next := j.function(i); next > 0 {
			return next, object
		}
		return i, effect
	case name == "async" && j.is(i+1, "(") && j.is(j.closing(i+1)+1, "=>"):
		return j.arrow(j.closing(i+1) + 1)
	case name == "async" && j.kindAt(i+1) == kIdent && j.is(i+2, "=>"):
		return j.arrow(i + 2)
	case j.is(i+1, "."):
		return j.known(i)
	case j.is(i+1, "(") && name == "Symbol" && j.global(name):
		return j.call(i+1, true)
	case j.is(i+1, "("), j.is(i+1, "["), j.is(i+1, "?."), j.kindAt(i+1) == kTemplate, j.kindAt(i+1) == kTplHead:
		return i, effect
	case name == "undefined", name == "NaN", name == "Infinity":
		return i + 1, primitive
	case j.functions[name]:
		return i + 1, object
	case j.imported[name]: // it fails where the name has no value yet
		j.s.reads = append(j.s.reads, name)
		return i + 1, object
	}
	return i + 1, j.bound[name]
}

// pure are calls of the language's own that do nothing but make a value of
// their arguments.
var pure = []string{"Object.freeze", "Object.create", "Symbol.for"}

// known reads a member of one of the language's own objects.
func (j *judge) known(i int) (int, value) {
	owner, member := j.str(i), j.str(i+2)
	if !j.global(owner) || j.is(i+3, ".") || j.is(i+3, "[") {
		return i, effect
	}
	switch {
	case owner == "Number" && strings.ToUpper(member) == member, owner == "Math" && strings.ToUpper(member) == member:
		return i + 3, primitive
	case owner == "Symbol" && !j.is(i+3, "("):
		return i + 3, object
	case slices.Contains(pure, owner+"."+member) && j.is(i+3, "("):
		switch {
		case member == "create" && !(j.is(i+4, "null") && j.is(i+5, ")")):
			return i, effect
		case member == "freeze" && !j.is(i+4, "{") && !j.is(i+4, "["): // something older
			return i, effect
		}
		return j.call(i+3, member == "for")
	}
	return i, effect
}

// call reads the arguments of a call at token i that makes an object; plain
// tells that they must be primitive.
func (j *judge) call(i int, plain bool) (int, value) {
	end := j.closing(i)
	for i++; i < end; i++ {
		next, v := j.expr(i)
		if v == effect || plain && v != primitive || next != end && !j.is(next, ",") {
			return next, effect
		}
		i = next
	}
	if end < 0 {
		return i, effect
	}
	return end + 1, object
}

// made reads new Map() and the like, empty or of literals.
func (j *judge) made(i int) (int, value) {
	name := j.str(i + 1)
	if !slices.Contains([]string{"Map", "Set", "WeakMap", "WeakSet"}, name) || !j.global(name) || !j.is(i+2, "(") {
		return i, effect
	}
	if j.is(i+3, ")") {
		return i + 4, object
	}
	if name != "Set" || !j.is(i+3, "[") {
		return i, effect
	}
	next, v := j.array(i + 3)
	if v == effect || !j.is(next, ")") {
		return next, effect
	}
	return next + 1, object
}

// enum reads what esbuild makes of an enum of literals:
// ((E2) => { E2[E2["A"] = 0] = "A"; E2["B"] = "x"; return E2; })(E || {}).
func (j *judge) enum(i int) int {
	param := j.str(i + 2)
	end := j.closing(i)
	if !j.is(i+1, "(") || !j.is(i+3, ")") || !j.is(i+4, "=>") || !j.is(i+5, "{") || j.closing(i+5) != end-1 {
		return 0
	}
	at := i + 6
	for j.is(at, param) && j.is(at+1, "[") {
		open := at + 1
		if j.is(at+2, param) && j.is(at+3, "[") {
			open = at + 3
		}
		if j.kindAt(open+1) != kString || !j.is(open+2, "]") || !j.is(open+3, "=") {
			return 0
		}
		next, v := j.operand(open + 4)
		if v != primitive {
			return 0
		}
		if open == at+3 {
			if !j.is(next, "]") || !j.is(next+1, "=") || j.kindAt(next+2) != kString {
				return 0
			}
			next += 3
		}
		if !j.is(next, ";") {
			return 0
		}
		at = next + 1
	}
	if !j.is(at, "return") || !j.is(at+1, param) || !j.is(at+2, ";") || at+3 != end-1 {
		return 0
	}
	// The name that is bound, or another object would get the members.
	if !j.is(i-3, "var") || !j.is(i-1, "=") || !j.is(end+1, "(") || !j.is(end+2, j.str(i-2)) || !j.is(end+3, "||") || !j.is(end+4, "{") || !j.is(end+5, "}") || !j.is(end+6, ")") {
		return 0
	}
	return end + 7
}
