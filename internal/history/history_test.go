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
	h, err := Open(t.TempDir())
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
	h, err := Open(dir)
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
	h, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 40 {
		rec := Record{ID: fmt.Sprintf("id%03d", i), Started: day.Add(time.Duration(i) * 24 * time.Hour)}
		if err := h.Append(rec, json.RawMessage(`{}`), []Proposal{{ID: rec.ID}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Trim(day.Add(60 * 24 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	all, err := h.List()
	if err != nil || len(all) != keepAlways || all[0].ID != "id039" {
		t.Errorf("after Trim: %d records, %v", len(all), err)
	}
	files, _ := filepath.Glob(filepath.Join(h.dir, "*"))
	if len(files) != 2*keepAlways+1 {
		t.Errorf("%d files are left", len(files))
	}
}

// TestNewest holds it against List, also where the newest record is longer than
// what is read of the list at first, or the last line is cut.
func TestNewest(t *testing.T) {
	h, err := Open(t.TempDir())
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
