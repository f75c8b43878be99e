package engine

import (
	"bytes"
	"context"

	"regreen/cycle"
	"regreen/internal/lang"
)

// Half-written code is found by what a file was when it last parsed. Nobody
// types in many files at once, nor in huge ones.
const (
	maxTyped     = 20
	maxTypedSize = 1 << 20
	maxGood      = 200 // files whose last good text is kept
)

// keepGood remembers the saved files that parse, at a start the modified ones.
func (e *Engine) keepGood(ctx context.Context, p *prepared, req Request) error {
	files := req.Files
	if len(files) == 0 {
		files = p.work.changed
	}
	if req.Typing == nil || len(files) > maxTyped {
		return nil
	}
	for _, f := range files {
		l, src := e.typed(p, f)
		if l == nil {
			continue
		}
		bad, err := l.Check(ctx, f, src)
		if err != nil {
			return err
		}
		if bad != nil {
			continue
		}
		if e.good == nil || len(e.good) >= maxGood {
			e.good, e.earlier = map[string][]byte{}, map[string][]byte{}
		}
		was, ok := e.good[f]
		if !ok {
			was, _ = p.work.Base(f)
		}
		if !bytes.Equal(was, src) {
			e.earlier[f] = was
		}
		e.good[f] = src
	}
	return nil
}

// typed gives a file that somebody could be typing in, a nil language for
// another one.
func (e *Engine) typed(p *prepared, file string) (lang.Language, []byte) {
	l := e.langs.set.For(file)
	if l == nil || p.snap.Files[file].Size > maxTypedSize {
		return nil, nil
	}
	src, err := p.work.ReadFile(file)
	if err != nil {
		return nil, nil // it is gone
	}
	return l, src
}

// halfWritten gives the places in which somebody is writing: of the files
// saved just now those that parsed and do not any more, as lang.Unfinished
// tells.
func (e *Engine) halfWritten(p *prepared, req Request) func(context.Context) ([]cycle.HalfWritten, error) {
	if req.Typing == nil {
		return nil
	}
	return func(ctx context.Context) ([]cycle.HalfWritten, error) {
		files := req.Typing()
		if len(files) > maxTyped {
			return nil, nil
		}
		var out []cycle.HalfWritten
		for _, f := range files {
			l, src := e.typed(p, f)
			if l == nil {
				continue
			}
			bad, err := l.Check(ctx, f, src)
			if err != nil {
				return nil, err
			}
			if bad == nil {
				continue
			}
			good, ok := e.good[f]
			if !ok {
				good, _ = p.work.Base(f) // of a new file, nothing
				if was, err := l.Check(ctx, f, good); was != nil || err != nil {
					continue
				}
			}
			if line, half := lang.Unfinished(l, f, good, src, bad); half {
				out = append(out, cycle.HalfWritten{File: f, Line: line})
			}
		}
		return out, nil
	}
}

// cursors gives the places in which somebody is writing, in the files saved
// just now that parse: where the last change that made them what they are ends.
func (e *Engine) cursors(p *prepared, req Request) func(context.Context) ([]cycle.Cursor, error) {
	if req.Typing == nil {
		return nil
	}
	return func(context.Context) ([]cycle.Cursor, error) {
		files := req.Typing()
		if len(files) > maxTyped {
			return nil, nil
		}
		var out []cycle.Cursor
		for _, f := range files {
			l, src := e.typed(p, f)
			before, ok := e.earlier[f]
			if l == nil || !ok || !bytes.Equal(e.good[f], src) {
				continue
			}
			at := lang.Cursor(before, src)
			out = append(out, cycle.Cursor{File: f, Line: bytes.Count(src[:at], []byte("\n")) + 1, Offset: at})
		}
		return out, nil
	}
}
