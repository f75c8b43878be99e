package py

import (
	_ "embed"
	"strings"
	"sync"
)

// The modules of the standard library of Python 3.8 to 3.14, and the names
// of its builtins module with those that every module has.
//
//go:embed stdlib.txt
var stdlibText string

//go:embed builtins.txt
var builtinsText string

var stdlib = sync.OnceValue(func() map[string]bool { return lineSet(stdlibText) })

var builtins = sync.OnceValue(func() []string { return strings.Fields(builtinsText) })

func lineSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(text) {
		set[name] = true
	}
	return set
}

// IsStdlib tells whether a top-level module name is one of the standard
// library of any supported Python.
func IsStdlib(name string) bool { return stdlib()[name] }

// Builtins lists the names that every module can use, sorted.
func Builtins() []string { return append([]string(nil), builtins()...) }

var keywords = lineSet(`False None True and as assert async await break class continue def del elif else except
finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// isKeyword tells whether a word is reserved. The map lookup with a converted
// byte slice does not allocate.
func isKeyword(word []byte) bool { return keywords[string(word)] }
