// Package daemon is regreen in the background: one for each repository. It
// takes batches of saves, runs a cycle over each, and answers on a socket.
//
// Its invariants: the last verdict is about the last content (a save that can
// change the verdict cancels the cycle under way, any other waits its turn, and
// none is lost), and what the daemon itself wrote is no save.
//
// # Design
//
// One goroutine (loop.go) owns all state; the watcher, the server and the
// present operation send to it. At most one operation runs at a time: a cycle,
// an undo or an apply. Content decides what is new, so that a save that the
// editor's hook tells and the watcher sees counts once.
//
// Only one process may hold a repository's sandbox. A command such as `regreen
// run` or `undo` borrows it: the daemon cancels its cycle, lets the sandbox go,
// and takes it back, and the cancelled work up, when the command's connection
// ends, however it ends. So each command works in its own terminal with its own
// flags, with a daemon or without.
//
// Start: lock, signals (the caller's), watcher, socket. A socket file that is
// there is removed because the lock is held. End: the socket closes, the cycle
// is cancelled and waited for, the sandbox is let go, and the lock last.
package daemon
