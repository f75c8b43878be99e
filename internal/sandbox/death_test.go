//go:build unix

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var errDead = errors.New("the process is dead")

// weakDisk is a disk that dies with the process at a call, or fails one call.
type weakDisk struct {
	fallback bool  // names cannot be exchanged
	left     int   // calls until then; 0 is never
	fail     error // what the call gives; nil is death, at a call that changes the disk
	once     bool  // only that one call fails; else all that change the disk do from then on
	dead     bool
	seen     []string
	at       string // the call that it was
}

func (d *weakDisk) set(left int, fail error, once bool) {
	*d = weakDisk{fallback: d.fallback, left: left, fail: fail, once: once}
}

func (d *weakDisk) effect(call, name string) error {
	d.seen = append(d.seen, call)
	if d.dead {
		if d.fail == nil || changes(call) && !frees(call) {
			return d.gives()
		}
		return noExchangeIf(d.fallback, call)
	}
	if d.fail != nil || changes(call) {
		if d.left--; d.left == 0 {
			d.dead, d.at = !d.once, call+" "+filepath.Base(name)
			return d.gives()
		}
	}
	return noExchangeIf(d.fallback, call)
}

func (d *weakDisk) gives() error {
	if d.fail == nil {
		return errDead
	}
	return d.fail
}

// frees are calls that work on a full disk; a link takes the place of a name
// that the same folder had just before.
func frees(call string) bool {
	switch call {
	case "remove", "rmdir", "rename", "exchange", "move", "link":
		return true
	}
	return false
}

// deathRig runs plans without git and without processes.
type deathRig struct {
	*crashRig
	disk  *weakDisk
	clash bool // the user saves the plan's last file before the swaps
}

func newDeathRig(t *testing.T, fallback bool) *deathRig {
	d := &deathRig{crashRig: newCrashRig(t), disk: &weakDisk{fallback: fallback}}
	d.s.fx.hook = d.disk.effect
	d.toOld()
	return d
}

// run merges or undoes, by what the state is.
func (d *deathRig) run(what string) error {
	d.t.Helper()
	if what == "undo" {
		dir := filepath.Join(d.s.dir, "undo", "c1")
		old, err := loadPlan(dir)
		if err != nil {
			d.t.Fatal(err)
		}
		p := newPlan("undo", "c1.undo", d.Dir)
		p.Of, p.Unmake = "c1", old.Dirs
		for i := len(old.Steps) - 1; i >= 0; i-- {
			st, err := reverse(old.Steps[i], dir, i)
			if err != nil {
				d.t.Fatal(err)
			}
			p.add(st)
		}
		return d.tx(p)
	}
	p := newPlan("merge", "c1", d.Dir)
	for _, c := range crashPlan() {
		st := &step{Path: c.Path, Op: c.Op, before: c.Before, after: c.After}
		if c.Op != Create {
			st.Before = sumOf(c.Before).String()
		}
		if c.Op != Delete {
			st.After, st.AfterMode = sumOf(c.After).String(), c.Mode
		}
		p.add(st)
	}
	return d.tx(p)
}

func (d *deathRig) tx(p *plan) error {
	t, err := d.s.newTx(p)
	if err != nil {
		d.t.Fatal(err)
	}
	t.look = func(context.Context) error {
		if d.clash {
			d.Write("test/t.js", "the user's\n")
		}
		return nil
	}
	return t.run(d.t.Context())
}

// restart is what the next start does.
func (d *deathRig) restart() error {
	d.s.dropLate()
	return d.s.recover()
}

// reset brings the tree to where the operation starts.
func (d *deathRig) reset(what string) {
	d.t.Helper()
	d.disk.set(0, nil, false)
	if d.clash {
		d.Write("test/t.js", "t\n")
	}
	if has := len(d.s.Undos()) > 0; what == "merge" && has {
		if err := d.run("undo"); err != nil {
			d.t.Fatal(err)
		}
	} else if what == "undo" && !has {
		if err := d.run("merge"); err != nil {
			d.t.Fatal(err)
		}
	}
}

// check is settled, with the user's save in the place of the old bytes.
func (d *deathRig) check(when string) {
	d.t.Helper()
	if d.clash {
		if got := d.Read("test/t.js"); got != "the user's\n" && got != "t\n" {
			d.t.Errorf("%s: the user's file holds %q", when, got)
		}
		d.Write("test/t.js", "t\n")
	}
	d.settled(when)
	if d.t.Failed() {
		d.t.FailNow()
	}
}

// deaths are the operations to be interrupted.
var deaths = []struct {
	name, what      string
	fallback, clash bool
}{
	{"merge", "merge", false, false}, {"undo", "undo", false, false}, {"a merge that is taken back", "merge", false, true},
	{"merge without exchange", "merge", true, false}, {"undo without exchange", "undo", true, false},
	{"a merge that is taken back without exchange", "merge", true, true},
}

// TestDeathTwice ends a merge or undo at every call that changes the disk, and
// the repair of it at every call, too.
func TestDeathTwice(t *testing.T) {
	for _, tt := range deaths {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			d := newDeathRig(t, tt.fallback)
			d.clash = tt.clash
			every := 3 // 1 is every pair, and takes a minute
			if testing.Short() {
				every = 13
			}
			pairs, first := 0, 0
			for k, died := 1, true; died; k += every {
				for n, again := 1, true; again; n++ {
					d.reset(tt.what)
					d.disk.set(k, nil, false)
					_ = d.run(tt.what)
					died = d.disk.dead
					d.disk.set(n, nil, false)
					_ = d.restart()
					again = d.disk.dead
					d.disk.set(0, nil, false)
					if err := d.restart(); err != nil {
						t.Fatalf("dead at %d, and again at %d: %v", k, n, err)
					}
					d.check(fmt.Sprintf("dead at %d, and again at %d", k, n))
					pairs++
				}
				first = k
			}
			t.Logf("%d deaths, %d pairs", first, pairs)
		})
	}
}

// TestFailingCalls has each call of a merge, an undo and a rollback fail, once
// or for good. Nothing of the plan may be in place when it says that it failed,
// or it says that it is unsettled, and the next start puts that right.
func TestFailingCalls(t *testing.T) {
	kinds := []struct {
		err  syscall.Errno
		once bool
	}{{syscall.ENOSPC, false}, {syscall.EIO, true}, {syscall.EACCES, true}, {syscall.EROFS, false}, {syscall.EBUSY, true}}
	for _, tt := range deaths {
		for _, k := range kinds {
			t.Run(strings.ReplaceAll(fmt.Sprintf("%s/%v", tt.name, k.err), " ", "_"), func(t *testing.T) {
				d := newDeathRig(t, tt.fallback)
				d.clash = tt.clash
				calls, unsettled := 0, 0
				for n := 1; ; n++ {
					if testing.Short() && n%7 != 0 {
						continue
					}
					d.reset(tt.what)
					before := d.everything()
					d.disk.set(n, k.err, k.once)
					err := d.run(tt.what)
					if d.disk.at == "" {
						break
					}
					calls++
					when := fmt.Sprintf("%v at call %d (%s)", k.err, n, d.disk.at)
					call, _, _ := strings.Cut(d.disk.at, " ")
					d.disk.set(0, nil, false)
					switch {
					case err == nil && tt.clash:
						t.Fatalf("%s: no error", when)
					case err == nil || errors.Is(err, ErrUnsettled):
						unsettled++
					default:
						if tt.clash {
							d.Write("test/t.js", "t\n")
						}
						if diff := cmp.Diff(before, d.everything()); diff != "" {
							t.Fatalf("%s: failed with %v, but the tree changed:\n%s", when, err, diff)
						}
					}
					full := k.err == syscall.ENOSPC
					if full && changes(call) && !frees(call) && errors.Is(err, ErrUnsettled) {
						t.Errorf("%s: a full disk is no reason to be stuck: %v", when, err)
					}
					if rerr := d.restart(); rerr != nil {
						t.Fatalf("%s: restart: %v", when, rerr)
					}
					d.check(when)
				}
				t.Logf("%d calls failed, %d left to the next start or done", calls, unsettled)
			})
		}
	}
}
