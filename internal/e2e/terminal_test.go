//go:build unix

package e2e

import (
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// person is a `regreen watch` with a person before it.
type person struct {
	t   *testing.T
	tty *os.File
	cmd *exec.Cmd

	mu   sync.Mutex // guards the fields below
	text strings.Builder
	more chan struct{} // holds one: there is more text
}

func openWatch(t *testing.T, r *repo) *person {
	t.Helper()
	run, err := os.MkdirTemp("", "rt") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	r.environ = append(r.environ, "XDG_RUNTIME_DIR="+run, "TERM=xterm", "NO_COLOR=1")
	w := &person{t: t, cmd: exec.Command(binary, "watch"), more: make(chan struct{}, 1)}
	w.cmd.Dir, w.cmd.Env = r.dir, r.environ
	w.tty, err = pty.StartWithSize(w.cmd, &pty.Winsize{Rows: 24, Cols: 160})
	if err != nil {
		t.Skip("no pseudo-terminal: ", err)
	}
	var reading sync.WaitGroup
	reading.Go(w.read)
	t.Cleanup(func() {
		_ = w.cmd.Process.Kill() // it has ended, or the test failed
		_ = w.tty.Close()
		reading.Wait()
	})
	return w
}

func (w *person) read() {
	buf := make([]byte, 4096)
	for {
		n, err := w.tty.Read(buf)
		w.mu.Lock()
		w.text.Write(buf[:n])
		w.mu.Unlock()
		select {
		case w.more <- struct{}{}:
		default:
		}
		if err != nil { // EIO once the program has gone
			return
		}
	}
}

func (w *person) all() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// until waits until each of the words was shown after from, the last of them
// after all others, and gives where the text ends then. What stands on the line
// at the bottom is drawn anew at times, so a word of the line before must not be
// the only one.
func (w *person) until(from int, words ...string) int {
	w.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		text := w.all()[from:]
		missing := missingOf(text, words)
		if missing == "" {
			return from + len(text)
		}
		select {
		case <-w.more:
		case <-late:
			w.t.Fatalf("the terminal does not show %q, but %q", missing, text)
		}
	}
}

// missingOf gives the first word that is not in a text, or stands before
// another of which it has to be the last.
func missingOf(text string, words []string) string {
	last := 0
	for i, word := range words {
		if i == len(words)-1 {
			text = text[last:]
		}
		at := strings.Index(text, word)
		if at < 0 {
			return word
		}
		last = max(last, at+len(word))
	}
	return ""
}

func (w *person) press(key string) {
	w.t.Helper()
	if _, err := io.WriteString(w.tty, key); err != nil {
		w.t.Fatal(err)
	}
}

// TestWatchOnATerminal holds what a person sees and can press: one line while
// all is well, on a failure what broke, the repair and how to take it back, and
// every key.
func TestWatchOnATerminal(t *testing.T) {
	t.Parallel()
	s := stacks()[4]
	r := s.repo(t)
	w := openWatch(t, r)
	at := w.until(0, "watching, ? helps; no tests: nothing is modified")
	file := s.file("src/tax")
	whole := r.read(file)
	r.write(file, whole+"\n// as good as before\n")
	at = w.until(at, "snapshot …", "watching, ? helps; ")
	if text := w.all(); strings.Contains(text, "\n") {
		t.Errorf("while all is well more than one line is shown: %q", text)
	}
	r.write(file, whole)
	at = w.until(at, "snapshot …", "watching, ? helps; ")

	w.press("?")
	at = w.until(at, "Enter: run all tests", "q: quit")
	w.press("\r")
	at = w.until(at, "snapshot …", "watching, ? helps; passed: ")

	broken := strings.Replace(whole, "(base *", "(bsae *", 1)
	r.write(file, broken)
	at = w.until(at, "regreen: begin: "+file, "repaired: ", "-", "+", "undo: regreen undo ", "regreen: end: repaired: ", "watching, ? helps; repaired: ")
	if got := r.read(file); got != whole {
		t.Errorf("after the repair: %q", got)
	}
	w.press("u")
	at = w.until(at, "snapshot …", "undone ", "  "+file, "proposed: ", "apply: regreen apply ", "watching, ? helps; proposed: ")
	if got := r.read(file); got != broken {
		t.Errorf("after u: %q", got)
	}
	if text := w.all(); strings.Contains(text[strings.LastIndex(text, "undone "):], "  repaired: ") {
		t.Errorf("what is only proposed is called repaired: %q", text)
	}
	w.press("a")
	at = w.until(at, "snapshot …", "applied ", "  "+file, "watching, ? helps; ")
	if got := r.read(file); got != whole {
		t.Errorf("after a: %q", got)
	}

	w.press("p")
	at = w.until(at, "paused, p goes on")
	w.press("p")
	at = w.until(at, "watching, ? helps")
	w.press("q")
	done := make(chan error, 1)
	go func() { done <- w.cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Errorf("after q: %v", err)
		}
	case <-time.After(patience):
		t.Fatal("q does not end it")
	}
	begins, ends := strings.Count(w.all(), "regreen: begin: "), strings.Count(w.all(), "regreen: end: ")
	if begins != ends {
		t.Errorf("%d begin lines and %d end lines", begins, ends)
	}
	if text := w.all(); strings.Contains(text[at:], "error") {
		t.Errorf("at the end: %q", text[at:])
	}
}
