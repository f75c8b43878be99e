// Package sandbox holds a private image of the user's working tree, runs
// things in it, and carries what came out of it back.
//
// Its invariant: the user's bytes are never lost. The user's repository is
// read only; the one step that writes in the user's tree is a merge (or its
// undo), file by file by compare and swap, all files or none, with a journal
// and pre-images that survive a crash, and the user's bytes win every race.
//
// # Design
//
// The state folder of a repository holds
//
//	lock, pid        one sandbox at a time
//	shadow.git       a bare repository of ours; borrows the user's objects
//	manifest         what the snapshot knows of each of the user's files
//	box/tree         the warm worktree (of shadow.git), where everything runs
//	box/node_modules what the user's tree sees above its root
//	layers           what runs write to package folders and caches
//	objects          where the user's git objects are seen from inside
//	scratch, t       private folders for reporters, and TMPDIR
//	journal, undo    merges under way, and merges that can be undone
//	undone.json      files that are to stay as an undo left them
//	rescued          bytes of the user that a race displaced
//
// A snapshot reads the changed files once and hands them to git fast-import,
// which makes blobs, trees and the commit in one process, in proportion to
// what changed. Bytes are raw: no filter or line-ending conversion runs. The
// worktree is brought to a snapshot by our own comparison of bytes, and never
// by what the worktree's index or HEAD says, which belong to whatever ran.
//
// How strongly the worktree is walled off is behind the isolation interface;
// see isolation.go.
package sandbox
