package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	cases := []struct {
		truth, selected   []string
		recall, precision float64
		missed            []string
	}{
		{nil, nil, 1, 1, nil},
		{[]string{"a", "b"}, []string{"a", "b"}, 1, 1, nil},
		{[]string{"a", "b"}, []string{"a", "c"}, 0.5, 0.5, []string{"b"}},
		{nil, []string{"a"}, 1, 0, nil},
	}
	for _, tc := range cases {
		recall, precision, missed := compare(tc.truth, tc.selected)
		if recall != tc.recall || precision != tc.precision || !cmp.Equal(missed, tc.missed) {
			t.Errorf("compare(%q, %q) = %v, %v, %q, want %v, %v, %q", tc.truth, tc.selected, recall, precision, missed, tc.recall, tc.precision, tc.missed)
		}
	}
}

// TestEditsRepeat: one seed gives one sequence, and each kind can be made.
func TestEditsRepeat(t *testing.T) {
	root := t.TempDir()
	files := []string{"data.json", "package.json", "src/a.ts", "test/a.test.ts"}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, f)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, f), []byte("export const n = 1;\nexport function f() { return 2; }\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sequence := func() (out []string) {
		e := newEditor(root, files, []string{"test/a.test.ts"}, 3)
		for range 60 {
			ed, ok := e.next("")
			if !ok {
				t.Fatal("no edit can be made")
			}
			out = append(out, ed.kind+" "+ed.what)
		}
		return out
	}
	first := sequence()
	if diff := cmp.Diff(first, sequence()); diff != "" {
		t.Errorf("the same seed gave other edits (-first +second)\n%s", diff)
	}
	for _, k := range kinds {
		if _, ok := newEditor(root, files, []string{"test/a.test.ts"}, 3).next(k.name); !ok {
			t.Errorf("no edit of kind %s", k.name)
		}
	}
}

// TestRows: remarks count apart, a peer is compared on the edits that it
// answered, and an edit that was measured again counts once.
func TestRows(t *testing.T) {
	s, err := openStore(filepath.Join(t.TempDir(), "out.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	p := place{"zed", "abc"}
	edit := func(n int, kind string, truth, selected []string, peers map[string][]string) line {
		return line{Edit: &measured{caseID: caseID{place: p, N: n}, Kind: kind, Silent: kind == "comment", Tree: kind, Tests: 4, Truth: truth, Selected: selected, Peers: peers}}
	}
	for _, l := range []line{
		{Start: &start{place: p, Framework: "jest"}},
		edit(0, "body", []string{"a"}, []string{"a", "b", "c", "d"}, map[string][]string{"jest 30": {}}),
		edit(1, "config", []string{"a", "b"}, []string{"a", "b"}, nil),
		edit(2, "comment", nil, []string{"a"}, map[string][]string{"jest 30": {"a"}}),
		edit(0, "body", []string{"a"}, []string{"a", "b"}, map[string][]string{"jest 30": {}}),
	} {
		if err := s.Add(l); err != nil {
			t.Fatal(err)
		}
	}
	if s, err = openStore(s.Name()); err != nil {
		t.Fatal(err)
	}
	if known := s.truth(p, "config"); known == nil || !cmp.Equal(known.Truth, []string{"a", "b"}) {
		t.Errorf("the stored truth is %v", known)
	}
	if s.truth(place{"zed", "other"}, "config") != nil {
		t.Error("another commit has the truth of this one")
	}
	again := *s.edits()[0]
	again.Traced = []string{"a"}
	if err := s.Add(line{Edit: &again}); err != nil {
		t.Fatal(err)
	}
	// A spared test is missed by nobody, and a peer may select it.
	spared := &measured{Tests: 4, Truth: []string{"a"}, Spared: []string{"b"}}
	var ours, peer side
	ours.add(spared, []string{"a"})
	peer.add(spared, []string{"a", "b"})
	if ours.recall[0] != 1 || ours.precision[0] != 1 || peer.precision[0] != 1 || peer.needed != 2 {
		t.Errorf("with a spared test the sides are %+v and %+v", ours, peer)
	}
	// One that lists the folder is needed where it is selected, and missed by nobody.
	listing := &measured{Tests: 4, Alone: []string{"a", "b"}, Listing: []string{"a"}}
	var lister, blind side
	lister.add(listing, []string{"a", "b"})
	blind.add(listing, nil)
	if lister.precision[0] != 0.5 || blind.recall[0] != 1 || blind.missed != 0 {
		t.Errorf("with a test that lists the sides are %+v and %+v", lister, blind)
	}
	var out strings.Builder
	table(&out, s.rows())
	for _, want := range []string{
		"| zed (jest) | regreen | 2 | 1.00 1.00 1.00 | 0.75 0.75 0.50 | 0.50 0.50 0.50 | 4, 3, 0 |",
		"|  | regreen, traced | 1 | 1.00 1.00 1.00 | 1.00 1.00 1.00 | 0.75 0.75 0.75 | 1, 1, 0 |",
		"|  | regreen | 1 | 1.00 1.00 1.00 | 0.50 0.50 0.50 | 0.50 0.50 0.50 | 2, 1, 0 |",
		"|  | jest 30 | 1 | 0.00 0.00 0.00 | 1.00 1.00 1.00 | 1.00 1.00 1.00 | 0, 0, 1 |",
	} {
		if !strings.Contains(out.String(), want+"\n") {
			t.Errorf("the table lacks the line %s, it is\n%s", want, out.String())
		}
	}
}
