//go:build linux

package main

import (
	"slices"
	"strings"
	"testing"
)

// TestModel: the leaf has one test file and the middle about ten, of every
// framework and size, and a save changes no more than it says.
func TestModel(t *testing.T) {
	for name, f := range frameworks {
		for _, n := range []int{30, 100, 1000} {
			m := newModel(n, f)
			if got := len(m.tests(m.leaf)); got != 1 {
				t.Errorf("%s, %d modules: %d test files depend on the leaf", name, n, got)
			}
			if got := len(m.tests(m.mid)); got < 5 || got > 20 {
				t.Errorf("%s, %d modules: %d test files depend on the middle", name, n, got)
			}
			if !slices.Contains(m.tests(m.mid), m.test(m.mid)) {
				t.Errorf("%s, %d modules: a module's own test is not among those that depend on it", name, n)
			}
			right, wrong := m.text(m.mid, 1, false), m.text(m.mid, 1, true)
			if strings.Replace(right, "return x + 1", "return x + 2", 1) != wrong {
				t.Errorf("%s: right and wrong differ in more than a number:\n%s\n%s", name, right, wrong)
			}
		}
	}
}

func TestFigures(t *testing.T) {
	f := figuresOf([]seen{{took: 3, cpu: 30, red: true}, {took: 1, cpu: 10}, {took: 2, cpu: 20, wrong: true}, {took: 5, cpu: 50, red: true}, {took: 4, cpu: 40}})
	if want := (figures{wall: 3, least: 1, cpu: 20, wrong: 1, n: 5}); f != want {
		t.Errorf("figures are %+v, want %+v", f, want)
	}
}
