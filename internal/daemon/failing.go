package daemon

import (
	"slices"

	"regreen/cycle"
)

// Failing are the failures that are known, by test file: those outside the
// last selection stay until their test passes. The zero value has none.
type Failing struct {
	files []string
	by    map[string][]cycle.Remaining
}

// Update takes the result of a cycle in.
func (f *Failing) Update(doc *cycle.Document) {
	if doc.Outcome == cycle.Cancelled || doc.Outcome == cycle.Errored {
		return
	}
	if f.by == nil {
		f.by = map[string][]cycle.Remaining{}
	}
	for _, a := range doc.AffectedTests {
		f.drop(a.File)
	}
	f.drop("") // what belonged to a run and not to a file
	for _, r := range doc.Remaining {
		file := r.Test.File
		if _, ok := f.by[file]; !ok {
			f.files = append(f.files, file)
		}
		f.by[file] = append(f.by[file], r)
	}
}

// Gone forgets the failures of test files that were deleted.
func (f *Failing) Gone(files []string) {
	for _, file := range files {
		f.drop(file)
	}
}

func (f *Failing) drop(file string) {
	delete(f.by, file)
	for i, x := range f.files {
		if x == file {
			f.files = append(f.files[:i], f.files[i+1:]...)
			return
		}
	}
}

// Files are the test files that they are in.
func (f *Failing) Files() []string {
	return slices.DeleteFunc(slices.Clone(f.files), func(file string) bool { return file == "" })
}

// List gives them all.
func (f *Failing) List() []cycle.Remaining {
	out := []cycle.Remaining{}
	for _, file := range f.files {
		out = append(out, f.by[file]...)
	}
	return out
}
