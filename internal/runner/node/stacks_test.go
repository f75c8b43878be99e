package node

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"regreen/internal/lang/js"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

func TestLoop(t *testing.T) {
	src := `function f(n) {
  for (const x of n) use(x);
  while (n > 0) {
    for (let i = 0; i < 3; i++) {
      n = next(n);
    }
    n = other(n);
  }
  do {
    n++;
  } while (n);
  while (true);
  if (n) { go(); }
}
`
	tests := []struct {
		name  string
		lines []int
		want  int
	}{
		{"inner", []int{5, 5}, 4},
		{"what all share", []int{5, 7}, 3},
		{"a body without braces", []int{2}, 2},
		{"do", []int{10, 11}, 9},
		{"no body", []int{12}, 12},
		{"none", []int{13}, 0},
		{"two loops", []int{5, 10}, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var at []runner.Place
			for _, l := range tt.lines {
				at = append(at, runner.Place{File: "a.js", Line: l, Column: 8})
			}
			got, ok := loop("a.js", []byte(src), at)
			if got.Line != tt.want || ok != (tt.want > 0) {
				t.Errorf("loop = %v, %v, want line %d", got, ok, tt.want)
			}
		})
	}
}

// hang starts node with args in dir, kills it after limit, and gives the frames.
func hang(t *testing.T, dir, node string, limit time.Duration, args ...string) []runner.Frame {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be made to start its inspector from outside on Windows")
	}
	h := NewHang(Context{Framework: "test", Root: dir, Origin: dir, Language: js.Language{}, Read: func(rel string) ([]byte, error) {
		return os.ReadFile(filepath.Join(dir, rel))
	}})
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	out := proc.NewTail(4 << 10)
	_, err := proc.Local{}.Run(ctx, proc.Cmd{
		Path: node, Args: args, Dir: dir, Env: append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, h.Env()...),
		Stdout: out, Stderr: out, BeforeKill: func(pgid int) {
			h.BeforeKill(pgid)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Frames()) == 0 {
		t.Log(out.String())
	}
	return h.Frames()
}

func TestHang(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Fatal("node is not on PATH: install it, then run make deps")
	}
	helper := "exports.spin = (n) => {\n  let s = 0;\n  for (let i = 0; i < 1000; i++) {\n    s += i % (n + 1);\n  }\n  return s;\n};\n"
	loop := "const { spin } = require('./helper');\nfunction main() {\n  let n = 0;\n  while (n >= 0) {\n    n = spin(n);\n  }\n}\nmain();\n"
	tests := []struct {
		name, src string
		want      runner.Place
	}{
		{"in a callee of the loop", loop, runner.Place{File: "main.js", Line: 4, Column: 3}},
		{"in a child", "require('child_process').fork(__dirname + '/loop.js');\n", runner.Place{File: "loop.js", Line: 4, Column: 3}},
		{"in a thread", "new (require('worker_threads').Worker)(__dirname + '/loop.js');\n", runner.Place{File: "loop.js", Line: 4, Column: 3}},
		{"waiting for nothing", "setInterval(() => {}, 10000);\n", runner.Place{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			for name, src := range map[string]string{"helper.js": helper, "loop.js": loop, "main.js": tt.src} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			frames := hang(t, dir, node, 1500*time.Millisecond, "main.js")
			var got runner.Place
			if len(frames) > 0 {
				got = frames[0].Place
			}
			if got != tt.want {
				t.Errorf("hangs at %v, want %v", got, tt.want)
			}
		})
	}
}
