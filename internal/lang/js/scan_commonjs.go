package js

import "regreen/internal/lang"

// moduleWord handles module.exports, and "module X { }" of TypeScript.
func (s *scanner) moduleWord(i int) {
	if s.is(i-1, ".") {
		return
	}
	if s.is(i+1, ".") && s.is(i+2, "exports") {
		s.exportsWord(i, i+2)
		return
	}
	if s.dia.ts {
		s.declaration(i)
	}
}

// exportsWord handles what is done with exports; tokens first to i name it.
func (s *scanner) exportsWord(first, i int) {
	if first == i && s.is(i-1, ".") {
		return
	}
	next := i + 1
	switch {
	case s.is(next, "=") && first != i:
		s.cjs = true
		s.exportsValue(next + 1)
	case s.is(next, ".") && s.word(next+1) && s.is(next+2, "="):
		s.cjs = true
		s.exportsMember(next+1, next+3)
	case s.is(next, "[") && s.is(next+2, "]") && s.is(next+3, "="):
		s.cjs = true
		if _, _, ok := s.literal(next + 1); ok {
			s.exportsMember(next+1, next+4)
		} else {
			s.commonOpen = true
		}
	}
}

// exportsMember records exports.name = value; the value begins at token v.
func (s *scanner) exportsMember(name, v int) {
	e := lang.Export{}
	e.Name, e.Span = s.plainName(name)
	if e.Name == "__esModule" || s.exportsHas(e.Name) {
		return
	}
	switch {
	case s.kindAt(v) == kIdent && s.endsAfter(v):
		e.Local = s.str(v)
	case s.is(v, "function"), s.is(v, "async") && s.is(v+1, "function"):
		e.Kind = "Func"
	case s.is(v, "class"):
		e.Kind = "Class"
	}
	e.Body = s.span(s.exportsStart(name), s.stmtEnd(v))
	s.addCommon(e)
}

// exportsStart is the first token of the exports.name that ends at name.
func (s *scanner) exportsStart(name int) int {
	if s.is(name-2, "exports") && s.is(name-3, ".") && s.is(name-4, "module") {
		return name - 4
	}
	return name - 2
}

func (s *scanner) exportsHas(name string) bool {
	for i := range s.common {
		if s.common[i].Name == name {
			return true
		}
	}
	return false
}

// endsAfter tells whether the expression ends with token v.
func (s *scanner) endsAfter(v int) bool {
	n := v + 1
	return n >= len(s.toks) || s.is(n, ";") || s.is(n, ",") || s.is(n, "}") || s.is(n, ")") || s.toks[n].nl && !s.continues(n)
}

// exportsValue handles module.exports = value; the value begins at token v.
func (s *scanner) exportsValue(v int) {
	for s.is(v, "exports") && s.is(v+1, "=") { // module.exports = exports = …
		v += 2
	}
	e := lang.Export{Name: "default", Span: s.span(v, v)}
	switch {
	case s.is(v, "{"):
		s.objectExports(v)
		return
	case s.is(v, "require") && s.is(v+1, "(") && s.is(v+3, ")") && s.endsAfter(v+3):
		if lit, sp, ok := s.literal(v + 2); ok {
			s.addCommon(lang.Export{Name: "*", Span: sp, From: lit})
			s.commonOpen = s.commonOpen || !ownLooking(lit)
			return
		}
	case s.kindAt(v) == kIdent && s.is(v+1, "=") || s.kindAt(v) == kIdent && s.endsAfter(v):
		e.Local = s.str(v)
		s.exportsName = e.Local
	case s.is(v, "function"), s.is(v, "async") && s.is(v+1, "function"):
		e.Kind = "Func"
		k := v + 1
		if s.is(k, "function") {
			k++
		}
		if s.kindAt(k) == kIdent {
			e.Local = s.str(k)
			s.exportsName = e.Local
		}
		e.Body = s.span(v, s.bodyEnd(k, fFunc))
	case s.is(v, "class"):
		e.Kind = "Class"
		e.Body = s.span(v, s.bodyEnd(v+1, fClass))
		s.commonOpen = true
	case s.is(v, "exports"):
		return
	default:
		s.commonOpen = true
	}
	if !s.exportsHas("default") {
		s.addCommon(e)
	}
}

// objectExports reads { a, b: c, d() {}, ...require("./e") } at token i.
func (s *scanner) objectExports(i int) {
	end := s.closing(i)
	if end < 0 {
		end = len(s.toks)
		s.commonOpen = true
	}
	for j := i + 1; j < end; j = s.nextComma(j, end) + 1 {
		if s.is(j, ",") {
			continue
		}
		s.property(j, end)
	}
}

// property reads one property of an exported object.
func (s *scanner) property(j, end int) {
	if s.is(j, "...") {
		if lit, sp, ok := s.literal(j + 3); ok && s.is(j+1, "require") && s.is(j+2, "(") {
			s.addCommon(lang.Export{Name: "*", Span: sp, From: lit})
			s.commonOpen = s.commonOpen || !ownLooking(lit)
		} else {
			s.commonOpen = true
		}
		return
	}
	first := j
	for (s.is(j, "get") || s.is(j, "set") || s.is(j, "async") || s.is(j, "*")) && (s.word(j+1) || s.kindAt(j+1) == kString || s.is(j+1, "*")) {
		j++
	}
	if !s.word(j) && s.kindAt(j) != kString {
		if s.kindAt(j) != kNumber {
			s.commonOpen = true
		}
		return
	}
	e := lang.Export{}
	e.Name, e.Span = s.plainName(j)
	if e.Name == "__esModule" || s.exportsHas(e.Name) {
		return
	}
	e.Body = s.span(first, s.nextComma(j, end)-1)
	switch {
	case s.is(j+1, "("):
		e.Kind = "Func"
	case s.is(j+1, ":"):
		v := j + 2
		switch {
		case s.kindAt(v) == kIdent && s.endsAfter(v):
			e.Local = s.str(v)
		case s.is(v, "function"), s.is(v, "async") && s.is(v+1, "function"):
			e.Kind = "Func"
		case s.is(v, "class"):
			e.Kind = "Class"
		case s.is(v, "(") && s.is(v+1, ")") && s.is(v+2, "=>") && s.kindAt(v+3) == kIdent && s.endsAfter(v+3):
			e.Local = s.str(v + 3)
		}
	default:
		e.Local = e.Name
	}
	s.addCommon(e)
}

// objectWord handles Object.defineProperty(exports, "x", …) and
// Object.assign(module.exports, { … }).
func (s *scanner) objectWord(i int) {
	if !s.is(i+1, ".") || !s.is(i+3, "(") {
		return
	}
	target := i + 4
	if s.is(target, "module") && s.is(target+1, ".") {
		target += 2
	}
	if !s.is(target, "exports") || !s.is(target+1, ",") {
		return
	}
	arg := target + 2
	switch s.str(i + 2) {
	case "defineProperty":
		s.cjs = true
		if lit, sp, ok := s.literal(arg); ok {
			if lit != "__esModule" && !s.exportsHas(lit) {
				s.addCommon(lang.Export{Name: lit, Span: sp, Body: s.span(i, s.stmtEnd(i))})
			}
		} else {
			s.commonOpen = true
		}
	case "defineProperties":
		s.cjs = true
		s.assigned(arg)
	case "assign":
		s.cjs = true
		s.assigned(arg)
	}
}

func (s *scanner) assigned(arg int) {
	if s.is(arg, "{") {
		s.objectExports(arg)
	} else if lit, sp, ok := s.literal(arg + 2); ok && s.is(arg, "require") {
		s.addCommon(lang.Export{Name: "*", Span: sp, From: lit})
	} else {
		s.commonOpen = true
	}
}

// exportStar handles __exportStar(require("./x"), exports) of TypeScript's output.
func (s *scanner) exportStar(i int) {
	if lit, sp, ok := s.literal(i + 4); ok && s.is(i+1, "(") && s.is(i+2, "require") {
		s.cjs = true
		s.addCommon(lang.Export{Name: "*", Span: sp, From: lit})
		s.commonOpen = s.commonOpen || !ownLooking(lit)
	}
}

// bundledExports handles __export(x_exports, { a: () => a }) of esbuild's output.
func (s *scanner) bundledExports(i int) {
	if s.is(i+1, "(") && s.is(i+3, ",") && s.is(i+4, "{") && len(s.open) == 0 {
		s.objectExports(i + 4)
	}
}

// addCommon records an export by way of module.exports.
func (s *scanner) addCommon(e lang.Export) { s.common = append(s.common, e) }

// finishCommonJS follows module.exports = name to what the name is: an object
// literal's keys, and the members that are assigned to it.
func (s *scanner) finishCommonJS() {
	if s.exportsName != "" {
		s.followName(s.exportsName)
	}
	s.f.Exports = append(s.f.Exports, s.common...)
	s.f.AllKnown = s.f.AllKnown && !s.commonOpen
}

func (s *scanner) followName(name string) {
	var def *lang.Export
	for i := range s.f.Defs {
		if s.f.Defs[i].Name == name {
			def = &s.f.Defs[i]
		}
	}
	if def == nil {
		s.commonOpen = true
		return
	}
	open := def.Kind != "Func"
	for i := range s.toks {
		if s.kindAt(i) != kIdent || !s.is(i, name) || s.is(i-1, ".") {
			continue
		}
		switch {
		case s.is(i+1, ".") && s.word(i+2) && s.is(i+3, "="):
			s.exportsMember(i+2, i+4)
		case s.is(i+1, "=") && s.is(i+2, "{") && int(s.toks[i].start) == def.Span.Start:
			open = false
			s.objectExports(i + 2)
		case s.is(i+1, "["), s.is(i-1, ",") && s.is(i-2, "("), s.is(i-1, "(") && s.is(i-3, ".") && s.is(i-2, "assign"):
			s.commonOpen = true
		}
	}
	s.commonOpen = s.commonOpen || open
}
