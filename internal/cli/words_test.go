package cli

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"regreen/fixers"
	"regreen/internal/config"
	"regreen/internal/runner"
)

// The configuration knows the words of packages that it must not import.
func TestConfigKnowsTheWords(t *testing.T) {
	var names []string
	for _, f := range fixers.New(fixers.Options{}) {
		names = append(names, f.Name())
	}
	if d := cmp.Diff(names, config.FixerNames()); d != "" {
		t.Errorf("config.FixerNames (-fixers +config):\n%s", d)
	}
	for _, f := range fixers.New(fixers.Options{}) {
		for _, k := range f.Kinds() {
			if !slices.Contains(config.Kinds(), string(k)) {
				t.Errorf("config.Kinds has no %s", k)
			}
		}
	}
	for _, k := range []runner.Kind{runner.MissingFixture, runner.UnhandledRejection, runner.Crash, runner.NoTests, runner.Unknown, runner.HookError, runner.ThrownError} {
		if !slices.Contains(config.Kinds(), string(k)) {
			t.Errorf("config.Kinds has no %s", k)
		}
	}
}
