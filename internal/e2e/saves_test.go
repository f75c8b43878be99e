//go:build unix

package e2e

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"regreen/cycle"
)

// TestWatchSavesDuringRuns saves twenty times in a row, each time while the
// tests of the save before run and would not end: the last verdict is that of
// the last content, there is no other, and no process is left of any run.
//
// olzhasar/pytest-watcher#43, mochajs/mocha#4016: each run is a fresh process
func TestWatchSavesDuringRuns(t *testing.T) {
	t.Parallel()
	saves := 20
	if testing.Short() {
		saves = 4
	}
	const ever = 600_000 // ms: a run that is not cancelled fails by the test's own patience
	source := func(n, wait int) string {
		return fmt.Sprintf("export const n = %d;\nexport const wait = %d;\n", n, wait)
	}
	r := newRepo(t, "mocha12", map[string]string{
		"package.json": `{"type":"module","scripts":{"test":"mocha"},"devDependencies":{"mocha":"*"}}`,
		"src/a.js":     source(0, ever),
		"test/a.test.js": "import assert from 'node:assert';\nimport { n, wait } from '../src/a.js';\n" +
			"it('is the last', async function () {\n  this.timeout(0);\n  await new Promise((done) => setTimeout(done, wait));\n" +
			fmt.Sprintf("  assert.equal(n, %d);\n});\n", saves),
	})
	w := startWatching(t, r)
	w.until("regreen: end: no tests")
	known := map[string]bool{}
	for i := range saves {
		wait := ever
		if i+1 == saves {
			wait = 0
		}
		r.write("src/a.js", source(i+1, wait))
		if wait > 0 {
			w.newRun(known)
		}
	}
	for _, line := range w.until("regreen: end: " + string(cycle.Passed)) {
		if strings.HasPrefix(line, "regreen: end: ") && !strings.HasPrefix(line, "regreen: end: "+string(cycle.Cancelled)) &&
			!strings.HasPrefix(line, "regreen: end: "+string(cycle.Passed)) {
			t.Errorf("another verdict: %s", line)
		}
	}
	if len(known) < saves-1 {
		t.Errorf("%d runs were under way at a save, want %d", len(known), saves-1)
	}
	eventually(t, "a run is left", func() string { return strings.Join(w.runs(), "\n") })
	if res := r.regreen("stop"); res.exit != 0 {
		t.Errorf("stop: %+v", res)
	}
	if err := w.ended(); err != nil {
		t.Errorf("watch ended with %v", err)
	}
	if left := groupOf(t, w.cmd.Process.Pid) + strings.Join(w.runs(), "\n"); left != "" {
		t.Errorf("processes are left:\n%s", left)
	}
}

// runs lists the processes of test runs: each has a session of its own, and
// names the repository or its state.
func (w *watching) runs() (out []string) {
	w.t.Helper()
	list, err := exec.Command("ps", "-eo", "pid,stat,args").Output()
	if err != nil {
		w.t.Skip("no ps")
	}
	home := filepath.Dir(filepath.Dir(w.dir))
	for line := range strings.SplitSeq(string(list), "\n") {
		if f := strings.Fields(line); len(f) > 2 && !strings.HasPrefix(f[1], "Z") && strings.Contains(line, home) {
			out = append(out, line)
		}
	}
	return out
}

// newRun waits until a run is under way that is not known, and makes it known.
func (w *watching) newRun(known map[string]bool) {
	w.t.Helper()
	eventually(w.t, "no new run", func() string {
		for _, line := range w.runs() {
			if pid := strings.Fields(line)[0]; strings.Contains(line, "mocha.js") && !known[pid] {
				known[pid] = true
				return ""
			}
		}
		return "of " + fmt.Sprint(len(known))
	})
}

// eventually waits until what finds nothing amiss.
func eventually(t *testing.T, what string, amiss func() string) {
	t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(time.Minute); ; <-tick.C {
		found := amiss()
		if found == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s: %s", what, found)
		}
	}
}
