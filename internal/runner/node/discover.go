package node

import (
	"regreen/internal/lang"
	"regreen/internal/runner"
)

func tokens(l lang.Language, file string, src []byte) []lang.Token {
	if l == nil {
		return nil
	}
	return l.Tokens(file, src)
}

// Declaration is where a test is declared.
func Declaration(c Context, test runner.TestID) (runner.Place, bool) {
	return runner.Place{}, false
}

// HookCall is where a hook of a test is declared.
func HookCall(c Context, test runner.TestID, hook string) (runner.Place, bool) {
	return runner.Place{}, false
}

func closers(rel string, src []byte) string { return "" }

func (c Context) isDir(rel string) bool { return false }
