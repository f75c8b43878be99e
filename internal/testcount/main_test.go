package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	tests := []struct {
		name, in, last string
		want           int
	}{
		{"nothing", "", "0 passed, 0 failed, 0 skipped", 1},
		{"subtests count, parents do not", `{"Action":"run","Package":"p","Test":"A"}
{"Action":"run","Package":"p","Test":"A/x"}
{"Action":"run","Package":"p","Test":"A/y"}
{"Action":"pass","Package":"p","Test":"A/x"}
{"Action":"skip","Package":"p","Test":"A/y"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"pass","Package":"p"}
`, "1 passed, 0 failed, 1 skipped", 0},
		{"a failed subtest counts once", `{"Action":"run","Package":"p","Test":"A"}
{"Action":"run","Package":"p","Test":"A/x"}
{"Action":"run","Package":"p","Test":"B"}
{"Action":"fail","Package":"p","Test":"A/x"}
{"Action":"fail","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"B"}
{"Action":"fail","Package":"p"}
`, "1 passed, 1 failed, 0 skipped", 1},
		{"a package that does not build", `{"ImportPath":"p","Action":"build-output","Output":"x.go:1: no\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"pass","Package":"q","Test":"B"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`, "1 passed, 1 failed, 0 skipped", 1},
		{"a panic outside a test", `{"Action":"run","Package":"p","Test":"A"}
{"Action":"pass","Package":"p","Test":"A"}
{"Action":"output","Package":"p","Output":"panic: x\n"}
{"Action":"fail","Package":"p"}
`, "1 passed, 1 failed, 0 skipped", 1},
		{"text that is not JSON", "go: no such tool\n", "0 passed, 0 failed, 0 skipped", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			got := run(strings.NewReader(tt.in), &b)
			lines := strings.Split(strings.TrimSpace(b.String()), "\n")
			if got != tt.want || lines[len(lines)-1] != tt.last {
				t.Errorf("run = %d, last line %q, want %d and %q", got, lines[len(lines)-1], tt.want, tt.last)
			}
		})
	}
}
