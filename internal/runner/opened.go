package runner

import (
	"bufio"
	"encoding/json"
	"path/filepath"
	"strings"

	"regreen/internal/plain"
)

// How a file is opened.
const (
	OpenedRead = "read" // its bytes were read
	OpenedList = "list" // the folder was listed
	OpenedLoad = "load" // a module loaded it (By may be that module)
	// Marks of a module, which is By and File both: from its first one on, all that
	// its require calls load is seen, or its import() too.
	OpenedRequires = "require"
	OpenedImports  = "import"
	// OpenedCut says, once, that there was more than is told: a process stopped
	// watching, or too much was written.
	OpenedCut = "cut"
)

// Opened is one thing that a run was seen to open. What a run opens in ways
// that cannot be watched is not among them.
type Opened struct {
	// By is the test file that was at work, or the source that was being loaded.
	By   string `json:"by"` // rel
	File string `json:"file"`
	Kind string `json:"kind"`
}

// Names of the environment variables that the watchers of opened files use:
// where they write, the repository's root, and whom children work for.
const (
	EnvOpened = "REGREEN_OPENED"
	EnvRoot   = "REGREEN_ROOT"
)

// maxOpened bounds how much is read of what was opened.
const maxOpened = 32 << 20

// ReadOpened reads what was written for a run in root (abs). A line that cannot
// be read, or is not about the repository, is left out: it is evidence to add
// to what is known otherwise.
func ReadOpened(file, root string) []Opened {
	f, err := plain.Open(file)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var out []Opened
	have := map[Opened]bool{}
	left := maxOpened
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if left -= len(lines.Bytes()); left < 0 {
			return append(out, Opened{Kind: OpenedCut})
		}
		var o Opened
		if json.Unmarshal(lines.Bytes(), &o) != nil {
			continue
		}
		if cut := (Opened{Kind: OpenedCut}); o == cut && !have[o] {
			have[o] = true
			out = append(out, o)
		}
		var ok1, ok2 bool
		o.By, ok1 = below(root, o.By)
		o.File, ok2 = below(root, o.File)
		if ok1 && ok2 && !have[o] {
			have[o] = true
			out = append(out, o)
		}
	}
	return out
}

func below(root, abs string) (string, bool) {
	rel, err := filepath.Rel(root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	return rel, !strings.Contains("/"+rel+"/", "/node_modules/")
}
