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
	ID      string    `json:"id"`
	Kind    string    `json:"kind"`         // merge | apply | undo
	Of      string    `json:"of,omitempty"` // undo: the merge that is undone
	Root    string    `json:"root"`
	Started time.Time `json:"started"`
	// Seq counts the plans of a repository: the clock may go back.
	Seq   uint64  `json:"seq,omitempty"`
	Steps []*step `json:"steps"`
	// Dirs are folders that the merge makes, outermost first.
	Dirs []string `json:"dirs,omitempty"`
	// Unmake are folders that an undo removes if they are empty, outermost
	// first.
	Unmake []string `json:"unmake,omitempty"`
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
	return &plan{ID: id, Kind: kind, Root: root, Started: time.Now().UTC()}
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

// A journal folder holds plan.json, both images of each file, and one mark for
// how far the plan is. A mark becomes the next by a rename, which is whole or
// not at all and takes no space.
const (
	planFile = "plan.json"
	// dropFile is what plan.json becomes once nothing of the plan is in place
	// any more: only temporary files may be left.
	dropFile = "dropped.json"

	markNone      = ""          // the user's files are untouched
	markPrepared  = "prepared"  // every temporary file and image is on disk
	markBacking   = "backing"   // what was swapped is being taken back
	markCommitted = "committed" // the plan stands
)

func preName(i int) string  { return path.Join("pre", strconv.Itoa(i)) }
func postName(i int) string { return path.Join("post", strconv.Itoa(i)) }

// save writes the plan and both images of each file to dir, to stay.
func (p *plan) save(dir string, fx effects) error {
	for _, d := range []string{dir, filepath.Join(dir, "pre"), filepath.Join(dir, "post")} {
		if err := fx.mkdir(d); err != nil {
			return err
		}
	}
	for i, st := range p.Steps {
		if st.Before != "" {
			if err := fx.writeSync(filepath.Join(dir, preName(i)), st.before); err != nil {
				return err
			}
		}
		if st.After != "" {
			if err := fx.writeSync(filepath.Join(dir, postName(i)), st.after); err != nil {
				return err
			}
		}
	}
	src, err := p.encode()
	if err != nil {
		return err
	}
	if err := fx.writeSync(filepath.Join(dir, planFile), src); err != nil {
		return err
	}
	for _, d := range []string{"pre", "post", "."} {
		if err := fx.syncDir(filepath.Join(dir, d)); err != nil {
			return err
		}
	}
	return fx.syncDir(filepath.Dir(dir))
}

// planVersion is of the files of a journal and of what its marks mean.
const planVersion = 2

// sealed is a plan as it is on disk: what a bad disk changed is noticed, before
// anything is written or removed by it.
type sealed struct {
	Version int             `json:"version"`
	Sum     string          `json:"sum"` // of the bytes of Plan, in hex
	Plan    json.RawMessage `json:"plan"`
}

// errDamaged says that a plan or an image of a file is not as we wrote it.
var errDamaged = errors.New("it is damaged")

// errVersion says that a plan is another version's.
var errVersion = fmt.Errorf("%w, or another version of regreen made it", errDamaged)

func (p *plan) encode() ([]byte, error) {
	src, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return json.Marshal(sealed{planVersion, sumOf(src).String(), src})
}

// loadPlan reads the plan of a journal or a record. errDamaged is in the chain
// when there is one that we cannot go by.
func loadPlan(dir string) (*plan, error) { return loadPlanFile(filepath.Join(dir, planFile)) }

func loadPlanFile(name string) (*plan, error) {
	src, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var on sealed
	if err := json.Unmarshal(src, &on); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if on.Version != planVersion {
		return nil, errVersion
	}
	if on.Sum != sumOf(on.Plan).String() {
		return nil, errDamaged
	}
	p := &plan{}
	if err := json.Unmarshal(on.Plan, p); err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if p.ID != filepath.Base(filepath.Dir(name)) {
		return nil, errDamaged // it is in the place of another
	}
	for _, st := range p.Steps {
		if checkPath(st.Path) != nil || !strings.HasPrefix(st.Temp, TempPrefix) || strings.ContainsAny(st.Temp, `/\`) {
			return nil, errDamaged
		}
	}
	return p, nil
}

// readImage reads the bytes that a file had before or after, which must be those
// of the sum.
func readImage(dir, name, sum string) ([]byte, error) {
	src, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) || err == nil && sumOf(src).String() != sum {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, name), errDamaged)
	}
	return src, err
}

// markOf reads a journal's mark.
func markOf(dir string) (string, error) {
	for _, m := range []string{markCommitted, markBacking, markPrepared} {
		_, err := os.Lstat(filepath.Join(dir, m))
		if err == nil {
			return m, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return markNone, nil
}

// setPrepared makes the first mark.
func setPrepared(dir string, fx effects) error {
	if err := fx.writeSync(filepath.Join(dir, markPrepared), nil); err != nil {
		return err
	}
	return fx.syncDir(dir)
}

// setMark turns one mark into another. Once it is renamed it stands: whether
// the folder could be synced is of no account then.
func setMark(dir, from, to string, fx effects) error {
	if from == to {
		return nil
	}
	if err := fx.rename(filepath.Join(dir, from), filepath.Join(dir, to)); err != nil {
		return err
	}
	_ = fx.syncDir(dir)
	return nil
}

// dropPlan removes a journal or a record: first what makes it one, so that a
// crash on the way leaves nothing that could be taken for it.
func dropPlan(dir string, fx effects) error {
	for _, name := range []string{planFile, dropFile} {
		abs := filepath.Join(dir, name)
		err := fx.do("remove", abs, func() error { return os.Remove(abs) })
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = fx.syncDir(dir)
	return fx.removeTree(dir)
}
