package js

import (
	"context"
	"path"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"regreen/internal/lang"
)

// Check parses the text with esbuild: types, decorators, JSX and top-level
// await are allowed as the file's name has it. The first error is given; for
// a bracket that is never closed it stands at the end of the text.
func (Language) Check(ctx context.Context, p string, src []byte) (*lang.SyntaxError, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	s := string(src)
	if isComponent(p) {
		for _, b := range scriptBlocks(s) {
			loader := api.LoaderJS
			switch {
			case b.dialect.ts && b.dialect.jsx:
				loader = api.LoaderTSX
			case b.dialect.ts:
				loader = api.LoaderTS
			}
			if e := transform(p, only(s, b.Span), loader); e != nil {
				if e.Offset > b.End {
					e.Offset = b.End
					e.Line, e.Column = (&lineCounter{src: s, line: 1}).at(b.End)
				}
				return e, nil
			}
		}
		return nil, nil
	}
	switch path.Ext(p) {
	case ".ts", ".mts", ".cts":
		return transform(p, s, api.LoaderTS), nil
	case ".tsx":
		return transform(p, s, api.LoaderTSX), nil
	case ".jsx":
		return transform(p, s, api.LoaderJSX), nil
	}
	plain := transform(p, s, api.LoaderJS)
	if plain == nil {
		return nil, nil
	}
	// JSX in a .js file is usual; the reading that gets further is the one meant.
	elements := transform(p, s, api.LoaderJSX)
	if elements != nil && strings.Contains(s, "@flow") && transform(p, s, api.LoaderTSX) == nil {
		return nil, nil // Flow's types, as far as TypeScript's are the same
	}
	if elements == nil || elements.Offset > plain.Offset {
		return elements, nil
	}
	return plain, nil
}

func transform(p, src string, loader api.Loader) *lang.SyntaxError {
	r := api.Transform(src, api.TransformOptions{
		Loader:      loader,
		Sourcefile:  p,
		LogLevel:    api.LogLevelSilent,
		Target:      api.ESNext,
		JSX:         api.JSXPreserve,
		TsconfigRaw: `{"compilerOptions":{"experimentalDecorators":true,"verbatimModuleSyntax":true}}`,
	})
	if len(r.Errors) == 0 {
		return nil
	}
	m := r.Errors[0]
	e := &lang.SyntaxError{Message: m.Text}
	if l := m.Location; l != nil {
		e.Offset = offsetOf(src, l.Line, l.Column)
		e.Line, e.Column = (&lineCounter{src: src, line: 1}).at(e.Offset)
		if end := e.Offset + l.Length; l.Length > 0 && end <= len(src) {
			e.Token = src[e.Offset:end]
		}
	}
	readMessage(e)
	return e
}

// offsetOf turns esbuild's line (from 1) and byte column (from 0) into an
// offset. esbuild ends lines at U+2028 and U+2029 too.
func offsetOf(src string, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := strings.IndexAny(src[at:], "\n\r\u2028\u2029")
		if i < 0 {
			break
		}
		at += i
		switch {
		case strings.HasPrefix(src[at:], "\r\n"):
			at += 2
		case src[at] < 0x80:
			at++
		default:
			at += 3
		}
	}
	return min(at+column, len(src))
}

// only blanks all of the text but the span, line ends aside.
func only(src string, keep lang.Span) string {
	b := []byte(src)
	for i := range b {
		if (i < keep.Start || i >= keep.End) && b[i] != '\n' && b[i] != '\r' {
			b[i] = ' '
		}
	}
	return string(b)
}
