package sandbox

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"regreen/internal/plain"
)

// Sum is the SHA-256 of a file's bytes (of the target, for a link).
type Sum [sha256.Size]byte

// String is the sum in hex.
func (s Sum) String() string { return hex.EncodeToString(s[:]) }

// Entry is one file of a snapshot.
type Entry struct {
	Mode    fs.FileMode // permission bits, and ModeSymlink
	Size    int64
	Sum     Sum
	Tracked bool
}

// sig is what the file system says of a file without reading it.
type sig struct {
	Ino          uint64
	Size         int64
	Mtime, Ctime int64
	Mode         uint32
}

// racy is how old a change must be for its time stamp to be sure to differ
// from that of the next one: the kernel's clock ticks every 1 to 10 ms.
const racy = 50 * time.Millisecond

// record is what was read of a file, and the stat data for which it holds.
type record struct {
	sig
	Entry
	// settled: the file was older than racy when it was read, so equal stat
	// data mean equal bytes.
	settled bool
}

// manifest maps rel to record.
type manifest map[string]record

// known gives the entry if the stat data prove it.
func (m manifest) known(rel string, fi fs.FileInfo) (Entry, bool) {
	r, ok := m[rel]
	if !ok || !r.holds(fi) {
		return Entry{}, false
	}
	return r.Entry, true
}

// holds tells whether the stat data prove that the bytes are still the same.
func (r *record) holds(fi fs.FileInfo) bool { return r.settled && r.sig == sigOf(fi) }

// note makes a record of bytes that were read between before and now.
func note(fi fs.FileInfo, e Entry, now time.Time) record {
	s := sigOf(fi)
	newest := max(s.Mtime, s.Ctime)
	return record{sig: s, Entry: e, settled: now.UnixNano()-newest > int64(racy)}
}

// entryMode keeps of a mode what a snapshot holds.
func entryMode(m fs.FileMode) fs.FileMode { return m & (fs.ModePerm | fs.ModeSymlink) }

// readFile reads a file or a link's target without following the link.
func readFile(abs string, fi fs.FileInfo) ([]byte, error) {
	if fi.Mode()&fs.ModeSymlink != 0 {
		t, err := os.Readlink(abs)
		return []byte(t), err
	}
	return plain.ReadFile(abs)
}

// errUnstable says that a file was written while it was read.
var errUnstable = errors.New("the file is being written")

// readStable reads a file and its stat data so that the two belong together.
func readStable(abs string) ([]byte, fs.FileInfo, error) {
	for range 3 {
		before, err := os.Lstat(abs)
		if err != nil {
			return nil, nil, err
		}
		src, err := readFile(abs, before)
		if err != nil {
			return nil, nil, err
		}
		after, err := os.Lstat(abs)
		if err != nil {
			return nil, nil, err
		}
		if sigOf(before) == sigOf(after) {
			return src, after, nil
		}
	}
	return nil, nil, errUnstable
}

const manifestMagic = "regreen manifest 1\n"

// header is what a manifest file says of its tree as a whole.
type header struct{ Tree, Commit, Base string }

func saveManifest(path string, h header, m manifest) error {
	src := encodeManifest(h, m)
	sum := sha256.Sum256(src)
	return replaceFile(path, append(src, sum[:]...))
}

func encodeManifest(h header, m manifest) []byte {
	var b bytes.Buffer
	b.WriteString(manifestMagic)
	var tmp [binary.MaxVarintLen64]byte
	num := func(n uint64) { b.Write(tmp[:binary.PutUvarint(tmp[:], n)]) }
	str := func(s string) { num(uint64(len(s))); b.WriteString(s) }
	str(h.Tree)
	str(h.Commit)
	str(h.Base)
	num(uint64(len(m)))
	for rel, r := range m {
		str(rel)
		num(r.Ino)
		num(uint64(r.sig.Size))
		num(uint64(r.Mtime))
		num(uint64(r.Ctime))
		num(uint64(r.sig.Mode))
		num(uint64(r.Entry.Mode))
		num(uint64(r.Entry.Size))
		var flags uint64
		if r.settled {
			flags |= 1
		}
		if r.Tracked {
			flags |= 2
		}
		num(flags)
		b.Write(r.Sum[:])
	}
	return b.Bytes()
}

// loadManifest reads a manifest; one that is missing or damaged is empty, and
// everything is read again.
func loadManifest(path string) (header, manifest) {
	src, err := os.ReadFile(path)
	n := len(src) - sha256.Size
	if err != nil || n < 0 || sumOf(src[:n]) != Sum(src[n:]) {
		return header{}, manifest{}
	}
	return decodeManifest(src[:n])
}

func decodeManifest(src []byte) (header, manifest) {
	rest, ok := bytes.CutPrefix(src, []byte(manifestMagic))
	if !ok {
		return header{}, manifest{}
	}
	r := bufio.NewReader(bytes.NewReader(rest))
	var bad error
	num := func() uint64 {
		v, err := binary.ReadUvarint(r)
		if err != nil {
			bad = err
		}
		return v
	}
	str := func() string {
		n := num()
		if bad != nil || n > uint64(len(src)) {
			bad = io.ErrUnexpectedEOF
			return ""
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(r, b); err != nil {
			bad = err
		}
		return string(b)
	}
	h := header{str(), str(), str()}
	count := num()
	m := manifest{}
	for i := uint64(0); i < count && bad == nil; i++ {
		rel := str()
		var rec record
		rec.Ino = num()
		rec.sig.Size, rec.Mtime, rec.Ctime = int64(num()), int64(num()), int64(num())
		rec.sig.Mode, rec.Entry.Mode = uint32(num()), fs.FileMode(num())
		rec.Entry.Size = int64(num())
		flags := num()
		rec.settled, rec.Tracked = flags&1 != 0, flags&2 != 0
		if _, err := io.ReadFull(r, rec.Sum[:]); err != nil {
			bad = err
		}
		m[rel] = rec
	}
	if bad != nil {
		return header{}, manifest{}
	}
	return h, m
}

// replaceFile writes one of our own files whole or not at all. It does not
// wait for the disk: what it holds can be made again.
func replaceFile(path string, src []byte) error {
	tmp := path + ".new"
	// A process of a run may have put something there.
	if err := removeAll(tmp); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if fi, err := os.Lstat(path); err == nil && fi.IsDir() {
		if err := removeAll(path); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	if err := writeNew(tmp, src); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
