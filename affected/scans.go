package affected

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"regreen/internal/lang"
)

// Scans remembers what files say by their content, in one file between starts
// of the program. Whatever is wrong with that file, it is as if there were
// none. It is safe for concurrent use; nil remembers nothing.
type Scans struct {
	file, version string

	mu    sync.Mutex // guards the fields below
	known map[scanSum][]byte
	used  map[scanSum]bool
	fresh int // how many were kept that the file does not hold
}

// scanSum is a shortened hash of a scan's key.
type scanSum [16]byte

// scansMagic begins the file; the number changes with the format, the version
// (of the program) with what scanners find.
const scansMagic = "regreen scans 2\n"

// maxScans and maxScansBytes bound the file.
const (
	maxScans      = 200_000
	maxScansBytes = 256 << 20
)

// OpenScans reads what was remembered by the same version of the program.
func OpenScans(file, version string) *Scans {
	s := &Scans{file: file, version: version, known: map[scanSum][]byte{}, used: map[scanSum]bool{}}
	fi, err := os.Stat(file)
	if err != nil || fi.Size() > maxScansBytes {
		return s
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return s
	}
	if known, err := readScans(text, version); err == nil {
		s.known = known
	}
	return s
}

var errScans = errors.New("not a file of scans")

func readScans(text []byte, version string) (map[scanSum][]byte, error) {
	head := scansMagic + version + "\n"
	if !bytes.HasPrefix(text, []byte(head)) || len(text) < len(head)+4 {
		return nil, errScans
	}
	end := len(text) - 4
	if crc32.ChecksumIEEE(text[:end]) != binary.LittleEndian.Uint32(text[end:]) {
		return nil, errScans
	}
	known := map[scanSum][]byte{}
	for rest := text[len(head):end]; len(rest) > 0; {
		var sum scanSum
		if copy(sum[:], rest) < len(sum) {
			return nil, errScans
		}
		size, n := binary.Uvarint(rest[len(sum):])
		rest = rest[min(len(sum)+max(n, 0), len(rest)):]
		if n <= 0 || size > uint64(len(rest)) {
			return nil, errScans
		}
		known[sum], rest = rest[:size:size], rest[size:]
	}
	return known, nil
}

// Fresh is how many scans Save would add to the file.
func (s *Scans) Fresh() int {
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fresh
}

// Save writes what was used since the start, if anything is new: what files no
// longer hold is forgotten.
func (s *Scans) Save() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	if s.fresh == 0 && len(s.used)*2 >= len(s.known) {
		s.mu.Unlock()
		return nil
	}
	text := []byte(scansMagic + s.version + "\n")
	n := 0
	for sum := range s.used {
		if n++; n > maxScans || len(text) > maxScansBytes/2 {
			break
		}
		text = append(text, sum[:]...)
		text = binary.AppendUvarint(text, uint64(len(s.known[sum])))
		text = append(text, s.known[sum]...)
	}
	s.fresh = 0
	s.mu.Unlock()
	text = binary.LittleEndian.AppendUint32(text, crc32.ChecksumIEEE(text))
	if err := writeWhole(s.file, text); err != nil {
		return fmt.Errorf("keep what the files import: %w", err)
	}
	return nil
}

// writeWhole puts a file in its place at once or not at all.
func writeWhole(file string, text []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	err = errors.Join(err, tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		if rerr := os.Remove(tmp.Name()); rerr != nil && !errors.Is(rerr, fs.ErrNotExist) {
			err = errors.Join(err, rerr)
		}
	}
	return err
}

func sumOf(key string) scanSum {
	h := sha256.Sum256([]byte(key))
	return scanSum(h[:16])
}

// find fills in what a file of that key says.
func (s *Scans) find(key string, out *scanned) bool {
	if s == nil {
		return false
	}
	sum := sumOf(key)
	s.mu.Lock()
	text, ok := s.known[sum]
	if ok {
		s.used[sum] = true
	}
	s.mu.Unlock()
	return ok && out.decode(text)
}

func (s *Scans) keep(key string, in *scanned) {
	if s == nil {
		return
	}
	sum, text := sumOf(key), in.encode()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known[sum], s.used[sum] = text, true
	s.fresh++
}

// erasedMark begins the kind of an import that is erased.
const erasedMark = "-"

// encode writes all but the name and the language.
func (s *scanned) encode() []byte {
	var b []byte
	str := func(t string) {
		b = binary.AppendUvarint(b, uint64(len(t)))
		b = append(b, t...)
	}
	large := uint64(0)
	if s.tooLarge {
		large = 1
	}
	b = binary.AppendUvarint(b, large)
	b = binary.AppendUvarint(b, uint64(len(s.imports)))
	for _, i := range s.imports {
		if kind := string(i.kind); i.erased {
			str(erasedMark + kind)
		} else {
			str(kind)
		}
		str(i.spec)
		b = binary.AppendUvarint(b, uint64(max(i.line, 0)))
		b = binary.AppendUvarint(b, uint64(len(i.names)))
		for _, n := range i.names {
			str(n)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(s.data)))
	for _, p := range s.data {
		str(p)
	}
	return b
}

// decode reads what encode wrote; false leaves the scan empty.
func (s *scanned) decode(b []byte) bool {
	bad := false
	num := func() int {
		v, n := binary.Uvarint(b)
		if n <= 0 || v > uint64(len(b))+maxScan {
			bad, b = true, nil
			return 0
		}
		b = b[n:]
		return int(v)
	}
	str := func() string {
		n := num()
		if bad || n > len(b) {
			bad, b = true, nil
			return ""
		}
		t := intern(string(b[:n]))
		b = b[n:]
		return t
	}
	t := scanned{name: s.name, language: s.language, tooLarge: num() == 1}
	for n := num(); n > 0 && !bad; n-- {
		kind, erased := strings.CutPrefix(str(), erasedMark)
		i := imported{kind: lang.ImportKind(kind), erased: erased, spec: str(), line: num()}
		for m := num(); m > 0 && !bad; m-- {
			i.names = append(i.names, str())
		}
		t.imports = append(t.imports, i)
	}
	for n := num(); n > 0 && !bad; n-- {
		t.data = append(t.data, str())
	}
	if bad || len(b) > 0 {
		return false
	}
	*s = t
	return true
}
