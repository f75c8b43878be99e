package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// driver is a real editor that runs without a screen and saves files for as
// long as it is fed with commands, one a line.
type driver struct {
	name    string
	command func(path, content string, changed bool) string
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string // what it says
	done    chan error
}

// acknowledged ends what an editor says about one save.
const acknowledged = "saved and done"

// ex is one save in the language of vim: the file is read as bytes, and written
// with a backup that is renamed (no) or copied (yes).
func ex(backupCopy, tell string) func(path, content string, changed bool) string {
	return func(path, content string, changed bool) string {
		edit := ""
		if changed {
			edit = "silent %delete _ | call setline(1, " + quote(strings.TrimSuffix(content, "\n")) + ") | "
		}
		return "set writebackup backupcopy=" + backupCopy + " | silent execute 'edit! ++bin ' . fnameescape(" + quote(path) + ") | " +
			edit + "silent write! | silent bwipeout! | " + tell
	}
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func lisp(path, content string, changed bool) string {
	edit := ""
	if changed {
		edit = fmt.Sprintf("(erase-buffer) (insert %q) ", content)
	}
	return fmt.Sprintf(`(with-current-buffer (find-file-noselect %q t t) %s(set-buffer-modified-p t) (save-buffer) (kill-buffer)) (princ "%s\n" #'external-debugging-output)`,
		path, edit, acknowledged)
}

// drivers starts the editors that are installed; the others' names are given.
func drivers(environ []string, home string) (out []*driver, missing []string, err error) {
	tell := "call writefile([" + quote(acknowledged) + "], '/dev/stderr', 'a')"
	for _, d := range []struct {
		driver
		program string
		args    []string
	}{
		{driver{name: "vim, backup renamed", command: ex("no", tell)}, "vim", []string{"-es", "-N", "-u", "NONE", "-i", "NONE"}},
		{driver{name: "vim, backup copied", command: ex("yes", tell)}, "vim", []string{"-es", "-N", "-u", "NONE", "-i", "NONE"}},
		{driver{name: "neovim", command: ex("auto", "lua io.stderr:write('"+acknowledged+"\\n')")}, "nvim", []string{"--headless", "-u", "NONE", "-i", "NONE",
			"-c", "lua for line in io.stdin:lines() do vim.cmd(line) end"}},
		{driver{name: "emacs", command: lisp}, "emacs", []string{"--batch", "-Q", "--eval",
			`(let ((vc-handled-backends nil) (make-backup-files t)) (while t (let ((line (read-from-minibuffer ""))) (eval (car (read-from-string (concat "(progn " line ")")))))))`}},
	} {
		if _, err := exec.LookPath(d.program); err != nil {
			missing = append(missing, d.name)
			continue
		}
		started := d.driver
		if err := started.start(append(environ, "HOME="+home, "XDG_STATE_HOME="+home, "XDG_DATA_HOME="+home), d.program, d.args); err != nil {
			return out, missing, err
		}
		out = append(out, &started)
	}
	return out, missing, nil
}

func (d *driver) start(environ []string, program string, args []string) error {
	d.cmd = exec.Command(program, args...)
	d.cmd.Env = environ
	in, err := d.cmd.StdinPipe()
	if err != nil {
		return err
	}
	// A pipe of the system's own, so that the editor can open it by name too.
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	d.in, d.cmd.Stdout, d.cmd.Stderr = in, w, w
	if err := d.cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", d.name, err)
	}
	_ = w.Close() // the editor has it
	d.lines, d.done = make(chan string, 1), make(chan error, 1)
	go func() {
		s := bufio.NewScanner(r)
		for s.Scan() {
			d.lines <- s.Text()
		}
		close(d.lines)
		_ = r.Close()
		d.done <- d.cmd.Wait()
	}()
	return nil
}

// save has the editor save a file and waits until it has.
func (d *driver) save(path, content string) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(d.in, d.command(path, content, string(before) != content)+"\n"); err != nil {
		return err
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	var said []string
	for {
		select {
		case line, ok := <-d.lines:
			if !ok {
				return fmt.Errorf("%s ended: %q", d.name, said)
			}
			if strings.Contains(line, acknowledged) {
				after, err := os.ReadFile(path)
				if err == nil && string(after) != content {
					err = fmt.Errorf("%s wrote %q, want %q: %q", d.name, after, content, said)
				}
				return err
			}
			said = append(said, line)
		case <-late.C:
			return fmt.Errorf("%s does not save: %q", d.name, said)
		}
	}
}

// stop ends an editor.
func (d *driver) stop() error {
	_ = d.in.Close()
	_ = d.cmd.Process.Kill()
	for range d.lines { // until it has ended
	}
	var exit *exec.ExitError
	if err := <-d.done; err != nil && !errors.As(err, &exit) {
		return err
	}
	return nil
}
