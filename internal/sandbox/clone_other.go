//go:build !linux && !darwin

package sandbox

import (
	"errors"
	"io/fs"
)

// cloneFile is not to be had here.
func cloneFile(string, string, fs.FileMode) error { return errors.ErrUnsupported }
