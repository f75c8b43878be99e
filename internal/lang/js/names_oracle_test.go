package js

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestScopesAgreeWithTypeScript compares which identifiers are uses of a name,
// and of which binding, with the compiler's checker.
func TestScopesAgreeWithTypeScript(t *testing.T) {
	deps, compiler := oracle(t)
	list := sample(t, corpusFiles(t, deps), 60)
	bad, seen, uses := 0, 0, 0
	for _, line := range runOracle(t, "testdata/names.mjs", compiler, list) {
		var want struct {
			File string           `json:"file"`
			Uses map[string][]int `json:"uses"`
		}
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		src, err := os.ReadFile(want.File)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		s := readScopes(want.File, src)
		got := map[int][]int{}
		for _, r := range s.refs {
			at := int(s.toks[r.tok].start)
			got[at] = []int{}
			if own := s.owner(r.scope, s.str(r.tok)); own >= 0 {
				for _, b := range s.bound[boundKey{own, s.str(r.tok)}] {
					got[at] = append(got[at], int(s.toks[s.binds[b].tok].start))
				}
			}
		}
		report := func(at int, format string, args ...any) {
			bad++
			if bad <= 60 {
				line, col := (&lineCounter{src: string(src), line: 1}).at(at)
				t.Errorf("%s:%d:%d: "+format, append([]any{strings.TrimPrefix(want.File, deps), line, col}, args...)...)
			}
		}
		for key, decls := range want.Uses {
			uses++
			at, _ := strconv.Atoi(key)
			g, ok := got[at]
			delete(got, at)
			name := nameAt(string(src), at)
			switch {
			case name == "exports" || name == "module" || name == "require" || name == "process": // the compiler binds them to the file
			case slices.Contains(decls, at): // the name of a function expression, its own binding
			case !ok:
				report(at, "%q is a use", name)
			case len(decls) > 0 && len(g) == 0:
				report(at, "%q is bound at %v, not by us", name, decls)
			case len(decls) == 0 && len(g) > 0:
				report(at, "%q is bound by nothing, we say %v", name, g)
			case len(decls) > 0 && !slices.ContainsFunc(g, func(i int) bool { return slices.Contains(decls, i) }):
				report(at, "%q is bound at %v, we say %v", name, decls, g)
			}
		}
		for at := range got {
			if nameAt(string(src), at) == "require" { // import a = require("b")
				continue
			}
			report(at, "%q is no use", nameAt(string(src), at))
		}
	}
	t.Logf("%d files, %d uses, %d differ", seen, uses, bad)
}

func nameAt(src string, at int) string {
	end := at
	for end < len(src) && isIdentByte(src[end]) {
		end++
	}
	return src[at:end]
}
