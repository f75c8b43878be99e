package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"regreen/cycle"
)

// TestInterruptedCase holds that a case that was interrupted is not stored, so
// that it is run when the bench is taken up again.
func TestInterruptedCase(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for regreen is a script of a shell")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	for _, tc := range []struct {
		name, then string // what regreen does with the fault
		bench      bool   // the bench is interrupted, too
		stored     int
	}{
		{name: "the bench", then: `trap 'echo "{\"outcome\":\"cancelled\"}"; exit 1' INT; : > "$0.ready"; while :; do sleep 0.05; done`, bench: true},
		{name: "regreen alone", then: `echo '{"outcome":"cancelled"}'; exit 1`},
		{name: "neither", then: `echo '{"outcome":"failed"}'; exit 1`, stored: 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			from, work := filepath.Join(t.TempDir(), "shop"), t.TempDir()
			program := filepath.Join(work, "regreen.sh")
			if err := os.MkdirAll(from, 0o755); err != nil {
				t.Fatal(err)
			}
			for name, text := range map[string]string{
				filepath.Join(from, "orders.js"):      "function total(a, b) {\n  if (a === b) return 1;\n  return a + b;\n}\nmodule.exports = { total };\n",
				filepath.Join(from, "orders.test.js"): "const { total } = require('./orders');\ntest('adds', () => { expect(total(1, 2)).toBe(3); });\n",
				program:                               "#!/bin/sh\ncase \"$*\" in\n*--all*) echo '{\"outcome\":\"passed\",\"frameworks\":[\"jest\"]}';;\n*) " + tc.then + ";;\nesac\n",
			} {
				if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			r := repo{dir: from, environ: append(os.Environ(), "GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@example.invalid", "GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@example.invalid")}
			if _, err := r.git(ctx, "init", "-q"); err != nil {
				t.Fatal(err)
			}
			if err := r.commit(ctx); err != nil {
				t.Fatal(err)
			}
			if tc.bench {
				go func() {
					for ctx.Err() == nil {
						if _, err := os.Stat(program + ".ready"); err == nil {
							cancel()
						}
						time.Sleep(10 * time.Millisecond)
					}
				}()
			}
			s, err := openStore(filepath.Join(work, "out.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			o := options{seed: 7, each: 1, kinds: []string{"logic"}, work: work, program: program, limit: time.Minute}
			if err := o.repo(ctx, from, s); (err == nil) != (tc.stored > 0) {
				t.Errorf("repo = %v", err)
			}
			if len(s.list) != tc.stored {
				t.Errorf("stored %+v, want %d", s.list, tc.stored)
			}
		})
	}
}

// TestLimit holds that a run that passes the bench's own limit is a result.
func TestLimit(t *testing.T) {
	r := repo{o: options{program: os.Args[0], limit: time.Nanosecond}, dir: t.TempDir(), environ: os.Environ()}
	doc, err := r.regreen(t.Context())
	if err != nil || doc.Outcome != cycle.Cancelled || doc.Reason != "the bench's limit" {
		t.Errorf("%+v, %v", doc, err)
	}
}
