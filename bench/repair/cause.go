package main

import "regreen/cycle"

// namedCause compares the part of the diff that a report names with the place
// of the fault.
func namedCause(doc *cycle.Document, at place) string {
	if doc.Cause == nil {
		return ""
	}
	hit, miss := false, false
	for _, p := range doc.Cause.Parts {
		if p.File == at.file && p.Line <= at.to+1 && max(p.EndLine, p.Line) >= at.from-1 {
			hit = true
		} else {
			miss = true
		}
	}
	switch {
	case hit && !miss:
		return "named"
	case hit:
		return "wider"
	}
	return "other"
}
