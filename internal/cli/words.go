package cli

// The words and numbers that results are told in.

import (
	"fmt"
	"math"
	"strings"
	"time"

	"regreen/cycle"
)

// percent never rounds up to 100.
func percent(rate float64) string {
	if rate == 100 {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", math.Floor(rate*10)/10)
}

// counted is how many tests were to run. Errors outside any test count in the
// pass rate too, but they are no tests, so they are told apart.
func counted(i cycle.Iteration) int { return i.Passed + i.Failed + i.NotRun }

func numbers(i cycle.Iteration) string {
	s := fmt.Sprintf("%d of %s passed", i.Passed, count(counted(i), "test"))
	if i.Failed > 0 {
		s += fmt.Sprintf(", %d failed", i.Failed)
	}
	if i.Errored > 0 {
		s += fmt.Sprintf(", %s", count(i.Errored, "error"))
	}
	if i.NotRun > 0 {
		s += fmt.Sprintf(", %d not run", i.NotRun)
	}
	if i.Skipped > 0 {
		s += fmt.Sprintf(", %d skipped", i.Skipped)
	}
	return s
}

// headline is the first line of a message, else the symbol. A line that only
// announces the next one ("Transform failed with 1 error:") is joined to it.
func headline(message, symbol string) string {
	head := ""
	for _, l := range strings.Split(printable(message), "\n") {
		if l = strings.TrimSpace(l); l == "" {
			continue
		}
		if l == "+ actual - expected" { // the legend of node:assert, above the values
			break
		}
		head = strings.TrimSpace(head + " " + l)
		if !strings.HasSuffix(l, ":") {
			break
		}
	}
	if head == "" {
		return oneLine(symbol)
	}
	return cut(strings.TrimSuffix(head, ":"), 200)
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return " (" + oneLine(why) + ")"
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", d.Seconds())
	}
	return d.Round(time.Second).String()
}
