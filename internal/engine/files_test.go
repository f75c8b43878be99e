package engine

import (
	"errors"
	"testing"

	"regreen/internal/config"
	"regreen/internal/runner"
)

func TestCheckRoots(t *testing.T) {
	files := []string{"package.json", "web/app/a.js"}
	for _, c := range []struct {
		root string
		ok   bool
	}{{".", true}, {"", true}, {"web", true}, {"./web/", true}, {"web/app", true}, {"wep", false}, {"web/app/a.js", false}, {"we", false}} {
		t.Run(c.root, func(t *testing.T) {
			err := checkRoots([]config.Project{{Root: c.root}}, files)
			var p *runner.Problem
			if (err == nil) != c.ok || err != nil && (!errors.As(err, &p) || p.Code != "config" || p.Hint == "") {
				t.Errorf("checkRoots(%q) = %v", c.root, err)
			}
		})
	}
}
