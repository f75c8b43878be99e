// Package archtest holds the test of which package may import which (see
// ARCHITECTURE.md); it has no code of its own.
package archtest
