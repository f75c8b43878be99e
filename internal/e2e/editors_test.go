//go:build unix

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"regreen/cycle"
)

// realEditor is an editor that is driven without a screen, with exactly the
// configuration that `regreen hook` prints.
type realEditor struct {
	name, program string
	config        string // where the configuration goes, below the home folder
	swap          string // what Unsaved calls it
	args          []string
	// save is a script that opens FILE, replaces FROM by TO, saves, waits for
	// the verdict and writes {"status","list":[{"file","line","text"}],"buffer"} to OUT.
	save string
	// hold is a script that changes FILE without saving it, makes the file
	// OUT, and waits until the file OUT.end is there.
	hold string
}

func realEditors() []realEditor {
	vimSave := `set nomore
edit FILE
autocmd User RegreenVerdict let g:verdicts = get(g:, 'verdicts', 0) + 1
silent %s/FROM/TO/
silent write
let g:turns = 0
while !exists('g:verdicts') && g:turns < 1200
  sleep 100m
  let g:turns += 1
endwhile
let g:list = map(getqflist(), '{"file": fnamemodify(bufname(v:val.bufnr), ":p"), "line": v:val.lnum, "text": v:val.text}')
call writefile([json_encode({'status': g:regreen_status, 'list': g:list, 'buffer': join(getline(1, '$'), "\n")})], 'OUT')
qall!
`
	vimHold := `edit FILE
call setline(1, '# typed and not saved')
call writefile([''], 'OUT')
while !filereadable('OUT.end')
  sleep 50m
endwhile
qall!
`
	return []realEditor{
		{name: "vim", program: "vim", config: ".vim/plugin/regreen.vim", swap: "vim", save: vimSave, hold: vimHold,
			args: []string{"-es", "-N", "-u", "NORC", "-i", "NONE", "-S", "SCRIPT"}},
		{name: "neovim", program: "nvim", config: ".config/nvim/plugin/regreen.lua", swap: "vim", save: vimSave, hold: vimHold,
			args: []string{"--headless", "-i", "NONE", "-S", "SCRIPT"}},
		{name: "emacs", program: "emacs", config: ".emacs.d/regreen.el", swap: "emacs",
			// Its version control would refresh the index by a git status of its own.
			// A batch takes no events of files in, and while one waits to be taken
			// no process ends for it.
			args: []string{"--batch", "--eval", "(setq vc-handled-backends nil auto-revert-use-notify nil)", "-l", "CONFIG", "-l", "SCRIPT"},
			save: `(require 'json)
(find-file "FILE")
(goto-char (point-min))
(search-forward "FROM")
(replace-match "TO" t t)
(setq test-verdicts 0)
(add-hook 'regreen-verdict-hook (lambda () (setq test-verdicts (1+ test-verdicts))))
(save-buffer)
(let ((turns 0))
  (while (and (= test-verdicts 0) (< turns 1200))
    (accept-process-output nil 0.1)
    (setq turns (1+ turns))))
(let ((file-buffer (find-buffer-visiting "FILE")) (list nil))
  (with-current-buffer file-buffer (auto-revert-handler))
  (with-current-buffer "*regreen*"
    (goto-char (point-min))
    (ignore-errors
      (while t
        (compilation-next-error 1)
        (let* ((text (buffer-substring-no-properties (point) (line-end-position)))
               (loc (compilation--message->loc (get-text-property (point) 'compilation-message)))
               (spec (caar (compilation--loc->file-struct loc))))
          (push (list (cons 'file (expand-file-name spec)) (cons 'line (compilation--loc->line loc)) (cons 'text text)) list)))))
  (with-temp-file "OUT"
    (insert (json-encode (list (cons 'status regreen-status) (cons 'list (vconcat (nreverse list)))
                               (cons 'buffer (with-current-buffer file-buffer (buffer-string))))))))
`,
			hold: `(find-file "FILE")
(goto-char (point-min))
(insert "# typed and not saved\n")
(write-region "" nil "OUT")
(while (not (file-exists-p "OUT.end")) (sleep-for 0.05))
(set-buffer-modified-p nil)
(unlock-buffer)
`},
	}
}

// taxRepo is a small project whose test's path is an odd one.
func taxRepo(t *testing.T) *repo {
	return newRepo(t, "pytest8", map[string]string{
		"shop/__init__.py": "", "shop/tax.py": "RATE = 2\n\n\ndef tax(base):\n    return base * RATE\n",
		"tests/odd [dir]  b/test_tax.py": "from shop.tax import tax\n\n\ndef test_tax():\n    assert tax(2) == 4\n",
		"pytest.ini":                     "[pytest]\npythonpath = .\n",
	})
}

// install puts the printed configuration where its first lines say.
func (e realEditor) install(t *testing.T, r *repo) (home string) {
	t.Helper()
	if _, err := exec.LookPath(e.program); err != nil {
		t.Skipf("%s is not installed", e.program)
	}
	res := r.regreen("hook", e.name)
	if res.exit != 0 || !strings.Contains(res.stdout, "~/"+e.config) {
		t.Fatalf("regreen hook %s: %+v", e.name, res)
	}
	home = filepath.Dir(filepath.Dir(r.dir))
	r.write("../../"+e.config, res.stdout)
	return home
}

// command is the editor running a script; OUT is the file it gives.
func (e realEditor) command(t *testing.T, r *repo, script, file, from, to string) (cmd *exec.Cmd, out string) {
	t.Helper()
	dir := t.TempDir()
	out = filepath.Join(dir, "out")
	names := strings.NewReplacer("FILE", file, "FROM", from, "TO", to, "OUT", out, "SCRIPT", filepath.Join(dir, "script"),
		"CONFIG", filepath.Join(filepath.Dir(filepath.Dir(r.dir)), e.config))
	if err := os.WriteFile(filepath.Join(dir, "script"), []byte(names.Replace(script)), 0o644); err != nil {
		t.Fatal(err)
	}
	var args []string
	for _, a := range e.args {
		args = append(args, names.Replace(a))
	}
	cmd = exec.CommandContext(t.Context(), e.program, args...)
	cmd.Dir, cmd.Env = t.TempDir(), append(r.environ, "TERM=dumb") // not the repository
	return cmd, out
}

type editorState struct {
	Status string
	List   []struct {
		File string
		Line int
		Text string
	}
	Buffer string
}

func (e realEditor) saves(t *testing.T, r *repo, from, to string) (s editorState) {
	t.Helper()
	cmd, out := e.command(t, r, e.save, r.path("shop/tax.py"), from, to)
	said, err := cmd.CombinedOutput()
	src, readErr := os.ReadFile(out)
	if readErr != nil {
		t.Fatalf("%s: %v, %v\n%s", e.name, err, readErr, said)
	}
	if err := json.Unmarshal(src, &s); err != nil {
		t.Fatalf("%s: %v in %s", e.name, err, src)
	}
	return s
}

// TestEditorsHearTheVerdict holds that a save in a real editor with the printed
// configuration brings the failing line into its list, with a daemon and
// without, and that the buffer follows a repair.
func TestEditorsHearTheVerdict(t *testing.T) {
	t.Parallel()
	for _, e := range realEditors() {
		for _, watched := range []bool{false, true} {
			// The name is part of paths, and vim parts its search path at commas.
			t.Run(fmt.Sprintf("%s_daemon_%v", e.name, watched), func(t *testing.T) {
				r := taxRepo(t)
				e.install(t, r)
				if watched {
					w := startWatching(t, r)
					w.until("regreen: end: ")
					defer func() {
						r.regreen("stop")
						_ = w.ended()
					}()
				}
				s := e.saves(t, r, "RATE = 2", "RATE = 3")
				want := r.path("tests/odd [dir]  b/test_tax.py")
				if len(s.List) != 1 || s.List[0].File != want || s.List[0].Line != 5 || !strings.HasPrefix(s.Status, "failed") {
					t.Fatalf("after a failure: %+v, want %s:5", s, want)
				}
				if src := r.read("shop/tax.py"); !strings.HasPrefix(src, "RATE = 3\n") {
					t.Errorf("the editor's save: %q", src)
				}
				if s = e.saves(t, r, "RATE = 3", "RATE = 2"); len(s.List) != 0 || !strings.HasPrefix(s.Status, "passed") {
					t.Errorf("after it was mended: %+v", s)
				}
				s = e.saves(t, r, "return base", "return bsae")
				if !strings.HasPrefix(s.Status, "repaired") || !strings.Contains(s.Buffer, "base * RATE") || strings.TrimSpace(s.Buffer) != strings.TrimSpace(r.read("shop/tax.py")) {
					t.Errorf("after a repair: %+v\n%s", s, r.read("shop/tax.py"))
				}
			})
		}
	}
}

// waitForFile waits until a file is there or a process has ended.
func waitForFile(t *testing.T, path string, done <-chan error) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	late := time.After(patience)
	for {
		select {
		case err := <-done:
			t.Fatalf("the editor ended too soon: %v", err)
		case <-late:
			t.Fatalf("%s does not come", path)
		case <-tick.C:
			if _, err := os.Stat(path); err == nil {
				return
			}
		}
	}
}

// TestEditorsHoldChanges holds that a file is not written while a real editor
// has unsaved changes to it, and that it is once they are gone.
func TestEditorsHoldChanges(t *testing.T) {
	t.Parallel()
	for _, e := range realEditors() {
		t.Run(e.name, func(t *testing.T) {
			r := taxRepo(t)
			e.install(t, r)
			broken := strings.Replace(r.read("shop/tax.py"), "base * RATE", "bsae * RATE", 1)
			r.write("shop/tax.py", broken)
			cmd, out := e.command(t, r, e.hold, r.path("shop/tax.py"), "", "")
			var said bytes.Buffer
			cmd.Stdout, cmd.Stderr = &said, &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() { done <- cmd.Wait() }()
			waitForFile(t, out, done)
			for _, args := range [][]string{{"run", "--json"}, {"save", "--wait", "--json", "shop/tax.py"}} {
				res := r.regreen(args...)
				var d cycle.Document
				if err := json.Unmarshal([]byte(res.stdout), &d); err != nil {
					t.Fatalf("%v in %s%s", err, res.stdout, res.stderr)
				}
				if d.Outcome != cycle.Proposed || res.exit != 4 || !strings.Contains(d.Reason, e.swap+" holds unsaved changes to shop/tax.py") {
					t.Errorf("%s beside unsaved changes: %s, exit %d, %q", args[0], d.Outcome, res.exit, d.Reason)
				}
				if got := r.read("shop/tax.py"); got != broken {
					t.Fatalf("%s wrote the file: %q", args[0], got)
				}
			}
			if err := os.WriteFile(out+".end", nil, 0o644); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Logf("%s ended with %v\n%s", e.name, err, said.String())
			}
			if d, _ := r.run(); d.Outcome != cycle.Repaired {
				t.Errorf("after the editor has ended: %s, %s", d.Outcome, d.Reason)
			}
		})
	}
}
