package main

import (
	"math/rand/v2"
	"path"
	"regexp"
	"strings"

	"regreen/cycle"
	"regreen/internal/lang"
)

// fault is one way to break a repository.
type fault struct {
	what string
	// edits are the files' new texts; nil deletes one.
	edits map[string][]byte
	judge judge
	trap  bool
	// answers are what the right repair may make of the files, the fault among
	// it; none where the original is the answer, or the answer is not known.
	answers []map[string][]byte
	// subject is what answers are about, whatever it is called after the fault;
	// "" where each fault has answers of its own.
	subject string
	// guilty is where a trap's fault stands, for the cause that is named.
	guilty place
}

// place is a range of lines, from 1, of a file as the fault left it.
type place struct {
	file     string
	from, to int
}

// judge says what came of a fault: orig is the tree before it, broken with it,
// now what regreen left.
type judge func(ls lang.Set, orig, broken, now tree) (verdict, string)

// kind is one kind of fault.
type kind struct {
	name string
	trap bool
	make func(s *site) *fault
}

// kinds are the kinds of the table, in its order.
func kinds() []kind {
	return []kind{
		{"moved", false, moveModule},
		{"export", false, renameExport},
		{"method", false, renameMethod},
		{"import", false, loseImport},
		{"misspelt", false, misspell},
		{"declaration", false, misspellDeclaration},
		{"syntax", false, loseToken},
		{"await", false, loseAwait},
		{"argument", false, changeArguments},
		{"two", false, twoAtOnce},
		{"five", false, fiveUses},
		{"logic", true, changeLogic},
		{"expectation", true, changeExpectation},
		{"removed", true, removeFeature},
		{"package", true, missingPackage},
	}
}

// site is what a fault is chosen in.
type site struct {
	*rand.Rand
	tree  tree
	langs lang.Set
	// idents counts every identifier of the tree.
	idents map[string]int
}

func inject(r *rand.Rand, t tree, langs lang.Set, kind string) *fault {
	for _, k := range kinds() {
		if k.name == kind {
			f := k.make(newSite(r, t, langs))
			if f != nil {
				f.trap = k.trap
			}
			return f
		}
	}
	return nil
}

func newSite(r *rand.Rand, t tree, langs lang.Set) *site {
	s := &site{Rand: r, tree: t, langs: langs, idents: map[string]int{}}
	for _, rel := range t.files() {
		for _, k := range s.tokens(rel) {
			if k.Kind == lang.Ident {
				s.idents[s.text(rel, k.Span)]++
			}
		}
	}
	return s
}

var (
	testPath  = regexp.MustCompile(`(^|/)(tests?|testing|spec|__tests__|__mocks__|fixtures?)/|\.(test|spec)\.|(^|/)(test_|conftest)[^/]*$|_test\.py$`)
	otherPath = regexp.MustCompile(`(^|/)(docs?[^/]*|examples?|bench[^/]*|scripts?|website|perf[^/]*|__performance_tests__|misc|sample|dist|downstream|typing_tests|types|flow-typed|resources)/|\.d\.ts$|\.pyi$|\.config\.|(^|/)(setup|build|noxfile)\.(py|c?js)$|^\.`)
)

// sources are the files that tests test.
func (s *site) sources() []string {
	var out []string
	for _, rel := range s.tree.files() {
		if !testPath.MatchString(rel) && !otherPath.MatchString(rel) {
			out = append(out, rel)
		}
	}
	return out
}

// testFiles are the files that test them.
func (s *site) testFiles() []string {
	var out []string
	for _, rel := range s.tree.files() {
		if testPath.MatchString(rel) && !otherPath.MatchString(rel) {
			out = append(out, rel)
		}
	}
	return out
}

func (s *site) text(rel string, at lang.Span) string { return string(s.tree[rel][at.Start:at.End]) }

func (s *site) scan(rel string) *lang.File { return s.langs.For(rel).Scan(rel, s.tree[rel]) }

func (s *site) tokens(rel string) []lang.Token { return code(s.langs, rel, s.tree[rel]) }

// code are the tokens but for comments and line ends.
func code(ls lang.Set, rel string, src []byte) []lang.Token {
	var out []lang.Token
	for _, k := range ls.For(rel).Tokens(rel, src) {
		switch k.Kind {
		case lang.Comment, lang.Newline, lang.Indent, lang.Dedent:
		default:
			out = append(out, k)
		}
	}
	return out
}

// pick chooses one of a list; ok is false when it is empty.
func pick[T any](r *rand.Rand, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[r.IntN(len(list))], true
}

// pickIn shuffles files and gives the first for which choose finds something.
func (s *site) pickIn(files []string, choose func(rel string) *fault) *fault {
	files = append([]string(nil), files...)
	s.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	for _, rel := range files {
		if f := choose(rel); f != nil {
			return f
		}
	}
	return nil
}

// edited is one file with edits.
func (s *site) edited(rel string, edits ...lang.TextEdit) map[string][]byte {
	return map[string][]byte{rel: lang.Apply(s.tree[rel], edits)}
}

func (s *site) line(rel string, offset int) int {
	return 1 + strings.Count(string(s.tree[rel][:offset]), "\n")
}

func (s *site) sameLanguage(a, b string) bool { return s.langs.For(a).Name() == s.langs.For(b).Name() }

func python(rel string) bool { return path.Ext(rel) == ".py" }

// named compares the cause that a report names with the fault: "named" when
// its part of the diff is the fault's, "wider" when it holds more, "other" when
// it is something else.
func (f *fault) named(doc *cycle.Document) string { return namedCause(doc, f.guilty) }
