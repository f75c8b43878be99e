//go:build !unix

package proc

// keepFiles has nothing to do: on Windows a process gets what is named only.
func keepFiles() {}
