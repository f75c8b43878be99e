package lazyregexp_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"regreen/internal/lazyregexp"
)

// TestEveryExpressionCompiles is what regexp.MustCompile would do at the start
// of the program.
func TestEveryExpressionCompiles(t *testing.T) {
	found, fset := 0, token.NewFileSet()
	err := filepath.WalkDir(filepath.Join("..", ".."), func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(p) != ".go" || strings.HasSuffix(p, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			return err
		}
		named := constants(file)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isNew(call) {
				return true
			}
			found++
			expr, ok := constant(call.Args[0], named)
			if !ok {
				t.Errorf("%s: the expression is not written out", fset.Position(call.Pos()))
			} else if _, err := regexp.Compile(expr); err != nil {
				t.Errorf("%s: %v", fset.Position(call.Pos()), err)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("no expression found")
	}
}

func isNew(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "New" || len(call.Args) != 1 {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "lazyregexp"
}

// constants are the string constants that a file declares.
func constants(file *ast.File) map[string]string {
	out := map[string]string{}
	ast.Inspect(file, func(n ast.Node) bool {
		if decl, ok := n.(*ast.GenDecl); ok && decl.Tok != token.CONST {
			return false
		}
		if spec, ok := n.(*ast.ValueSpec); ok {
			for i, name := range spec.Names {
				if i < len(spec.Values) {
					if v, ok := constant(spec.Values[i], out); ok {
						out[name.Name] = v
					}
				}
			}
		}
		return true
	})
	return out
}

// constant gives the value of string literals and constants that are joined by
// "+".
func constant(e ast.Expr, named map[string]string) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.Ident:
		s, ok := named[e.Name]
		return s, ok
	case *ast.BinaryExpr:
		x, okX := constant(e.X, named)
		y, okY := constant(e.Y, named)
		return x + y, okX && okY && e.Op == token.ADD
	}
	return "", false
}

func TestRegexp(t *testing.T) {
	re := lazyregexp.New(`a(b+)`)
	if !re.MatchString("xabb") || re.Match([]byte("b")) || re.ReplaceAllString("xab", "<$1>") != "x<b>" ||
		re.FindStringSubmatch("abb")[1] != "bb" || len(re.FindAllStringSubmatch("ab ab", -1)) != 2 {
		t.Error("it does not match as regexp does")
	}
}
