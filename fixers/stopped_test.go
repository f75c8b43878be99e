package fixers

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"regreen/internal/lang"
	"regreen/internal/lang/js"
	"regreen/internal/runner"
)

// counting is a workspace that counts what is read of it, and calls at once it is
// so much.
type counting struct {
	*memory
	reads, at int
	then      func()
}

func (w *counting) ReadFile(rel string) ([]byte, error) {
	if w.reads++; w.reads == w.at {
		w.then()
	}
	return w.memory.ReadFile(rel)
}

// TestCandidatesStopped: nobody who ends a cycle in a large repository waits until
// all its files were read.
func TestCandidatesStopped(t *testing.T) {
	base, now := map[string]string{}, map[string]string{}
	for i := range 200 {
		file := fmt.Sprintf("src/a%d.js", i)
		now[file] = "import { total } from './m.js';\nexport const one = () => total();\n"
		base[file] = now[file]
	}
	base["src/m.js"], now["src/m.js"] = "export const total = () => 1;\n", "export const sum = () => 1;\n"
	const at, slack = 50, 10
	ctx, cancel := context.WithCancel(t.Context())
	w := &counting{memory: newMemory(lang.Set{js.Language{}}, base, now), at: at, then: cancel}
	cause := Cause{Kind: runner.MissingExport, Symbol: "total", Specifier: "./m.js", Failures: []runner.Failure{{}}, Place: runner.Place{File: "src/a1.js", Line: 1, Column: 10}}
	fixes, err := Candidates(ctx, cause, w, New(Options{}))
	if len(fixes) > 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d fixes, %v", len(fixes), err)
	}
	if w.reads < at || w.reads > at+slack {
		t.Errorf("%d files were read, want no more than some of the %d after which the cycle ended", w.reads, at)
	}
	// What was found out before does no harm to who asks again.
	fixes, err = Candidates(t.Context(), cause, w, New(Options{}))
	if len(fixes) == 0 || err != nil {
		t.Errorf("afterwards %d fixes, %v", len(fixes), err)
	}
}
