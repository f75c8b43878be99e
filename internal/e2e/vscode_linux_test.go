package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestVSCodeTask runs the printed task as VS Code does, in a terminal and with
// the task's own environment, and reads it with the printed patterns: each
// cycle has one begin and one end, a green one too, and the failing line stands
// between them.
func TestVSCodeTask(t *testing.T) {
	t.Parallel()
	r := taxRepo(t)
	res := r.regreen("hook", "vscode")
	var lines []string
	for line := range strings.SplitSeq(res.stdout, "\n") {
		if !strings.HasPrefix(line, "//") {
			lines = append(lines, line)
		}
	}
	var doc struct {
		Tasks []struct {
			Command        string
			Args           []string
			Options        struct{ Env map[string]string }
			ProblemMatcher struct {
				Pattern    struct{ Regexp string }
				Background struct{ BeginsPattern, EndsPattern string }
			}
		}
	}
	if err := json.Unmarshal([]byte(strings.Join(lines, "\n")), &doc); err != nil || len(doc.Tasks) == 0 {
		t.Fatalf("%v in %s", err, res.stdout)
	}
	task := doc.Tasks[0]
	for k, v := range task.Options.Env {
		r.environ = append(r.environ, k+"="+v)
	}
	run, err := os.MkdirTemp("", "rt") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	r.environ = append(r.environ, "XDG_RUNTIME_DIR="+run)
	master, slave := openTerminal(t)
	cmd := exec.CommandContext(t.Context(), task.Command, task.Args...)
	cmd.Dir, cmd.Env = r.dir, r.environ
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = slave.Close()
	out := make(chan string, 1000)
	go func() {
		defer close(out)
		s := bufio.NewScanner(master)
		for s.Scan() {
			out <- strings.TrimRight(s.Text(), "\r")
		}
	}()
	begins, ends := regexp.MustCompile(task.ProblemMatcher.Background.BeginsPattern), regexp.MustCompile(task.ProblemMatcher.Background.EndsPattern)
	failing := regexp.MustCompile(task.ProblemMatcher.Pattern.Regexp)
	cycle := func() (places []string) {
		t.Helper()
		late := time.After(patience)
		open := false
		for {
			select {
			case line, ok := <-out:
				switch {
				case !ok:
					t.Fatal("the task ended")
				case begins.MatchString(line):
					open = true
				case ends.MatchString(line):
					if !open {
						t.Fatalf("an end without a begin: %q", line)
					}
					return places
				case failing.MatchString(line):
					m := failing.FindStringSubmatch(line)
					places = append(places, m[1]+":"+m[2])
				}
			case <-late:
				t.Fatal("no cycle ends")
			}
		}
	}
	cycle()
	good := r.read("shop/tax.py")
	r.write("shop/tax.py", strings.Replace(good, "RATE = 2", "RATE = 3", 1))
	if got := cycle(); len(got) != 1 || got[0] != "tests/odd [dir]  b/test_tax.py:5" {
		t.Errorf("places of a red cycle = %q", got)
	}
	r.write("shop/tax.py", good)
	if got := cycle(); len(got) != 0 {
		t.Errorf("places of a green cycle = %q", got)
	}
	if res := r.regreen("stop"); res.exit != 0 {
		t.Errorf("stop: %+v", res)
	}
	for range out { // until it has ended
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the task ended with %v", err)
	}
}

// openTerminal gives both ends of a new terminal.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no terminal can be made here: %v", err)
	}
	return master, slave
}
