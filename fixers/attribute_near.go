package fixers

import (
	"fmt"
	"slices"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// typeOf reads a class's name, and moduleOf a module's, out of Python's
// message.
var (
	typeOf   = lazyregexp.New(`^(?:type object )?'([^']+)'(?: object)? has no attribute`)
	moduleOf = lazyregexp.New(`^module '([^']+)' has no attribute`)
)

// nearMember takes the nearest member where the members are known.
func (v *view) nearMember(c Cause, m member) []Fix {
	k := v.knownMembers(c, m)
	if slices.Contains(k.names, m.name) {
		return nil
	}
	win, ok := clearWin(nearest(m.name, k.names))
	if !ok {
		return nil
	}
	if v.hadMember(m.name) || isBuiltinMember(m.t.lang, m.name) {
		k.level = Propose // it is no misspelling: the thing is another than was thought
	}
	if k.typed && v.mayBeMeant(m.t.lang, m.name, win) {
		k.level = Propose
	}
	return []Fix{{Title: fmt.Sprintf("use %s instead of %s", win, m.name), Applicability: k.level, Rank: 20,
		Edits: inFile(m.t.path, []lang.TextEdit{{Span: m.t.significant()[m.i].Span, New: win}}), Evidence: k.why}}
}

// known is what a receiver has, and how sure that is.
type known struct {
	names []string
	level Applicability
	why   string
	// typed: what it is is known, whether or not names are all that it has.
	typed bool
}

// knownMembers lists what the receiver has: as the run tells it for a type that
// is known, else as the text shows it.
func (v *view) knownMembers(c Cause, m member) known {
	msg := c.message()
	if m.t.lang.Name() == "python" {
		return v.pythonMembers(c, m, msg)
	}
	if strings.Contains(msg, "of undefined") || strings.Contains(msg, "of null") {
		return known{}
	}
	if cl, ok := v.receiver(m.t, m.i); ok {
		return v.membersKnown(cl)
	}
	if module := v.standardModule(m.t, m.i-2); module != "" {
		return standardMembers(m.t.lang, module)
	}
	if typ := v.builtinType(m.t, m.i-2); typ != "" {
		return known{names: builtinMembers(m.t.lang, typ), level: Likely, why: "the nearest member of " + strings.TrimSuffix(typ, "Static")}
	}
	return known{names: allBuiltinMembers(m.t.lang), why: "the nearest member of the language's own objects"}
}

// pythonMembers reads the receiver's type out of the message; its attributes
// are those that the run saw, where it did.
func (v *view) pythonMembers(c Cause, m member, msg string) known {
	if i := strings.LastIndex(msg, "AttributeError: "); i >= 0 {
		msg = msg[i+len("AttributeError: "):]
	}
	var k known
	msg = strings.TrimSpace(msg)
	if g := moduleOf.FindStringSubmatch(msg); g != nil {
		k = standardMembers(m.t.lang, g[1])
	} else if g := typeOf.FindStringSubmatch(msg); g != nil {
		k = v.pythonType(m, g[1])
	}
	for _, f := range c.Failures {
		if len(f.Names) > 0 && f.Kind == runner.AttributeError {
			k.names, k.why = f.Names, firstOf(k.why, "the nearest attribute that it had in the run")
			if k.typed {
				k.level = Likely
			}
			break
		}
	}
	return k
}

// pythonType is what a type of that name has: a builtin one, or a class of the
// project.
func (v *view) pythonType(m member, name string) known {
	if names := builtinMembers(m.t.lang, name); names != nil {
		return known{names: names, level: Likely, why: "the nearest member of " + name}
	}
	if cl, ok := v.receiver(m.t, m.i); ok && cl.name == name {
		return v.membersKnown(cl)
	}
	if cl, ok := v.onlyClass(m.t, name); ok {
		return v.membersKnown(cl)
	}
	return known{}
}

// message is what the run says of a cause.
func (c Cause) message() string {
	msg := c.Message
	for _, f := range c.Failures {
		msg = firstOf(msg, f.Message)
	}
	return msg
}

// membersKnown are a class's: only a proposal where it may have more.
func (v *view) membersKnown(c class) known {
	names, all := v.membersOf(c, 0)
	k := known{names: names, level: Likely, why: "the nearest member of " + c.name, typed: true}
	if !all {
		k.level = Propose
	}
	return k
}

// onlyClass is the class of a name where the project has one alone.
func (v *view) onlyClass(t *text, name string) (class, bool) {
	var found []class
	for _, rel := range v.sources(t.lang) {
		if o := v.text(rel); o != nil && o.mentions(name) {
			for _, c := range o.classes() {
				if c.name == name && !c.object {
					found = append(found, c)
				}
			}
		}
	}
	if len(found) != 1 {
		return class{}, false
	}
	return found[0], true
}

// platformModules are what a standard module is called where it runs.
var platformModules = map[string]string{"posixpath": "os.path", "ntpath": "os.path"}

// standardMembers are a standard module's.
func standardMembers(l lang.Language, module string) known {
	module = firstOf(platformModules[module], strings.TrimPrefix(module, "node:"))
	names, ok := standardNames(tableOf(l), module)
	if !ok {
		return known{}
	}
	return known{names: names, level: Likely, why: "the nearest name of the standard module " + module}
}

// standardModule is the standard module that the variable at a token is.
func (v *view) standardModule(t *text, i int) string {
	if i < 0 || t.isMember(i) {
		return ""
	}
	for _, imp := range t.scan().Imports {
		for _, n := range imp.Names {
			if n.Local != t.word(i) || n.Imported != "*" && n.Imported != "default" || !v.onlyBound(t, i) {
				continue
			}
			if _, ok := standardNames(tableOf(t.lang), strings.TrimPrefix(imp.Specifier, "node:")); ok && len(v.resolve(t, imp).Files) == 0 {
				return imp.Specifier
			}
		}
	}
	return ""
}

// globalTypes are JavaScript's own objects in the table of members.
var globalTypes = map[string]string{"Math": "Math", "JSON": "JSON", "console": "Console", "Object": "ObjectStatic", "Array": "ArrayStatic",
	"Promise": "PromiseStatic", "Number": "NumberStatic"}

// builtinType is the builtin type of what ends at a token: a literal, a global
// object, or a variable that only ever holds literals of one type.
func (v *view) builtinType(t *text, i int) string {
	if i < 0 || i >= len(t.significant()) {
		return ""
	}
	if typ := t.literalType(i); typ != "" {
		return typ
	}
	if t.significant()[i].Kind != lang.Ident || t.isMember(i) {
		return ""
	}
	at := t.significant()[i].Start
	if typ := globalTypes[t.word(i)]; typ != "" && !boundAt(t, at, t.word(i)) {
		return typ
	}
	typ := ""
	for n, u := range t.lang.Uses(t.path, t.src, t.word(i), at) {
		j := t.index(u.Start)
		declares := slices.Contains([]string{"const", "let", "var"}, t.word(j-1))
		if n == 0 && !declares || t.word(j-1) == "for" {
			return ""
		}
		if t.word(j+1) != "=" {
			if declares {
				return ""
			}
			continue
		}
		end := t.valueEnd(j + 2)
		if end < 0 || t.literalType(end) == "" || typ != "" && t.literalType(end) != typ {
			return ""
		}
		typ = t.literalType(end)
	}
	return typ
}

// valueEnd is the last token of a literal or of new Name(…) that begins at i
// and is a whole statement's value, -1 for anything else.
func (t *text) valueEnd(i int) int {
	end := i
	switch t.word(i) {
	case "new":
		end = t.matching(i + 2)
	case "[":
		end = t.matching(i)
	}
	if end < 0 || t.word(end+1) != ";" && !t.startsStatement(end+1) || t.word(end+1) == "." {
		return -1
	}
	return end
}

// literalType is the type of the literal, or of new Name(…), that ends at a
// token.
func (t *text) literalType(i int) string {
	ks := t.significant()
	switch {
	case ks[i].Kind == lang.String && !strings.HasPrefix(t.str(ks[i]), "`") && !strings.HasPrefix(t.str(ks[i]), "}"):
		return "String"
	case t.word(i) == "]":
		o := t.opening(i)
		if prev := t.word(o - 1); o > 0 && (prev == "(" || prev == "=" || prev == "," || prev == "return" || prev == "=>" || prev == "[" || prev == ":") {
			return "Array"
		}
	case t.word(i) == ")":
		o := t.opening(i)
		if o > 1 && t.word(o-2) == "new" && builtinMembers(t.lang, t.word(o-1)) != nil && !boundAt(t, ks[o].Start, t.word(o-1)) {
			return t.word(o - 1)
		}
	}
	return ""
}
