package cycle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"sort"
	"strings"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/runner"
)

// Severity orders causes by what they block.
type Severity int

// The severities of DESIGN.md section 3, lowest first.
const (
	Low Severity = iota
	Medium
	High
	Critical
)

// String is the word of the JSON contract.
func (s Severity) String() string { return [...]string{"low", "medium", "high", "critical"}[s] }

// cause is failures with one fingerprint, and what the loop needs of them.
type cause struct {
	fixers.Cause
	severity Severity
	unit     int
	victims  int
	// same identifies the cause although lines above it moved.
	same string
}

// severityOf follows DESIGN.md section 3; patterns on test names raise or
// lower it.
func severityOf(f runner.Failure, cfg config.Severity) Severity {
	s := Medium
	switch {
	case f.Kind == runner.SyntaxError, f.Kind == runner.MissingImport, f.Kind == runner.MissingExport,
		f.Kind == runner.Crash, f.Scope == runner.ScopeFile, f.Scope == runner.ScopeRun && f.Kind != runner.UnhandledRejection:
		s = Critical
	case f.Scope == runner.ScopeHook, f.Kind == runner.HookError, f.Kind == runner.MissingFixture,
		f.Kind == runner.UndefinedVariable, f.Kind == runner.UnhandledRejection:
		s = High
	case f.Kind == runner.Timeout, f.Kind == runner.SnapshotMismatch:
		s = Low
	}
	name := strings.Join(f.Test.Path, " > ")
	switch {
	case matches(cfg.Critical, name):
		return Critical
	case matches(cfg.High, name):
		return max(s, High)
	case matches(cfg.Low, name):
		return Low
	}
	return s
}

// matches tries shell patterns on a test's joined titles; a pattern without a
// wildcard matches as a part of the name, whatever its case.
func matches(patterns []string, name string) bool {
	low := strings.ToLower(name)
	for _, p := range patterns {
		p = strings.ToLower(p)
		if !strings.ContainsAny(p, "*?[") {
			if strings.Contains(low, p) {
				return true
			}
			continue
		}
		if ok, err := path.Match(p, low); err == nil && ok {
			return true
		}
	}
	return false
}

// causes groups a result's failures by fingerprint, most severe first, then
// by victims.
func (s *suite) causes(res *result, cfg config.Severity) []cause {
	byID := map[string]int{}
	var out []cause
	for _, f := range res.failures {
		id := fingerprint(f)
		i, ok := byID[id]
		if !ok {
			i = len(out)
			byID[id] = i
			out = append(out, cause{
				Cause: fixers.Cause{ID: id, Kind: f.Kind, Place: f.Place, Symbol: f.Symbol,
					Specifier: f.Specifier, Message: f.Message, Project: s.units[f.unit].Project},
				unit: f.unit, same: sameKey(f.Failure),
			})
		}
		c := &out[i]
		c.Failures = append(c.Failures, f.Failure)
		c.severity = max(c.severity, severityOf(f.Failure, cfg))
		c.victims += s.victims(f)
	}
	sort.SliceStable(out, func(i, j int) bool {
		if out[i].severity != out[j].severity {
			return out[i].severity > out[j].severity
		}
		return out[i].victims > out[j].victims
	})
	return out
}

// victims is how many tests one failure takes down.
func (s *suite) victims(f failure) int {
	if f.Scope == runner.ScopeFile && f.Test.File != "" {
		return max(1, s.known(f.unit)(f.Test.File))
	}
	return 1
}

func fingerprint(f failure) string {
	p := f.Place
	if p.File == "" {
		p.File = f.Test.File
	}
	h := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%s\x00%d\x00%s", f.unit, f.Kind, p.File, p.Line, f.Symbol))
	return hex.EncodeToString(h[:6])
}

func sameKey(f runner.Failure) string {
	file := f.Place.File
	if file == "" {
		file = f.Test.File
	}
	key := string(f.Kind) + "\x00" + file + "\x00" + f.Symbol
	if f.Symbol == "" {
		first, _, _ := strings.Cut(f.Message, "\n")
		key += "\x00" + first
	}
	return key
}

// victimPlan is the test files in which the cause surfaced.
func (c *cause) victimPlan() plan {
	seen := map[string]bool{}
	var files []string
	for _, f := range c.Failures {
		if f.Test.File != "" && !seen[f.Test.File] {
			seen[f.Test.File] = true
			files = append(files, f.Test.File)
		}
	}
	if len(files) == 0 {
		return plan{c.unit: nil}
	}
	return plan{c.unit: files}
}

// title names a cause for people.
func (c *cause) title() string {
	t := string(c.Kind)
	if c.Symbol != "" {
		t += " " + c.Symbol
	}
	if c.Place.File != "" {
		t += fmt.Sprintf(" at %s:%d", c.Place.File, c.Place.Line)
	}
	return t
}
