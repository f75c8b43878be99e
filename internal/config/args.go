package config

import (
	"fmt"
	"slices"
	"strings"
)

// A project's own arguments may say how tests run. What regreen itself has to
// say, since a verdict stands on it, is refused: how results are reported, which
// tests run, whether a run ends and goes on after a failure.

// refusedArgs are such flags, by framework.
var refusedArgs = map[string][]string{
	"jest": {"--watch", "--watchAll", "--reporters", "--json", "--outputFile", "--listTests", "--bail", "-b", "--onlyChanged", "-o", "--onlyFailures", "-f",
		"--changedSince", "--lastCommit", "--shard", "--updateSnapshot", "-u", "--coverage", "--testPathPattern", "--testPathPatterns", "--runTestsByPath",
		"--findRelatedTests", "--init", "--showConfig", "--silent"},
	"vitest": {"--watch", "-w", "--ui", "--open", "--run", "--standalone", "--reporter", "--reporters", "--outputFile", "--bail", "--changed", "--shard",
		"--update", "-u", "--coverage", "--mergeReports", "--silent", "--inspect", "--inspectBrk", "--inspect-brk"},
	"mocha": {"--watch", "-w", "--reporter", "-R", "--reporter-option", "--reporter-options", "-O", "--bail", "-b", "--dry-run", "--forbid-only", "--forbid-pending",
		"--list-reporters", "--list-interfaces", "--inspect", "--inspect-brk", "--spec"},
	"pytest": {"-x", "--exitfirst", "--maxfail", "--collect-only", "--co", "--lf", "--last-failed", "--ff", "--failed-first", "--sw", "--stepwise", "--pdb", "--trace",
		"--junitxml", "--junit-xml", "--report-log", "--color", "--cov", "--fixtures", "--looponfail", "--snapshot-update", "--deselect", "--ignore"},
}

func (c *checker) args(i int, p Project) {
	for _, a := range p.Args {
		flag, _, _ := strings.Cut(a, "=")
		if slices.Contains(refusedArgs[p.Framework], flag) {
			c.fail(fmt.Sprintf("project[%d].args", i), "leave it out: regreen itself says which tests run, how they report and when a run ends",
				"%s cannot be given to %s", flag, p.Framework)
		}
	}
}
