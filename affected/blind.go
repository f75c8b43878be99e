package affected

// mayNeed is how a project depends on everything, where it cannot be told what
// its tests depend on.
const mayNeed = "may depend on"

// blind follows a change to the projects of which it cannot be told what their
// tests depend on.
func (w *walk) blind(visit func(to, label int32)) {
	for i, p := range w.g.in.Projects {
		if p.Blind != "" {
			visit(w.g.ids[projectKey(i)], w.g.label(mayNeed, p.Blind))
		}
	}
}
