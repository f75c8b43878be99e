package node

import (
	"regexp"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// unexported is one grammar of "this module has no such export".
type unexported struct {
	re *lazyregexp.Regexp
	// groups by meaning; 0 is absent
	name, spec, importer, line int
}

var unexportedGrammars = []unexported{
	{re: lazyregexp.New(`The requested module '([^'\n]+)' does not provide an export named '([^'\n]+)'`), spec: 1, name: 2},
	{re: lazyregexp.New(`Named export '([^'\n]+)' not found\. The requested module '([^'\n]+)'`), spec: 2, name: 1},
	{re: lazyregexp.New(`No matching export in "([^"\n]+)" for import "([^"\n]+)"`), spec: 1, name: 2},
	{re: lazyregexp.New(`"([^"\n]+)" is not exported by "([^"\n]+)"(?:, imported by "([^"\n]+)")?`), name: 1, spec: 2, importer: 3},
	{re: lazyregexp.New(`(?m)^\s*(\S[^:(\n]*)[:(](\d+)[:,]\d+\)?(?: - |: )error TS(?:2305|2614|2724)[^']*'"?([^'"\n]+)"?' has no exported member (?:named )?'([^'\n]+)'`), importer: 1, line: 2, spec: 3, name: 4},
	{re: lazyregexp.New(`(?m)^\s*(\S[^:(\n]*)[:(](\d+)[:,]\d+\)?(?: - |: )error TS2459[^']*'"?([^'"\n]+)"?' declares '([^'\n]+)' locally`), importer: 1, line: 2, spec: 3, name: 4},
}

// missingExport is a link error: the import names what the module has not.
func missingExport(c Context, r raw, f *runner.Failure) bool {
	for _, g := range unexportedGrammars {
		m := g.re.FindStringSubmatch(r.message)
		if m == nil {
			continue
		}
		spec, name := m[g.spec], m[g.name]
		f.Kind, f.Symbol, f.Specifier = runner.MissingExport, name, spec
		if p, written, ok := exportPlace(c, r, spec, name); ok {
			f.Place, f.Specifier = p, written
		} else if p, ok := header(c, Plain(r.Stack)); ok {
			f.Place = p
		}
		return true
	}
	return false
}

// exportPlace finds the import of name from spec, near the error.
func exportPlace(c Context, r raw, spec, name string) (at runner.Place, written string, ok bool) {
	look := func(rel string, f *lang.File, src []byte) bool {
		if f == nil {
			return true
		}
		for _, imp := range f.Imports {
			if imp.Specifier != spec && !c.loads(rel, imp, spec) {
				continue
			}
			for _, n := range imp.Names {
				if n.Imported != name {
					continue
				}
				at.File = rel
				at.Line, at.Column = lineAt(src, n.Span.Start)
				written, ok = imp.Specifier, true
				return false
			}
		}
		return true
	}
	starts := []string{}
	if p, found := header(c, Plain(r.Stack)); found {
		starts = append(starts, p.File)
	}
	for _, fr := range r.frames {
		starts = append(starts, fr.File)
	}
	starts = append(starts, r.test.File)
	for _, s := range starts {
		if s == "" {
			continue
		}
		if c.reach(s, look); ok {
			return at, written, true
		}
	}
	return runner.Place{}, "", false
}

// loads tells whether an import leads to the file that spec names.
func (c Context) loads(importer string, imp lang.Import, spec string) bool {
	target, ok := Rel(c, spec)
	return ok && c.resolve(importer, imp) == target
}

var (
	notCallable = lazyregexp.New(`^(.+?) is not a (?:function|constructor)(?:\b| or its return value)`)
	noMember    = lazyregexp.New(`^Cannot (?:read|set) propert(?:y|ies)(?: of (?:undefined|null))? \((?:reading|setting) '([^']+)'\)`)
	noMemberOld = lazyregexp.New(`^Cannot (?:read|set) property '([^']+)' of (?:undefined|null)`)
	destructure = lazyregexp.New(`^Cannot destructure property '([^']+)' of '(.+?)' as it is (?:undefined|null)`)
	extends     = lazyregexp.New(`^Class extends value (?:undefined|#?<?Object>?|\[object \w+\]) is not a constructor`)
	superclass  = lazyregexp.New(`\bextends\s+([\w$.]+)`)
	wrapped     = lazyregexp.New(`^\(0 ?, ?(.+)\)$`)
	tail        = lazyregexp.New(`^(.*?)(?:\?\.|\.)?([\p{L}_$][\p{L}\p{N}_$]*)$`)
	tsMember    = lazyregexp.New(`(?m)^\s*(\S[^:(\n]*)[:(](\d+)[:,](\d+)\)?(?: - |: )error TS(\d+): ([^\n]*)`)
)

// member is the use of something that is not there: a missing export where
// the name is imported from a project file without it, else an attribute.
func member(c Context, r raw, f *runner.Failure) bool {
	if r.name != "TypeError" && r.name != "" {
		return false
	}
	if m := notCallable.FindStringSubmatch(r.message); m != nil && !extends.MatchString(r.message) {
		head, name, viaModule := callee(m[1])
		if name == "" {
			return false
		}
		f.Kind, f.Symbol = runner.AttributeError, name
		if imported, spec, ok := c.unoffered(f.Place, head, name, viaModule); ok {
			f.Kind, f.Symbol, f.Specifier = runner.MissingExport, imported, spec
		}
		return true
	}
	if m := destructure.FindStringSubmatch(r.message); m != nil {
		f.Kind, f.Symbol = runner.AttributeError, m[1]
		return true
	}
	if extends.MatchString(r.message) {
		src, _ := c.read(f.Place.File)
		m := superclass.FindStringSubmatch(lineText(src, f.Place.Line))
		if m == nil {
			return false
		}
		head, name, via := callee(m[1])
		imported, spec, ok := c.unoffered(f.Place, head, name, via)
		if ok {
			f.Kind, f.Symbol, f.Specifier = runner.MissingExport, imported, spec
		}
		return ok
	}
	for _, re := range []*lazyregexp.Regexp{noMember, noMemberOld} {
		m := re.FindStringSubmatch(r.message)
		if m == nil {
			continue
		}
		f.Kind, f.Symbol = runner.AttributeError, m[1]
		// What was undefined may be an import that its module does not offer.
		src, _ := c.read(f.Place.File)
		re, err := regexp.Compile(`([\p{L}_$][\p{L}\p{N}_$]*)\.` + regexp.QuoteMeta(m[1]) + `(?:[^\p{L}\p{N}_$]|$)`)
		if err != nil {
			return true
		}
		for _, h := range re.FindAllStringSubmatch(lineText(src, f.Place.Line), 4) {
			if imported, spec, ok := c.unoffered(f.Place, "", h[1], false); ok {
				f.Kind, f.Symbol, f.Specifier = runner.MissingExport, imported, spec
				return true
			}
		}
		return true
	}
	return false
}

// callee takes apart what V8 says is not a function. viaModule is set for the
// form (0, module.name) into which transforms turn an imported name.
func callee(text string) (head, name string, viaModule bool) {
	text = strings.TrimSpace(text)
	if m := wrapped.FindStringSubmatch(text); m != nil {
		text, viaModule = m[1], true
	}
	m := tail.FindStringSubmatch(text)
	if m == nil {
		return "", "", false
	}
	head = strings.TrimSuffix(m[1], ".")
	if head == "" && viaModule {
		viaModule = false
	}
	if strings.HasPrefix(head, "__vi_import_") || strings.HasPrefix(head, "__vite_ssr_import_") || strings.HasPrefix(head, "__vi_ssr_import_") {
		viaModule = true
	}
	return head, m[2], viaModule
}

// unoffered tells whether a name used at a place is imported from a project
// file that does not export it.
func (c Context) unoffered(at runner.Place, head, name string, viaModule bool) (imported, spec string, ok bool) {
	f, _ := c.scan(at.File)
	if f == nil {
		return "", "", false
	}
	for _, imp := range f.Imports {
		if imp.Kind == lang.TypeOnly || imp.Kind == lang.ReExport {
			continue
		}
		for _, n := range imp.Names {
			want := n.Imported
			switch {
			case viaModule && n.Imported == name && n.Imported != "*":
			case viaModule && n.Imported == "*" && strings.Contains(head, n.Local):
				want = name
			case !viaModule && head == "" && n.Local == name && n.Imported != "*":
			case !viaModule && head != "" && n.Local == head && moduleObject(imp, n):
				want = name
			default:
				continue
			}
			to := c.resolve(at.File, imp)
			if to == "" || !own(to) || strings.HasSuffix(to, ".json") {
				continue
			}
			if has, _ := c.offers(to, want, 0); !has && !c.commonDefault(to, want) {
				return want, imp.Specifier, true
			}
		}
	}
	return "", "", false
}

// commonDefault: a CommonJS module as a whole is its default import.
func (c Context) commonDefault(rel, name string) bool {
	if name != "default" {
		return false
	}
	f, _ := c.scan(rel)
	return f != nil && f.CommonJS
}

// moduleObject tells whether a binding holds a module's exports, so that its
// members are exports: import * as m, const m = require().
func moduleObject(imp lang.Import, n lang.Name) bool {
	return n.Imported == "*" || imp.Kind == lang.Require && n.Imported == "default"
}
