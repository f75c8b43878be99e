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
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isNew(call) {
				return true
			}
			found++
			expr, ok := constant(call.Args[0])
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

// constant gives the value of string literals that are joined by "+".
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.BinaryExpr:
		x, okX := constant(e.X)
		y, okY := constant(e.Y)
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
