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
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"time"

	"regreen/internal/lazyregexp"
)

// Record is one cycle in the list.
type Record struct {
	ID         string    `json:"id"`
	Started    time.Time `json:"started"`
	Outcome    string    `json:"outcome"`
	Files      []string  `json:"files"` // the modified files
	Tests      int       `json:"tests"` // how many ran
	DurationMS int64     `json:"duration_ms"`
	Undo       string    `json:"undo"`            // "" when nothing was merged
	Fixes      []string  `json:"fixes,omitempty"` // titles of the fixes that repaired
	// Proposals are the ids of what the cycle proposed; Append sets it.
	Proposals []string `json:"proposals,omitempty"`
}

// Proposal is a result that waits for the user.
type Proposal struct {
	ID      string   `json:"id"`
	Changes []Change `json:"changes"`
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

// Limits are the bounds on what is kept. Zero values are those of the default
// configuration.
type Limits struct {
	Age    time.Duration
	Bytes  int64 // of documents and proposals
	Cycles int
}

// keepAlways of the newest records stay whatever their age and size.
const keepAlways = 20

// trimEvery is how much the list may grow by before it is trimmed.
const trimEvery = 64 << 10

// Store is the history of one repository. Several processes may append to it
// at once; a value is used by one goroutine at a time.
type Store struct {
	dir    string
	limits Limits
}

// Open opens the history in a repository's state folder; its own folder there
// is made.
func Open(stateDir string, keep Limits) (*Store, error) {
	if keep.Age <= 0 {
		keep.Age = 30 * 24 * time.Hour
	}
	if keep.Bytes <= 0 {
		keep.Bytes = 200 << 20
	}
	if keep.Cycles <= 0 {
		keep.Cycles = 2000
	}
	h := &Store{dir: filepath.Join(stateDir, "history"), limits: keep}
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

var validID = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)

// Append adds a cycle. document is the cycle's, as JSON; proposals are the
// results that wait for the user. What was appended before is never lost by an
// append that fails.
func (h *Store) Append(rec Record, document json.RawMessage, proposals []Proposal) error {
	if err := h.append(rec, document, proposals); err != nil {
		return fmt.Errorf("keep the history of %s: %w", rec.ID, err)
	}
	return nil
}

func (h *Store) append(rec Record, document json.RawMessage, proposals []Proposal) error {
	if !validID.MatchString(rec.ID) {
		return fmt.Errorf("%q is not an id", rec.ID)
	}
	rec.Proposals = nil
	for _, p := range proposals {
		if !validID.MatchString(p.ID) {
			return fmt.Errorf("%q is not an id", p.ID)
		}
		rec.Proposals = append(rec.Proposals, p.ID)
	}
	if rec.Files == nil {
		rec.Files = []string{}
	}
	if err := replace(h.file(rec.ID, "json"), document); err != nil {
		return err
	}
	for _, p := range proposals {
		src, err := json.Marshal(p)
		if err != nil {
			return err
		}
		if err := replace(h.file(p.ID, "proposal"), src); err != nil {
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
	if fi != nil && fi.Size()/trimEvery != (fi.Size()+int64(len(line)))/trimEvery {
		return h.Trim(rec.Started)
	}
	return nil
}

// List gives the cycles, the newest first.
func (h *Store) List() ([]Record, error) {
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

// Newest is the cycle that began last; ErrNotFound is in the chain when there is
// none. It reads the end of the list only.
func (h *Store) Newest() (Record, error) {
	f, err := os.Open(h.list())
	if errors.Is(err, fs.ErrNotExist) {
		return Record{}, fmt.Errorf("a cycle: %w", ErrNotFound)
	}
	if err != nil {
		return Record{}, fmt.Errorf("read the history: %w", err)
	}
	defer func() { _ = f.Close() }()
	fi, err := f.Stat()
	if err != nil {
		return Record{}, fmt.Errorf("read the history: %w", err)
	}
	for tail := int64(tailBytes); ; tail *= 8 {
		from := max(fi.Size()-tail, 0)
		src, err := io.ReadAll(io.NewSectionReader(f, from, fi.Size()-from))
		if err != nil {
			return Record{}, fmt.Errorf("read the history: %w", err)
		}
		if from > 0 { // the first line may be cut
			_, src, _ = bytes.Cut(src, []byte{'\n'})
		}
		if all := parse(src); len(all) > 0 {
			return slices.MaxFunc(all, func(a, b Record) int { return strings.Compare(a.ID, b.ID) }), nil
		}
		if from == 0 {
			return Record{}, fmt.Errorf("a cycle: %w", ErrNotFound)
		}
	}
}

// tailBytes holds the last few records; one of a large checkout takes more.
const tailBytes = 16 << 10

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
func (h *Store) Document(id string) (json.RawMessage, error) {
	src, err := h.read(id, "json")
	if err != nil {
		return nil, err
	}
	if !json.Valid(src) {
		return nil, fmt.Errorf("read the document of %s: it is damaged", id)
	}
	return src, nil
}

// Proposal gives a proposal by its own id; ErrNotFound is in the chain when
// there is none.
func (h *Store) Proposal(id string) (*Proposal, error) {
	src, err := h.read(id, "proposal")
	if err != nil {
		return nil, err
	}
	var p Proposal
	if err := json.Unmarshal(src, &p); err != nil {
		return nil, fmt.Errorf("read the proposal %s: %w", id, err)
	}
	return &p, nil
}

// Proposals are the ids of what a cycle proposed; a cycle that proposed
// nothing has none.
func (h *Store) Proposals(cycleID string) ([]string, error) {
	all, err := h.List()
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.ID == cycleID {
			return r.Proposals, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", cycleID, ErrNotFound)
}

// Latest is the id of the newest proposal, for an apply without an id.
func (h *Store) Latest() (id string, err error) {
	all, err := h.List()
	if err != nil {
		return "", err
	}
	for _, r := range all {
		if n := len(r.Proposals); n > 0 {
			return r.Proposals[n-1], nil
		}
	}
	return "", fmt.Errorf("a proposal: %w", ErrNotFound)
}

func (h *Store) read(id, ext string) ([]byte, error) {
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

func (h *Store) list() string { return filepath.Join(h.dir, "cycles.jsonl") }

func (h *Store) file(id, ext string) string { return filepath.Join(h.dir, id+"."+ext) }

// Trim removes records that are too old or too many.
func (h *Store) Trim(now time.Time) error {
	all, err := h.List()
	if err != nil {
		return err
	}
	h.strays(all, now)
	var total int64
	var keep []Record
	for i, r := range all {
		files := h.files(r)
		size := sizeOf(files)
		total += size
		old := now.Sub(r.Started) > h.limits.Age || total > h.limits.Bytes || i >= h.limits.Cycles
		if i >= keepAlways && old {
			total -= size
			for _, f := range files {
				_ = os.Remove(f)
			}
			continue
		}
		keep = append(keep, r)
	}
	if len(keep) == len(all) {
		return nil
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

// strays removes files that belong to no record: those of an append or a
// removal that was cut short. A record that is being appended is younger.
func (h *Store) strays(all []Record, now time.Time) {
	known := map[string]bool{h.list(): true}
	for _, r := range all {
		for _, f := range h.files(r) {
			known[f] = true
		}
	}
	entries, _ := os.ReadDir(h.dir)
	for _, e := range entries {
		file := filepath.Join(h.dir, e.Name())
		if fi, err := e.Info(); err == nil && !known[file] && now.Sub(fi.ModTime()) > strayAge {
			_ = os.Remove(file)
		}
	}
}

// strayAge is longer than any append takes.
const strayAge = time.Hour

// files are all files of a record.
func (h *Store) files(r Record) []string {
	out := []string{h.file(r.ID, "json")}
	for _, p := range r.Proposals {
		out = append(out, h.file(p, "proposal"))
	}
	return out
}

func sizeOf(files []string) (n int64) {
	for _, f := range files {
		if fi, err := os.Stat(f); err == nil {
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
