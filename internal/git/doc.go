// Package git reads the user's repository and never changes it.
//
// Its invariant: no call writes below the user's .git, not even a refreshed
// index or a fetched object. What git itself knows best (ignore rules, diffs,
// filters, sparse and split indexes) is asked of the git command line, with
// hooks, fsmonitor and maintenance off and GIT_* removed from the environment;
// HEAD is read through go-git, with the command line where go-git cannot open
// the repository (sha256, reftable, worktreeConfig, partial clones).
//
// Paths are rel with slashes and in raw bytes: every listing is NUL-separated.
package git
