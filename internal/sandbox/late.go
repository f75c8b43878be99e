package sandbox

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"regreen/internal/plain"
)

// displaced is a file that a merge took the name from. A program that had it
// open can still write to it; while we hold it open too, such bytes are not
// lost.
type displaced struct {
	f   *os.File
	rel string
	sum string
	id  string
	at  time.Time
}

// maxLate bounds the files that are held open.
const maxLate = 64

// watchLate holds a file open that lost its name while a program may still
// write to it; sum is what it holds now. It takes f over.
func (s *Sandbox) watchLate(f *os.File, rel, sum, id string) {
	if len(s.late) >= maxLate {
		_ = s.late[0].f.Close()
		s.late = s.late[1:]
	}
	s.late = append(s.late, displaced{f: f, rel: rel, sum: sum, id: id, at: time.Now()})
}

// Settle looks whether a program wrote into a file after a merge had displaced
// it, and keeps such bytes in the state folder; it gives the paths (abs) of
// what it kept. A second or two after a merge is a good moment.
func (s *Sandbox) Settle() []string {
	var kept []string
	var still []displaced
	for _, d := range s.late {
		src, err := io.ReadAll(io.NewSectionReader(d.f, 0, 1<<40))
		if err == nil && len(src) > 0 && sumOf(src).String() != d.sum {
			name, err := s.keepRescued(d.id, d.rel, src)
			if err != nil {
				s.log.Warn("a late write could not be kept", "file", d.rel, "err", err)
				still = append(still, d)
				continue
			}
			kept = append(kept, name)
			_ = d.f.Close()
			continue
		}
		if time.Since(d.at) > 5*time.Second {
			_ = d.f.Close()
			continue
		}
		still = append(still, d)
	}
	s.late = still
	return kept
}

func (s *Sandbox) dropLate() {
	for _, d := range s.late {
		_ = d.f.Close()
	}
	s.late = nil
}

// keepRescued stores bytes of the user's under a name that tells the file.
func (s *Sandbox) keepRescued(id, rel string, src []byte) (string, error) {
	base := strings.ReplaceAll(rel, "/", "__")
	if len(base) > 120 {
		base = base[len(base)-120:]
	}
	for n := 0; ; n++ {
		name := filepath.Join(s.dir, "rescued", fmt.Sprintf("%s-%d-%s", id, n, base))
		err := s.fx.writeSync(name, src)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", errors.Join(fmt.Errorf("rescue %s: %w", rel, err), os.Remove(name))
		}
		return name, nil
	}
}

// rescue moves bytes that are not ours from a temporary name to the state
// folder. What is no file stays beside the file.
func (t *tx) rescue(st *step, name string) error {
	f, src, err := st.dir.read(name)
	if errors.Is(err, plain.ErrKind) {
		return t.keepBeside(st, name)
	}
	if err != nil {
		return fmt.Errorf("rescue %s: %w", st.Path, err)
	}
	kept, err := t.s.keepRescued(t.plan.ID, st.Path, src)
	if err == nil {
		err = st.dir.remove(name)
	}
	if err != nil {
		return errors.Join(err, f.Close())
	}
	t.s.watchLate(f, st.Path, sumOf(src).String(), t.plan.ID)
	t.rescued = append(t.rescued, kept)
	t.s.log.Warn("your bytes were kept aside", "file", st.Path, "kept", kept)
	return nil
}

// keepBeside gives a pipe, a link or a folder of the user's, whose own name has
// something newer, a name in the same folder: it has no bytes to copy.
func (t *tx) keepBeside(st *step, name string) error {
	for n := 0; ; n++ {
		to := fmt.Sprintf("regreen-kept-%s-%d", strings.TrimPrefix(st.Temp, TempPrefix), n)
		err := st.dir.moveNew(name, to)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("keep what was at %s: %w", st.Path, err)
		}
		kept := filepath.Join(t.root.Name(), filepath.FromSlash(path.Dir(st.Path)), to)
		t.rescued = append(t.rescued, kept)
		t.s.log.Warn("what you put there is kept aside", "file", st.Path, "kept", kept)
		return nil
	}
}
