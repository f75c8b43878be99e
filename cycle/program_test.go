package cycle

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"regreen/fixers"
	"regreen/internal/runner"
	"regreen/internal/secret"
)

// helper is a program in memory: it answers with what its function makes of
// the task.
type helper struct {
	name   string
	kinds  []runner.Kind
	rounds int
	do     func(t fixers.Task) fixers.Answer
	tasks  []fixers.Task
}

func (h *helper) Name() string { return h.name }
func (h *helper) Takes(k runner.Kind) bool {
	return len(h.kinds) == 0 || slices.Contains(h.kinds, k)
}
func (h *helper) Limits() fixers.Limits {
	return fixers.Limits{Time: time.Minute, Rounds: h.rounds, Files: 3, Lines: 10}
}
func (h *helper) Ask(_ context.Context, t fixers.Task) (fixers.Answer, error) {
	h.tasks = append(h.tasks, t)
	return h.do(t), nil
}

// writes is an answer that gives a file of the task's tree another text; ""
// deletes it.
func writes(t fixers.Task, file, text string) fixers.Answer {
	w := fixers.Whole{File: file, After: []byte(text), Deleted: text == ""}
	src, err := t.Read(file)
	w.Before, w.Created = src, err != nil
	return fixers.Answer{Title: "write " + file, Whole: []fixers.Whole{w}}
}

func TestPrograms(t *testing.T) {
	one := map[string]string{"src": "", "other": "b", "t.test": "one: src has =a\ntwo: other has b"}
	say := func(texts ...string) func(fixers.Task) fixers.Answer {
		return func(t fixers.Task) fixers.Answer { return writes(t, "src", texts[min(t.Round, len(texts))-1]) }
	}
	cases := []struct {
		name    string
		helpers []*helper
		prepare func(*world)
		want    Outcome
		asked   []int // rounds of each helper
		refused string
		warned  string
		reason  string
	}{
		{"a repair", []*helper{{rounds: 2, do: say("=a")}}, nil, Repaired, []int{1}, "", "", ""},
		{"the second answer", []*helper{{rounds: 2, do: say("no", "=a")}}, nil, Repaired, []int{2}, "", "", ""},
		{"the second program", []*helper{{rounds: 1, do: say("no")}, {rounds: 1, do: say("=a")}}, nil, Repaired, []int{1, 1}, "", "", ""},
		{"two changes that do not help", []*helper{{rounds: 9, do: say("no", "nor this", "=a")}, {rounds: 9, do: say("=a")}}, nil, Failed, []int{2, 0}, "", "it is left to you", "no repair"},
		{"the same change again", []*helper{{rounds: 9, do: say("no")}}, nil, Failed, []int{2}, "", "gave the same change again", ""},
		{"not its kind", []*helper{{rounds: 1, kinds: []runner.Kind{runner.SyntaxError}, do: say("=a")}}, nil, Failed, []int{0}, "", "", ""},
		{"a failure of its own", []*helper{{rounds: 9, do: func(fixers.Task) fixers.Answer { return fixers.Answer{Failed: "it sulks"} }}}, nil, Failed, []int{1}, "", "made no repair: it sulks", ""},
		{"an answer that did not fit", []*helper{{rounds: 2, do: func(t fixers.Task) fixers.Answer {
			if t.Round == 1 {
				return fixers.Answer{Failed: "it does not fit", Again: true}
			}
			if len(t.Tried) != 1 || t.Tried[0].Reason != "it does not fit" {
				return fixers.Answer{Failed: "it was not told"}
			}
			return writes(t, "src", "=a")
		}}}, nil, Repaired, []int{2}, "", "it does not fit", ""},
		{"no use to ask again", []*helper{{rounds: 9, do: func(fixers.Task) fixers.Answer { return fixers.Answer{Failed: "no key", Off: true} }}}, nil, Failed, []int{1}, "", "no key", ""},
		{"a test removed", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer { return writes(t, "t.test", "") }}}, nil, Failed, []int{1}, ruleTestRemoved, "", ""},
		{"a test changed", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer { return writes(t, "t.test", "one: src has") }}}, nil, Failed, []int{1}, ruleTestFile, "", ""},
		{"a test made", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer { return writes(t, "u.test", "one: src has") }}}, nil, Failed, []int{1}, ruleTestFile, "", ""},
		{"another test broken", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer {
			a := writes(t, "src", "=a")
			a.Whole = append(a.Whole, writes(t, "other", "no").Whole...)
			return a
		}}}, nil, Failed, []int{1}, "breaks another test: t.test: two", "", ""},
		{"too many files", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer {
			a := writes(t, "src", "=a")
			for _, f := range []string{"n1", "n2", "n3"} {
				a.Whole = append(a.Whole, writes(t, f, "x").Whole...)
			}
			return a
		}}}, nil, Failed, []int{1}, "file budget: 4 files are changed, 3 are allowed", "", ""},
		{"too many lines", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer {
			return writes(t, "src", "=a\n"+strings.Repeat("x\n", 10))
		}}}, nil, Failed, []int{1}, "line budget: 11 lines are changed, 10 are allowed", "", ""},
		{"a budget of its own that it passes", []*helper{{rounds: 1, do: func(fixers.Task) fixers.Answer {
			return fixers.Answer{Failed: "too much", Rule: "file budget: too much", File: "x"}
		}}}, nil, Failed, []int{1}, "file budget: too much", "too much", ""},
		{"a doubt", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer {
			a := writes(t, "src", "=a")
			a.Doubt = "no walls"
			return a
		}}}, nil, Proposed, []int{1}, "", "", "no walls"},
		{"a secret", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer { return writes(t, "src", "=a hunter2hunter2") }}}, nil, Failed, []int{1}, ruleSecret, "", ""},
		// The test passes from its second run on, whatever was changed.
		{"a flaky test", []*helper{{rounds: 1, do: func(t fixers.Task) fixers.Answer { return writes(t, "extra", "x") }}}, func(w *world) {
			w.litter = func(w *world) { w.orig["src"] = []byte("=a") }
		}, Failed, []int{1}, "", "flaky: t.test: one", "taken back"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(one)
			if tc.prepare != nil {
				tc.prepare(w)
			}
			doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
				d.Secrets = secret.New("hunter2hunter2")
				for i, h := range tc.helpers {
					h.name = "helper" + string(rune('1'+i))
					d.Programs = append(d.Programs, h)
				}
			})
			if doc.Outcome != tc.want || !strings.Contains(doc.Reason, tc.reason) {
				t.Errorf("outcome %q (%s), want %q (%s)", doc.Outcome, doc.Reason, tc.want, tc.reason)
			}
			for i, h := range tc.helpers {
				if len(h.tasks) != tc.asked[i] {
					t.Errorf("%s was asked %d times, want %d", h.name, len(h.tasks), tc.asked[i])
				}
			}
			if tc.refused != "" && !slices.ContainsFunc(doc.Refused, func(r Refused) bool { return r.Rule == tc.refused && r.By == "helper1" }) {
				t.Errorf("refused %+v, want %q", doc.Refused, tc.refused)
			}
			if tc.warned != "" && !slices.ContainsFunc(doc.Warnings, func(w string) bool { return strings.Contains(w, tc.warned) }) {
				t.Errorf("warnings %q, want %q", doc.Warnings, tc.warned)
			}
			if doc.Outcome == Failed && string(w.files["src"]) != "" && tc.prepare == nil {
				t.Errorf("the sandbox was not put back: %q", w.files["src"])
			}
		})
	}
}

// What was tried and refused is told to the next, without secrets.
func TestTask(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "t.test": "one: src has =a"})
	first := &helper{name: "first", rounds: 1, do: func(t fixers.Task) fixers.Answer {
		a := writes(t, "src", "no\n")
		a.Title = "use hunter2hunter2"
		return a
	}}
	second := &helper{name: "second", rounds: 1, do: func(fixers.Task) fixers.Answer { return fixers.Answer{Failed: "x"} }}
	w.cycle(t, func(_ *Options, _ *Selection, d *Deps) {
		d.Programs, d.Secrets = []Program{first, second}, secret.New("hunter2hunter2")
	})
	task := second.tasks[0]
	if len(task.Tried) != 1 || task.Tried[0].By != "first" || task.Tried[0].Reason != "the failure stayed" || !strings.Contains(task.Tried[0].Patch, "+no\n") {
		t.Errorf("tried %+v", task.Tried)
	}
	if c := task.Causes; len(c) != 1 || c[0].Kind != "assertion_mismatch" || c[0].Place.File != "src" || len(c[0].Tests) != 1 || c[0].Tests[0].File != "t.test" {
		t.Errorf("causes %+v", c)
	}
	text, err := json.Marshal(task)
	if err != nil || strings.Contains(string(text), "hunter2") || strings.Contains(string(text), "null") {
		t.Errorf("document %s, %v", text, err)
	}
}

// Several fixes of programs are each taken back to see the failure again.
func TestRedAgainOfEach(t *testing.T) {
	w := newWorld(map[string]string{"src": "", "t.test": "one: src has =a\ntwo: src has =b"})
	h := &helper{name: "h", rounds: 5, do: func(t fixers.Task) fixers.Answer {
		src, _ := t.Read("src")
		word := "=a\n"
		if strings.Contains(string(src), word) {
			word = "=b\n"
		}
		return writes(t, "src", string(src)+word)
	}}
	doc := w.cycle(t, func(_ *Options, _ *Selection, d *Deps) { d.Programs = []Program{h} })
	if doc.Outcome != Repaired || len(h.tasks) != 2 || string(w.merged[0].After) != "=a\n=b\n" {
		t.Errorf("outcome %q (%s) after %d tasks: %+v", doc.Outcome, doc.Reason, len(h.tasks), w.merged)
	}
	checked := 0
	for _, e := range w.events {
		if e.Kind == EventPhase && strings.HasPrefix(e.Text, "without the change of") {
			checked++
		}
	}
	if checked != 1 { // the first was, with all the others
		t.Errorf("%d changes were taken back alone", checked)
	}
}
