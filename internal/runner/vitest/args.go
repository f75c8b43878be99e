package vitest

import (
	"slices"
	"strings"
)

// commands are the words that vitest takes as its first positional.
var commands = []string{"run", "watch", "dev", "related", "bench", "list", "init", "typecheck", "doctor"}

// runsNoTests tells the commands that are no test run.
func runsNoTests(args []string) bool {
	for _, a := range args {
		if slices.Contains([]string{"bench", "list", "init", "typecheck", "doctor"}, a) {
			return true
		}
		if !strings.HasPrefix(a, "-") {
			return false
		}
	}
	return slices.Contains(args, "--typecheck.only")
}

// dropped are the flags of a project's script that would change what a run
// reports or keep it from ending. The value tells whether the flag takes the
// next word.
var dropped = map[string]bool{
	"--watch": false, "-w": false, "--ui": false, "--open": false, "--run": false, "--standalone": false,
	"--reporter": true, "--reporters": true, "--outputFile": true, "--output-file": true, "--bail": true, "--changed": false,
	"--shard": true, "--inspect": false, "--inspectBrk": false, "--inspect-brk": false, "--update": false, "-u": false,
	"--coverage": false, "--mergeReports": true, "--merge-reports": true, "--silent": false,
	"--hideSkippedTests": false, "--clearScreen": false, "--color": false, "--no-color": false, "--lastFailed": false,
	"--last-failed": false, "--api": false, "--attachmentsDir": true, "--logHeapUsage": false, "--detectAsyncLeaks": false,
	"--fsModuleCache": false, "--no-fsModuleCache": false, "--fs-module-cache": false, "--no-fs-module-cache": false,
}

// switches are flags that are kept and take no value of their own.
var switches = map[string]bool{
	"--globals": true, "--dom": true, "--isolate": true, "--passWithNoTests": true, "--allowOnly": true,
	"--dangerouslyIgnoreUnhandledErrors": true, "--fileParallelism": true, "--expandSnapshotDiff": true,
	"--disableConsoleIntercept": true, "--printConsoleTrace": true, "--includeTaskLocation": true, "--expand-snapshot-diff": true,
	"--typecheck": true, "--pass-with-no-tests": true, "--allow-only": true, "--file-parallelism": true, "--cache": true,
}

// kept splits a project's own arguments into the flags that stay and the
// positional filters.
func kept(args []string) (flags, filters []string) {
	first := true
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			filters = append(filters, args[i+1:]...)
			break
		}
		if !strings.HasPrefix(a, "-") {
			if first && slices.Contains(commands, a) {
				first = false
				continue
			}
			first = false
			filters = append(filters, a)
			continue
		}
		name, _, assigned := strings.Cut(a, "=")
		base, _, dotted := strings.Cut(name, ".")
		takes, drop := dropped[base]
		next := i+1 < len(args) && !strings.HasPrefix(args[i+1], "-")
		switch {
		case drop:
			if takes && !assigned && next {
				i++
			} else if dotted && !assigned && next && valueLike(args[i+1]) {
				i++
			}
			continue
		case assigned, strings.HasPrefix(name, "--no-"), switches[base] && !dotted:
			flags = append(flags, a)
		case next && (!dotted || valueLike(args[i+1])):
			i++
			flags = append(flags, a, args[i])
		default:
			flags = append(flags, a)
		}
	}
	return flags, filters
}

// valueLike tells a dotted flag's value ("--pool.x true") from a filter.
func valueLike(word string) bool {
	if word == "true" || word == "false" {
		return true
	}
	return strings.Trim(word, "0123456789.%") == "" || !strings.ContainsAny(word, "/*.")
}

// without drops a flag that takes a value.
func without(flags []string, names ...string) []string {
	var out []string
	for i := 0; i < len(flags); i++ {
		name, _, assigned := strings.Cut(flags[i], "=")
		if slices.Contains(names, name) {
			if !assigned {
				i++
			}
			continue
		}
		out = append(out, flags[i])
	}
	return out
}
