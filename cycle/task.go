package cycle

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"regreen/fixers"
	"regreen/internal/secret"
)

// The caps on a task: a model reads no more, and a program need not.
const (
	maxTaskCauses  = 20
	maxTaskTests   = 10 // of a cause
	maxTaskMessage = 4 << 10
	maxTaskValue   = 2 << 10
	maxTaskDiff    = 64 << 10
	maxTaskPatch   = 8 << 10
	maxTaskFrames  = 8
	maxTaskFiles   = 50
	maxTaskTried   = 5
)

// taskRules are what the guard refuses, in words.
func taskRules() []string {
	return []string{
		"Edit source files only. Test files, test support, snapshots, configuration, manifests, lock files and CI are refused.",
		"Do not skip, delete, focus or weaken tests, and do not special-case their inputs.",
		"Do not hide errors: no new try/except/catch, optional chaining, type or lint suppressions to get past the failure.",
		"Do not end the process, replace the test framework, or install packages.",
		"Change as little as possible; do not reformat.",
		"The change is kept only if the failing tests pass with it, no other test breaks, and they fail again without it.",
		"Finish by printing one line of JSON: {\"title\": \"what was repaired\", \"notes\": \"why\"}.",
	}
}

// task is what a program is asked, without secrets.
func (c *run) task(p Program, round int, mine []cause) fixers.Task {
	l := p.Limits()
	t := fixers.Task{Schema: fixers.TaskSchema, Fixer: p.Name(), Round: round, Rules: taskRules(), Causes: []fixers.TaskCause{},
		ModifiedFiles: slices.Clone(c.deps.Workspace.Changed()), Tried: slices.Clone(c.history), Read: c.ledger.text,
		Budget: fixers.TaskBudget{Seconds: int(l.Time.Seconds()), Rounds: l.Rounds, Files: l.Files, Lines: l.Lines}}
	for _, x := range mine[:min(len(mine), maxTaskCauses)] {
		t.Causes = append(t.Causes, c.taskCause(x))
	}
	if t.ModifiedFiles == nil {
		t.ModifiedFiles = []string{}
	}
	if t.Tried == nil {
		t.Tried = []fixers.Tried{}
	}
	t.Files = c.sources(mine, t.ModifiedFiles)
	t.Diff = c.userDiff()
	return t
}

// sources are the files that a program may edit and had best look at first.
func (c *run) sources(mine []cause, modified []string) []string {
	out := []string{}
	add := func(file string) {
		if file != "" && !slices.Contains(out, file) && !c.deps.Workspace.IsTest(file) && !fixers.IsProtected(file) && !c.isSupport(file, strings.Split(file, "/")) {
			out = append(out, file)
		}
	}
	for _, x := range mine {
		add(x.Place.File)
		for _, f := range x.Failures {
			for _, fr := range f.Frames {
				add(fr.File)
			}
		}
	}
	for _, file := range modified {
		add(file)
	}
	return out[:min(len(out), maxTaskFiles)]
}

func (c *run) taskCause(x cause) fixers.TaskCause {
	hide := func(s string, limit int) string { return c.deps.Secrets.Text(cut(s, limit)) }
	out := fixers.TaskCause{ID: x.ID, Kind: string(x.Kind), Severity: x.severity.String(), Symbol: x.Symbol, Message: hide(x.Message, maxTaskMessage),
		Place: fixers.TaskPlace{File: x.Place.File, Line: x.Place.Line, Column: x.Place.Column}, Tests: []fixers.TaskTest{}}
	for i, f := range x.Failures {
		if i == 0 {
			out.Expected, out.Received = hide(f.Expected, maxTaskValue), hide(f.Received, maxTaskValue)
		}
		if i >= maxTaskTests {
			out.Left++
			continue
		}
		test := fixers.TaskTest{Framework: c.deps.Units[x.unit].Project.Framework, File: f.Test.File, Path: append([]string{}, f.Test.Path...),
			Message: hide(f.Message, maxTaskMessage), Frames: []fixers.TaskPlace{}}
		for _, fr := range f.Frames[:min(len(f.Frames), maxTaskFrames)] {
			test.Frames = append(test.Frames, fixers.TaskPlace{File: fr.File, Line: fr.Line, Column: fr.Column})
		}
		out.Tests = append(out.Tests, test)
	}
	return out
}

// userDiff is what the user changed since the base, without files that hold
// secrets or are no text.
func (c *run) userDiff() string {
	var b strings.Builder
	for _, file := range c.deps.Workspace.Changed() {
		if secret.IsFile(file) {
			continue
		}
		before, was := c.deps.Workspace.Base(file)
		after, err := c.deps.Workspace.ReadFile(file)
		if o, ok := c.ledger.orig[file]; ok && !o.Gone {
			after, err = o.Data, nil // as the user has it, not as the fixes so far
		}
		if bytes.IndexByte(before, 0) >= 0 || bytes.IndexByte(after, 0) >= 0 {
			continue
		}
		from, to := "a/"+file, "b/"+file
		if !was {
			from = "/dev/null"
		}
		if err != nil {
			to = "/dev/null"
		}
		b.WriteString(udiff.Unified(from, to, string(before), string(after)))
		if b.Len() > maxTaskDiff {
			break
		}
	}
	return c.deps.Secrets.Text(cut(b.String(), maxTaskDiff))
}

// noteTried remembers a change for the programs that are asked after it.
func (c *run) noteTried(f fixers.Fix, rule, why string) {
	var changes []Change
	for _, w := range f.Whole {
		changes = append(changes, Change{File: w.File, Before: w.Before, After: w.After, Created: w.Created, Deleted: w.Deleted,
			BeforeMode: w.BeforeMode, Mode: w.Mode})
	}
	c.history = append(c.history, fixers.Tried{By: f.By, Title: f.Title, Files: f.Files(), Rule: rule, Reason: why,
		Patch: c.deps.Secrets.Text(cut(Patch(changes), maxTaskPatch))})
	if n := len(c.history); n > maxTaskTried {
		c.history = c.history[n-maxTaskTried:]
	}
}

// cut keeps the beginning of what is too long, in whole lines where it has any.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	s = strings.ToValidUTF8(s[:limit], "")
	if i := strings.LastIndexByte(s, '\n'); i > limit/2 {
		s = s[:i]
	}
	return s + "\n… cut …\n"
}
