package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// writerEnv makes the program the writer: an editor that saves when it is told.
const writerEnv = "REGREEN_BENCH_WRITER"

// notice is how long before its save the writer says when that will be. It is
// what the two processes need to hear of each other and be awake.
const notice = 500 * time.Microsecond

// write saves: it reads a line "style<tab>path<tab>text", then a line as the
// signal, answers with the moment of the save, waits for it, saves, and answers
// with the moment at which it did begin to.
func write(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		f := strings.SplitN(lines.Text(), "\t", 3)
		if len(f) != 3 || !lines.Scan() {
			return fmt.Errorf("not an order: %q", lines.Text())
		}
		at := time.Now().Add(notice)
		if _, err := fmt.Fprintln(out, at.UnixNano()); err != nil {
			return err
		}
		for time.Now().Before(at) {
		}
		begun := time.Now()
		if err := save(f[0], f[1], f[2]+"\n"); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, begun.UnixNano()); err != nil {
			return err
		}
	}
	return lines.Err()
}

func save(style, abs, text string) error {
	if style == "in place" {
		return os.WriteFile(abs, []byte(text), 0o644)
	}
	if err := os.WriteFile(abs+"~", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(abs+"~", abs)
}

// editor is the writer process, seen from outside.
type editor struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startEditor() (*editor, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	e := &editor{cmd: exec.Command(self)}
	e.cmd.Env = append(os.Environ(), writerEnv+"=1")
	e.cmd.Stderr = os.Stderr
	if e.in, err = e.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	e.out = bufio.NewReader(out)
	return e, e.cmd.Start()
}

// ready says what will be saved.
func (e *editor) ready(style, abs, text string) error {
	_, err := fmt.Fprintf(e.in, "%s\t%s\t%s\n", style, abs, strings.TrimSuffix(text, "\n"))
	return err
}

// now has it saved soon, and tells when.
func (e *editor) now() (time.Time, error) {
	if _, err := io.WriteString(e.in, "\n"); err != nil {
		return time.Time{}, err
	}
	return e.moment()
}

// moment is the next answer: when it will be saved, then when that began.
func (e *editor) moment() (time.Time, error) {
	line, err := e.out.ReadString('\n')
	if err != nil {
		return time.Time{}, fmt.Errorf("the writer: %w", err)
	}
	ns, err := strconv.ParseInt(strings.TrimSpace(line), 10, 64)
	return time.Unix(0, ns), err
}

func (e *editor) close() error {
	if err := e.in.Close(); err != nil {
		return err
	}
	return e.cmd.Wait()
}
