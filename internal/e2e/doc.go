// Package e2e holds the tests that drive the built program on real
// repositories with the real test frameworks; it has no code of its own.
//
// Its invariant: whatever the program is asked to do, the repository's .git is
// the same byte for byte afterwards, and only files that the result names
// differ.
package e2e
