// Package history keeps what each cycle did: a line in a list, the cycle's
// document, and the changes of a proposal that waits for the user.
//
// Its invariant: a record is written whole or not seen; a line that a crash
// cut short is left out and harms no other. It knows nothing of a document's
// content and undoes nothing: undo records are the sandbox's.
package history

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"time"
)

// Record is one cycle in the list.
type Record struct {
	ID         string    `json:"id"`
	Started    time.Time `json:"started"`
	Outcome    string    `json:"outcome"`
	Files      []string  `json:"files"` // the modified files
	Tests      int       `json:"tests"` // how many ran
	DurationMS int64     `json:"duration_ms"`
	Undo       string    `json:"undo"` // "" when nothing was merged
}

// Change is one file of a proposal, with the bytes on both sides. Modes are
// permission bits.
type Change struct {
	Path       string      `json:"path"`
	Op         string      `json:"op"` // create | modify | delete
	Mode       fs.FileMode `json:"mode"`
	BeforeMode fs.FileMode `json:"before_mode"`
	Before     []byte      `json:"before"`
	After      []byte      `json:"after"`
}

// ErrNotFound is in the chain when there is no such cycle or proposal.
var ErrNotFound = errors.New("no such record")

// The bounds on what is kept. The newest records stay whatever their size.
const (
	maxAge     = 30 * 24 * time.Hour
	maxBytes   = 200 << 20
	maxRecords = 2000
	keepAlways = 20
)

// trimEvery is how large the list may grow before records are looked through.
const trimEvery = 256 << 10

// History is the record of one repository. Several processes may append to it
// at once; a value is used by one goroutine at a time.
type History struct {
	dir string
}

// Open opens the history in a repository's state folder, which is made.
func Open(stateDir string) (*History, error) {
	h := &History{dir: filepath.Join(stateDir, "history")}
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return nil, fmt.Errorf("open the history: %w", err)
	}
	return h, nil
}

// NewID makes a cycle's id: it sorts by time, can be read and typed, and two
// made in one second differ.
func NewID(now time.Time) string {
	var b [2]byte
	// Since Go 1.24 Read never fails.
	_, _ = rand.Read(b[:])
	return now.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(b[:])
}

var validID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// Append adds a cycle. document is the cycle's, as JSON; proposal are the
// changes that wait for the user, nil for none. What was appended before is
// never lost by an append that fails.
func (h *History) Append(rec Record, document json.RawMessage, proposal []Change) error {
	if err := h.append(rec, document, proposal); err != nil {
		return fmt.Errorf("keep the history of %s: %w", rec.ID, err)
	}
	return nil
}

func (h *History) append(rec Record, document json.RawMessage, proposal []Change) error {
	if !validID.MatchString(rec.ID) {
		return fmt.Errorf("%q is not an id", rec.ID)
	}
	if rec.Files == nil {
		rec.Files = []string{}
	}
	if err := replace(h.file(rec.ID, "json"), document); err != nil {
		return err
	}
	if proposal != nil {
		src, err := json.Marshal(proposal)
		if err != nil {
			return err
		}
		if err := replace(h.file(rec.ID, "proposal"), src); err != nil {
			return err
		}
	}
	line, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(h.list(), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	// A line that was cut short must not swallow this one.
	fi, err := f.Stat()
	if err == nil && fi.Size() > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], fi.Size()-1); err == nil && last[0] != '\n' {
			line = append([]byte{'\n'}, line...)
		}
	}
	_, err = f.Write(line)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if fi != nil && fi.Size() > trimEvery {
		return h.Trim(rec.Started)
	}
	return nil
}

// List gives the cycles, the newest first.
func (h *History) List() ([]Record, error) {
	src, err := os.ReadFile(h.list())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the history: %w", err)
	}
	all := parse(src)
	slices.Reverse(all)
	sort.SliceStable(all, func(i, j int) bool { return all[i].ID > all[j].ID })
	return all, nil
}

// parse reads the list and leaves out what is not a record. The last line of
// an id counts.
func parse(src []byte) []Record {
	var all []Record
	at := map[string]int{}
	for line := range bytes.Lines(src) {
		var r Record
		if json.Unmarshal(line, &r) != nil || !validID.MatchString(r.ID) {
			continue
		}
		if i, ok := at[r.ID]; ok {
			all[i] = r
			continue
		}
		at[r.ID] = len(all)
		all = append(all, r)
	}
	return all
}

// Document gives a cycle's document as it was appended.
func (h *History) Document(id string) (json.RawMessage, error) {
	src, err := h.read(id, "json")
	if err != nil {
		return nil, err
	}
	if !json.Valid(src) {
		return nil, fmt.Errorf("read the document of %s: it is damaged", id)
	}
	return src, nil
}

// Proposal gives the changes that a cycle proposed; ErrNotFound is in the
// chain when it proposed none.
func (h *History) Proposal(id string) ([]Change, error) {
	src, err := h.read(id, "proposal")
	if err != nil {
		return nil, err
	}
	var changes []Change
	if err := json.Unmarshal(src, &changes); err != nil {
		return nil, fmt.Errorf("read the proposal of %s: %w", id, err)
	}
	return changes, nil
}

// Latest is the newest cycle that proposed something, for an apply without an
// id.
func (h *History) Latest() (id string, err error) {
	all, err := h.List()
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if _, err := os.Stat(h.file(r.ID, "proposal")); err == nil {
			return r.ID, nil
		}
	}
	return "", fmt.Errorf("a proposal: %w", ErrNotFound)
}

func (h *History) read(id, ext string) ([]byte, error) {
	if !validID.MatchString(id) {
		return nil, fmt.Errorf("%q: %w", id, ErrNotFound)
	}
	src, err := os.ReadFile(h.file(id, ext))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", id, err)
	}
	return src, nil
}

func (h *History) list() string { return filepath.Join(h.dir, "cycles.jsonl") }

func (h *History) file(id, ext string) string { return filepath.Join(h.dir, id+"."+ext) }

// Trim removes records that are too old or too many.
func (h *History) Trim(now time.Time) error {
	all, err := h.List()
	if err != nil {
		return err
	}
	var total int64
	var keep []Record
	for i, r := range all {
		size := h.size(r.ID)
		total += size
		old := now.Sub(r.Started) > maxAge || total > maxBytes || i >= maxRecords
		if i >= keepAlways && old {
			total -= size
			for _, ext := range []string{"json", "proposal"} {
				_ = os.Remove(h.file(r.ID, ext))
			}
			continue
		}
		keep = append(keep, r)
	}
	var b bytes.Buffer
	for i := len(keep) - 1; i >= 0; i-- {
		line, err := json.Marshal(keep[i])
		if err != nil {
			return fmt.Errorf("trim the history: %w", err)
		}
		b.Write(line)
		b.WriteByte('\n')
	}
	if err := replace(h.list(), b.Bytes()); err != nil {
		return fmt.Errorf("trim the history: %w", err)
	}
	return nil
}

func (h *History) size(id string) (n int64) {
	for _, ext := range []string{"json", "proposal"} {
		if fi, err := os.Stat(h.file(id, ext)); err == nil {
			n += fi.Size()
		}
	}
	return n
}

// replace writes a file whole or not at all.
func replace(name string, src []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(src)
	if err == nil {
		err = f.Sync()
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), name); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
