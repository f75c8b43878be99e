package main

import (
	"context"
	"errors"
	"maps"
	"slices"
)

// judgeSpared asks of the test files that load what differs and are not selected
// whether the edit changes their results when it is not one that throws as it is
// loaded. The tree is as it was committed, before and after.
func (b *bench) judgeSpared(ctx context.Context, m *measured, e edit) error {
	candidates := m.missed(m.Selected)
	if m.Traced != nil {
		candidates = append(candidates, m.missed(m.Traced)...)
		slices.Sort(candidates)
		candidates = slices.Compact(candidates)
	}
	if len(candidates) == 0 || e.loud == nil || m.Refused != "" {
		return nil
	}
	before, err := b.suite(ctx, candidates...)
	if err != nil {
		return err
	}
	differing := map[string]bool{}
	for _, face := range []func() error{e.plausible, e.site} {
		if face == nil {
			continue
		}
		if err := face(); err != nil {
			return err
		}
		after, err := b.suite(ctx, candidates...)
		if err = errors.Join(err, b.restore(ctx)); err != nil {
			return err
		}
		for _, f := range differ(before.hashed(), after.hashed(), b.start.Shaky) {
			differing[f] = true
		}
	}
	for _, f := range candidates {
		if !differing[f] {
			m.Spared = append(m.Spared, f)
		}
	}
	m.Truth = slices.DeleteFunc(m.Truth, func(f string) bool { return slices.Contains(m.Spared, f) })
	return nil
}

// loading are the test files that depend on the edit, the spared ones and those
// that list its folder too.
func (m *measured) loading() []string {
	all := map[string]bool{}
	for _, f := range slices.Concat(m.Truth, m.Spared, m.Listing) {
		all[f] = true
	}
	return slices.Sorted(maps.Keys(all))
}
