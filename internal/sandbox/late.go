package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
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

func (s *Sandbox) watchLate(f *os.File, st *step, id string) {
	if len(s.late) >= maxLate {
		_ = s.late[0].f.Close()
		s.late = s.late[1:]
	}
	s.late = append(s.late, displaced{f: f, rel: st.Path, sum: st.Before, id: id, at: time.Now()})
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
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("rescue %s: %w", rel, err)
		}
		_, err = f.Write(src)
		if err == nil {
			err = f.Sync()
		}
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("rescue %s: %w", rel, err)
		}
		return name, nil
	}
}

// rescue moves bytes that are not ours from a temporary name to the state
// folder.
func (t *tx) rescue(st *step, name string) error {
	src, err := st.dir.root.ReadFile(name)
	if err != nil {
		return fmt.Errorf("rescue %s: %w", st.Path, err)
	}
	kept, err := t.s.keepRescued(t.plan.ID, path.Join(path.Dir(st.Path), path.Base(st.Path)), src)
	if err != nil {
		return err
	}
	t.rescued = append(t.rescued, kept)
	t.s.log.Warn("your bytes were kept aside", "file", st.Path, "kept", kept)
	return st.dir.root.Remove(name)
}
