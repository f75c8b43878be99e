package cli

import (
	"bytes"
	"encoding/json"

	"regreen/cycle"
)

// printJSON prints one object on one line. No reader of ours wants HTML
// escapes.
func (a *app) printJSON(v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		// Only a value that cannot be JSON at all gets here: a defect of ours.
		panic(err)
	}
	a.printed = true
	_, _ = a.stdout.Write(b.Bytes())
}

// errorDocument is what a command that could not do its work prints.
func errorDocument(command string, p *Problem) any {
	switch command {
	case "run", "show":
		d := normal(cycle.Document{Outcome: cycle.Errored, Reason: p.Message, Error: p.json()})
		if p.Code == "interrupted" {
			d.Outcome = cycle.Cancelled
		}
		return d
	case "affected":
		return AffectedDocument{Schema: cycle.Schema, ModifiedFiles: []string{}, AffectedTests: []cycle.Affected{}, Error: p.json()}
	case "apply", "undo":
		return Change{Schema: cycle.Schema, Status: Refused, Files: []cycle.Merged{}, Reason: p.Message, Error: p.json()}
	}
	return struct {
		Schema int            `json:"schema"`
		Error  *cycle.Problem `json:"error"`
	}{cycle.Schema, p.json()}
}

// normal makes every list of the document a list: a script must not meet null
// where the contract has an array.
func normal(d cycle.Document) cycle.Document {
	d.Schema = cycle.Schema
	d.Frameworks = list(d.Frameworks)
	d.ModifiedFiles = list(d.ModifiedFiles)
	d.AffectedTests = affectedList(d.AffectedTests)
	its := make([]cycle.Iteration, len(d.Iterations))
	for i, it := range d.Iterations {
		it.Causes = list(it.Causes)
		it.Fixes = append([]cycle.Fix{}, it.Fixes...)
		for j := range it.Fixes {
			it.Fixes[j].Files = list(it.Fixes[j].Files)
		}
		its[i] = it
	}
	d.Iterations = its
	d.Merged = list(d.Merged)
	d.Proposals = list(d.Proposals)
	d.Refused = list(d.Refused)
	d.Remaining = remainingList(d.Remaining)
	d.FailedBefore = remainingList(d.FailedBefore)
	d.Flaky = append([]cycle.TestRef{}, d.Flaky...)
	for i := range d.Flaky {
		d.Flaky[i].Path = list(d.Flaky[i].Path)
	}
	d.HalfWritten = list(d.HalfWritten)
	d.Warnings = list(d.Warnings)
	if d.Cause != nil {
		g := *d.Cause
		g.Tests, g.Parts = list(g.Tests), list(g.Parts)
		d.Cause = &g
	}
	return d
}

func list[T any](l []T) []T {
	if l == nil {
		return []T{}
	}
	return l
}

func affectedList(l []cycle.Affected) []cycle.Affected {
	out := append([]cycle.Affected{}, l...)
	for i := range out {
		out[i].Why = list(out[i].Why)
	}
	return out
}

func remainingList(l []cycle.Remaining) []cycle.Remaining {
	out := append([]cycle.Remaining{}, l...)
	for i := range out {
		out[i].Test.Path = list(out[i].Test.Path)
	}
	return out
}
