package sandbox

import (
	"path/filepath"
	"sync"
)

// linkTexts are the worktree's links that say something else than the user's
// do, so that they lead to the same place. The worktree lies elsewhere on disk:
// a relative way out of the user's tree would lead nowhere from there, and an
// absolute one into it to the user's files instead of the worktree's. Changes
// are told in the user's words.
type linkTexts struct {
	mu   sync.Mutex // guards the field below
	said map[string]linkText
}

type linkText struct{ user, here string }

// placed gives what a link of the user's tree at root has to say in the
// worktree, and remembers it.
func (l *linkTexts) placed(root, rel, text string) string {
	dir := filepath.Join(root, filepath.Dir(filepath.FromSlash(rel)))
	here := text
	if filepath.IsAbs(text) {
		if in, err := filepath.Rel(root, text); err == nil && filepath.IsLocal(in) {
			if to, err := filepath.Rel(dir, text); err == nil {
				here = to
			}
		}
	} else if in, err := filepath.Rel(root, filepath.Join(dir, text)); err == nil && !filepath.IsLocal(in) {
		here = filepath.Join(dir, text)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.said, rel)
	if here != text {
		if l.said == nil {
			l.said = map[string]linkText{}
		}
		l.said[rel] = linkText{text, here}
	}
	return here
}

// original gives the user's words for what a worktree's file says.
func (l *linkTexts) original(rel string, src []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if k, ok := l.said[rel]; ok && k.here == string(src) {
		return []byte(k.user)
	}
	return src
}
