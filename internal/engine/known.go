package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"regreen/cycle"
)

// maxKnown bounds the remembered fixes; beyond it they begin anew.
const maxKnown = 500

// known remembers which fix was merged for which cause: the next time it is
// tried first. Nothing but the order depends on it, so that a file that cannot
// be read is as none.
type known struct {
	file string

	mu    sync.Mutex // guards the field below
	fixes map[string]string
}

func openKnown(dir string) *known {
	k := &known{file: filepath.Join(dir, "known-fixes.json"), fixes: map[string]string{}}
	if text, err := os.ReadFile(k.file); err == nil {
		var fixes map[string]string
		if json.Unmarshal(text, &fixes) == nil && fixes != nil {
			k.fixes = fixes
		}
	}
	return k
}

// of gives the fix that mended a cause before, "" for none.
func (k *known) of(cause string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.fixes[cause]
}

// learn notes the fixes of a merge.
func (k *known) learn(list []cycle.Learned) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.fixes)+len(list) > maxKnown {
		k.fixes = map[string]string{}
	}
	for _, l := range list {
		k.fixes[l.Cause] = l.Fix
	}
	text, err := json.Marshal(k.fixes)
	if err != nil {
		return fmt.Errorf("remember what repaired: %w", err)
	}
	if err := keepWhole(k.file, text); err != nil {
		return fmt.Errorf("remember what repaired: %w", err)
	}
	return nil
}
