//go:build !linux && !darwin

package cli

import "os"

// readKeys has no keys here; Ctrl-C ends, and the commands do the rest.
func readKeys(*os.File) (<-chan byte, func()) { return nil, func() {} }
