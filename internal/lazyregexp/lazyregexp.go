// Package lazyregexp has regular expressions that are compiled when they are
// first used. This program starts itself again for every run of tests, and
// there are a hundred expressions: compiling them all was 1.5 ms of each start.
//
// Its invariant: an expression that does not compile panics at its first use,
// as regexp.MustCompile does at the start; the package's test compiles all that
// the program has.
package lazyregexp

import (
	"regexp"
	"sync"
)

// Regexp is a regexp.Regexp that may not be compiled yet. It may be used by
// several goroutines.
type Regexp struct {
	compiled func() *regexp.Regexp
}

// New does not look at the expression yet.
func New(expr string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// Match is as regexp.Regexp has it.
func (r *Regexp) Match(src []byte) bool { return r.compiled().Match(src) }

// MatchString is as regexp.Regexp has it.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

// FindStringIndex is as regexp.Regexp has it.
func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

// FindStringSubmatch is as regexp.Regexp has it.
func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

// FindStringSubmatchIndex is as regexp.Regexp has it.
func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

// FindAllStringSubmatch is as regexp.Regexp has it.
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.compiled().FindAllStringSubmatch(s, n)
}

// ReplaceAllString is as regexp.Regexp has it.
func (r *Regexp) ReplaceAllString(s, repl string) string {
	return r.compiled().ReplaceAllString(s, repl)
}

// ReplaceAllStringFunc is as regexp.Regexp has it.
func (r *Regexp) ReplaceAllStringFunc(s string, repl func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, repl)
}
