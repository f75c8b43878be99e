package jail_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"regreen/internal/jail"
	"regreen/internal/jail/jailtest"
	"regreen/internal/proc"
)

// modes are the ways to put up walls.
var modes = []struct {
	name string
	set  func(*jail.Spec)
}{
	{"namespace", func(*jail.Spec) {}},
	{"shared pids", func(s *jail.Spec) { s.SharedPIDs = true }},
	{"landlock", func(s *jail.Spec) { s.Namespace, s.Mounts = false, nil }},
}

// walls is a folder that is shown at another place, with a layer.
type walls struct {
	dir  string
	spec jail.Spec
}

func newWalls(t *testing.T) walls {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range []string{"user/packages/p", "user/.git", "tree/packages", "up", "work", "view", "tmp", "other"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"user/a": "user\n", "tree/a": "sandbox\n", "user/packages/p/x": "x\n", "other/o": "o\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	t.Cleanup(func() { _ = os.Chmod(at("work/work"), 0o700) }) // the kernel made it for nobody
	return walls{dir: dir, spec: jail.Spec{
		Namespace: true,
		Mounts: []jail.Mount{{From: at("tree"), To: at("user")}, {From: at("user"), To: at("view"), Upper: at("up"), Work: at("work")},
			{From: at("view/packages"), To: at("user/packages"), Late: true}},
		Write: []string{at("user"), at("tmp"), "/dev/null"}, NeedLandlock: true,
	}}
}

// sh runs a script in the walls.
func (w walls) sh(t *testing.T, ctx context.Context, script string) (proc.Exit, string) {
	t.Helper()
	var out bytes.Buffer
	ex, err := jail.Run(ctx, jailtest.Helper(), w.spec, proc.Cmd{Path: "/bin/sh", Args: []string{"-c", script}, Dir: filepath.Join(w.dir, "user"),
		Env: []string{"PATH=" + os.Getenv("PATH"), "D=" + w.dir}, Stdout: &out, Stderr: &out, Grace: 200 * time.Millisecond})
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out.String())
	}
	return ex, out.String()
}

func (w walls) read(name string) string {
	src, _ := os.ReadFile(filepath.Join(w.dir, name))
	return string(src)
}

func TestNamespace(t *testing.T) {
	jailtest.AsUser(t)
	tests := []struct{ name, script, want string }{
		{"the tree stands over the user's folder", "cat a; pwd | sed s:$D::", "sandbox\n/user\n"},
		{"packages are the user's", "cat packages/p/x", "x\n"},
		{"what is written stays in the layer", "echo y > packages/p/x; rm -rf packages/p/q; echo z > packages/z; cat packages/p/x", "y\n"},
		{"the whole folder is removed by its path", "rm -rf $D/user/* 2>/dev/null; cat a packages/p/x", "cat: a: No such file or directory\ncat: packages/p/x: No such file or directory\n"},
		{"elsewhere nothing is written", "(echo w > $D/other/o) 2>/dev/null || echo no; (rm $D/other/o || mv $D/other $D/there) 2>/dev/null || echo no; cat $D/other/o", "no\nno\no\n"},
		{"nothing is truncated", "truncate -s 0 $D/other/o 2>/dev/null; cat $D/other/o", "o\n"},
		{"elsewhere no mode, time or attribute changes", "b=$(stat -c '%a %Y' $D/other/o $D/other); (chmod 600 $D/other/o; chmod 700 $D/other; touch -d 2001-01-01 $D/other/o; " +
			"setfattr -n user.x -v y $D/other/o) 2>/dev/null; test \"$b\" = \"$(stat -c '%a %Y' $D/other/o $D/other)\" && echo same", "same\n"},
		{"modes and times change where it may write", "touch $D/tmp/m && chmod 600 $D/tmp/m && touch -d 2001-01-01 $D/tmp/m a && chmod 755 a && stat -c %a $D/tmp/m a", "600\n755\n"},
		{"the private folder is for writing", "echo w > $D/tmp/w && cat $D/tmp/w", "w\n"},
		{"no capability is left", "grep -h CapEff /proc/self/status | tr -d '[:blank:]'", "CapEff:0000000000000000\n"},
		{"nothing can be unmounted", "umount $D/user 2>/dev/null || echo no; unshare -Urm umount $D/user 2>/dev/null || echo no; cat a", "no\nno\nsandbox\n"},
		{"no process of others is there", "ls /proc | grep -c '^[0-9][0-9]*$' | awk '{print ($1 < 8)}'", "1\n"},
		{"the first process cannot be killed", "kill -9 $PPID 2>/dev/null || kill -TERM $PPID 2>/dev/null; cat a", "sandbox\n"},
		{"the kernel's settings are not there for writing", "(echo 1 > /proc/sys/vm/swappiness) 2>/dev/null || echo no", "no\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWalls(t)
			if _, got := w.sh(t, t.Context(), tt.script); got != tt.want {
				t.Errorf("%s = %q, want %q", tt.script, got, tt.want)
			}
			if w.read("user/a") != "user\n" || w.read("user/packages/p/x") != "x\n" || w.read("other/o") != "o\n" {
				t.Error("the user's files changed")
			}
		})
	}
}

func TestLandlock(t *testing.T) {
	jailtest.AsUser(t)
	w := newWalls(t)
	w.spec.Namespace, w.spec.Mounts = false, nil
	w.spec.Write = []string{filepath.Join(w.dir, "tree"), filepath.Join(w.dir, "tmp"), "/dev/null"}
	ex, out := w.sh(t, t.Context(), "echo new > a || rm a || rmdir .git || ln $D/user/a $D/tree/l || mv a $D/tree/a; echo ok > $D/tree/a; (sleep 60 & setsid sleep 60 &) ; exit 3")
	if ex.Code != 3 || w.read("user/a") != "user\n" || w.read("tree/a") != "ok\n" {
		t.Errorf("exit %+v, user %q, tree %q: %s", ex, w.read("user/a"), w.read("tree/a"), out)
	}
	if left := alive(t, w.dir); len(left) > 0 {
		t.Errorf("processes %v outlive the run", left)
	}
}

// alive are the processes that work in a folder.
func alive(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, l := range links {
		if cwd, err := os.Readlink(l); err == nil && strings.HasPrefix(cwd, dir) {
			out = append(out, filepath.Dir(l))
		}
	}
	return out
}

// TestSignals has a process behind the walls try to end one that is not.
func TestSignals(t *testing.T) {
	jailtest.AsUser(t)
	for _, mode := range modes {
		victim := exec.Command("sleep", "60")
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
		w := newWalls(t)
		mode.set(&w.spec)
		_, out := w.sh(t, t.Context(), fmt.Sprintf("kill -9 %d 2>/dev/null || echo no", victim.Process.Pid))
		if err := victim.Process.Signal(syscall.Signal(0)); err != nil || out != "no\n" {
			t.Errorf("%s: %q, %v, want the process alive", mode.name, out, err)
		}
		if err := victim.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = victim.Wait()
	}
}

func TestHowItEnds(t *testing.T) {
	jailtest.AsUser(t)
	tests := []struct {
		script string
		want   proc.Exit
	}{
		{"exit 0", proc.Exit{}},
		{"exit 7", proc.Exit{Code: 7}},
		{"kill -SEGV $$", proc.Exit{Code: -1, Signal: syscall.SIGSEGV.String()}},
		{"kill -TERM 0; sleep 5", proc.Exit{Code: -1, Signal: syscall.SIGTERM.String()}},
		{"(setsid sleep 60 &); exit 0", proc.Exit{}},
	}
	for _, mode := range modes {
		for _, tt := range tests {
			t.Run(tt.script+" in "+mode.name, func(t *testing.T) {
				w := newWalls(t)
				if ex, out := w.sh(t, t.Context(), tt.script); ex != tt.want {
					t.Errorf("%s = %+v, want %+v: %s", tt.script, ex, tt.want, out)
				}
				if left := alive(t, w.dir); len(left) > 0 {
					t.Errorf("processes %v outlive the run", left)
				}
			})
		}
	}
}

func TestSetupError(t *testing.T) {
	w := newWalls(t)
	w.spec.Mounts = append(w.spec.Mounts, jail.Mount{From: w.dir, To: filepath.Join(w.dir, "missing")})
	_, err := jail.Run(t.Context(), jailtest.Helper(), w.spec, proc.Cmd{Path: "/bin/true", Dir: "/"})
	var se *jail.SetupError
	if err == nil || !strings.Contains(err.Error(), "missing") || !asSetup(err, &se) {
		t.Errorf("Run = %v, want a jail.SetupError that names the folder", err)
	}
	_, err = jail.Run(t.Context(), jailtest.Helper(), newWalls(t).spec, proc.Cmd{Path: "/no/such/program", Dir: "/"})
	if !asSetup(err, &se) {
		t.Errorf("Run = %v, want a jail.SetupError", err)
	}
}

func asSetup(err error, se **jail.SetupError) bool {
	e, ok := err.(*jail.SetupError)
	*se = e
	return ok
}

func TestNoNetwork(t *testing.T) {
	jailtest.AsUser(t)
	w := newWalls(t)
	w.spec.NoNetwork = true
	if _, out := w.sh(t, t.Context(), "cat /proc/net/dev | grep -c :; cat /proc/net/fib_trie | grep -c 127.0.0.1"); out == "" || out[0] != '1' || strings.Contains(out, "\n0") {
		t.Errorf("devices and loopback = %q, want one device with an address", out)
	}
}

func TestHangIsKilled(t *testing.T) {
	jailtest.AsUser(t)
	for _, mode := range modes {
		w := newWalls(t)
		mode.set(&w.spec)
		ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
		defer cancel()
		ex, _ := w.sh(t, ctx, "trap '' TERM; setsid sleep 60 & while :; do sleep 1; done")
		if !ex.Stopped {
			t.Errorf("exit %+v, want stopped", ex)
		}
		if left := eventually(t, func() []string { return alive(t, w.dir) }); len(left) > 0 {
			t.Errorf("processes %v outlive the run", left)
		}
	}
}

// eventually polls until there is nothing left, for a while.
func eventually(t *testing.T, left func() []string) []string {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		l := left()
		if len(l) == 0 || time.Now().After(deadline) {
			return l
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestStarterIsKilled kills the program that started a run.
func TestStarterIsKilled(t *testing.T) {
	if dir := os.Getenv("REGREEN_TEST_STARTER"); dir != "" {
		w := walls{dir: dir}
		for _, mode := range modes {
			if mode.name == os.Getenv("REGREEN_TEST_MODE") {
				w.spec.Namespace = true
				mode.set(&w.spec)
			}
		}
		w.sh(t, t.Context(), "setsid sleep 60 & sleep 60 & echo > $D/up/begun; wait")
		return
	}
	jailtest.AsUser(t)
	for _, mode := range modes {
		w := newWalls(t)
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestStarterIsKilled$")
		cmd.Env = append(os.Environ(), "REGREEN_TEST_STARTER="+w.dir, "REGREEN_TEST_MODE="+mode.name)
		cmd.Dir = "/"
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() []string {
			if len(alive(t, w.dir)) < 3 {
				return []string{"not begun"}
			}
			return nil
		})
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		if left := eventually(t, func() []string { return alive(t, w.dir) }); len(left) > 0 {
			t.Errorf("%s: processes %v outlive the starter", mode.name, left)
		}
	}
}

func TestLimits(t *testing.T) {
	jailtest.AsUser(t)
	tests := []struct {
		name, script, want string
		limits             jail.Limits
	}{
		{"processes", "i=0; while [ $i -lt 60 ]; do sleep 20 & i=$((i+1)); done; wait", "the limit of 20 processes", jail.Limits{Processes: 20}},
		{"memory", "awk 'BEGIN { s = \"0123456789abcdef\"; for (i = 0; i < 24; i++) s = s s; system(\"sleep 20\") }'", "the memory limit of 100 MB", jail.Limits{MemoryBytes: 100 << 20}},
	}
	for _, mode := range modes {
		for _, tt := range tests {
			t.Run(tt.name+" in "+mode.name, func(t *testing.T) {
				w := newWalls(t)
				w.spec.Limits = tt.limits
				ex, out := w.sh(t, t.Context(), tt.script)
				if ex.Limit != tt.want || ex.How() != "killed at "+tt.want {
					t.Errorf("exit %+v, want %q: %s", ex, tt.want, out)
				}
				if left := alive(t, w.dir); len(left) > 0 {
					t.Errorf("processes %v outlive the run", left)
				}
			})
		}
	}
}

// TestDiskLimit fills a small disk.
func TestDiskLimit(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("mounting a small disk takes root")
	}
	w := newWalls(t)
	small := filepath.Join(w.dir, "tmp")
	if err := syscall.Mount("tmpfs", small, "tmpfs", 0, "size=64m"); err != nil {
		t.Skipf("no small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(small, 0); err != nil {
			t.Error(err)
		}
	})
	w.spec.Limits.Disk = small
	const fill = "while head -c 1000000 /dev/zero >> $D/tmp/f; do sleep 0.01; done; sleep 20"
	if ex, out := w.sh(t, t.Context(), fill); ex.Limit != "the limit of the disk, of which less than 16 MB is free" {
		t.Errorf("exit %+v: %s", ex, out)
	}
}

func TestOutputLimit(t *testing.T) {
	jailtest.AsUser(t)
	for _, mode := range modes {
		w := newWalls(t)
		mode.set(&w.spec)
		out := proc.NewTail(1 << 10)
		ex, err := jail.Run(t.Context(), jailtest.Helper(), w.spec, proc.Cmd{Path: "/bin/sh", Args: []string{"-c", "yes"}, Dir: w.dir,
			Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: out, Stderr: out, MaxOutput: 1 << 20})
		if err != nil || ex.How() != "killed at the limit of 1 MB of output" || ex.Stopped {
			t.Errorf("%s: exit %+v, %v", mode.name, ex, err)
		}
		if left := eventually(t, func() []string { return alive(t, w.dir) }); len(left) > 0 {
			t.Errorf("processes %v outlive the run", left)
		}
	}
}

func BenchmarkNamespace(b *testing.B) {
	dir := b.TempDir()
	for _, d := range []string{"user/packages/p", "tree/packages", "up", "work", "view"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	at := func(name string) string { return filepath.Join(dir, name) }
	spec := jail.Spec{Namespace: true, Mounts: []jail.Mount{{From: at("tree"), To: at("user")}, {From: at("user"), To: at("view"), Upper: at("up"), Work: at("work")},
		{From: at("view/packages"), To: at("user/packages"), Late: true}}, Write: []string{at("user")}}
	var before, after syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &before)
	for b.Loop() {
		if _, err := jail.Run(b.Context(), jailtest.Helper(), spec, proc.Cmd{Path: "/bin/true", Dir: "/"}); err != nil {
			b.Fatal(err)
		}
	}
	_ = syscall.Getrusage(syscall.RUSAGE_CHILDREN, &after)
	used := after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano()
	b.ReportMetric(float64(used)/1e6/float64(b.N), "cpu-ms/op")
}
