package fixers

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"

	"regreen/internal/lang"
)

// Seal puts the edits in order and sets the fix's ID: the same rule with the
// same edits has the same ID in every run.
func (f *Fix) Seal() {
	sort.SliceStable(f.Edits, func(i, j int) bool {
		a, b := f.Edits[i], f.Edits[j]
		switch {
		case a.File != b.File:
			return a.File < b.File
		case a.Start != b.Start:
			return a.Start < b.Start
		}
		return a.End < b.End
	})
	f.ID = f.hash(f.Rule)
}

// hash is over the edits and whatever tells two fixes with the same edits
// apart.
func (f *Fix) hash(salt string) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %t\n", salt, f.UpdateSnapshots)
	if len(f.Edits) == 0 && len(f.Whole) == 0 {
		fmt.Fprintf(h, "%q\n", f.Title)
	}
	for _, w := range f.Whole {
		fmt.Fprintf(h, "%q %t %v %q\n", w.File, w.Deleted, w.Mode, w.After)
	}
	for _, e := range f.Edits {
		fmt.Fprintf(h, "%q %d %d %q\n", e.File, e.Start, e.End, e.New)
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Files lists the files that the fix edits, sorted.
func (f Fix) Files() []string {
	seen := map[string]bool{}
	var out []string
	for _, w := range f.Whole {
		out = append(out, w.File)
	}
	for _, e := range f.Edits {
		if !seen[e.File] {
			seen[e.File] = true
			out = append(out, e.File)
		}
	}
	sort.Strings(out)
	return out
}

// Apply gives the new bytes of every file that the fix edits by ranges. read
// gives the present ones. Edits that do not fit the file are an error, and nothing is
// given then.
func (f Fix) Apply(read func(rel string) ([]byte, error)) (map[string][]byte, error) {
	out := map[string][]byte{}
	f.Whole = nil
	for _, rel := range f.Files() {
		src, err := read(rel)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", rel, err)
		}
		var edits []lang.TextEdit
		for _, e := range f.Edits {
			if e.File == rel {
				edits = append(edits, lang.TextEdit{Span: lang.Span{Start: e.Start, End: e.End}, New: e.New})
			}
		}
		sort.SliceStable(edits, func(i, j int) bool { return edits[i].Start < edits[j].Start })
		at := 0
		for _, e := range edits {
			if e.Start < at || e.End < e.Start || e.End > len(src) {
				return nil, fmt.Errorf("edit %s at %d to %d: the range does not fit the file", rel, e.Start, e.End)
			}
			at = e.End
		}
		out[rel] = lang.Apply(src, edits)
	}
	return out, nil
}

// fileCount is a number of files in a title.
func fileCount(n int) string {
	if n == 1 {
		return "1 file"
	}
	return fmt.Sprintf("%d files", n)
}
