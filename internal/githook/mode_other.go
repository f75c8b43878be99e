//go:build !unix

package githook

// onlyNames tells whether git runs a hook for its name alone.
func onlyNames() bool { return true }
