package pytest

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"regreen/internal/plain"
	"regreen/internal/proc"
	"regreen/internal/runner"
)

// prepared is one run's command and its files.
type prepared struct {
	dir, report, nonce, dump string
	cmd                      proc.Cmd
	files                    []string // rel, those that exist
	warnings                 []string
}

// opened is where the run notes the files that it reads.
func (p *prepared) opened() string { return filepath.Join(p.dir, "opened.jsonl") }

// executed is where each process of the run notes the functions that it runs,
// with its process id at the end of the name.
func (p *prepared) executed() string { return filepath.Join(p.dir, "executed") }

// selection is what the plugin reads from REGREEN_SELECT.
type selection struct {
	Tests           [][]string `json:"tests,omitempty"` // resolved file, then the path
	Only            []string   `json:"only,omitempty"`  // resolved files, where they cannot be arguments
	UpdateSnapshots bool       `json:"update_snapshots,omitempty"`
}

// maxArguments is how many bytes of file names may stand on a command line;
// Windows takes 32 KB in all.
const maxArguments = 24 << 10

func (s *session) prepare(req runner.Request) (*prepared, error) {
	s.runs++
	run := &prepared{dir: filepath.Join(s.dir, fmt.Sprintf("run-%d", s.runs)), nonce: nonce()}
	if err := os.MkdirAll(run.dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the run's folder: %w", err)
	}
	run.report, run.dump = filepath.Join(run.dir, "report.jsonl"), filepath.Join(run.dir, "where")
	var err error
	if s.config, err = readConfig(s.env.OnDisk(), s.project.Root); err != nil {
		// pytest itself will say so, and better
		s.config = config{}
		run.warnings = append(run.warnings, err.Error())
	}
	for _, f := range wantedFiles(req) {
		if _, err := os.Stat(filepath.Join(s.env.OnDisk(), filepath.FromSlash(f))); err != nil {
			run.warnings = append(run.warnings, "the test file "+f+" is not there")
			continue
		}
		run.files = append(run.files, f)
	}
	dir := s.abs(s.project.Root)
	sel := s.selection(req, run)
	args := s.arguments(req, dir)
	if len(sel.Only) == 0 {
		for _, f := range run.files {
			args = append(args, argument(dir, s.abs(f)))
		}
	}
	program, err := s.program()
	if err != nil {
		return nil, err
	}
	env, err := s.environ(run, sel)
	if err != nil {
		return nil, err
	}
	run.cmd = proc.Cmd{Path: program, Args: args, Dir: dir, Env: env}
	return run, nil
}

// wantedFiles are the request's files; tests alone name theirs.
func wantedFiles(req runner.Request) []string {
	files := slices.Clone(req.Files)
	for _, t := range req.Tests {
		if t.File != "" && !slices.Contains(files, t.File) {
			files = append(files, t.File)
		}
	}
	return files
}

func (s *session) abs(rel string) string { return filepath.Join(s.env.Root, filepath.FromSlash(rel)) }

// selection says what the plugin must narrow the run to. Files are arguments
// unless they are too many or pytest would read "[" or "::" in their names as
// a node id; then the plugin leaves the others out.
func (s *session) selection(req runner.Request, run *prepared) selection {
	sel := selection{UpdateSnapshots: req.UpdateSnapshots}
	for _, t := range req.Tests {
		sel.Tests = append(sel.Tests, append([]string{resolved(s.abs(t.File))}, t.Path...))
	}
	size, odd := 0, false
	for _, f := range run.files {
		size += len(f) + 1
		odd = odd || strings.Contains(f, "[") || strings.Contains(f, "::")
	}
	if size > maxArguments || odd {
		for _, f := range run.files {
			sel.Only = append(sel.Only, resolved(s.abs(f)))
		}
	}
	return sel
}

// arguments are the command's, the script's and ours. What leaves tests out
// (-x, --lf, --sw) or costs time (--cov) in addopts is undone by the plugin.
func (s *session) arguments(req runner.Request, dir string) []string {
	var args []string
	for _, a := range slices.Concat(s.project.Command[1:], s.project.Args) {
		args = append(args, mapped(s.env, a))
	}
	args = append(args, "-p", "regreen_pytest", "--color=no")
	given := slices.Concat(args, s.config.addopts)
	if !s.configured() {
		// Without these, pytest looks for its ini file from the arguments
		// upwards: a part of the tests could see another one.
		if s.config.file != "" {
			args = append(args, "-c", s.abs(s.config.file))
		} else {
			args = append(args, "--rootdir", dir)
		}
	}
	if !disables(given, "cacheprovider") {
		args = append(args, "-o", "cache_dir="+filepath.Join(s.dir, "cache"))
	}
	if req.KeepGoing {
		args = append(args, "--continue-on-collection-errors")
	}
	return args
}

// configured tells whether the project's own arguments say which ini file, or
// folder, pytest takes.
func (s *session) configured() bool {
	return hasOption(slices.Concat(s.project.Command[1:], s.project.Args, s.config.addopts), "-c", "--config-file", "--rootdir")
}

func hasOption(args []string, names ...string) bool {
	for _, a := range args {
		name, _, _ := strings.Cut(a, "=")
		if slices.Contains(names, name) {
			return true
		}
	}
	return false
}

// disables tells whether -p no:plugin is among the arguments.
func disables(args []string, plugin string) bool {
	for i, a := range args {
		if a == "-pno:"+plugin || a == "-p" && i+1 < len(args) && args[i+1] == "no:"+plugin {
			return true
		}
	}
	return false
}

// argument writes a file relative to the folder pytest starts in, so that it
// can be no option.
func argument(dir, abs string) string {
	rel, err := filepath.Rel(dir, abs)
	if err != nil {
		return abs
	}
	if strings.HasPrefix(rel, "-") {
		return "." + string(filepath.Separator) + rel
	}
	return rel
}

// program is the interpreter, or the program of a command set by hand.
func (s *session) program() (string, error) {
	name := s.project.Command[0]
	if filepath.IsAbs(name) {
		return name, nil
	}
	if strings.ContainsRune(name, filepath.Separator) {
		return filepath.Join(s.env.Origin, filepath.FromSlash(s.project.Root), name), nil
	}
	for _, dir := range filepath.SplitList(lookup(s.env.Environ, "PATH")) {
		if p, err := exec.LookPath(filepath.Join(dir, name)); err == nil && filepath.IsAbs(p) {
			return p, nil
		}
	}
	return "", fmt.Errorf("find %s: %w", name, exec.ErrNotFound)
}

func (s *session) environ(run *prepared, sel selection) ([]string, error) {
	set := map[string]string{}
	for k, v := range s.project.Env {
		set[k] = mapped(s.env, v)
	}
	path := s.python
	old, ok := set["PYTHONPATH"]
	if !ok {
		old = mapped(s.env, lookup(s.env.Environ, "PYTHONPATH"))
	}
	if old != "" {
		path += string(filepath.ListSeparator) + old
	}
	set["PYTHONPATH"] = path
	set["PYTHONDONTWRITEBYTECODE"] = "1"
	set["REGREEN_ORIGIN"], set[runner.EnvRoot] = s.env.Origin, s.env.Root
	set["REGREEN_METADATA"] = filepath.Join(s.dir, "metadata")
	set[runner.EnvReport], set[runner.EnvNonce] = run.report, run.nonce
	set["REGREEN_DUMP"], set[runner.EnvOpened] = run.dump, run.opened()
	if s.config.file != "" && !s.configured() {
		set["REGREEN_LOOK"] = "1"
	}
	if s.env.Traced {
		set["REGREEN_EXECUTED"] = run.executed()
	}
	if len(sel.Tests)+len(sel.Only) > 0 || sel.UpdateSnapshots {
		text, err := json.Marshal(sel)
		if err != nil {
			return nil, fmt.Errorf("write the selection: %w", err)
		}
		file := filepath.Join(run.dir, "select.json")
		if err := plain.WriteIn(s.env.Scratch, file, text); err != nil {
			return nil, fmt.Errorf("write the selection: %w", err)
		}
		set["REGREEN_SELECT"] = file
	}
	return merged(s.env.Environ, set), nil
}

// lookup gives a variable of an environment, the last one as the system does.
func lookup(environ []string, name string) string {
	for _, kv := range slices.Backward(environ) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// merged is the environment with variables set, in a stable order.
func merged(environ []string, set map[string]string) []string {
	var out []string
	for _, kv := range environ {
		k, _, _ := strings.Cut(kv, "=")
		if _, ok := set[k]; !ok {
			out = append(out, kv)
		}
	}
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		out = append(out, k+"="+set[k])
	}
	return out
}
