package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"regreen/cycle"
	"regreen/internal/git/gittest"
)

// cell is one way to run the program: a level of isolation and a user.
type cell struct {
	level string
	user  int // 0 is who runs the test
}

func (c cell) String() string {
	switch {
	case c.user != 0:
		return c.level + "/unprivileged"
	case os.Getuid() == 0:
		return c.level + "/root"
	}
	return c.level + "/user"
}

// levelled are all levels, each as who runs the tests and, where that is root,
// as an unprivileged user too.
func levelled() []cell {
	var out []cell
	for _, level := range []string{"namespace", "landlock", "copy"} {
		out = append(out, cell{level, 0})
		if os.Getuid() == 0 {
			out = append(out, cell{level, 61234})
		}
	}
	return out
}

// takes shares what there is plenty of between root and the unprivileged user:
// the n-th case of many is one's or the other's, at every level.
func (c cell) takes(n int) bool { return os.Getuid() != 0 || (n%2 == 0) == (c.user == 0) }

// lab is a small user's repository whose framework is testdata/jest.cjs, and
// everything around it that must not change.
type lab struct {
	*repo
	cell cell
	work string // the folder that holds all of the user's repositories
	hold string // the pipe that a test run waits at while it is there
	was  map[string]string
	skip []string // folders (from work) that the image leaves out
}

// The lab's one function, whole and broken. The repair is known to the byte.
const (
	wholeTax  = "function tax(base) {\n  return base / 5;\n}\n\nmodule.exports = { tax };\n"
	brokenTax = "function tax(base) {\n  return bsae / 5;\n}\n\nmodule.exports = { tax };\n"
	taxTest   = "const { tax } = require('../src/tax');\n\nit('is a fifth', () => {\n  if (tax(10) !== 2) throw new Error('not a fifth');\n});\n"
)

// newLab makes the folders, without any repository.
func newLab(t *testing.T, c cell) *lab {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	environ, err := environOf(home, "")
	if err != nil {
		t.Fatal(err)
	}
	work := filepath.Join(home, "work")
	l := &lab{cell: c, work: work, hold: filepath.Join(home, "tmp", "hold"),
		repo: &repo{t: t, dir: filepath.Join(work, "shop"), environ: environ}}
	l.mkdir(".")
	return l
}

// committed is a lab with one commit of the shop.
func committed(t *testing.T, c cell) *lab {
	t.Helper()
	l := newLab(t, c)
	l.shop()
	l.init()
	l.commit()
	return l
}

// shop writes the sources, the tests and the framework.
func (l *lab) shop() {
	l.t.Helper()
	for name, text := range l.shopFiles() {
		l.write(name, text)
	}
}

func (l *lab) shopFiles() map[string]string {
	l.t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", "jest.cjs"))
	if err != nil {
		l.t.Fatal(err)
	}
	return map[string]string{
		"jest.cjs":         strings.ReplaceAll(string(src), "HOLD", l.hold),
		"package.json":     "{ \"name\": \"shop\", \"private\": true }\n",
		"regreen.toml":     isolated(l.cell.level) + "[[project]]\nroot = \".\"\nframework = \"jest\"\ncommand = [\"node\", \"jest.cjs\"]\n",
		"src/tax.js":       wholeTax,
		"test/tax.test.js": taxTest,
	}
}

func (l *lab) init(args ...string) {
	l.in(".", append([]string{"init", "-q", "-b", "main"}, args...)...)
}

func (l *lab) commit() {
	l.in(".", "add", "-A")
	l.in(".", "commit", "-q", "-m", "work")
}

// in runs git in a folder (from l.dir) as the repository's owner.
func (l *lab) in(dir string, args ...string) string {
	l.t.Helper()
	out, err := l.try(dir, args...)
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSuffix(out, "\n")
}

func (l *lab) try(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = filepath.Join(l.dir, filepath.FromSlash(dir))
	for _, kv := range l.environ { // without what a test adds to the program's
		if name, _, _ := strings.Cut(kv, "="); !slices.Contains(decoyed, name) {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	cmd.Env = append(cmd.Env, "GIT_ALLOW_PROTOCOL=file")
	as(cmd, l.user)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (l *lab) mkdir(name string) {
	l.t.Helper()
	if err := os.MkdirAll(l.path(name), 0o755); err != nil {
		l.t.Fatal(err)
	}
}

// frozen hands everything to the cell's user and remembers it: from here on
// only what unchanged is told may differ.
func (l *lab) frozen() *lab {
	l.t.Helper()
	if l.cell.user != 0 {
		l.give(l.cell.user)
	}
	l.was = l.image()
	return l
}

// give makes a user the owner of all that is the lab's.
func (l *lab) give(uid int) {
	l.t.Helper()
	dir := l.dir
	l.dir = filepath.Join(l.work, "shop")
	l.giveTo(uid)
	l.dir = dir
}

// image is everything below work, .git with it: modes, owners, names, bytes and
// attributes.
func (l *lab) image() map[string]string {
	l.t.Helper()
	out := gittest.HashDir(l.t, l.work, l.skip...)
	for rel := range out {
		abs := filepath.Join(l.work, rel)
		fi, err := os.Lstat(abs)
		if err != nil {
			l.t.Fatal(err)
		}
		st := fi.Sys().(*syscall.Stat_t)
		out[rel] += fmt.Sprintf(" %d:%d", st.Uid, st.Gid)
		if fi.Mode().IsRegular() {
			out[rel] += fmt.Sprintf(" %d names", st.Nlink)
		}
		names := make([]byte, 4096)
		n, err := unix.Llistxattr(abs, names)
		if err != nil {
			continue // none on this file system
		}
		// Their order is the file system's, and not the same for a copy.
		sorted := strings.Split(strings.TrimSuffix(string(names[:n]), "\x00"), "\x00")
		slices.Sort(sorted)
		for _, name := range sorted {
			value := make([]byte, 4096)
			if n, err := unix.Lgetxattr(abs, name, value); err == nil && name != "" {
				out[rel] += fmt.Sprintf(" %s=%x", name, value[:n])
			}
		}
	}
	return out
}

// unchanged is the invariant of every hazard: of all that is the user's,
// exactly these files (from l.dir) differ.
func (l *lab) unchanged(but ...string) {
	l.t.Helper()
	now := l.image()
	var want []string
	for _, b := range but {
		rel, err := filepath.Rel(l.work, l.path(b))
		if err != nil {
			l.t.Fatal(err)
		}
		want = append(want, filepath.ToSlash(rel))
	}
	slices.Sort(want)
	for _, name := range changed(l.was, now) {
		if !slices.Contains(want, name) {
			l.t.Errorf("%s changed: %q, was %q", name, now[name], l.was[name])
		}
	}
	for _, name := range want {
		if l.was[name] == now[name] {
			l.t.Errorf("%s is as it was", name)
		}
	}
}

// repaired has the program repair exactly these files, and undo that.
func (l *lab) repaired(files ...string) cycle.Document {
	l.t.Helper()
	d, res := l.run()
	l.isRepaired(d, res, files...)
	l.undone()
	return d
}

func (l *lab) isRepaired(d cycle.Document, res result, files ...string) {
	l.t.Helper()
	if d.Outcome != cycle.Repaired || res.exit != 0 || d.Isolation != l.cell.level || d.IsolationNote != "" {
		l.t.Fatalf("outcome %q (%s), exit %d at %q (%s), want repaired at %q\n%s\n%s", d.Outcome, d.Reason, res.exit, d.Isolation, d.IsolationNote,
			l.cell.level, res.stdout, res.stderr)
	}
	l.unchanged(files...)
}

// undone takes the merge back; everything is as it was.
func (l *lab) undone() {
	l.t.Helper()
	if res := l.regreen("undo"); res.exit != 0 {
		l.t.Errorf("undo: exit %d: %s%s", res.exit, res.stdout, res.stderr)
	}
	l.unchanged()
}

// notMerged holds that a run wrote nothing and says so.
func (l *lab) notMerged(d cycle.Document, res result, want cycle.Outcome, reason string) {
	l.t.Helper()
	if d.Outcome != want || res.exit == 0 || len(d.Merged) > 0 || d.Undo != "" || !strings.Contains(said(d), reason) {
		l.t.Errorf("outcome %q (%s), exit %d, merged %v, want %q because %q\n%s\n%s", d.Outcome, said(d), res.exit, d.Merged, want, reason,
			res.stdout, res.stderr)
	}
	l.unchanged()
}

// said is all that a document gives as reasons.
func said(d cycle.Document) string {
	out := []string{d.Reason}
	if d.Error != nil {
		out = append(out, d.Error.Message)
	}
	for _, r := range d.Refused {
		out = append(out, r.Rule)
	}
	for _, p := range d.Proposals {
		out = append(out, p.Reason)
	}
	for _, r := range d.Remaining {
		out = append(out, r.Message)
	}
	return strings.Join(out, "; ")
}

// when runs the program and does something when it comes to a phase.
func (l *lab) when(phase string, do func()) (cycle.Document, result) {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), binary, "run", "--json", "--verbose")
	cmd.Dir, cmd.Env = l.dir, l.environ
	as(cmd, l.user)
	var stdout, seen strings.Builder
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	came := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		seen.WriteString(lines.Text() + "\n")
		if lines.Text() == phase && !came {
			came = true
			do()
		}
	}
	_ = cmd.Wait()
	var d cycle.Document
	if err := json.Unmarshal([]byte(stdout.String()), &d); err != nil || !came {
		l.t.Errorf("it never came to %q (%v)\n%s\n%s", phase, err, stdout.String(), seen.String())
	}
	return d, result{cmd.ProcessState.ExitCode(), stdout.String(), seen.String()}
}

// during runs the program and does something while its first test run waits.
func (l *lab) during(do func(), args ...string) (cycle.Document, result) {
	l.t.Helper()
	if err := syscall.Mkfifo(l.hold, 0o600); err != nil {
		l.t.Fatal(err)
	}
	if err := os.Chown(l.hold, l.cell.owner(), l.cell.owner()); err != nil {
		l.t.Fatal(err)
	}
	done := make(chan bool)
	ctx, cancel := context.WithCancel(l.t.Context())
	defer cancel()
	go func() {
		defer close(done)
		f, err := os.OpenFile(l.hold, os.O_WRONLY, 0) // until a run waits
		if err != nil || ctx.Err() != nil {
			return
		}
		_ = os.Remove(l.hold) // the next run does not wait
		do()
		_ = f.Close()
	}()
	d, res := l.run(args...)
	cancel()
	// Nobody came: let the writer go.
	if f, err := os.OpenFile(l.hold, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		l.t.Errorf("no test ran: %s\n%s", res.stdout, res.stderr)
		<-done
		_ = f.Close()
	}
	<-done
	return d, res
}

func (c cell) owner() int {
	if c.user != 0 {
		return c.user
	}
	return os.Getuid()
}

// put writes a file as its owner would, at once and in place.
func (l *lab) put(name, text string) {
	l.t.Helper()
	l.write(name, text)
	if err := os.Lchown(l.path(name), l.cell.owner(), l.cell.owner()); err != nil {
		l.t.Fatal(err)
	}
}

func (l *lab) link(target, name string) {
	l.t.Helper()
	l.mkdir(filepath.ToSlash(filepath.Dir(name)))
	if err := os.Symlink(target, l.path(name)); err != nil {
		l.t.Fatal(err)
	}
}

// atCells runs a test in every cell that the machine offers.
func atCells(t *testing.T, do func(t *testing.T, c cell)) {
	t.Helper()
	for _, c := range levelled() {
		t.Run(c.String(), func(t *testing.T) {
			l := committed(t, c).frozen()
			res := l.regreen("doctor", "--json")
			var d struct{ Isolation string }
			if err := json.Unmarshal([]byte(res.stdout), &d); err != nil || d.Isolation != c.level {
				t.Skipf("this machine does not offer %s: %s%s", c, res.stdout, res.stderr)
			}
			do(t, c)
		})
	}
}

func mustJSON(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return out
}
