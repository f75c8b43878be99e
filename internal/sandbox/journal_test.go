//go:build unix

package sandbox

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/internal/git/gittest"
)

// dieAtExchange ends the process at the n-th exchange of two names.
func dieAtExchange(n int) func(call, name string) error {
	dead := false
	return func(call, _ string) error {
		if call == "exchange" {
			n--
			dead = dead || n == 0
		}
		if dead && changes(call) {
			return errDead
		}
		return nil
	}
}

// other flips a bit of the byte that follows what begins with key.
func other(key string) func(src []byte) []byte {
	return func(src []byte) []byte {
		i := bytes.Index(src, []byte(key)) + len(key)
		src[i] ^= 1
		return src
	}
}

// TestRecoverDamagedJournal has the disk change a journal after a crash: what
// cannot be gone by is kept, and nothing of the tree is touched by it.
func TestRecoverDamagedJournal(t *testing.T) {
	tests := []struct {
		name   string
		damage func(src []byte) []byte
	}{
		{"a step's sum", other(`"after":"`)},
		{"a step's path", other(`"path":"src/`)},
		{"the checksum", other(`"sum":"`)},
		{"the version", other(`"version":`)},
		{"an older version", func([]byte) []byte { return []byte(`{"version":1,"id":"c1","steps":[]}`) }},
		{"cut off", func(src []byte) []byte { return src[:len(src)/2] }},
		{"empty", func([]byte) []byte { return nil }},
		{"zeros", func(src []byte) []byte { return make([]byte, len(src)) }},
	}
	for _, tt := range tests {
		for _, mark := range []string{markPrepared, markBacking, markCommitted, "dropped"} {
			t.Run(tt.name+"/"+mark, func(t *testing.T) {
				d := newDeathRig(t, false)
				d.s.fx.hook = dieAtExchange(2)
				if err := d.run("merge"); !errors.Is(err, ErrUnsettled) {
					t.Fatalf("merge = %v", err)
				}
				d.s.fx.hook = nil
				journal := filepath.Join(d.s.dir, "journal", "c1")
				file := filepath.Join(journal, planFile)
				if mark == "dropped" {
					if err := os.Rename(file, filepath.Join(journal, dropFile)); err != nil {
						t.Fatal(err)
					}
					file = filepath.Join(journal, dropFile)
				} else if err := os.Rename(filepath.Join(journal, markPrepared), filepath.Join(journal, mark)); err != nil {
					t.Fatal(err)
				}
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, tt.damage(src), 0o600); err != nil {
					t.Fatal(err)
				}
				tree, kept := d.everything(), gittest.HashDir(t, journal)
				if err := d.restart(); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tree, d.everything()); diff != "" {
					t.Errorf("the tree was touched (-before +after):\n%s", diff)
				}
				if len(d.s.healed) != 1 || d.s.healed[0].Kept == "" || d.s.takenBack("c1") {
					t.Fatalf("Recovered = %+v, want one that was kept", d.s.healed)
				}
				if diff := cmp.Diff(kept, gittest.HashDir(t, d.s.healed[0].Kept)); diff != "" {
					t.Errorf("the journal was not kept whole:\n%s", diff)
				}
				if Unfinished(d.s.dir) {
					t.Error("the next start finds it again")
				}
			})
		}
	}
}

// TestRecoverHalfWrittenPlan has the crash come before anything was begun: what
// was written of the plan goes.
func TestRecoverHalfWrittenPlan(t *testing.T) {
	d := newDeathRig(t, false)
	journal := filepath.Join(d.s.dir, "journal", "c1")
	if err := os.MkdirAll(filepath.Join(journal, "pre"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(journal, planFile), []byte(`{"version":2,"sum":"12`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.restart(); err != nil {
		t.Fatal(err)
	}
	if len(d.s.healed) != 0 {
		t.Errorf("Recovered = %+v", d.s.healed)
	}
	d.settled("a plan that was half written")
}

// TestRecoverDamagedImage has somebody remove the temporary files of a merge
// that was cut off, so that only the journal has what the files were, and it is
// damaged: that is written nowhere, and kept.
func TestRecoverDamagedImage(t *testing.T) {
	d := newDeathRig(t, false)
	d.s.fx.hook = dieAtExchange(2)
	if err := d.run("merge"); !errors.Is(err, ErrUnsettled) {
		t.Fatalf("merge = %v", err)
	}
	d.s.fx.hook = nil
	temps, err := filepath.Glob(d.Path("src/" + TempPrefix + "*-0"))
	if err != nil || len(temps) != 1 {
		t.Fatalf("temporary files of a.js: %v, %v", temps, err)
	}
	if err := os.Remove(temps[0]); err != nil {
		t.Fatal(err)
	}
	pre := filepath.Join(d.s.dir, "journal", "c1", "pre", "0")
	if err := os.WriteFile(pre, []byte("export const a = 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.restart(); err != nil {
		t.Fatal(err)
	}
	want := d.merged["src/a.js"]
	if got := d.everything(); got["src/a.js"] != want || got["src/b.js"] != d.old["src/b.js"] || got["test/t.js"] != d.old["test/t.js"] {
		t.Errorf("a.js must be as it was left, the others be taken back:\n%s", cmp.Diff(d.old, got))
	}
	if left, err := filepath.Glob(d.Path("*/" + TempPrefix + "*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if len(d.s.healed) != 1 || d.s.healed[0].Kept == "" {
		t.Fatalf("Recovered = %+v, want one that was kept", d.s.healed)
	}
	if src, err := os.ReadFile(filepath.Join(d.s.healed[0].Kept, "pre", "0")); err != nil || string(src) != "export const a = 3\n" {
		t.Errorf("kept %q, %v", src, err)
	}
}

// TestRecoverFolderMoved has the user move a folder away after the crash: what
// its files were is kept, as they lie elsewhere half merged.
func TestRecoverFolderMoved(t *testing.T) {
	for _, mark := range []string{markPrepared, markBacking} {
		t.Run(mark, func(t *testing.T) {
			d := newDeathRig(t, false)
			d.s.fx.hook = dieAtExchange(2)
			if err := d.run("merge"); !errors.Is(err, ErrUnsettled) {
				t.Fatalf("merge = %v", err)
			}
			d.s.fx.hook = nil
			journal := filepath.Join(d.s.dir, "journal", "c1")
			away := filepath.Join(t.TempDir(), "away")
			if err := errors.Join(os.Rename(filepath.Join(journal, markPrepared), filepath.Join(journal, mark)), os.Rename(d.Path("src"), away)); err != nil {
				t.Fatal(err)
			}
			half := gittest.HashDir(t, away)
			if err := d.restart(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(half, gittest.HashDir(t, away)); diff != "" {
				t.Errorf("what lies elsewhere was touched:\n%s", diff)
			}
			if got := d.Read("test/t.js"); got != "t\n" {
				t.Errorf("another file holds %q", got)
			}
			if len(d.s.healed) != 1 || d.s.healed[0].Kept == "" {
				t.Fatalf("Recovered = %+v, want one that was kept", d.s.healed)
			}
			if src, err := os.ReadFile(filepath.Join(d.s.healed[0].Kept, "pre", "0")); err != nil || string(src) != "export const a = 1\n" {
				t.Errorf("kept %q, %v", src, err)
			}
		})
	}
}

// TestUndoIsNotOfAnEarlierMerge holds that an undo of the last merge whose
// record is damaged says so, and does not take back the one before.
func TestUndoIsNotOfAnEarlierMerge(t *testing.T) {
	for name, damage := range map[string]func(plan string) error{
		"half of it":      func(plan string) error { return os.WriteFile(plan, []byte("{"), 0o600) },
		"another format":  func(plan string) error { return os.WriteFile(plan, []byte(`{"version": 1000}`), 0o600) },
		"what is no file": func(plan string) error { return os.Mkdir(plan, 0o700) }, // as with one that may not be read
	} {
		t.Run(name, func(t *testing.T) {
			d := newDeathRig(t, false)
			d.toMerged()
			dir := filepath.Join(d.s.dir, "undo", "c2")
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := damage(filepath.Join(dir, planFile)); err != nil {
				t.Fatal(err)
			}
			before := d.everything()
			var e *Error
			if _, err := d.s.Undo(t.Context(), ""); !errors.As(err, &e) || e.Code != CodeDamaged || !strings.Contains(e.Message, "c2") {
				t.Errorf("Undo = %v, want %s of c2", err, CodeDamaged)
			}
			if diff := cmp.Diff(before, d.everything()); diff != "" {
				t.Errorf("something was changed:\n%s", diff)
			}
			if _, err := d.s.Undo(t.Context(), "c1"); err != nil {
				t.Errorf("Undo of the one before, by its name: %v", err)
			}
		})
	}
}

// TestUndoDamagedRecord has the disk change an undo record.
func TestUndoDamagedRecord(t *testing.T) {
	for _, name := range []string{planFile, "pre/0", "post/0"} {
		t.Run(name, func(t *testing.T) {
			d := newDeathRig(t, false)
			d.toMerged()
			dir := filepath.Join(d.s.dir, "undo", "c1")
			file := filepath.Join(dir, filepath.FromSlash(name))
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			src[len(src)/2] ^= 1
			if err := os.WriteFile(file, src, 0o600); err != nil {
				t.Fatal(err)
			}
			before, record := d.everything(), gittest.HashDir(t, dir)
			_, err = d.s.Undo(t.Context(), "c1")
			var e *Error
			if !errors.As(err, &e) || e.Code != CodeDamaged || e.Hint == "" {
				t.Errorf("Undo = %v, want %s", err, CodeDamaged)
			}
			if diff := cmp.Diff(before, d.everything()); diff != "" {
				t.Errorf("the tree was touched:\n%s", diff)
			}
			if diff := cmp.Diff(record, gittest.HashDir(t, dir)); diff != "" {
				t.Errorf("the record was touched:\n%s", diff)
			}
		})
	}
}
