package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var day = time.Date(2026, 11, 30, 19, 45, 12, 0, time.UTC)

func TestHistory(t *testing.T) {
	h, err := Open(t.TempDir(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if all, err := h.List(); err != nil || len(all) != 0 {
		t.Errorf("List = %v, %v", all, err)
	}
	first := Record{ID: "20261130-194512-aaaa", Started: day, Outcome: "repaired", Files: []string{"a\nb.js"}, Tests: 3, DurationMS: 12, Undo: "u"}
	second := Record{ID: "20261130-194513-bbbb", Started: day.Add(time.Second), Outcome: "proposed", Files: []string{}}
	prop := []Proposal{{ID: second.ID + "-1", Changes: []Change{{Path: "a.js", Op: "modify", Mode: 0o755, BeforeMode: 0o755, Before: []byte{0, 0xff, '\n'}, After: []byte("x")}}}}
	if err := h.Append(first, json.RawMessage(`{"outcome":"repaired"}`), nil); err != nil {
		t.Fatal(err)
	}
	if err := h.Append(second, json.RawMessage(`{}`), prop); err != nil {
		t.Fatal(err)
	}
	all, err := h.List()
	if err != nil {
		t.Fatal(err)
	}
	second.Proposals = []string{second.ID + "-1"}
	if d := cmp.Diff([]Record{second, first}, all); d != "" {
		t.Errorf("List (-want +got):\n%s", d)
	}
	doc, err := h.Document(first.ID)
	if err != nil || string(doc) != `{"outcome":"repaired"}` {
		t.Errorf("Document = %s, %v", doc, err)
	}
	got, err := h.Proposal(second.ID + "-1")
	if err != nil {
		t.Fatal(err)
	}
	if ids, err := h.Proposals(second.ID); err != nil || len(ids) != 1 {
		t.Errorf("Proposals = %v, %v", ids, err)
	}
	if d := cmp.Diff(&prop[0], got); d != "" {
		t.Errorf("Proposal (-want +got):\n%s", d)
	}
	if id, err := h.Latest(); err != nil || id != prop[0].ID {
		t.Errorf("Latest = %q, %v", id, err)
	}
	for _, id := range []string{first.ID, "none", "../x", ""} {
		if _, err := h.Proposal(id); !errors.Is(err, ErrNotFound) {
			t.Errorf("Proposal(%q) = %v, want ErrNotFound", id, err)
		}
	}
	if err := h.Append(Record{ID: "../x"}, nil, nil); err == nil {
		t.Error("Append took a path for an id")
	}
}

func TestCutLine(t *testing.T) {
	dir := t.TempDir()
	h, err := Open(dir, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if i == 2 {
			f, err := os.OpenFile(h.list(), os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(`{"id":"20261130-1945`); err != nil {
				t.Fatal(err)
			}
			_ = f.Close()
		}
		if err := h.Append(Record{ID: fmt.Sprintf("id%d", i), Started: day}, json.RawMessage(`{}`), nil); err != nil {
			t.Fatal(err)
		}
	}
	all, err := h.List()
	if err != nil || len(all) != 3 || all[0].ID != "id2" {
		t.Errorf("List = %+v, %v", all, err)
	}
}

func TestTrim(t *testing.T) {
	for _, c := range []struct {
		name string
		keep Limits
		now  time.Duration // after the first record; one is made each day
		want int
	}{
		{"all are young", Limits{}, 30 * 24 * time.Hour, 40},
		{"by age", Limits{Age: 10 * 24 * time.Hour}, 39 * 24 * time.Hour, 20}, // the newest stay
		{"by age, some", Limits{Age: 25 * 24 * time.Hour}, 39 * 24 * time.Hour, 26},
		{"by number", Limits{Cycles: 30}, 0, 30},
		{"by size", Limits{Bytes: 35 * 10}, 0, 35},
		{"very old", Limits{}, 99 * 24 * time.Hour, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := Open(t.TempDir(), c.keep)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 40 {
				rec := Record{ID: fmt.Sprintf("id%03d", i), Started: day.Add(time.Duration(i) * 24 * time.Hour)}
				doc, prop := json.RawMessage(`{}`), []Proposal{{ID: rec.ID}}
				if err := h.Append(rec, doc, prop); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(h.file(rec.ID, "proposal"), []byte("12345678"), 0o600); err != nil { // 10 bytes in all
					t.Fatal(err)
				}
			}
			if err := h.Trim(day.Add(c.now)); err != nil {
				t.Fatal(err)
			}
			all, err := h.List()
			if err != nil || len(all) != c.want || all[0].ID != "id039" {
				t.Errorf("after Trim: %d records, %v, want %d", len(all), err, c.want)
			}
			files, _ := filepath.Glob(filepath.Join(h.dir, "*"))
			if len(files) != 2*c.want+1 {
				t.Errorf("%d files are left", len(files))
			}
		})
	}
}

// TestAppendTrims holds that a program that only ever appends is bounded.
func TestAppendTrims(t *testing.T) {
	h, err := Open(t.TempDir(), Limits{Cycles: 25})
	if err != nil {
		t.Fatal(err)
	}
	files := make([]string, 400)
	for i := range files {
		files[i] = "src/some/file.ts"
	}
	most := 0
	for i := range 60 {
		if err := h.Append(Record{ID: fmt.Sprintf("id%03d", i), Started: day, Files: files}, json.RawMessage(`{}`), nil); err != nil {
			t.Fatal(err)
		}
		all, err := h.List()
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(all))
	}
	if most > 45 { // a record takes 8 KiB, so 64 KiB hold eight
		t.Errorf("there were %d records at once", most)
	}
}

// TestStrays holds that the files of an append that was cut short do not stay.
func TestStrays(t *testing.T) {
	h, err := Open(t.TempDir(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Append(Record{ID: "id1", Started: day}, json.RawMessage(`{}`), nil); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"id0.json": 2 * strayAge, ".new-12": 2 * strayAge, "id2.json": 0} {
		file := filepath.Join(h.dir, name)
		if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chtimes(file, now, now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Trim(now); err != nil {
		t.Fatal(err)
	}
	left, _ := os.ReadDir(h.dir)
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if d := cmp.Diff([]string{"cycles.jsonl", "id1.json", "id2.json"}, names); d != "" {
		t.Errorf("files (-want +got):\n%s", d)
	}
}

// TestNewest holds it against List, also where the newest record is longer than
// what is read of the list at first, or the last line is cut.
func TestNewest(t *testing.T) {
	h, err := Open(t.TempDir(), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Newest(); !errors.Is(err, ErrNotFound) {
		t.Errorf("Newest of nothing: %v", err)
	}
	long := make([]string, 5000)
	for i := range long {
		long[i] = fmt.Sprintf("src/a_long_name_%d.ts", i)
	}
	for i, files := range [][]string{{"a"}, long, {"b"}} {
		rec := Record{ID: fmt.Sprintf("id%d", i), Started: day, Files: files}
		if err := h.Append(rec, json.RawMessage(`{}`), nil); err != nil {
			t.Fatal(err)
		}
		all, err := h.List()
		if err != nil {
			t.Fatal(err)
		}
		got, err := h.Newest()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(all[0], got); d != "" {
			t.Errorf("Newest (-List +got):\n%s", d)
		}
	}
	f, err := os.OpenFile(h.list(), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"id":"id3","files":["` + strings.Repeat("x", 2*tailBytes)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Newest(); err != nil || got.ID != "id2" {
		t.Errorf("Newest before a cut line = %q, %v", got.ID, err)
	}
}

func TestNewID(t *testing.T) {
	id := NewID(day)
	if !regexp.MustCompile(`^20261130-194512-[0-9a-f]{4}$`).MatchString(id) || !validID.MatchString(id) {
		t.Errorf("NewID = %q", id)
	}
	if next := NewID(day.Add(time.Second)); strings.Compare(next, id) <= 0 {
		t.Errorf("%q does not sort after %q", next, id)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"id":"a","started":"2026-11-30T00:00:00Z"}` + "\n{\"id\":\"b\""))
	f.Add([]byte("\n\n\x00"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, r := range parse(src) {
			if !validID.MatchString(r.ID) {
				t.Errorf("record with id %q", r.ID)
			}
		}
	})
}
