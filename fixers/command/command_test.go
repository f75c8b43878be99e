package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/proc"
)

// fakeHost does what its function says in the program's place.
type fakeHost struct {
	do  func(ctx context.Context, v Visit) (*Done, error)
	got Visit
}

func (h *fakeHost) Visit(ctx context.Context, v Visit) (*Done, error) {
	h.got = v
	return h.do(ctx, v)
}

func task() fixers.Task {
	return fixers.Task{Schema: 1, Files: []string{"src/a.js", "src/b.ts", "src/gone.ts", "-x.js"},
		Causes: []fixers.TaskCause{{Kind: "unknown", Place: fixers.TaskPlace{File: "src/a.js"}, Message: "no"}},
		Read: func(rel string) ([]byte, error) {
			if rel == "src/gone.ts" {
				return nil, fs.ErrNotExist
			}
			return nil, nil
		}}
}

func TestAsk(t *testing.T) {
	whole := []fixers.Whole{{File: "src/a.js", After: []byte("x")}}
	done := func(d Done, out ...string) func(context.Context, Visit) (*Done, error) {
		return func(_ context.Context, v Visit) (*Done, error) {
			for _, o := range out {
				_, _ = io.WriteString(v.Cmd.Stdout, o)
			}
			_, _ = io.WriteString(v.Cmd.Stderr, "bad \x1b[31mluck\n")
			return &d, nil
		}
	}
	broken := errors.New("no space")
	cases := []struct {
		name string
		do   func(context.Context, Visit) (*Done, error)
		cfg  func(*config.Command)
		want fixers.Answer
		err  error
	}{
		{"a change", done(Done{Whole: whole}), nil, fixers.Answer{Whole: whole}, nil},
		{"with what a tool leaves for itself", done(Done{Whole: append([]fixers.Whole{{File: ".aider.chat.history.md", Created: true}}, whole...)}), nil, fixers.Answer{Whole: whole}, nil},
		{"only that", done(Done{Whole: []fixers.Whole{{File: ".claude/x", Created: true}}}), nil, fixers.Answer{Failed: "it changed nothing"}, nil},
		{"with words", done(Done{Whole: whole}, "thinking\n{\"title\": \"t\\u001b[1m\", ", "\"notes\": \"n\"}\n\n"), nil, fixers.Answer{Whole: whole, Title: "t[1m", Notes: "n"}, nil},
		{"with plain words", done(Done{Whole: whole}, "one\ntwo\n"), nil, fixers.Answer{Whole: whole, Notes: "one\ntwo"}, nil},
		{"nothing", done(Done{}), nil, fixers.Answer{Failed: "it changed nothing"}, nil},
		{"an error", done(Done{Whole: whole, Exit: proc.Exit{Code: 3}}), nil, fixers.Answer{Failed: "it ended with exit code 3: bad [31mluck"}, nil},
		{"an error with a stack", func(_ context.Context, v Visit) (*Done, error) {
			_, _ = io.WriteString(v.Cmd.Stderr, "x.js:1\n  boom()\n  ^\n\nTypeError: boom is not a function\n    at loadError (x.js:1)\n\nNode.js v22\n")
			return &Done{Exit: proc.Exit{Code: 1}}, nil
		}, nil, fixers.Answer{Failed: "it ended with exit code 1: TypeError: boom is not a function"}, nil},
		{"an exit code that is none", done(Done{Whole: whole, Exit: proc.Exit{Code: 3}}), func(c *config.Command) { c.Success = []int{0, 3} }, fixers.Answer{Whole: whole}, nil},
		{"a signal", done(Done{Whole: whole, Exit: proc.Exit{Code: -1, Signal: "killed"}}), nil, fixers.Answer{Failed: "it was ended: killed"}, nil},
		{"a limit", done(Done{Exit: proc.Exit{Code: -1, Limit: "the memory limit of 2.0 GB"}}), nil,
			fixers.Answer{Failed: "it was ended at the memory limit of 2.0 GB", Off: true}, nil},
		{"too much", done(Done{Files: []string{"a", "b"}, Excess: "2 files are changed, 1 are allowed"}), nil,
			fixers.Answer{Failed: "2 files are changed, 1 are allowed", Rule: "file budget: 2 files are changed, 1 are allowed", File: "a"}, nil},
		{"no walls", done(Done{Whole: whole, Doubt: "copy", Notes: []string{"note"}}), nil, fixers.Answer{Whole: whole, Doubt: "copy", Warnings: []string{"note"}}, nil},
		{"late", func(ctx context.Context, _ Visit) (*Done, error) {
			<-ctx.Done()
			return &Done{Whole: whole, Exit: proc.Exit{Code: -1, Signal: "terminated", Stopped: true}}, nil
		}, func(c *config.Command) { c.Timeout = config.Duration(time.Millisecond) }, fixers.Answer{Failed: "its time of 1ms ran out", Off: true}, nil},
		{"late while it was let in", func(ctx context.Context, _ Visit) (*Done, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}, func(c *config.Command) { c.Timeout = config.Duration(time.Millisecond) }, fixers.Answer{Failed: "its time of 1ms ran out", Off: true}, nil},
		{"no sandbox", func(context.Context, Visit) (*Done, error) { return nil, broken }, nil, fixers.Answer{}, broken},
		{"no file of its kind", done(Done{Whole: whole}), func(c *config.Command) { c.Command = []string{"ruff", "{files:*.py}"} },
			fixers.Answer{Failed: "no file of the failures is of its kind", Off: true}, nil},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			cfg := config.Command{Name: "x", Command: []string{"x"}, Timeout: config.Duration(time.Hour), MaxFiles: 20}
			if tc.cfg != nil {
				tc.cfg(&cfg)
			}
			got, err := New(cfg, "/bin/x", nil, &fakeHost{do: tc.do}).Ask(t.Context(), task())
			if d := cmp.Diff(tc.want, got); d != "" || !errors.Is(err, tc.err) {
				t.Errorf("error %v; answer (-want +got):\n%s", err, d)
			}
		})
	}
}

func TestWhatAProgramGets(t *testing.T) {
	h := &fakeHost{do: func(context.Context, Visit) (*Done, error) { return &Done{}, nil }}
	cfg := config.Command{Name: "x", Command: []string{"x", "--task={task}", "{prompt}", "-C", "{root}", "{files}", "{files:*.ts,src/*.js}", "{other}"},
		Timeout: config.Duration(time.Hour), Env: []string{"KEY", "HOME", "NONE"}, Home: []string{".x"}, Network: true, MaxFiles: 7}
	if _, err := New(cfg, "/bin/x", []string{"KEY=a", "KEY=b", "HOME=/home/me", "OTHER=c"}, h).Ask(t.Context(), task()); err != nil {
		t.Fatal(err)
	}
	private := filepath.FromSlash("/private")
	want := []string{"--task=" + filepath.Join(private, "task.json"), filepath.Join(private, "prompt.txt"), "-C", "/root",
		"src/a.js", "src/b.ts", "./-x.js", "src/a.js", "src/b.ts", "{other}"}
	if d := cmp.Diff(want, h.got.Args("/root", private)); d != "" {
		t.Errorf("arguments: %s", d)
	}
	if d := cmp.Diff([]string{"KEY=b"}, h.got.Cmd.Env); d != "" || !h.got.KeepHome || !h.got.Network || h.got.MaxFiles != 7 || h.got.Home[0] != ".x" {
		t.Errorf("visit %+v: %s", h.got, d)
	}
	in, err := io.ReadAll(h.got.Cmd.Stdin)
	if err != nil || strings.TrimSpace(string(in)) != string(h.got.Files["task.json"]) {
		t.Errorf("standard input %q, %v", in, err)
	}
	var doc map[string]any
	if err := json.Unmarshal(in, &doc); err != nil || doc["schema"] != 1.0 {
		t.Errorf("document %v, %v", doc, err)
	}
	if p := string(h.got.Files["prompt.txt"]); !strings.Contains(p, "Cause 1: unknown at src/a.js") {
		t.Errorf("prompt %q", p)
	}
}

func TestLastLine(t *testing.T) {
	for in, want := range map[string]string{"": "", "a": "a", "a\nb\n": "b", "a\n\n  \n": "a", "a\nb": "b", strings.Repeat("x", 1<<20): strings.Repeat("x", maxLine)} {
		l := &lastLine{}
		for len(in) > 0 {
			n := min(len(in), 3000)
			if w, err := l.Write([]byte(in[:n])); w != n || err != nil {
				t.Fatal(w, err)
			}
			in = in[n:]
		}
		if l.String() != want {
			t.Errorf("last line %.20q, want %.20q", l.String(), want)
		}
	}
}
