package engine

import (
	"errors"
	"os"
)

// keepWhole writes one of the engine's own files whole or not at all: a crash or
// a full disk leaves what was there. A folder in its place is none of ours.
func keepWhole(file string, text []byte) error {
	tmp := file + ".new"
	for _, name := range []string{tmp, file} {
		if fi, err := os.Lstat(name); err == nil && !fi.Mode().IsRegular() {
			if err := os.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	err := os.WriteFile(tmp, text, 0o600)
	if err == nil {
		err = os.Rename(tmp, file)
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(tmp))
	}
	return nil
}
