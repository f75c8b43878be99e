package pytest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"regreen/internal/plain"
)

// remembered is what an interpreter answered, with what the answer came from.
// It holds while all of that is as it was: the environment, the interpreter,
// the folders that it imports from, and the files there that add to them.
type remembered struct {
	Environ    string // hash
	Stamps     []stamp
	Executable string
	Pytest     string
}

// stamp is a file or folder at one time. A folder's time changes when something
// comes into it or leaves it, as every installation makes something do.
type stamp struct {
	Path string
	Size int64
	Time int64 // Unix nanoseconds; 0: it is not there
}

func stampOf(path string) stamp {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return stamp{Path: path}
	case fi.IsDir():
		return stamp{Path: path, Time: fi.ModTime().UnixNano()} // a file system's business, the size
	}
	return stamp{path, fi.Size(), fi.ModTime().UnixNano()}
}

// settled is how old a stamp must be: within it, a later change may have the
// same time.
const settled = 2 * time.Second

// stamps are what the answer of an interpreter comes from.
func stamps(program string, path []string) []stamp {
	out := []stamp{stampOf(program), stampOf(filepath.Join(filepath.Dir(filepath.Dir(program)), "pyvenv.cfg"))}
	for _, dir := range path {
		out = append(out, stampOf(dir))
		links, _ := filepath.Glob(filepath.Join(dir, "*.pth")) // the pattern is well-formed
		for _, l := range links {
			out = append(out, stampOf(l))
		}
	}
	return out
}

// recall gives what the interpreter answered last, if it would say so again.
func (s *search) recall(program, root string) (a answer, ok bool) {
	if s.in.Keep == "" {
		return answer{}, false
	}
	src, err := plain.ReadFile(s.memory(program, root))
	if err != nil {
		return answer{}, false
	}
	var r remembered
	if json.Unmarshal(src, &r) != nil || r.Environ != environHash(s.in.Environ) || len(r.Stamps) == 0 {
		return answer{}, false
	}
	for _, m := range r.Stamps {
		if stampOf(m.Path) != m {
			return answer{}, false
		}
	}
	return answer{Executable: r.Executable, Pytest: r.Pytest}, true
}

// remember keeps an answer for the next start. One that another program gave (a
// version manager's shim, whose choice hangs on other files) is asked for each
// time, as is one that may change at once because something is missing.
func (s *search) remember(program, root string, a answer, now time.Time) {
	if s.in.Keep == "" || a.Executable != program || a.Pytest == "" || len(a.Path) == 0 {
		return
	}
	r := remembered{Environ: environHash(s.in.Environ), Stamps: stamps(program, a.Path), Executable: a.Executable, Pytest: a.Pytest}
	if slices.ContainsFunc(r.Stamps, func(m stamp) bool { return now.UnixNano()-m.Time < int64(settled) }) {
		return
	}
	src, err := json.Marshal(r)
	if err != nil {
		return
	}
	// What cannot be kept is asked again.
	file := s.memory(program, root)
	if os.MkdirAll(s.in.Keep, 0o700) == nil && os.WriteFile(file+".new", src, 0o600) == nil {
		_ = os.Rename(file+".new", file)
	}
}

// memory is the file for one interpreter, asked for one project.
func (s *search) memory(program, root string) string {
	sum := sha256.Sum256([]byte(program + "\x00" + root))
	return filepath.Join(s.in.Keep, "python-"+hex.EncodeToString(sum[:8])+".json")
}

// environHash is of all variables but those that say where temporary files are.
func environHash(environ []string) string {
	h := sha256.New()
	for _, kv := range slices.Sorted(slices.Values(environ)) {
		if k, _, _ := strings.Cut(kv, "="); !slices.Contains([]string{"TMPDIR", "TMP", "TEMP"}, k) {
			h.Write([]byte(kv + "\x00"))
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
