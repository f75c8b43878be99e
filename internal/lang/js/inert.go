package js

import "slices"

// judge reads one statement of a module and tells whether it is inert: to run
// it binds names and does nothing else, whatever is bound elsewhere. What it
// does not know is not.
type judge struct {
	*module
	s   *statement
	end int // the token behind the statement
}

// statement judges the statement at token i.
func (j *judge) statement(i int) bool {
	exported := false
	if j.is(i, "export") {
		i++
		switch {
		case j.is(i, "{"):
			return j.exportList(i)
		case j.is(i, "default"):
			return j.exportDefault(i + 1)
		}
		exported = true
	}
	switch {
	case j.is(i, "async"), j.is(i, "function"):
		name, next := j.function(i)
		j.bind(name, object, exported)
		return name != "" && next == j.end
	case j.is(i, "class"):
		name := j.str(i + 1)
		if j.kindAt(i+1) != kIdent {
			return false
		}
		next := j.class(i)
		j.bind(name, j.declared(name), exported)
		return next == j.end
	case j.is(i, "const"), j.is(i, "let"), j.is(i, "var"):
		return j.variables(i, exported)
	}
	return false
}

// bind notes a name that the statement binds. Those after it can use it: had
// the statement failed, they would not run.
func (j *judge) bind(name string, v value, exported bool) {
	if name == "" {
		return
	}
	j.s.binds = append(j.s.binds, name)
	if exported {
		j.s.exported[name] = name
	}
	j.bound[name] = max(v, object)
	j.classes[name] = v == aClass
}

// isModule tells whether a statement loads another module.
func (j *judge) isModule(i int) bool {
	if j.is(i, "import") {
		return !j.is(i+1, "(") && !j.is(i+1, ".")
	}
	return j.is(i, "export") && (j.is(i+1, "*") || j.is(i+1, "{") && j.is(j.closing(i+1)+1, "from"))
}

// exportList reads { a, b as c } at token i.
func (j *judge) exportList(i int) bool {
	end := j.closing(i)
	if end < 0 || end+2 != j.end || !j.is(end+1, ";") {
		return false
	}
	for k := i + 1; k < end; k++ {
		if !j.word(k) {
			return false
		}
		name := k
		if j.is(k+1, "as") {
			name = k + 2
			if !j.word(name) { // a string
				return false
			}
		}
		j.s.exported[j.str(name)] = j.str(k)
		if k = name + 1; !j.is(k, ",") && k != end {
			return false
		}
	}
	return true
}

// exportDefault reads what stands behind export default.
func (j *judge) exportDefault(i int) bool {
	j.s.exported["default"] = unnamed
	switch {
	case j.is(i, "function"), j.is(i, "async") && j.is(i+1, "function"):
		name, next := j.function(i)
		if name == "" {
			name = unnamed
		}
		j.bind(name, object, false)
		j.s.exported["default"] = name
		return next == j.end
	case j.is(i, "class"):
		name := unnamed
		if j.kindAt(i+1) == kIdent {
			name = j.str(i + 1)
		}
		next := j.class(i)
		j.bind(name, j.declared(name), false)
		j.s.exported["default"] = name
		return next == j.end
	}
	j.s.binds = append(j.s.binds, unnamed)
	next, v := j.expr(i)
	return v != effect && j.is(next, ";") && next+1 == j.end
}

// variables reads const a = 1, b = 2; at token i.
func (j *judge) variables(i int, exported bool) bool {
	kind := i
	inert := true
	for i++; i < j.end; i++ {
		if j.kindAt(i) != kIdent {
			return false // a pattern
		}
		name, v := j.str(i), primitive
		i++
		if j.is(i, "=") {
			i, v = j.expr(i + 1)
		}
		if v == effect {
			inert = false
			i = j.declaratorEnd(i, j.end)
		}
		if v != effect && !j.is(kind, "const") {
			v = object
		}
		j.bind(name, v, exported)
		if !j.is(i, ",") {
			return inert && j.is(i, ";") && i+1 == j.end
		}
	}
	return false
}

// function reads a function with or without a name; next is 0 for none.
func (j *judge) function(i int) (name string, next int) {
	if j.is(i, "async") {
		i++
	}
	if !j.is(i, "function") {
		return "", 0
	}
	if i++; j.is(i, "*") {
		i++
	}
	if j.word(i) {
		name = j.str(i)
		i++
	}
	return name, j.body(i)
}

// body reads ( … ) { … }, which runs when it is called; 0 for none.
func (j *judge) body(i int) int {
	if !j.is(i, "(") || j.closing(i) < 0 {
		return 0
	}
	i = j.closing(i) + 1
	if !j.is(i, "{") || j.closing(i) < 0 {
		return 0
	}
	return j.closing(i) + 1
}

// class reads a class; 0 where to make it may do something.
func (j *judge) class(i int) int {
	if i++; j.kindAt(i) == kIdent {
		i++
	}
	static := true // static fields are plain ones
	if j.is(i, "extends") {
		if !j.extends(i + 1) {
			return 0
		}
		static = false // or a setter of the base may be called by older compilers' output
		i += 2
	}
	if !j.is(i, "{") || j.closing(i) < 0 {
		return 0
	}
	end := j.closing(i)
	for i++; i < end; {
		if i = j.member(i, static); i == 0 {
			return 0
		}
	}
	return end + 1
}

// bases are classes of the language that do nothing when they are extended.
var bases = []string{"Object", "Array", "Error", "TypeError", "RangeError", "SyntaxError", "AggregateError", "Map", "Set", "WeakMap", "WeakSet", "Promise", "EventTarget", "Event", "RegExp", "Uint8Array"}

// extends tells whether the name at token i can be extended without ado. Of an
// imported one that holds if it was before (heritage).
func (j *judge) extends(i int) bool {
	name := j.str(i)
	if j.kindAt(i) != kIdent || !j.is(i+1, "{") {
		return false
	}
	if j.imported[name] || j.classes[name] {
		j.s.heritage = append(j.s.heritage, name)
		return true
	}
	return slices.Contains(bases, name) && j.global(name)
}

// declared is what a class declaration binds: an object, if the name may be set
// to something else.
func (j *judge) declared(name string) value {
	for i := range j.toks {
		if j.is(i, name) && !j.is(i-1, ".") && (j.isTarget(i+1) || j.is(i-1, "++") || j.is(i-1, "--")) {
			return object
		}
		if j.inPattern(i, name) {
			return object
		}
	}
	return aClass
}

// isTarget tells whether what stands before token i is set.
func (j *judge) isTarget(i int) bool {
	switch op := j.str(i); op {
	case "++", "--", "of", "in":
		return true
	case "==", "===", "!=", "!==", "<=", ">=", "":
		return false
	default:
		return j.kindAt(i) == kPunct && op[len(op)-1] == '='
	}
}

// binding is what stands before a name that a declaration binds.
var binding = []string{"const", "let", "var", "class", ","}

// inPattern tells whether a name stands in the bracket at token i, which may be a
// pattern.
func (j *judge) inPattern(i int, name string) bool {
	if !j.is(i, "[") && !j.is(i, "{") || !j.isTarget(j.closing(i)+1) {
		return false
	}
	for k := i + 1; k < j.closing(i); k++ {
		if j.is(k, name) {
			return true
		}
	}
	return false
}

// global tells whether a name is the language's own here.
func (j *judge) global(name string) bool {
	if j.imported[name] || j.functions[name] {
		return false
	}
	for i := range j.toks {
		if j.is(i, name) && (slices.Contains(binding, j.str(i-1)) || j.is(i+1, "=")) || j.inPattern(i, name) {
			return false
		}
	}
	return true
}

// member reads a member of a class and gives the token behind it; 0 where to
// make it may do something.
func (j *judge) member(i int, static bool) int {
	if j.is(i, ";") {
		return i + 1
	}
	isStatic := false
	for j.word(i) || j.is(i, "*") {
		switch j.str(i) {
		case "static", "async", "get", "set", "accessor", "*":
			if !j.is(i, "*") && (j.is(i+1, "(") || j.is(i+1, "=") || j.is(i+1, ";")) {
				return j.named(i, isStatic, static)
			}
			isStatic = isStatic || j.is(i, "static")
			i++
			continue
		}
		break
	}
	return j.named(i, isStatic, static)
}

// named reads a member from its name on.
func (j *judge) named(i int, isStatic, static bool) int {
	if i = j.key(i); i == 0 {
		return 0
	}
	switch {
	case j.is(i, "("):
		return j.body(i)
	case j.is(i, ";"):
		if isStatic && !static {
			return 0
		}
		return i + 1
	case !j.is(i, "="):
		return 0
	case !isStatic:
		return j.behind(i)
	case !static:
		return 0
	}
	next, v := j.expr(i + 1)
	if v == effect || !j.is(next, ";") {
		return 0
	}
	return next + 1
}

// behind gives the token behind the next semicolon on this level, 0 for none.
func (j *judge) behind(i int) int {
	for ; i < j.end; i++ {
		if j.is(i, ";") {
			return i + 1
		}
		for j.closing(i) > 0 {
			i = j.closing(i)
		}
	}
	return 0
}

// key reads the name of a member or property; 0 where it is computed.
func (j *judge) key(i int) int {
	switch j.kindAt(i) {
	case kIdent, kKeyword, kString, kNumber, kPrivate:
		return i + 1
	}
	if !j.is(i, "[") {
		return 0
	}
	end := j.closing(i)
	switch {
	case end == i+2 && (j.kindAt(i+1) == kString || j.kindAt(i+1) == kNumber):
		return end + 1
	case end == i+4 && j.is(i+1, "Symbol") && j.is(i+2, ".") && j.word(i+3) && j.global("Symbol"):
		return end + 1
	}
	return 0
}
