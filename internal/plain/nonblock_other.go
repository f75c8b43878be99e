//go:build !unix

package plain

// nonBlock is not needed: no name in a folder is a pipe here.
const nonBlock = 0
