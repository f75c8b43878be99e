package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"regreen/cycle"
	"regreen/internal/plain"
)

// missesName is the file of the state folder with the misses that nobody
// understands yet. As long as there are any, all tests run.
const missesName = "misses.json"

// Misses are the tests that an audit found missing in a selection and of which
// it is not known why, as a repository's state folder has them; of a file that
// cannot be read nothing is known. It does not need the sandbox to be open.
func Misses(dir string) []cycle.Miss {
	ms, _ := readMisses(dir)
	return ms
}

// readMisses tells besides whether there are some that cannot be read.
func readMisses(dir string) (ms []cycle.Miss, damaged bool) {
	text, err := plain.ReadFile(filepath.Join(dir, missesName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err != nil || json.Unmarshal(text, &ms) != nil {
		return nil, true
	}
	return ms, false
}

// keepMisses adds to them; what is said again of a test replaces what was said.
func keepMisses(dir string, more []cycle.Miss) error {
	ms := slices.DeleteFunc(Misses(dir), func(old cycle.Miss) bool {
		return slices.ContainsFunc(more, func(m cycle.Miss) bool { return m.Test.File == old.Test.File })
	})
	text, err := json.Marshal(append(ms, more...))
	if err == nil {
		err = keepWhole(filepath.Join(dir, missesName), text)
	}
	if err != nil {
		return fmt.Errorf("keep what the selection missed: %w", err)
	}
	return nil
}

// Misses are those of the function of this name.
func (r *Records) Misses() []cycle.Miss { return Misses(r.dir) }

// Understood forgets them: tests are selected again.
func (r *Records) Understood() error {
	err := os.RemoveAll(filepath.Join(r.dir, missesName))
	if err != nil {
		return fmt.Errorf("forget what the selection missed: %w", err)
	}
	return nil
}

// everything says why all tests run, "" where a selection does: an audit found
// a miss of a test that there still is, or of one that cannot be read any more, or
// what the tests open was lost.
func (e *Engine) everything(exists func(rel string) bool) string {
	ms, damaged := readMisses(e.box.Dir())
	if damaged {
		return fmt.Sprintf("what an audit found cannot be read from %s: all tests run until `regreen affected --understood`", filepath.Join(e.box.Dir(), missesName))
	}
	if why := e.seen().unreadable(); why != "" {
		return why
	}
	ms = slices.DeleteFunc(ms, func(m cycle.Miss) bool { return !exists(m.Test.File) })
	if len(ms) == 0 {
		return ""
	}
	return fmt.Sprintf("an audit found that the selection missed %s: all tests run until `regreen affected --understood`", ms[0].Test.File)
}
