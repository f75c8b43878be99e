// Package engine puts the real parts together: the user's repository, its
// sandbox, the projects found in it, the languages, the fixers and the history,
// and runs cycles over them. The command line opens one for a command; the
// daemon will keep one open.
//
// It decides nothing that the parts decide; it only introduces them to each
// other.
package engine
