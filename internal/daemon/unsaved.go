package daemon

import (
	"path/filepath"

	"regreen/cycle"
	"regreen/internal/editor"
)

// Unsaved gives *cycle.NotMerged when an editor says that it holds unsaved
// changes to a file of the changes, nil when none does.
func Unsaved(root string, changes []cycle.Change, environ []string) error {
	for _, c := range changes {
		if name, mark := editor.Unsaved(root, c.File, environ); name != "" {
			return &cycle.NotMerged{Reason: name + " holds unsaved changes to " + c.File + " (it says so with " + filepath.Base(mark) + ")",
				Files: []string{c.File}}
		}
	}
	return nil
}
