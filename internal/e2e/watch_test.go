//go:build unix

package e2e

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"regreen/cycle"
)

// watching is a `regreen watch` that runs, piped and without a terminal.
type watching struct {
	*repo
	cmd   *exec.Cmd
	lines chan string
	done  chan error
}

func startWatching(t *testing.T, r *repo) *watching {
	t.Helper()
	run, err := os.MkdirTemp("", "rt") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	if r.user != 0 {
		if err := os.Chown(run, r.user, r.user); err != nil {
			t.Fatal(err)
		}
	}
	r.environ = append(r.environ, "XDG_RUNTIME_DIR="+run)
	w := &watching{repo: r, lines: make(chan string, 10_000), done: make(chan error, 1)}
	w.start()
	return w
}

func (w *watching) start() {
	w.t.Helper()
	w.cmd = exec.Command(binary, "watch")
	w.cmd.Dir, w.cmd.Env = w.dir, w.environ
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	as(w.cmd, w.user)
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	w.cmd.Stderr = w.cmd.Stdout
	if err := w.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	cmd, done := w.cmd, make(chan error, 1)
	w.done = done
	go func() {
		w.scan(out)
		done <- cmd.Wait()
	}()
	w.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended, or the test failed
	})
}

func (w *watching) scan(out io.Reader) {
	s := bufio.NewScanner(out)
	for s.Scan() {
		w.lines <- s.Text()
	}
}

// until gives the lines up to the first that begins so.
func (w *watching) until(prefix string) []string {
	w.t.Helper()
	var seen []string
	late := time.After(patience)
	for {
		select {
		case l := <-w.lines:
			if seen = append(seen, l); strings.HasPrefix(l, prefix) {
				return seen
			}
		case <-late:
			w.t.Fatalf("no line %q; got\n%s", prefix, strings.Join(seen, "\n"))
		}
	}
}

// verdict waits for the end line of a cycle with an outcome; between its begin
// and its end no other of them may stand.
func (w *watching) verdict(outcome cycle.Outcome) string {
	w.t.Helper()
	lines := w.until("regreen: end: " + string(outcome))
	depth := 0
	for _, l := range lines {
		switch {
		case strings.HasPrefix(l, "regreen: begin: "):
			depth++
		case strings.HasPrefix(l, "regreen: end: "):
			depth--
		}
		if depth < 0 || depth > 1 {
			w.t.Fatalf("begin and end lines do not pair:\n%s", strings.Join(lines, "\n"))
		}
	}
	return strings.Join(lines, "\n")
}

// ended waits for the process.
func (w *watching) ended() error {
	w.t.Helper()
	select {
	case err := <-w.done:
		return err
	case <-time.After(30 * time.Second):
		w.t.Fatal("the daemon does not end")
	}
	return nil
}

// TestWatch drives a day in short: a break that is repaired, one that cannot
// be, commands beside the daemon, a second daemon, kill -9, reload and stop.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := stacks()[4]
	r := s.repo(t)
	w := startWatching(t, r)
	w.until("regreen: end: ")
	whole := r.files()

	s.breakIt(r, scenario{js: []edit{{"src/tax", "(base *", "(bsae *"}}})
	if out := w.verdict(cycle.Repaired); !strings.Contains(out, "undo: regreen undo ") || !strings.Contains(out, "+") {
		t.Errorf("the repair is not shown:\n%s", out)
	}
	diffMaps(t, "after the repair", whole, r.files())

	broken := s.breakIt(r, scenario{js: []edit{{"src/words", "join(' ')", "join('-')"}}})
	if out := w.verdict(cycle.Failed); !strings.Contains(out, ": error: ") || !strings.Contains(out, " [assertion_mismatch]") {
		t.Errorf("the failure is not shown:\n%s", out)
	}
	diffMaps(t, "after the failure", broken, r.files())
	var status struct {
		State   string
		PID     int
		Outcome cycle.Outcome
		Failing []cycle.Remaining
	}
	read := func() {
		t.Helper()
		res := r.regreen("status", "--json")
		if err := json.Unmarshal([]byte(res.stdout), &status); err != nil || res.exit != 0 {
			t.Fatalf("status: exit %d, %v: %s%s", res.exit, err, res.stdout, res.stderr)
		}
	}
	if read(); status.PID != w.cmd.Process.Pid || status.Outcome != cycle.Failed || len(status.Failing) == 0 {
		t.Errorf("status = %+v", status)
	}
	if res := r.regreen("save", "--wait", s.file("src/words")); res.exit != 1 || !strings.Contains(res.stdout, ": error: ") {
		t.Errorf("save --wait: exit %d\n%s%s", res.exit, res.stdout, res.stderr)
	}
	if d, _ := r.run("--all"); d.Outcome != cycle.Failed {
		t.Errorf("run beside the daemon: %q", d.Outcome)
	}
	w.verdict(cycle.Failed) // told by the command
	if res := r.regreen("watch"); res.exit != 3 || !strings.Contains(res.stderr, "watches this repository (process ") {
		t.Errorf("a second watch: exit %d\n%s", res.exit, res.stderr)
	}

	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = w.ended()
	if read(); status.State != "stopped" {
		t.Errorf("state after kill -9 = %q", status.State)
	}
	w.start()
	w.verdict(cycle.Failed)

	r.write("regreen.toml", "[cycle]\nmax_iteration = 3\n")
	if out := strings.Join(w.until("regreen: hint: the configuration from before"), "\n"); !strings.Contains(out, "max_iterations") && !strings.Contains(out, "max_iteration") {
		t.Errorf("a broken configuration is not named:\n%s", out)
	}
	if err := w.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	w.until("regreen: hint: the configuration from before")
	r.remove("regreen.toml")
	if res := r.regreen("stop"); res.exit != 0 {
		t.Errorf("stop: exit %d\n%s", res.exit, res.stderr)
	}
	if err := w.ended(); err != nil {
		t.Errorf("watch ended with %v", err)
	}
	if left := groupOf(t, w.cmd.Process.Pid) + strings.Join(w.runs(), "\n"); left != "" {
		t.Errorf("processes are left:\n%s", left)
	}
}

// groupOf lists the processes of a session.
func groupOf(t *testing.T, session int) string {
	t.Helper()
	out, err := exec.Command("ps", "-eo", "sess,pid,stat,args").Output()
	if err != nil {
		t.Skip("no ps")
	}
	var left []string
	for line := range strings.SplitSeq(string(out), "\n") {
		f := strings.Fields(line)
		if len(f) > 3 && f[0] == strconv.Itoa(session) && !strings.HasPrefix(f[2], "Z") {
			left = append(left, line)
		}
	}
	return strings.Join(left, "\n")
}

// TestWatchForgetsWhatPasses holds that a failure does not stay listed when the
// code is right again, however it became so: by a change that, beside the last
// commit, no test can see, or by git taking all changes away.
func TestWatchForgetsWhatPasses(t *testing.T) {
	t.Parallel()
	s := stacks()[4]
	r := s.repo(t)
	w := startWatching(t, r)
	w.until("regreen: end: ")
	file := s.file("src/words")
	was := r.read(file)
	broken := strings.Replace(was, "join(' ')", "join('-')", 1)

	r.write(file, broken)
	w.verdict(cycle.Failed)
	r.write(file, "// one line more\n"+was)
	if out := w.verdict(cycle.Passed); strings.Contains(out, "from before") {
		t.Errorf("a comment more than the last commit:\n%s", out)
	}

	r.write(file, broken)
	w.verdict(cycle.Failed)
	cmd := exec.Command("git", "stash", "-q")
	cmd.Dir, cmd.Env = r.dir, r.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git stash: %v: %s", err, out)
	}
	r.git = hashGit(t, r.dir) // git wrote, at our own command
	if out := w.verdict(cycle.Passed); strings.Contains(out, "from before") {
		t.Errorf("after git stash:\n%s", out)
	}
	if res := r.regreen("status"); strings.Contains(res.stdout, ": error: ") {
		t.Errorf("status:\n%s", res.stdout)
	}
	if res := r.regreen("stop"); res.exit != 0 {
		t.Errorf("stop: exit %d\n%s", res.exit, res.stderr)
	}
	if err := w.ended(); err != nil {
		t.Errorf("watch ended with %v", err)
	}
}
