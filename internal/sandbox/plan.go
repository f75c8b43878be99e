package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"regreen/internal/lazyregexp"
)

// TempPrefix begins the names of the temporary files that a merge puts beside
// the files it replaces, for milliseconds. Watchers leave them out.
const TempPrefix = ".regreen-"

// plan is what a merge is about to do. It is on disk, with the bytes before
// and after, ahead of the first write beside the user's files.
type plan struct {
	Version int       `json:"version"`
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`         // merge | apply | undo
	Of      string    `json:"of,omitempty"` // undo: the merge that is undone
	Root    string    `json:"root"`
	Started time.Time `json:"started"`
	Steps   []*step   `json:"steps"`
	// Dirs are folders that the merge makes, outermost first.
	Dirs []string `json:"dirs,omitempty"`
}

// step is one file of a plan.
type step struct {
	Path string `json:"path"`
	Op   Op     `json:"op"`
	// Before and After are sums in hex, "" where there is no file.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// BeforeMode and AfterMode are permission bits.
	BeforeMode fs.FileMode `json:"before_mode,omitempty"`
	AfterMode  fs.FileMode `json:"after_mode,omitempty"`
	Temp       string      `json:"temp"` // name in the file's own folder

	before, after []byte // when the plan is made
	info          fs.FileInfo
	dir           *dirHandle
	applied       bool
	noop          bool
}

// old is where the displaced bytes are when there is no exchange.
func (st *step) old() string { return st.Temp + ".old" }

func newPlan(kind, id, root string) *plan {
	return &plan{Version: 1, ID: id, Kind: kind, Root: root, Started: time.Now().UTC()}
}

func (p *plan) add(st *step) {
	st.Temp = TempPrefix + shortID(p.ID) + "-" + strconv.Itoa(len(p.Steps))
	p.Steps = append(p.Steps, st)
}

// shortID keeps temporary names short and free of dots.
func shortID(id string) string { return sumOf([]byte(id)).String()[:10] }

var validID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$`)

func checkID(id string) error {
	if !validID.MatchString(id) || strings.Contains(id, "..") {
		return fmt.Errorf("%q is not an id", id)
	}
	return nil
}

// The marks of a journal folder: prepared means that every temporary file and
// pre-image is on disk; committed that the merge is done.
const (
	markPrepared  = "prepared"
	markCommitted = "committed"
)

func preName(i int) string  { return path.Join("pre", strconv.Itoa(i)) }
func postName(i int) string { return path.Join("post", strconv.Itoa(i)) }

// save writes the plan and both images of each file to dir, to stay.
func (p *plan) save(dir string, fault func(string) error) error {
	for _, d := range []string{dir, filepath.Join(dir, "pre"), filepath.Join(dir, "post")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return err
		}
	}
	for i, st := range p.Steps {
		if st.Before != "" {
			if err := fault("pre-image"); err != nil {
				return err
			}
			if err := writeSync(filepath.Join(dir, preName(i)), st.before); err != nil {
				return err
			}
		}
		if st.After != "" {
			if err := writeSync(filepath.Join(dir, postName(i)), st.after); err != nil {
				return err
			}
		}
	}
	src, err := json.MarshalIndent(p, "", " ")
	if err != nil {
		return err
	}
	if err := fault("plan"); err != nil {
		return err
	}
	if err := writeSync(filepath.Join(dir, "plan.json"), src); err != nil {
		return err
	}
	for _, d := range []string{"pre", "post", "."} {
		if err := syncDir(filepath.Join(dir, d)); err != nil {
			return err
		}
	}
	return syncDir(filepath.Dir(dir))
}

// loadPlan reads a plan; ok is false when it was not written whole, and then
// nothing beside it was.
func loadPlan(dir string) (p *plan, ok bool) {
	src, err := os.ReadFile(filepath.Join(dir, "plan.json"))
	if err != nil || json.Unmarshal(src, &p) != nil || p == nil || p.Version != 1 {
		return nil, false
	}
	for _, st := range p.Steps {
		if checkPath(st.Path) != nil || !strings.HasPrefix(st.Temp, TempPrefix) || strings.ContainsAny(st.Temp, `/\`) {
			return nil, false
		}
	}
	return p, true
}

func marked(dir, mark string) bool {
	_, err := os.Stat(filepath.Join(dir, mark))
	return err == nil
}

func setMark(dir, mark string) error {
	if err := writeSync(filepath.Join(dir, mark), nil); err != nil {
		return err
	}
	return syncDir(dir)
}

// writeSync writes a new file and waits for the disk.
func writeSync(name string, src []byte) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// syncDir makes the names in a folder last. File systems that cannot say so.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = f.Sync()
	return f.Close()
}
