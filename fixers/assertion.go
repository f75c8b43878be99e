package fixers

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"regreen/internal/lang"
	"regreen/internal/runner"
)

// assertion rewrites the literal that a test demands to what it received. No
// test can say which of the two is right, so it does nothing unless the user
// asked for it.
type assertion struct{ update bool }

func (assertion) Name() string { return "assertion" }

func (assertion) Kinds() []runner.Kind { return []runner.Kind{runner.AssertionMismatch} }

// Fix rewrites one literal on the reported line of a test, if it alone equals
// the reported expectation.
func (a assertion) Fix(ctx context.Context, c Cause, w Workspace) ([]Fix, error) {
	v := look(w)
	if !a.update || len(c.Failures) == 0 {
		return nil, nil
	}
	f := c.Failures[0]
	for _, o := range c.Failures[1:] {
		if o.Expected != f.Expected || o.Received != f.Received {
			return nil, nil // one literal, several truths
		}
	}
	t := v.text(c.Place.File)
	if t == nil || !v.IsTest(c.Place.File) || c.Place.Line == 0 || !v.editable(c.Place.File) {
		return nil, nil
	}
	want, ok1 := parseValue(f.Expected)
	got, ok2 := parseValue(f.Received)
	if !ok1 || !ok2 || want.isString != got.isString || want == got || got.risky() {
		return nil, nil
	}
	var found []lang.TextEdit
	for i, k := range t.significant() {
		if t.lineOf(k.Start) != c.Place.Line || k.Kind != lang.Number && k.Kind != lang.String {
			continue
		}
		span := k.Span
		if k.Kind == lang.Number && isSign(t, i-1) {
			span.Start = t.significant()[i-1].Start
		}
		lit, ok := parseLiteral(t.at(span))
		if !ok || lit != want {
			continue
		}
		text, ok := got.write(t.at(span))
		if !ok {
			return nil, nil
		}
		found = append(found, lang.TextEdit{Span: span, New: text})
	}
	if len(found) != 1 {
		return nil, nil
	}
	return []Fix{{Title: fmt.Sprintf("expect %s instead of %s in %s:%d", found[0].New, t.at(found[0].Span), t.path, c.Place.Line),
		Applicability: Likely, Rank: 0, Edits: inFile(t.path, found), Asserts: true,
		Evidence: "the test received " + f.Received}}, ctx.Err()
}

// isSign tells whether the token is a minus before a value and not between two.
func isSign(t *text, i int) bool {
	if t.word(i) != "-" {
		return false
	}
	switch t.word(i - 1) {
	case "(", ",", "==", "===", "=", "[", ":", "return", "!=":
		return true
	}
	return false
}

// value is a number or a string that may be rewritten.
type value struct {
	isString bool
	text     string // the string, or the number's shortest form
}

// risky are values that a test should not be bent to: they look like nothing,
// or like a rounding error.
func (x value) risky() bool {
	if x.text == "" {
		return true
	}
	if x.isString {
		return len(x.text) > 200 || strings.ContainsAny(x.text, "\n\r") || strings.HasSuffix(x.text, "Error") || strings.HasSuffix(x.text, "Exception")
	}
	digits := strings.TrimLeft(strings.NewReplacer("-", "", ".", "").Replace(x.text), "0")
	return strings.ContainsAny(x.text, "eE") || strings.Contains(x.text, ".") && len(digits) > 15
}

// parseValue reads a reported value: JSON or a Python repr of a number or a
// string.
func parseValue(s string) (value, bool) {
	s = strings.TrimSpace(s)
	switch s {
	case "", "true", "false", "null", "undefined", "NaN", "None", "True", "False", "Infinity", "-Infinity", "nan", "inf":
		return value{}, false
	}
	return parseLiteral(s)
}

// parseLiteral reads a plain literal of either language.
func parseLiteral(s string) (value, bool) {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] && !strings.HasPrefix(s, `"""`) && !strings.HasPrefix(s, "'''") {
		return unquote(s)
	}
	if s == "" || strings.ContainsAny(s, "_xXoObBnNjJlL") {
		return value{}, false
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return value{}, false
	}
	return value{text: strconv.FormatFloat(f, 'f', -1, 64)}, true
}

// unquote reads a quoted string with the escapes that both languages share.
func unquote(s string) (value, bool) {
	body := s[1 : len(s)-1]
	if s[0] == '\'' {
		body = strings.ReplaceAll(body, `\'`, "'")
		var b strings.Builder
		for i := 0; i < len(body); i++ {
			if body[i] == '"' && (i == 0 || body[i-1] != '\\') {
				b.WriteByte('\\')
			}
			b.WriteByte(body[i])
		}
		body = b.String()
	}
	var out string
	if json.Unmarshal([]byte(`"`+body+`"`), &out) != nil {
		return value{}, false
	}
	return value{isString: true, text: out}, true
}

// write gives the value in the way of the literal that it replaces.
func (x value) write(like string) (string, bool) {
	if !x.isString {
		if strings.Contains(like, ".") && !strings.Contains(x.text, ".") {
			return x.text + ".0", true
		}
		return x.text, true
	}
	b, err := json.Marshal(x.text)
	if err != nil || like == "" {
		return "", false
	}
	body := string(b[1 : len(b)-1])
	if strings.Contains(body, `\u`) {
		return "", false
	}
	if like[0] == '\'' {
		body = strings.ReplaceAll(strings.ReplaceAll(body, `\"`, `"`), "'", `\'`)
	}
	return string(like[0]) + body + string(like[0]), true
}
