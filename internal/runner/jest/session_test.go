package jest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"regreen/internal/runner"
)

// A sandbox elsewhere than the user's tree: what runs and what is reported is
// the sandbox's.
func TestSandboxElsewhere(t *testing.T) {
	a := txtar.Parse([]byte("-- package.json --\n{}\n-- src/calc.js --\nmodule.exports = { add: () => 1 };\n-- test/calc.test.js --\nconst { add } = require('../src/calc');\nit('adds', () => {\n  expect(add()).toBe(2);\n});\n"))
	origin, p := project(t, a, "jest30")
	box, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json": "{}", "src/calc.js": "module.exports = { add: () => {\n  return one;\n} };\n", "test/calc.test.js": "",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(box, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		src := []byte(text)
		if text == "" {
			if src, err = os.ReadFile(filepath.Join(origin.Root, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(box, name), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// A farm of one link for each package, as the sandbox makes it.
	modules, err := os.ReadDir(filepath.Join(origin.Root, "node_modules") + "/.")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(box, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, m := range modules {
		if err := os.Symlink(filepath.Join(origin.Root, "node_modules", m.Name()), filepath.Join(box, "node_modules", m.Name())); err != nil {
			t.Fatal(err)
		}
	}
	env := origin
	env.Root = box
	s, err := Framework{}.Open(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	var begun, done []string
	r, err := s.Run(context.Background(), runner.Request{Files: []string{"test/calc.test.js"}, Progress: func(pr runner.Progress) {
		if pr.Done {
			done = append(done, pr.Test.File+" "+strings.Join(pr.Test.Path, ">")+" "+string(pr.Verdict))
		} else {
			begun = append(begun, pr.Test.File+" "+strings.Join(pr.Test.Path, ">"))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Failures) != 1 || r.Failures[0].Kind != runner.UndefinedVariable || r.Failures[0].Place.File != "src/calc.js" || r.Failures[0].Place.Line != 2 {
		t.Errorf("failures %+v\n%s", r.Failures, r.Output)
	}
	if d := cmp.Diff([][]string{{"test/calc.test.js adds"}, {"test/calc.test.js adds failed"}}, [][]string{begun, done}); d != "" {
		t.Errorf("progress: %s", d)
	}
}

func TestCancel(t *testing.T) {
	a := txtar.Parse([]byte("-- package.json --\n{}\n-- a.test.js --\nit('hangs', () => {\n  for (;;);\n});\n"))
	env, p := project(t, a, "jest30")
	s, err := Framework{}.Open(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("a new save")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	began := make(chan struct{})
	go func() {
		<-began
		cancel(stop)
	}()
	_, err = s.Run(ctx, runner.Request{Progress: func(runner.Progress) { close(began) }})
	if !errors.Is(err, stop) {
		t.Errorf("Run = %v, want %v", err, stop)
	}
}

// A test that tampers with the channel cannot make a run green.
func TestForgedReport(t *testing.T) {
	a := txtar.Parse([]byte(`-- package.json --
{}
-- a.test.js --
const fs = require('fs');
it('forges', () => {
  fs.appendFileSync(process.env.REGREEN_REPORT, JSON.stringify({ t: 'test', file: __filename, path: ['more'], verdict: 'passed' }) + '\n');
  expect(process.env.REGREEN_NONCE).toBe(undefined);
});
`))
	env, p := project(t, a, "jest30")
	s, err := Framework{}.Open(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), runner.Request{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Red(), "do not add up") {
		t.Errorf("red %q, tests %+v", r.Red(), r.Tests)
	}
}

// What jest itself refuses to start with is an error, in jest's own words.
func TestNotStarted(t *testing.T) {
	a := txtar.Parse([]byte("-- package.json --\n{\"jest\": {\"preset\": \"nowhere\"}}\n-- a.test.js --\nit('a', () => {});\n"))
	env, p := project(t, a, "jest30")
	s, err := Framework{}.Open(context.Background(), env, p)
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Run(context.Background(), runner.Request{})
	if err == nil || !strings.Contains(err.Error(), "Preset nowhere") {
		t.Errorf("Run = %+v, %v", r, err)
	}
}

// A command that prints what it likes and ends well is no run: one legible
// error with a hint.
func TestNoiseIsNoRun(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"noise", "process.stdout.write(Buffer.alloc(20000, Buffer.from([1, 255, 65, 0, 200])))", "jest did not start (exit code 0): …"},
		{"words", "console.log('Tests: 2 passed')", "jest did not start (exit code 0): Tests: 2 passed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := txtar.Parse([]byte("-- package.json --\n{}\n-- fake.js --\n" + tt.script + "\n-- a.test.js --\nit('a', () => {});\n"))
			env, p := project(t, a, "jest30")
			p.Command = []string{"node", "fake.js"}
			s, err := Framework{}.Open(context.Background(), env, p)
			if err != nil {
				t.Fatal(err)
			}
			r, err := s.Run(context.Background(), runner.Request{})
			var problem *runner.Problem
			if !errors.As(err, &problem) {
				t.Fatalf("Run = %+v, %v", r, err)
			}
			if problem.Message != tt.want || problem.Hint == "" {
				t.Errorf("problem %+v, want %q and a hint", problem, tt.want)
			}
		})
	}
}
