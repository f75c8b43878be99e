// Command testcount reads the output of `go test -json`, prints what a person
// wants to see of it as it comes, and ends with one line of counts. It exits
// with 1 when anything failed or nothing ran, so that a pipe cannot turn a red
// run green.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// event is a line of `go test -json` (go doc test2json).
type event struct {
	Action     string
	Package    string
	ImportPath string // of build output
	Test       string
	Output     string
	Elapsed    float64
}

type name struct{ pkg, test string }

// tally is what has been seen. A test with subtests is counted through them.
type tally struct {
	w       io.Writer
	output  map[name]*strings.Builder
	parents map[name]bool // has subtests
	failing map[name]bool // has a subtest that failed
	failed  []name
	inPkg   map[string]int // tests that failed, by package

	passes, fails, skips int
}

func main() {
	os.Exit(run(os.Stdin, os.Stdout))
}

func run(r io.Reader, w io.Writer) int {
	t := &tally{w: w, output: map[name]*strings.Builder{}, parents: map[name]bool{}, failing: map[name]bool{}, inPkg: map[string]int{}}
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				fmt.Fprintf(w, "%s", line)
			} else {
				t.event(e)
			}
		}
		if err != nil {
			break
		}
	}
	for _, n := range t.failed {
		fmt.Fprintf(w, "FAIL %s %s\n", n.pkg, n.test)
	}
	fmt.Fprintf(w, "%d passed, %d failed, %d skipped\n", t.passes, t.fails, t.skips)
	if t.fails > 0 || t.passes == 0 {
		return 1
	}
	return 0
}

func (t *tally) event(e event) {
	n := name{e.Package, e.Test}
	switch e.Action {
	case "run":
		for i, c := range e.Test {
			if c == '/' {
				t.parents[name{e.Package, e.Test[:i]}] = true
			}
		}
	case "output":
		if e.Test == "" && (strings.HasPrefix(e.Output, "ok ") || strings.HasPrefix(e.Output, "---")) {
			return
		}
		b := t.output[n]
		if b == nil {
			b = &strings.Builder{}
			t.output[n] = b
		}
		b.WriteString(e.Output)
	case "build-output":
		fmt.Fprint(t.w, e.Output)
	case "pass", "fail", "skip":
		t.end(n, e)
	}
}

// end counts a test or package that has ended and shows the output of one that
// failed.
func (t *tally) end(n name, e event) {
	out := t.output[n]
	delete(t.output, n)
	if e.Action == "fail" && out != nil {
		fmt.Fprint(t.w, out.String())
	}
	if n.test == "" {
		t.endPackage(n, e)
		return
	}
	leaf := !t.parents[n]
	switch {
	case e.Action == "fail" && (leaf || !t.failing[n]):
		t.fails++
		t.inPkg[n.pkg]++
		t.failed = append(t.failed, n)
	case e.Action == "pass" && leaf:
		t.passes++
	case e.Action == "skip" && leaf:
		t.skips++
	}
	if e.Action == "fail" {
		for i, c := range n.test {
			if c == '/' {
				t.failing[name{n.pkg, n.test[:i]}] = true
			}
		}
	}
}

func (t *tally) endPackage(n name, e event) {
	switch e.Action {
	case "pass":
		fmt.Fprintf(t.w, "ok   %s %.1fs\n", n.pkg, e.Elapsed)
	case "fail":
		fmt.Fprintf(t.w, "FAIL %s %.1fs\n", n.pkg, e.Elapsed)
		// It did not build, or died outside any test that ended.
		if t.inPkg[n.pkg] == 0 {
			t.fails++
			t.failed = append(t.failed, n)
		}
	}
}
