package editor

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// odd is a path with all that has to be quoted somewhere.
const odd = `/opt/it's "odd" & <new>\x/regreen`

func config(t *testing.T, name string) string {
	t.Helper()
	e, ok := Find(name)
	if !ok {
		t.Fatalf("there is no editor %s", name)
	}
	text, err := e.Config(odd)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text, e.Path) {
		t.Errorf("the configuration for %s does not say that it goes into %s", name, e.Path)
	}
	if strings.ContainsAny(text, "«»") {
		t.Errorf("the configuration for %s is not filled in", name)
	}
	return text
}

func TestEditors(t *testing.T) {
	for _, name := range []string{"vim", "neovim", "emacs", "vscode", "jetbrains", "helix", "sublime", "zed"} {
		config(t, name)
	}
	for alias, name := range map[string]string{"nvim": "neovim", "code": "vscode"} {
		if e, _ := Find(alias); e.Name != name {
			t.Errorf("Find(%q) = %q, want %q", alias, e.Name, name)
		}
	}
	if _, ok := Find("notepad"); ok {
		t.Error("Find(notepad) found one")
	}
}

// withoutComments takes the comment lines away, which VS Code and Zed allow.
func withoutComments(text string) string {
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "\n")
}

func TestVSCode(t *testing.T) {
	var doc struct {
		Version string
		Tasks   []struct {
			Command        string
			Args           []string
			IsBackground   bool
			ProblemMatcher struct {
				Pattern struct {
					Regexp                                      string
					File, Line, Column, Severity, Message, Code int
				}
				Background struct{ BeginsPattern, EndsPattern string }
			}
		}
	}
	dec := json.NewDecoder(strings.NewReader(withoutComments(config(t, "vscode"))))
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Tasks) != 2 || !doc.Tasks[0].IsBackground || doc.Tasks[0].Args[0] != "watch" {
		t.Fatalf("tasks = %+v", doc.Tasks)
	}
	for _, task := range doc.Tasks {
		if task.Command != odd {
			t.Errorf("command = %q, want %q", task.Command, odd)
		}
		p := task.ProblemMatcher.Pattern
		re := regexp.MustCompile(p.Regexp)
		m := re.FindStringSubmatch("src/a b:1.ts:4:3: error: it says: x:1:2: no [thrown_error]")
		if m == nil {
			t.Fatalf("%s does not match", p.Regexp)
		}
		got := []string{m[p.File], m[p.Line], m[p.Column], m[p.Severity], m[p.Message], m[p.Code]}
		if want := "src/a b:1.ts|4|3|error|it says: x:1:2: no|thrown_error"; strings.Join(got, "|") != want {
			t.Errorf("groups = %q, want %q", got, want)
		}
	}
	b := doc.Tasks[0].ProblemMatcher.Background
	for pattern, line := range map[string]string{b.BeginsPattern: "regreen: begin: src/a.ts", b.EndsPattern: "regreen: end: passed: 4 of 4 tests passed"} {
		if !regexp.MustCompile(pattern).MatchString(line) {
			t.Errorf("%q does not match %q", pattern, line)
		}
		if regexp.MustCompile(doc.Tasks[0].ProblemMatcher.Pattern.Regexp).MatchString(line) {
			t.Errorf("%q is taken for a failure", line)
		}
	}
}

func TestZed(t *testing.T) {
	var tasks []struct {
		Label, Command string
		Args           []string
	}
	if err := json.Unmarshal([]byte(withoutComments(config(t, "zed"))), &tasks); err != nil {
		t.Fatal(err)
	}
	if len(tasks) != 2 || tasks[0].Command != odd || tasks[1].Args[0] != "save" {
		t.Errorf("tasks = %+v", tasks)
	}
}

func TestJetBrains(t *testing.T) {
	dec := xml.NewDecoder(strings.NewReader(config(t, "jetbrains")))
	options := map[string]string{}
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := tok.(xml.StartElement); ok && e.Name.Local == "option" && len(e.Attr) == 2 {
			options[e.Attr[0].Value] = e.Attr[1].Value
		}
	}
	if options["program"] != odd || options["arguments"] != `save --wait --absolute -- "$FilePath$"` || options["regExp"] != "$FILE_PATH$:$LINE$:$COLUMN$: error: $MESSAGE$" {
		t.Errorf("options = %q", options)
	}
}

func TestHelix(t *testing.T) {
	var doc struct {
		Keys struct {
			Normal struct {
				Space struct{ Space map[string]any }
			}
		}
	}
	if _, err := toml.Decode(config(t, "helix"), &doc); err != nil {
		t.Fatal(err)
	}
	save, _ := doc.Keys.Normal.Space.Space["r"].([]any)
	want := `:run-shell-command '/opt/it'\''s "odd" & <new>\x/regreen' save --wait -- "%{buffer_name}"`
	if len(save) != 2 || save[0] != ":write" || save[1] != want {
		t.Errorf("keys = %q", doc)
	}
}

func TestSublime(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	cmd := exec.Command(python, "-c", "import ast, sys; t = ast.parse(sys.stdin.read()); print(t.body[3].value.value, end='')")
	cmd.Stdin = strings.NewReader(config(t, "sublime"))
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != odd {
		t.Errorf("PROGRAM = %s (%v), want %s", out, err, odd)
	}
}

func TestShell(t *testing.T) {
	for in, want := range map[string]string{"regreen": "regreen", "/a b/c": "'/a b/c'", "": "''", "it's": `'it'\''s'`, "$HOME": "'$HOME'"} {
		if got := Shell(in); got != want {
			t.Errorf("Shell(%q) = %q, want %q", in, got, want)
		}
	}
}
