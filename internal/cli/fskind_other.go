//go:build !linux && !darwin

package cli

// fileSystem names the kind of file system that a folder is on, "" when it is
// not known.
func fileSystem(string) string { return "" }
