package js

import (
	"os"
	"testing"
)

func benchSource(b *testing.B) []byte {
	var src []byte
	for _, p := range []string{"jest30/node_modules/@babel/core/lib/config/full.js",
		"mocha12/node_modules/mocha/lib/runner.js", "jest30/node_modules/jest-runtime/build/index.js"} {
		one, err := os.ReadFile("../../../testdata/deps/" + p)
		if err != nil {
			b.Fatalf("%v: run make deps", err)
		}
		src = append(append(src, one...), '\n')
	}
	return src
}

func BenchmarkScan(b *testing.B) {
	src := benchSource(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Language{}.Scan("a.js", src)
	}
}

func BenchmarkTokens(b *testing.B) {
	src := benchSource(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Language{}.Tokens("a.js", src)
	}
}

func BenchmarkScopes(b *testing.B) {
	src := benchSource(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		readScopes("a.js", src)
	}
}
