package vitest

import (
	"bytes"
	"encoding/json"
	"strings"

	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// typed turns the operands of an assertion into typed text. vitest hands
// strings over as they are and everything else as pretty-format prints it, so
// that 5 and "5" look alike: the printed diff, where strings are quoted, and
// the message tell them apart.
func typed(e *runner.RawError) {
	if strings.HasPrefix(e.Message, "Snapshot `") {
		if e.Attr == nil {
			e.Attr = map[string]string{}
		}
		e.Attr["matcher"] = "toMatchSnapshot"
		return
	}
	if e.Expected == "" && e.Actual == "" && e.Attr["diff"] == "" {
		return
	}
	diff := node.Plain(e.Attr["diff"])
	e.Expected = value(e.Expected, diff, "-", node.Plain(e.Message))
	e.Actual = value(e.Actual, diff, "+", node.Plain(e.Message))
	if e.Operator == "" && e.Name == "AssertionError" {
		e.Operator = "expect"
	}
}

// value is the JSON of one operand, or its text where JSON cannot say it.
func value(text, diff, sign, message string) string {
	if isString(text, diff, sign, message) {
		return quote(text)
	}
	if js, ok := prettyJSON(text); ok {
		return js
	}
	return text
}

func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return s
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// isString judges by the diff's own quotes first, then by the message, then by
// whether the text can be anything else.
func isString(text, diff, sign, message string) bool {
	if strings.HasPrefix(diff, `Expected: "`) {
		return true
	}
	lines := strings.Split(diff, "\n")
	for _, l := range lines {
		if body, ok := strings.CutPrefix(l, sign+" "); ok && body != "Expected" && body != "Received" {
			switch {
			case body == text && !strings.Contains(text, "\n"):
				if scalar(text) || opens(text) {
					return false
				}
			case body == `"`+text+`"`:
				return true
			}
		}
	}
	if strings.Contains(message, "'"+text+"'") || strings.Contains(message, `"`+text+`"`) {
		return true
	}
	if scalar(text) {
		return false
	}
	if opens(text) {
		_, ok := prettyJSON(text)
		return !ok && !strings.ContainsAny(text, "\n")
	}
	return true
}

// scalar tells what pretty-format prints for a value that is no string and no
// container.
func scalar(text string) bool {
	switch text {
	case "true", "false", "null", "undefined", "NaN", "Infinity", "-Infinity", "-0":
		return true
	}
	if strings.HasPrefix(text, "[Function") || strings.HasPrefix(text, "Symbol(") || strings.HasPrefix(text, "[Error") {
		return true
	}
	var n json.Number
	return json.Unmarshal([]byte(strings.TrimSuffix(text, "n")), &n) == nil && text != "" && text[0] != '"'
}

// opens tells the beginning of a printed container.
func opens(text string) bool {
	if i := strings.IndexAny(text, "{["); i >= 0 {
		head := strings.TrimSpace(text[:i])
		return strings.Trim(head, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$") == ""
	}
	return false
}

// prettyJSON reads pretty-format's print of plain objects, arrays and scalars
// as JSON. Keys come in the print's order, which is sorted.
func prettyJSON(text string) (string, bool) {
	var b strings.Builder
	inString := false
	for i := 0; i < len(text); i++ {
		c := text[i]
		if inString {
			b.WriteByte(c)
			if c == '\\' && i+1 < len(text) {
				i++
				b.WriteByte(text[i])
			} else if c == '"' {
				inString = false
			}
			continue
		}
		if c == '"' {
			inString = true
		}
		if c == ',' {
			// A trailing comma before a closing bracket is pretty-format's style.
			rest := strings.TrimLeft(text[i+1:], " \n\t")
			if strings.HasPrefix(rest, "}") || strings.HasPrefix(rest, "]") {
				continue
			}
		}
		b.WriteByte(c)
	}
	src := b.String()
	for _, head := range []string{"Object {", "Array ["} {
		src = strings.ReplaceAll(src, head, head[len(head)-1:])
	}
	var out bytes.Buffer
	if json.Compact(&out, []byte(src)) != nil {
		return "", false
	}
	return out.String(), true
}
