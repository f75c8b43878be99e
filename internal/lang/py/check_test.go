package py

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/lang"
)

// python is the interpreter of the test environments, or the one that
// REGREEN_TEST_PYTHON names.
func python(t *testing.T) string {
	t.Helper()
	if p := os.Getenv("REGREEN_TEST_PYTHON"); p != "" {
		return p
	}
	p, err := filepath.Abs("../../../testdata/deps/pytest9/.venv/bin/python")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p); err != nil {
		t.Fatalf("no test environment (run make deps): %v", err)
	}
	return p
}

func TestCheck(t *testing.T) {
	l := New(python(t))
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, tc := range []struct {
		name, src string
		token     string // what stands at the offset
		before    string // the text before it, the last 4 bytes at most
		line, col int
	}{
		{"missing colon", "if x\n  y\n", "\n", "if x", 1, 5},
		{"two names", "é = foo bar\n", "bar", "foo ", 1, 10},
		{"behind wide characters", "s = '日本語'; a b\n", "b", "; a ", 1, 20},
		{"found while compiling", "é = 1; return 5\n", "return", "1; ", 1, 9},
		{"assignment to a call", "é; f() = 2\n", "f", "; ", 1, 5},
		{"byte order mark", "\xef\xbb\xbfx = = 1\n", "=", "x = ", 1, 8},
		{"latin-1", "# coding: latin-1\n\xe9 = 1 2\n", "2", "= 1 ", 2, 7},
		{"block missing", "if x:\ny\n", "y", "x:\n", 2, 1},
		{"CRLF", "a = 1\r\nb = = 2\r\n", "=", "b = ", 2, 5},
		{"field of an f-string", "x = 1\ny = f'é{a b}'\n", "", "é{", 2, 9},
		{"null byte", "x\x00y\n", "", "", 1, 1},
		{"unknown encoding", "# coding: foo\nx=1\n", "# coding: foo", "", 1, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := []byte(tc.src)
			e, err := l.Check(t.Context(), "dir/x.py", src)
			if err != nil {
				t.Fatal(err)
			}
			if e == nil {
				t.Fatalf("Check(%q) finds no error", tc.src)
			}
			if tc.name == "null byte" {
				return // older interpreters give no place at all
			}
			if tc.name == "field of an f-string" { // before 3.12 the field's start, then the place in it
				if e.Line != 2 || e.Offset < strings.Index(tc.src, "a b") || e.Offset > strings.Index(tc.src, "a b")+2 {
					t.Errorf("Check(%q) = %+v", tc.src, e)
				}
				return
			}
			if e.Token != tc.token || !strings.HasSuffix(tc.src[:e.Offset], tc.before) || e.Line != tc.line || e.Column != tc.col {
				t.Errorf("Check(%q) = %+v, want token %q behind %q at %d:%d", tc.src, e, tc.token, tc.before, tc.line, tc.col)
			}
		})
	}
	for _, src := range []string{"", "x = 1\n", "async def f():\n    await g()\n", "x = 1", "def f():\n\treturn 1\n"} {
		if e, err := l.Check(t.Context(), "x.py", []byte(src)); e != nil || err != nil {
			t.Errorf("Check(%q) = %v, %v", src, e, err)
		}
	}
}

func TestCheckExpected(t *testing.T) {
	for msg, want := range map[string]string{
		"expected ':'":                ":",
		"'(' was never closed":        ")",
		"expected an indented block":  "an indented block",
		"unexpected EOF":              "",
		"unexpected indent":           "",
		"invalid syntax":              "",
		"expected 'except' or 'else'": "'except' or 'else'",
	} {
		if diff := cmp.Diff(want, (&answer{Msg: msg}).expected()); diff != "" {
			t.Errorf("expected of %q (-want +got):\n%s", msg, diff)
		}
	}
}

func TestCheckWithoutInterpreter(t *testing.T) {
	if _, err := New("").Check(t.Context(), "x.py", nil); !errors.Is(err, ErrNoInterpreter) {
		t.Errorf("Check without an interpreter: %v", err)
	}
	l := New(filepath.Join(t.TempDir(), "python"))
	if _, err := l.Check(t.Context(), "x.py", nil); err == nil {
		t.Error("Check with a missing interpreter gives no error")
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
}

// The interpreter may be killed from outside, and a caller may give up.
func TestCheckRecovers(t *testing.T) {
	l := New(python(t))
	defer func() { _ = l.Close() }()
	if _, err := l.Check(t.Context(), "x.py", []byte("x")); err != nil {
		t.Fatal(err)
	}
	l.check.helper.stop()
	l.check.helper.wait.Wait()
	if _, err := l.Check(t.Context(), "x.py", []byte("x")); err == nil {
		t.Error("Check by an interpreter that was killed gives no error")
	}
	if _, err := l.Check(t.Context(), "x.py", []byte("x")); err != nil {
		t.Errorf("the next Check: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	if _, err := l.Check(ctx, "x.py", []byte("x")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Check with a context that is over: %v", err)
	}
	var e *lang.SyntaxError
	if e, _ = l.Check(t.Context(), "x.py", []byte("x x")); e == nil {
		t.Error("Check after a cancelled one finds nothing")
	}
}
