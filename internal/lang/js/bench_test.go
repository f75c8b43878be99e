package js

import (
	"os"
	"testing"
)

func benchSource(b *testing.B) []byte {
	src, err := os.ReadFile("../../../testdata/deps/vitest5/node_modules/typescript/lib/typescript.d.ts")
	if err != nil {
		b.Fatalf("%v: run make deps", err)
	}
	return src
}

func BenchmarkScan(b *testing.B) {
	src := benchSource(b)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		Language{}.Scan("a.d.ts", src)
	}
}
