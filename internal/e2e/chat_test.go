package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"regreen/cycle"
)

// model is a server that speaks chat completions and gives one answer after
// the other.
type model struct {
	*httptest.Server
	mu      sync.Mutex // guards the field below
	prompts []string
}

func newModel(t *testing.T, answers ...string) *model {
	m := &model{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		m.mu.Lock()
		answer := answers[min(len(m.prompts), len(answers)-1)]
		m.prompts = append(m.prompts, string(body))
		m.mu.Unlock()
		text, _ := json.Marshal(answer)
		fmt.Fprintf(w, "data: {\"choices\":[{\"delta\":{\"content\":%s},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n", text)
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *model) settings() string {
	return fmt.Sprintf("[fixers.chat]\nurl = %q\nmodel = \"m\"\nkey_env = \"MODEL_KEY\"\n", m.URL+"/v1")
}

func patchOf(m mini, old, now string) string {
	return "TITLE: divide by five\nFILE: " + m.source + "\n<<<<<<< SEARCH\n" + old + "\n=======\n" + now + "\n>>>>>>> REPLACE\n"
}

// lineWith is the source's line with the wrong division.
func (m mini) lineWith(text string) string {
	for line := range strings.Lines(m.wrong) {
		if strings.Contains(line, text) {
			return strings.TrimRight(line, "\n")
		}
	}
	return ""
}

// TestChatFixer repairs in each framework with a model's second answer, after
// one that does not fit, and neither the key nor what .env holds is to be found
// in anything that was written, printed or sent.
func TestChatFixer(t *testing.T) {
	const key, secret = "model-key-0123456789", "correct-horse-battery"
	for _, m := range minis() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			line := m.lineWith("n / 4")
			server := newModel(t, patchOf(m, "  no such line", "x"), patchOf(m, line, strings.Replace(line, "4", "5", 1)))
			r := m.broken(t, server.settings(), map[string]string{".gitignore": "node_modules/\n.venv/\n__pycache__/\n.pytest_cache/\n.env\n"})
			r.write(".env", "DB_PASSWORD="+secret+"\n")
			r.write(m.source, strings.TrimRight(m.wrong, "\n")+"\n"+map[bool]string{true: "# ", false: "// "}[m.python()]+secret+"\n")
			r.environ = append(r.environ, "MODEL_KEY="+key)
			d, res := r.run("--verbose")
			if d.Outcome != cycle.Repaired || !strings.Contains(r.read(m.source), "n / 5") {
				t.Fatalf("outcome %q: %s %q\n%s", d.Outcome, d.Reason, d.Warnings, res.stderr)
			}
			if f := lastFix(d); f.By != "chat" || f.Title != "chat: divide by five" {
				t.Errorf("fix %+v", f)
			}
			if want := "chat made no repair: its answer cannot be applied"; !slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.HasPrefix(w, want) }) {
				t.Errorf("warnings %q", d.Warnings)
			}
			for _, p := range server.prompts {
				if strings.Contains(p, key) || strings.Contains(p, secret) {
					t.Errorf("a secret was sent:\n%s", p)
				}
			}
			nowhere(t, r, res, key)
			if res := r.regreen("undo"); res.exit != 0 {
				t.Errorf("undo: %s", res.stderr)
			}
		})
	}
}

// nowhere looks for a secret in all that was printed, and in every file of the
// home folder.
func nowhere(t *testing.T, r *repo, res result, secret string) {
	t.Helper()
	shown := r.regreen("show", "--json")
	log := r.regreen("log", "--json")
	for _, out := range []string{res.stdout, res.stderr, shown.stdout, shown.stderr, log.stdout, log.stderr} {
		if strings.Contains(out, secret) {
			t.Error("a secret is printed")
		}
	}
	home := filepath.Dir(filepath.Dir(r.dir))
	err := filepath.WalkDir(home, func(p string, d fs.DirEntry, err error) error {
		if d != nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".venv" || d.Name() == "layers") {
			return fs.SkipDir
		}
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		src, err := os.ReadFile(p)
		if strings.Contains(string(src), secret) {
			t.Errorf("a secret is in %s", p)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestChatFixerIsHeldToTheSameRules: a model that edits the test is refused,
// one without a key is left out, and nothing is merged, in each framework.
func TestChatFixerIsHeldToTheSameRules(t *testing.T) {
	for _, m := range minis() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			line := ""
			for l := range strings.Lines(m.files[m.test]) {
				if strings.Contains(l, "30") {
					line = strings.TrimRight(l, "\n")
				}
			}
			server := newModel(t, "FILE: "+m.test+"\n<<<<<<< SEARCH\n"+line+"\n=======\n"+strings.Replace(line, "30", "37.5", 1)+"\n>>>>>>> REPLACE\n")
			r := m.broken(t, server.settings(), nil)
			before := r.files()
			d, _ := r.run()
			if want := "the chat fixer is left out: the variable MODEL_KEY is not set"; !slices.Contains(d.Warnings, want) || len(server.prompts) > 0 {
				t.Errorf("%d prompts, warnings %q", len(server.prompts), d.Warnings)
			}
			r.environ = append(r.environ, "MODEL_KEY=k")
			d, res := r.run()
			if got := refusedBy(d, "chat"); d.Outcome != cycle.Failed || got != "expectation changed" {
				t.Errorf("outcome %q, refused %q\n%s", d.Outcome, got, res.stderr)
			}
			diffMaps(t, "files", before, r.files())
		})
	}
}
