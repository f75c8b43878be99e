package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// undoneName is the file of the state folder that says what undos gave back.
const undoneName = "undone.json"

// undoneFile is a file as an undo left it.
type undoneFile struct {
	Sum  string    `json:"sum"` // in hex, "" where the undo removed it
	Time time.Time `json:"time"`
}

// Undone tells of a repository's state folder (see StateDir) what its undos
// left: file to the SHA-256 of its content in hex, "" for one that an undo
// removed. Whoever changes such a file from this content by itself does again
// what a person took back. A file into which a proposal was applied since is
// not among them. It does not need the sandbox to be open.
func Undone(dir string) map[string]string {
	out := map[string]string{}
	for rel, f := range loadUndone(dir) {
		out[rel] = f.Sum
	}
	return out
}

// loadUndone reads the file; of one that cannot be read nothing is known.
func loadUndone(dir string) map[string]undoneFile {
	kept := map[string]undoneFile{}
	src, err := os.ReadFile(filepath.Join(dir, undoneName))
	if err != nil || json.Unmarshal(src, &kept) != nil || kept == nil {
		return map[string]undoneFile{}
	}
	return kept
}

// noteUndone keeps what a plan that stands says about what was undone; of files
// that were undone longer ago than undo records are kept nothing is kept
// either. An undo does not fail for it.
func (s *Sandbox) noteUndone(p *plan, now time.Time) {
	kept := loadUndone(s.dir)
	before := len(kept)
	for rel, f := range kept {
		if now.Sub(f.Time) > undoAge {
			delete(kept, rel)
		}
	}
	for _, st := range p.Steps {
		switch p.Kind {
		case "undo":
			kept[st.Path] = undoneFile{st.After, now.UTC()}
		case "apply":
			delete(kept, st.Path)
		}
	}
	if before == 0 && len(kept) == 0 {
		return
	}
	src, err := json.Marshal(kept)
	if err == nil {
		err = replaceFile(filepath.Join(s.dir, undoneName), src)
	}
	if err != nil {
		s.log.Warn(fmt.Sprintf("after a restart of the daemon it will not be known what was undone: %v", err))
	}
}
