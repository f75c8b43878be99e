// Package cli is everything that a person or a script touches: commands,
// flags, what is printed, and exit codes.
//
// Its invariant: results go to standard output, everything else to standard
// error, and each way to end maps to one exit code in one place (problem.go).
// It decides nothing about tests or repairs; that work is behind Deps.
package cli
