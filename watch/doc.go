// Package watch turns what happens to the files of a repository into batches:
// one for each quiet period, with the paths whose content really changed.
//
// Its invariant: no save is lost and none is told twice. Events are hints only;
// what counts is a table of size, time stamp, inode and content, which is
// brought up to date and compared before anything is told.
//
// It runs nothing, and it decides nothing about tests.
//
// # Design
//
// Folders are watched, never files, so a save by rename is seen like any other.
// A new folder is watched first and listed then, and once more when things are
// quiet, since what was made in it meanwhile gave no event. One goroutine reads
// events into a set and does nothing else (the kernel's queue overflows when
// nobody reads); Run's own goroutine owns everything else. When events were
// lost all the same, the whole tree is compared.
//
// An event is filtered before it moves the timer: what is ignored, temporary,
// expected or unchanged cannot hold a batch up, and nothing can for longer than
// MaxWait. Only git can: while it works, and in the middle of a rebase, merge,
// cherry-pick, revert or bisect, the files are not what anybody wants to test.
//
// Ignore rules are read as git reads them (ignore.go). go-git's matcher is not
// used: it has no case folding, no [!a] and no bytes beyond UTF-8, and git's
// own is small. Tracked files that a rule covers are watched all the same, as
// git itself does.
//
// Folders that the kernel will not watch, or on whose file systems it tells
// nothing of what others do (network, FUSE, a container's or WSL's mounts), are
// polled, the more rarely the longer nothing happens.
package watch
