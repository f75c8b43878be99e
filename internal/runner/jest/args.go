package jest

import (
	"slices"
	"strings"

	"regreen/internal/lazyregexp"
	"regreen/internal/runner"
)

// How a flag of jest's takes its value.
type arity int

const (
	alone  arity = iota // --ci
	one                 // --config x
	many                // --projects a b: all up to the next flag
	number              // --bail, --bail 3
)

// arities are the flags that take values; all others stand alone.
var arities = map[string]arity{
	"config": one, "c": one, "testNamePattern": one, "t": one, "maxWorkers": one, "w": one, "rootDir": one,
	"env": one, "testEnvironment": one, "testEnvironmentOptions": one, "testTimeout": one, "seed": one, "shard": one,
	"cacheDirectory": one, "preset": one, "resolver": one, "runner": one, "testRunner": one, "testSequencer": one,
	"globals": one, "globalSetup": one, "globalTeardown": one, "haste": one, "moduleNameMapper": one, "outputFile": one,
	"coverageProvider": one, "coverageDirectory": one, "coverageThreshold": one, "changedSince": one, "filter": one,
	"workerIdleMemoryLimit": one, "maxConcurrency": one, "openHandlesTimeout": one, "notifyMode": one, "prettierPath": one,
	"testResultsProcessor": one, "transform": one, "snapshotFormat": one, "dependencyExtractor": one,
	"testPathPattern": many, "testPathPatterns": many, "testMatch": many, "testRegex": many, "roots": many, "projects": many,
	"selectProjects": many, "ignoreProjects": many, "reporters": many, "setupFiles": many, "setupFilesAfterEnv": many,
	"testPathIgnorePatterns": many, "transformIgnorePatterns": many, "snapshotSerializers": many, "moduleDirectories": many,
	"moduleFileExtensions": many, "modulePaths": many, "modulePathIgnorePatterns": many, "watchPathIgnorePatterns": many,
	"unmockedModulePathPatterns": many, "collectCoverageFrom": many, "coverageReporters": many, "coveragePathIgnorePatterns": many,
	"watchPlugins": many, "bail": number, "b": number,
}

// dropped are the flags of a project's script that are at odds with a run of
// ours: what watches, selects by git, stops early, reports or writes.
var dropped = []string{
	"watch", "watchAll", "watchman", "onlyChanged", "o", "onlyFailures", "f", "changedSince", "changedFilesWithAncestor", "lastCommit",
	"findRelatedTests", "coverage", "collectCoverage", "collectCoverageFrom", "coverageReporters", "coverageDirectory",
	"coverageThreshold", "coverageProvider", "coveragePathIgnorePatterns", "reporters", "json", "outputFile", "testResultsProcessor",
	"bail", "b", "notify", "notifyMode", "ci", "updateSnapshot", "u", "runTestsByPath", "listTests", "showConfig", "debug", "shard",
	"cacheDirectory", "cache", "verbose", "color", "colors", "forceExit", "detectOpenHandles", "testLocationInResults",
	"expand", "e", "useStderr", "errorOnDeprecated", "watchPlugins", "watchPathIgnorePatterns", "openHandlesTimeout", "logHeapUsage",
}

// selecting are the flags that choose files or tests; they give way to a
// request that names its own.
var selecting = []string{"testPathPattern", "testPathPatterns", "shard"}

// command is a project's arguments taken apart.
type command struct {
	flags    [][]string // each flag with its values, as they stand
	patterns []string   // what is left: patterns of test paths
}

// parse takes the arguments apart as jest's own parser does.
func parse(args []string) command {
	var c command
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			c.patterns = append(c.patterns, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(a, "-") || a == "-" {
			c.patterns = append(c.patterns, a)
			continue
		}
		flag := []string{a}
		take := func() bool {
			if i+1 < len(args) && (!strings.HasPrefix(args[i+1], "-") || args[i+1] == "-") {
				i++
				flag = append(flag, args[i])
				return true
			}
			return false
		}
		inline := strings.Contains(a, "=")
		switch arities[name(a)] {
		case one:
			if !inline {
				take()
			}
		case many:
			for take() {
			}
		case number:
			if !inline && i+1 < len(args) && digits.MatchString(args[i+1]) {
				take()
			}
		case alone:
			if !inline && i+1 < len(args) && (args[i+1] == "true" || args[i+1] == "false") {
				take()
			}
		}
		c.flags = append(c.flags, flag)
	}
	return c
}

var digits = lazyregexp.New(`^\d+$`)

// name is a flag's plain name: --no-coverage and --coverage=false are coverage,
// and kebab case is camel case.
func name(flag string) string {
	n, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	if strings.HasPrefix(flag, "--") {
		n = strings.TrimPrefix(n, "no-")
	}
	parts := strings.Split(n, "-")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}

// kept are the arguments that a run of ours takes over.
func (c command) kept(without ...string) []string {
	var out []string
	for _, f := range c.flags {
		if n := name(f[0]); !slices.Contains(dropped, n) && !slices.Contains(without, n) {
			out = append(out, f...)
		}
	}
	return out
}

// args are jest's arguments for a request.
func (s *session) args(req runner.Request) []string {
	c := parse(s.project.Args)
	files := s.files(req)
	var without []string
	if len(files) > 0 {
		without = append(without, selecting...)
	}
	pattern, narrowed := namePattern(req.Tests)
	if narrowed {
		without = append(without, "testNamePattern", "t")
	}
	out := append(c.kept(without...),
		"--reporters="+s.reporter, "--cacheDirectory="+s.cache, "--testLocationInResults",
		"--coverage=false", "--bail=0", "--watchman=false", "--notify=false")
	if narrowed {
		out = append(out, "--testNamePattern="+pattern)
	}
	if req.UpdateSnapshots && narrowed {
		out = append(out, "--updateSnapshot")
	} else {
		out = append(out, "--ci")
	}
	out = append(out, "--forceExit") // stands alone, so it ends a list before it
	if len(files) > 0 {
		return append(append(out, "--runTestsByPath"), files...)
	}
	return append(out, c.patterns...)
}

// maxPattern bounds the pattern of names; systems limit one argument to 128 KB.
const maxPattern = 64 << 10

// namePattern matches exactly the joined titles of the tests; without tests or
// with too many the run is not narrowed.
func namePattern(tests []runner.TestID) (pattern string, narrowed bool) {
	if len(tests) == 0 {
		return "", false
	}
	var names []string
	for _, t := range tests {
		n := "^" + escape(strings.Join(t.Path, " ")) + "$"
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	pattern = strings.Join(names, "|")
	return pattern, len(pattern) <= maxPattern
}

var special = lazyregexp.New(`[\\^$.*+?()[\]{}|/]`)

// escape makes a JavaScript pattern that matches the text itself.
func escape(s string) string {
	return strings.NewReplacer("\n", `\n`, "\r", `\r`).Replace(special.ReplaceAllString(s, `\$0`))
}

// values are the values that the named flags have.
func (c command) values(names ...string) []string {
	var out []string
	for _, f := range c.flags {
		if !slices.Contains(names, name(f[0])) {
			continue
		}
		if _, v, ok := strings.Cut(f[0], "="); ok {
			out = append(out, v)
		}
		out = append(out, f[1:]...)
	}
	return out
}
