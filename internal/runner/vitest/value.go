package vitest

import (
	"bytes"
	"encoding/json"
	"strings"

	"regreen/internal/runner"
	"regreen/internal/runner/node"
)

// typed turns the operands of an assertion into typed text. vitest hands two
// strings over as they are; of anything else it hands over what pretty-format
// prints. So 5 and 5 may be numbers or strings: the message, where strings
// stand in quotes, tells.
func typed(e *runner.RawError) {
	if strings.HasPrefix(e.Message, "Snapshot `") {
		if e.Attr == nil {
			e.Attr = map[string]string{}
		}
		e.Attr["matcher"] = "toMatchSnapshot"
		if e.Expected == "undefined" {
			e.Expected = "" // nothing was written yet
		}
		return
	}
	if e.Expected == "" && e.Actual == "" && e.Attr["diff"] == "" {
		return
	}
	e.Expected, e.Actual = operands(e.Expected, e.Actual, node.Plain(e.Message))
	if e.Operator == "" && e.Name == "AssertionError" {
		e.Operator = "expect"
	}
}

// operands gives both operands as JSON, or as text where JSON cannot say it.
func operands(expected, actual, message string) (string, string) {
	if strs(expected, actual, message) {
		return quote(expected), quote(actual)
	}
	return value(expected), value(actual)
}

func value(text string) string {
	if js, ok := prettyJSON(text); ok {
		return js
	}
	return text
}

// strs tells whether both operands are strings.
func strs(expected, actual, message string) bool {
	quoted := func(s string) bool {
		return strings.Contains(message, "'"+s+"'") || strings.Contains(message, `"`+s+`"`)
	}
	switch {
	case printed(expected) && printed(actual):
		// Both can be prints: of two strings the message quotes both.
		return quoted(expected) && quoted(actual)
	case printed(expected) != printed(actual):
		// A string beside something else is printed with its quotes, and then
		// both are prints.
		return true
	}
	return true
}

// printed tells whether a text can be pretty-format's print of a value.
func printed(text string) bool {
	if scalar(text) {
		return true
	}
	var s string
	if strings.HasPrefix(text, `"`) {
		return json.Unmarshal([]byte(text), &s) == nil
	}
	return opens(text) && strings.ContainsAny(text[len(text)-1:], "}])")
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
