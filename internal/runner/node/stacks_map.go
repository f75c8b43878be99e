package node

import (
	"encoding/base64"
	"net/url"
	"path"
	"strings"

	"github.com/go-sourcemap/sourcemap"

	"regreen/internal/runner"
)

// script is one script of a running thread, with its map to the source.
type script struct {
	url, mapURL string
	parsed      bool
	consumer    *sourcemap.Consumer
}

// frames are the project's frames of a stack, mapped to their sources.
func (t *thread) frames(c Context, calls []callFrame) []runner.Frame {
	var out []runner.Frame
	for _, call := range calls {
		s := t.scripts[call.Location.ScriptID]
		file := call.URL
		if s != nil && s.url != "" {
			file = s.url
		}
		rel, ok := Rel(c, file)
		if !ok {
			continue
		}
		p := runner.Place{File: rel, Line: call.Location.LineNumber + 1, Column: call.Location.ColumnNumber + 1}
		if s != nil {
			p = s.original(c, p)
		}
		out = append(out, runner.Frame{Place: p, Function: call.FunctionName})
	}
	return out
}

// original is the place in the source behind a place in a script.
func (s *script) original(c Context, p runner.Place) runner.Place {
	if !s.parsed {
		s.parsed = true
		if data := inlineMap(s.mapURL); data != nil {
			s.consumer, _ = sourcemap.Parse("", data) // without a map the script is its own source
		}
	}
	if s.consumer == nil {
		return p
	}
	source, _, line, column, ok := s.consumer.Source(p.Line, p.Column-1)
	if !ok || line <= 0 {
		return p
	}
	out := runner.Place{File: p.File, Line: line, Column: column + 1}
	if path.Base(source) == path.Base(p.File) {
		return out
	}
	if !strings.Contains(source, ":") && !isAbs(source) {
		source = path.Join(path.Dir(cleanFile(s.url)), source)
	}
	if rel, ok := Rel(c, source); ok {
		out.File = rel
		return out
	}
	return p
}

// inlineMap is the map that a script carries itself, nil without one.
func inlineMap(mapURL string) []byte {
	rest, ok := strings.CutPrefix(mapURL, "data:")
	if !ok {
		return nil
	}
	meta, data, ok := strings.Cut(rest, ",")
	if !ok {
		return nil
	}
	if strings.HasSuffix(meta, ";base64") {
		b, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			return nil
		}
		return b
	}
	text, err := url.PathUnescape(data)
	if err != nil {
		return nil
	}
	return []byte(text)
}
