// Package jail runs one process so that it can write only where it may: in
// namespaces of its own with folders mounted over others, under Landlock, and
// within limits of memory, processes and disk.
//
// Its invariant: a process either starts behind all the walls that were asked
// for, or does not start. No process outlives its run or its starter. What may
// be read and what the network may be used for is not its subject, but for
// switching the network off.
//
// # Design
//
// The program starts itself again as a helper (the hidden command Command),
// already in new namespaces, and sends it the Spec through a pipe. The helper
// mounts, drops every capability, applies Landlock, starts the process as its
// child and stays: as the first process of the namespace it ends all others
// with itself, and it ends when the pipe is closed, that is with the program.
// A second pipe carries back how the child ended, since the first process of a
// namespace cannot die of a signal as the child did.
//
// The user namespace is there for root too: without it a process could
// unmount what hides the user's files. The identity is kept in it.
package jail
