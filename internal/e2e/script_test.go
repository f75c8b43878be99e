package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts of testdata/script. Beside testscript's own commands they have:
//
//	deps NAME DIR          installs testdata/deps/NAME (jest30, pytest8, …) into DIR
//	gitinit DIR            makes DIR a repository with one commit
//	hashgit save|check DIR keeps, compares what .git holds
//	snap save|check DIR    keeps, compares all of the user's files and modes
//	onlychanged DIR FILE…  since snap save, exactly these files differ
//	jsonq PATH VALUE       looks into the JSON last printed: "merged.0.file src/a.js";
//	                       len is a length, * all elements joined by blanks,
//	                       a VALUE that begins with ~ is a regular expression
//	nodepath NAME          puts the Node of testdata/deps/NAME first on PATH
//	jsonenv NAME PATH      sets a variable from the JSON last printed
//	replace FILE OLD NEW   replaces the only occurrence of OLD in a file
//	exitcode N PROG ARG…   runs a program that has to end with exit code N
//	onlytools PROG…        makes a PATH of nothing but these programs and regreen
//	chmod MODE FILE, crlf FILE
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join(repoRoot, "testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			environ, err := environOf(filepath.Join(env.WorkDir, ".home"), "")
			if err != nil {
				return err
			}
			for _, kv := range environ {
				name, value, _ := strings.Cut(kv, "=")
				if name == "PATH" {
					value = filepath.Dir(binary) + string(os.PathListSeparator) + value
				}
				env.Setenv(name, value)
			}
			env.Values[snapshots{}] = map[string]map[string]string{}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"deps": func(ts *testscript.TestScript, neg bool, args []string) {
				want(ts, neg, args, 2, "deps NAME DIR")
				ts.Check(install(args[0], ts.MkAbs(args[1])))
			},
			"gitinit":     cmdGitInit,
			"hashgit":     cmdHashGit,
			"snap":        cmdSnap,
			"onlychanged": cmdOnlyChanged,
			"jsonq":       cmdJSONQ,
			"jsonenv":     cmdJSONEnv,
			"replace":     cmdReplace,
			"exitcode":    cmdExitCode,
			"onlytools":   cmdOnlyTools,
			"chmod": func(ts *testscript.TestScript, neg bool, args []string) {
				want(ts, neg, args, 2, "chmod MODE FILE")
				mode, err := strconv.ParseUint(args[0], 8, 9)
				ts.Check(err)
				ts.Check(os.Chmod(ts.MkAbs(args[1]), os.FileMode(mode)))
			},
			"crlf": func(ts *testscript.TestScript, neg bool, args []string) {
				want(ts, neg, args, 1, "crlf FILE")
				text := strings.TrimSuffix(strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n"), "\r\n")
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
			},
			"nodepath": func(ts *testscript.TestScript, neg bool, args []string) {
				want(ts, neg, args, 1, "nodepath NAME")
				bin := filepath.Join(repoRoot, "testdata", "deps", args[0], "node_modules", "node", "bin")
				ts.Setenv("PATH", bin+string(os.PathListSeparator)+ts.Getenv("PATH"))
			},
		},
	})
}

// snapshots is the key of what a script has saved.
type snapshots struct{}

func saved(ts *testscript.TestScript) map[string]map[string]string {
	return ts.Value(snapshots{}).(map[string]map[string]string)
}

func want(ts *testscript.TestScript, neg bool, args []string, n int, usage string) {
	if neg || len(args) != n {
		ts.Fatalf("usage: %s", usage)
	}
}

func cmdGitInit(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 1, "gitinit DIR")
	dir := ts.MkAbs(args[0])
	ignore := filepath.Join(dir, ".gitignore")
	if _, err := os.Stat(ignore); err != nil {
		ts.Check(os.MkdirAll(dir, 0o777))
		ts.Check(os.WriteFile(ignore, []byte("node_modules/\n.venv/\n__pycache__/\n.pytest_cache/\n"), 0o666))
	}
	var environ []string
	for _, name := range []string{"PATH", "HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL",
		"GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE"} {
		environ = append(environ, name+"="+ts.Getenv(name))
	}
	ts.Check(gitInit(dir, environ))
}

func cmdHashGit(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "hashgit save|check DIR")
	compare(ts, "git ", args, gitFiles)
}

func cmdSnap(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "snap save|check DIR")
	compare(ts, "tree ", args, treeFiles)
}

func compare(ts *testscript.TestScript, kind string, args []string, read func(string) (map[string]string, error)) {
	now, err := read(ts.MkAbs(args[1]))
	ts.Check(err)
	key := kind + ts.MkAbs(args[1])
	switch args[0] {
	case "save":
		saved(ts)[key] = now
	case "check":
		was, ok := saved(ts)[key]
		if !ok {
			ts.Fatalf("nothing was saved for %s", args[1])
		}
		if diff := changed(was, now); len(diff) > 0 {
			ts.Fatalf("%s%s differs: %q", kind, args[1], diff)
		}
	default:
		ts.Fatalf("save or check, not %q", args[0])
	}
}

func cmdOnlyChanged(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: onlychanged DIR FILE...")
	}
	was, ok := saved(ts)["tree "+ts.MkAbs(args[0])]
	if !ok {
		ts.Fatalf("nothing was saved for %s", args[0])
	}
	now, err := treeFiles(ts.MkAbs(args[0]))
	ts.Check(err)
	files := slices.Sorted(slices.Values(args[1:]))
	if diff := changed(was, now); !slices.Equal(diff, files) {
		ts.Fatalf("changed are %q, want %q", diff, files)
	}
}

func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 3, "replace FILE OLD NEW")
	text := ts.ReadFile(args[0])
	unescape := strings.NewReplacer(`\n`, "\n").Replace
	if n := strings.Count(text, unescape(args[1])); n != 1 {
		ts.Fatalf("%s holds %q %d times, want once", args[0], args[1], n)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Replace(text, unescape(args[1]), unescape(args[2]), 1)), 0o666))
}

func cmdJSONEnv(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2, "jsonenv NAME PATH")
	ts.Setenv(args[0], query(stdoutJSON(ts), strings.Split(args[1], ".")))
}

// cmdExitCode runs a program. Its output is what stdout and stderr look at.
func cmdExitCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exitcode N PROG ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var ee *exec.ExitError
	if errors.As(err, &ee) {
		code = ee.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("exit code %d, want %s", code, args[0])
	}
}

func cmdOnlyTools(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: onlytools PROG...")
	}
	bin := filepath.Join(ts.Getenv("WORK"), ".tools")
	ts.Check(os.MkdirAll(bin, 0o777))
	ts.Check(os.Symlink(binary, filepath.Join(bin, filepath.Base(binary))))
	for _, prog := range args {
		path, err := exec.LookPath(prog)
		ts.Check(err)
		ts.Check(os.Symlink(path, filepath.Join(bin, prog)))
	}
	ts.Setenv("PATH", bin)
}

func cmdJSONQ(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: jsonq PATH VALUE")
	}
	got := query(stdoutJSON(ts), strings.Split(args[0], "."))
	match := got == args[1]
	if pattern, ok := strings.CutPrefix(args[1], "~"); ok {
		re, err := regexp.Compile(pattern)
		ts.Check(err)
		match = re.MatchString(got)
	}
	if match == neg {
		ts.Fatalf("%s is %q, want %s%q", args[0], got, map[bool]string{true: "anything but "}[neg], args[1])
	}
}

func stdoutJSON(ts *testscript.TestScript) any {
	var v any
	if err := json.Unmarshal([]byte(ts.ReadFile("stdout")), &v); err != nil {
		ts.Fatalf("standard output is no JSON: %v", err)
	}
	return v
}

// query follows a path through a JSON value.
func query(v any, path []string) string {
	if len(path) == 0 || path[0] == "" {
		return text(v)
	}
	switch x := v.(type) {
	case map[string]any:
		return query(x[path[0]], path[1:])
	case []any:
		switch path[0] {
		case "len":
			return strconv.Itoa(len(x))
		case "*":
			var all []string
			for _, e := range x {
				all = append(all, query(e, path[1:]))
			}
			return strings.Join(all, " ")
		}
		if i, err := strconv.Atoi(path[0]); err == nil && i < len(x) {
			if i < 0 {
				i += len(x)
			}
			return query(x[i], path[1:])
		}
	}
	return "nothing"
}

func text(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case nil:
		return "null"
	}
	return fmt.Sprint(v)
}
