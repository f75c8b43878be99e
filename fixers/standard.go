package fixers

import (
	_ "embed" // the tables of standard modules
	"fmt"
	"path"
	"slices"
	"strings"

	"regreen/internal/lang"
)

// The tables hold one standard module a line with its public names, as Python
// 3.11 and Node 20 list them.
var (
	//go:embed data/python.txt
	pythonModules string
	//go:embed data/node.txt
	nodeModules string
)

// pythonNames are names of the standard library that are commonly imported by
// themselves.
var pythonNames = map[string]string{
	"Path": "pathlib", "defaultdict": "collections", "Counter": "collections", "OrderedDict": "collections", "namedtuple": "collections",
	"deque": "collections", "datetime": "datetime", "dataclass": "dataclasses", "lru_cache": "functools", "partial": "functools", "timedelta": "datetime",
	"Decimal": "decimal", "Fraction": "fractions", "Enum": "enum", "ABC": "abc", "abstractmethod": "abc", "contextmanager": "contextlib",
	"StringIO": "io", "BytesIO": "io", "Optional": "typing", "Any": "typing", "Callable": "typing", "Union": "typing", "List": "typing",
	"Dict": "typing", "SimpleNamespace": "types", "MagicMock": "unittest.mock",
}

// standardNames gives the public names of a standard module.
func standardNames(table, module string) ([]string, bool) {
	for line := range strings.Lines(table) {
		if rest, ok := strings.CutPrefix(line, module+":"); ok {
			return strings.Fields(rest), true
		}
	}
	return nil, false
}

func tableOf(l lang.Language) string {
	switch l.Name() {
	case "python":
		return pythonModules
	case "js":
		return nodeModules
	}
	return ""
}

// moduleNames lists the standard modules of a table.
func moduleNames(table string) []string {
	var out []string
	for line := range strings.Lines(table) {
		if name, _, ok := strings.Cut(line, ":"); ok {
			out = append(out, name)
		}
	}
	return out
}

// standardName imports a module of the standard library that the name is used
// as: name.attr, where the module has that attribute.
func (v *view) standardName(_ Cause, u unbound) []Fix {
	names, ok := standardNames(tableOf(u.t.lang), u.name)
	spec, n, why := u.name, lang.Name{Imported: "*", Local: u.name}, ""
	switch {
	case ok && v.allMembersIn(u, names):
		why = fmt.Sprintf("%s is a standard module and has what is read off it", u.name)
		if u.t.lang.Name() == "js" {
			spec = v.nodeStyle(u.name)
			if ext := path.Ext(u.t.path); ext != ".ts" && ext != ".mts" && ext != ".tsx" && !u.t.scan().CommonJS {
				n.Imported = "default"
			}
		}
	case u.t.lang.Name() == "python" && pythonNames[u.name] != "":
		spec, n.Imported = pythonNames[u.name], u.name
		why = fmt.Sprintf("%s is a name of the standard module %s", u.name, spec)
	case u.t.lang.Name() == "python" && u.name == "pytest" && u.t.word(u.i+1) == ".":
		why = "pytest is the project's framework"
	default:
		return nil
	}
	edits, err := u.t.lang.AddImport(u.t.path, u.t.src, spec, []lang.Name{n})
	if err != nil || len(edits) == 0 {
		return nil
	}
	return []Fix{{Title: fmt.Sprintf("import %s from the standard library", u.name), Applicability: Likely, Rank: 8,
		Edits: inFile(u.t.path, edits), Evidence: why}}
}

// allMembersIn tells whether every unbound use of the name reads a known
// member off it.
func (v *view) allMembersIn(u unbound, names []string) bool {
	n := 0
	for _, i := range u.t.idents(u.name, 0) {
		if u.t.isMember(i) || isKey(u.t, i) || i != u.i && boundAt(u.t, u.t.significant()[i].Start, u.name) {
			continue
		}
		if u.t.word(i+1) != "." || !slices.Contains(names, u.t.word(i+2)) {
			return false
		}
		n++
	}
	return n > 0
}

// nodeStyle writes a module of Node as the project does: with node: unless
// its files leave it out.
func (v *view) nodeStyle(module string) string {
	with, without := 0, 0
	for _, l := range v.Languages() {
		if l.Name() != "js" {
			continue
		}
		for _, rel := range v.sources(l) {
			t := v.text(rel)
			if t == nil || with+without > 50 {
				continue
			}
			for _, imp := range t.scan().Imports {
				if strings.HasPrefix(imp.Specifier, "node:") {
					with++
				} else if _, ok := standardNames(nodeModules, imp.Specifier); ok {
					without++
				}
			}
		}
	}
	if without > with {
		return module
	}
	return "node:" + module
}

// standardExport takes the nearest name of a standard module where a name is
// imported from it that it does not have.
func (v *view) standardExport(c Cause) []Fix {
	sym := lastMember(c.Symbol)
	for _, p := range v.places(c) {
		t := v.text(p.File)
		if t == nil || sym == "" || !v.own(p.File) || !t.mentions(sym) {
			continue
		}
		for _, imp := range t.scan().Imports {
			i := slices.IndexFunc(imp.Names, func(n lang.Name) bool { return n.Imported == sym })
			if i < 0 || !loads(imp) || imp.Kind == lang.Mock || len(v.resolve(t, imp).Files) > 0 {
				continue
			}
			k := standardMembers(t.lang, imp.Specifier)
			win, ok := clearWin(nearest(sym, k.names))
			if !ok || slices.Contains(k.names, sym) {
				continue
			}
			f := Fix{Title: fmt.Sprintf("use %s instead of %s", win, sym), Applicability: Likely, Rank: 20, Evidence: k.why,
				Edits: inFile(t.path, renameBinding(t, imp, imp.Names[i], win, imp.Kind == lang.ReExport || v.passesOn(t, imp.Names[i].Local)))}
			if v.hadName(t.path, imp.Names[i].Local) {
				f.Applicability = Propose // it was there at the base: the language's version is another one
			}
			return []Fix{f}
		}
	}
	return nil
}
