//go:build unix

package plain

import "syscall"

// nonBlock has a pipe open at once, whoever is at its other end.
const nonBlock = syscall.O_NONBLOCK
