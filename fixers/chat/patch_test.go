package chat

import (
	"io/fs"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func files(m map[string]string) func(string) ([]byte, error) {
	return func(rel string) ([]byte, error) {
		if s, ok := m[rel]; ok {
			return []byte(s), nil
		}
		return nil, fs.ErrNotExist
	}
}

const tax = "export function tax(n) {\n  return n / 4;\n}\n"

func TestPatches(t *testing.T) {
	block := func(file, old, now string) string {
		return "FILE: " + file + "\n<<<<<<< SEARCH\n" + old + "=======\n" + now + ">>>>>>> REPLACE\n"
	}
	tree := map[string]string{"tax.js": tax, "crlf.js": strings.ReplaceAll(tax, "\n", "\r\n"), "open.js": "a\nb", "twice.js": "x\ny\nx\n", "blob": "a\x00b", "w.js": "a  \n\tb\nc\n"}
	cases := []struct {
		name, answer string
		want         map[string]string // "" in want is deleted
		problem      string
	}{
		{"a block", "TITLE: x\n" + block("tax.js", "  return n / 4;\n", "  return n / 5;\n"), map[string]string{"tax.js": strings.Replace(tax, "4", "5", 1)}, ""},
		{"a block in a fence, with a heading", "Here:\n### FILE: `tax.js`\n```js\n<<<<<<< SEARCH\n  return n / 4;\n=======\n  return n / 5;\n>>>>>>> REPLACE\n```\n",
			map[string]string{"tax.js": strings.Replace(tax, "4", "5", 1)}, ""},
		{"two blocks for one file", block("tax.js", "  return n / 4;\n", "  return n / 5;\n") + block("tax.js", "}\n", "}\n// end\n"),
			map[string]string{"tax.js": "export function tax(n) {\n  return n / 5;\n}\n// end\n"}, ""},
		{"the line endings of the file", block("crlf.js", "  return n / 4;\n", "  return n / 5;\n"), map[string]string{"crlf.js": "export function tax(n) {\r\n  return n / 5;\r\n}\r\n"}, ""},
		{"no newline at the end", block("open.js", "b\n", "c\n"), map[string]string{"open.js": "a\nc"}, ""},
		{"white space at line ends", block("w.js", "a\n\tb\nc\n", "a\n\tB\nc\n"), map[string]string{"w.js": "a\n\tB\nc\n"}, ""},
		{"a new file", block("new.js", "", "one\ntwo\n"), map[string]string{"new.js": "one\ntwo\n"}, ""},
		{"a diff", "```diff\n--- a/tax.js\n+++ b/tax.js\n@@ -1,3 +1,3 @@\n export function tax(n) {\n-  return n / 4;\n+  return n / 5;\n }\n```\n", map[string]string{"tax.js": strings.Replace(tax, "4", "5", 1)}, ""},
		{"a diff with wrong numbers", "--- a/tax.js\n+++ b/tax.js\n@@ -71,9 +90,2 @@ function\n-  return n / 4;\n+  return n / 5;\n", map[string]string{"tax.js": strings.Replace(tax, "4", "5", 1)}, ""},
		{"a diff of several files", "diff --git a/new.js b/new.js\n--- /dev/null\n+++ b/new.js\n@@ -0,0 +1,1 @@\n+x\n--- a/open.js\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n",
			map[string]string{"new.js": "x\n", "open.js": ""}, ""},
		{"a place that the diff's numbers decide", "--- a/twice.js\n+++ b/twice.js\n@@ -3 +3 @@\n-x\n+z\n", map[string]string{"twice.js": "x\ny\nz\n"}, ""},
		{"two places", block("twice.js", "x\n", "z\n"), nil, "fits in 2 places"},
		{"lines that are not there", block("tax.js", "  return n / 3;\n", "  return n / 5;\n"), nil, "does not fit"},
		{"a file that is not there", block("none.js", "a\n", "b\n"), nil, "is not there"},
		{"a new file that is there", block("tax.js", "", "b\n"), nil, "is there already"},
		{"a way out", block("../x.js", "", "b\n"), nil, "no file of the repository"},
		{"a root path", block("/etc/passwd", "", "b\n"), nil, "no file of the repository"},
		{"no text", block("blob", "a\n", "b\n"), nil, "is no text"},
		{"nothing changed", block("tax.js", "}\n", "}\n"), nil, "changes nothing"},
		{"no patch", "I am sorry, but as a language model I cannot.", nil, "no patch"},
		{"a block without an end", "FILE: tax.js\n<<<<<<< SEARCH\nx\n=======\n", nil, "has no end"},
		{"a block without a divider", "FILE: tax.js\n<<<<<<< SEARCH\nx\n>>>>>>> REPLACE\n", nil, "has no divider"},
		{"a block without a file", "<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE\n", nil, "names no file"},
		{"nonsense in a diff", "--- a/tax.js\n+++ b/tax.js\n@@ -1 +1 @@\nhello\n", nil, "none of it"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			edits, err := parse(tc.answer)
			got := map[string]string{}
			if err == nil {
				whole, aerr := apply(edits, files(tree))
				err = aerr
				for _, w := range whole {
					if tree[w.File] != string(w.Before) || w.Created != (w.Before == nil) {
						t.Errorf("before %s: %q", w.File, w.Before)
					}
					got[w.File] = string(w.After)
				}
			}
			switch {
			case tc.problem != "":
				if err == nil || !strings.Contains(err.Error(), tc.problem) {
					t.Errorf("error %v, want %q", err, tc.problem)
				}
			case err != nil:
				t.Error(err)
			default:
				if d := cmp.Diff(tc.want, got); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

func FuzzPatch(f *testing.F) {
	f.Add("FILE: tax.js\n<<<<<<< SEARCH\n}\n=======\n{\n>>>>>>> REPLACE\n")
	f.Add("--- a/tax.js\n+++ b/tax.js\n@@ -1,2 +1 @@\n-}\n+{\n")
	f.Add("--- a/tax.js\n+++ b/tax.js\n@@ -9999999999999999999 @@\n+x\n")
	f.Fuzz(func(t *testing.T, answer string) {
		edits, err := parse(answer)
		if err != nil {
			return
		}
		whole, err := apply(edits, files(map[string]string{"tax.js": tax}))
		if err != nil {
			return
		}
		for _, w := range whole {
			if strings.HasPrefix(w.File, "/") || strings.HasPrefix(w.File, "..") {
				t.Errorf("file %q", w.File)
			}
			if utf8.ValidString(answer) && !utf8.Valid(w.After) {
				t.Errorf("not text any more: %q", w.After)
			}
		}
	})
}
