package affected

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"sort"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// mem is an in-memory lang.Tree.
type mem map[string]string

func (m mem) ReadFile(rel string) ([]byte, error) {
	if s, ok := m[rel]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

func (m mem) Exists(rel string) bool { _, ok := m[rel]; return ok }

func (m mem) IsDir(rel string) bool {
	for f := range m {
		if rel == "." || strings.HasPrefix(f, rel+"/") {
			return true
		}
	}
	return false
}

func (m mem) List(rel string) map[string]bool {
	out := map[string]bool{}
	for f := range m {
		if path.Dir(f) == rel {
			out[path.Base(f)] = true
		}
	}
	return out
}

func (m mem) Files() []string {
	var out []string
	for f := range m {
		if !strings.HasSuffix(f, "/.git") {
			out = append(out, f)
		}
	}
	sort.Strings(out)
	return out
}

// fake is a language of lines: "use PATH", "wide PREFIX", "data PATH" and
// "maybe PATH". A path without an extension means PATH.x, else PATH/main.x.
type fake struct{}

func (fake) Name() string                       { return "fake" }
func (fake) Owns(p string) bool                 { return path.Ext(p) == ".x" }
func (fake) Tokens(string, []byte) []lang.Token { return nil }

func (fake) Scan(p string, src []byte) *lang.File {
	f := &lang.File{Path: p}
	lines := bufio.NewScanner(bytes.NewReader(src))
	for n := 1; lines.Scan(); n++ {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		kind, ok := map[string]lang.ImportKind{"use": lang.Static, "wide": lang.Wide, "mock": lang.Mock, "types": lang.TypeOnly}[word]
		if ok {
			f.Imports = append(f.Imports, lang.Import{Kind: kind, Specifier: rest, Line: n})
		}
		if word == "data" {
			f.DataPaths = append(f.DataPaths, rest)
		}
	}
	return f
}

type fakeResolver struct{ tree lang.Tree }

func (fake) NewResolver(t lang.Tree) lang.Resolver { return fakeResolver{t} }

func (r fakeResolver) Resolve(_ string, imp lang.Import) lang.Resolution {
	var res lang.Resolution
	if imp.Kind == lang.Wide {
		for _, f := range r.tree.Files() {
			if strings.HasPrefix(f, imp.Specifier) {
				res.Files = append(res.Files, f)
			}
		}
		res.Wide = "all of " + imp.Specifier
		return res
	}
	spec := path.Clean(imp.Specifier)
	for _, p := range []string{spec + ".x", spec + "/main.x"} {
		if r.tree.Exists(p) {
			res.Files = append(res.Files, p)
			return res
		}
		res.Waiting = append(res.Waiting, p)
	}
	res.Missing = true
	return res
}

func (fakeResolver) Specifiers(string, string, string) []string { return nil }
func (fake) InScope(string, []byte, int) []lang.Binding         { return nil }
func (fake) Uses(string, []byte, string, int) []lang.Span       { return nil }
func (fake) AddImport(string, []byte, string, []lang.Name) ([]lang.TextEdit, error) {
	return nil, errors.New("no")
}
func (fake) Check(context.Context, string, []byte) (*lang.SyntaxError, error) { return nil, nil }

// project makes a project whose tests are below root and match the pattern.
func project(root, pattern string, global ...string) Project {
	return Project{Project: runner.Project{Root: root, Framework: "fw"}, Layout: runner.Layout{
		IsTest: func(f string) bool {
			ok, err := path.Match(pattern, path.Base(f))
			return err == nil && ok && within(f, root) && !strings.Contains(f, "node_modules/")
		},
		Global: global,
	}}
}
