//go:build unix

package githook

// onlyNames tells whether git runs a hook for its name alone; here it has to be
// executable.
func onlyNames() bool { return false }
