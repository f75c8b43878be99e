package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	src := `
[cycle]
max_iterations = 4
target_pass_rate = 90   # an integer will do
budget = "1m30s"

[affected]
data = { "fixtures/**" = ["tests/*.py"] }

[[fixers.command]]
name = "codemod"
command = ["./fix"]

[[project]]
framework = "pytest"

[[project]]
root = "web"
framework = "jest"
env = { TZ = "UTC" }
`
	want := Default()
	want.Cycle.MaxIterations = 4
	want.Cycle.TargetPassRate = 90
	want.Cycle.Budget = Duration(90 * time.Second)
	want.Affected.Data = map[string][]string{"fixtures/**": {"tests/*.py"}}
	want.Fixers.Command = []Command{{Name: "codemod", Command: []string{"./fix"}, Timeout: Duration(5 * time.Minute), Rounds: 2, MaxFiles: 20, MaxLines: 500, Success: []int{0}}}
	want.Project = []Project{
		{Root: ".", Framework: "pytest"},
		{Root: "web", Framework: "jest", Env: map[string]string{"TZ": "UTC"}},
	}
	got, err := Parse("regreen.toml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Parse (-want +got):\n%s", d)
	}
}

func TestParseRejects(t *testing.T) {
	tests := []struct {
		name, src string
		want      Error
	}{
		{"broken", "[cycle]\nbudget = \n", Error{Line: 2, Column: 10, Message: "expected value but found '\\n' instead",
			Hint: "regreen.toml is TOML: [table], key = value, strings in quotes"}},
		{"unclosed table", "[cycle]\n\n[run\n\n", Error{Line: 3, Column: 5, Message: "expected '.' or ']' to end table name, but got '\\n' instead",
			Hint: "regreen.toml is TOML: [table], key = value, strings in quotes"}},
		{"unknown key", "[cycle]\n\nmax_iteratoins = 3\n", Error{Line: 3, Column: 1, Key: "cycle.max_iteratoins",
			Message: "unknown key", Hint: "did you mean cycle.max_iterations?"}},
		{"unknown table", "[cylce]\nbudget = \"1s\"\n", Error{Line: 1, Column: 2, Key: "cylce",
			Message: "unknown key", Hint: "did you mean cycle?"}},
		{"other table's key", "[cycle]\nstorm_quiet = \"1s\"\n", Error{Line: 2, Column: 1, Key: "cycle.storm_quiet",
			Message: "unknown key", Hint: "did you mean watch.storm_quiet?"}},
		{"wrong case", "[cycle]\nBudget = \"1s\"\n", Error{Line: 2, Column: 1, Key: "cycle.Budget",
			Message: "unknown key", Hint: "did you mean cycle.budget?"}},
		{"far from any key", "[run]\nwhatever_this_is = 1\n", Error{Line: 2, Column: 1, Key: "run.whatever_this_is",
			Message: "unknown key", Hint: "valid keys here: affected_timeout, full_timeout"}},
		{"dotted", "cycle.budgte = \"1s\"\n", Error{Line: 1, Column: 1, Key: "cycle.budgte",
			Message: "unknown key", Hint: "did you mean cycle.budget?"}},
		{"first of two", "[run]\nb = 1\n[cycle]\na = 1\n", Error{Line: 2, Column: 1, Key: "run.b",
			Message: "unknown key", Hint: "valid keys here: affected_timeout, full_timeout"}},
		{"wrong type", "[cycle]\nmax_iterations = \"3\"\n", Error{Line: 2, Column: 1, Key: "cycle.max_iterations",
			Message: "is a string, want an integer", Hint: "write a whole number"}},
		{"duration as number", "[run]\nfull_timeout = 30\n", Error{Line: 2, Column: 1, Key: "run.full_timeout",
			Message: "is an integer, want a string", Hint: `write a string such as "120s"`}},
		{"no duration", "[run]\nfull_timeout = \"30 sec\"\n", Error{Line: 2, Column: 1, Key: "run.full_timeout",
			Message: `"30 sec" is not a duration`, Hint: `write a duration such as "120s", "15m" or "250ms"`}},
		{"negative duration", "[run]\nfull_timeout = \"-3s\"\n", Error{Line: 2, Column: 1, Key: "run.full_timeout",
			Message: "is -3s", Hint: "a duration is 0 or more"}},
		{"percent", "[cycle]\ntarget_pass_rate = 101\n", Error{Line: 2, Column: 1, Key: "cycle.target_pass_rate",
			Message: "is 101", Hint: "percent go from 0 to 100"}},
		{"nan", "[cycle]\ntarget_pass_rate = nan\n", Error{Line: 2, Column: 1, Key: "cycle.target_pass_rate",
			Message: "is NaN", Hint: "percent go from 0 to 100"}},
		{"no iterations", "[cycle]\nmax_iterations = 0\n", Error{Line: 2, Column: 1, Key: "cycle.max_iterations",
			Message: "is 0", Hint: "the smallest valid value is 1"}},
		{"enum", "[cycle]\nfull_suite = \"allways\"\n", Error{Line: 2, Column: 1, Key: "cycle.full_suite",
			Message: `is "allways"`, Hint: `did you mean "always"? valid values: always, auto, never`}},
		{"glob", "[watch]\nignore = [\"ok/**\",\n \"a[\"]\n", Error{Line: 2, Column: 1, Key: "watch.ignore",
			Message: `"a[" is not a glob`, Hint: `close every "[" and "{" of the pattern`}},
		{"list of numbers", "[severity]\nlow = [1]\n", Error{Line: 2, Column: 1, Key: "severity.low",
			Message: "holds an integer, want strings", Hint: `write a list such as ["a", "b"]`}},
		{"project without framework", "# x\n[[project]]\nroot = \".\"\n", Error{Line: 2, Column: 3, Key: "project[0]",
			Message: "has no framework", Hint: "add framework = …"}},
		{"unknown framework", "[[project]]\nframework = \"jest\"\n[[project]]\nroot=\"b\"\nframework = \"vitset\"\n",
			Error{Line: 5, Column: 1, Key: "project[1].framework", Message: `is "vitset"`,
				Hint: `did you mean "vitest"? valid values: jest, vitest, mocha, pytest`}},
		{"variable without a name", "[[project]]\nframework = \"jest\"\nenv = {\"A=B\" = \"c\"}\n",
			Error{Line: 3, Column: 1, Key: "project[0].env", Message: `"A=B" is not a variable that a process can have`,
				Hint: `write NAME = "value"`}},
		{"duplicate root", "[[project]]\nframework=\"jest\"\n[[project]]\nroot = \"./\"\nframework=\"jest\"\n",
			Error{Line: 3, Column: 3, Key: "project[1]", Message: `jest in "./" is already set by project[0]`,
				Hint: "keep one of the two, or give them different roots"}},
		{"an argument that is regreen's", "[[project]]\nframework = \"pytest\"\nargs = [\"-n\", \"2\", \"--maxfail=1\"]\n", Error{Line: 3, Column: 1, Key: "project[0].args",
			Message: `--maxfail cannot be given to pytest`, Hint: "leave it out: regreen itself says which tests run, how they report and when a run ends"}},
		{"root outside", "[[project]]\nroot = \"../x\"\nframework=\"jest\"\n", Error{Line: 2, Column: 1, Key: "project[0].root",
			Message: `"../x" is not inside the repository`, Hint: `write a folder relative to the repository's root, with "/"; "." is the root`}},
		{"not an array", "[project]\nroot = \".\"\n", Error{Line: 1, Column: 2, Key: "project",
			Message: "is a table, want an array of tables", Hint: "write [[project]]"}},
		{"unknown kind", "[[fixers.command]]\nname=\"a\"\ncommand=[\"b\"]\nkinds=[\"missing_imprt\"]\n",
			Error{Line: 4, Column: 1, Key: "fixers.command[0].kinds", Message: `is "missing_imprt"`}},
		{"unknown fixer", "[fixers]\ndisabled = [\"snapshto\"]\n", Error{Line: 2, Column: 1, Key: "fixers.disabled", Message: `is "snapshto"`,
			Hint: `did you mean "snapshot"? valid values: syntax_error, missing_import, missing_export, undefined_variable, attribute_error, missing_fixture, missing_await, fake_timers, changed_arguments, follow_diff, time_limit, assertion, snapshot, chat`}},
		{"exit code", "[[fixers.command]]\nname=\"a\"\ncommand=[\"b\"]\nsuccess=[0, 256]\n",
			Error{Line: 4, Column: 1, Key: "fixers.command[0].success", Message: "holds 256", Hint: "exit codes go from 0 to 255"}},
		{"a path out of the home folder", "[[fixers.command]]\nname=\"a\"\ncommand=[\"b\"]\nhome=[\"../x\"]\n",
			Error{Line: 4, Column: 1, Key: "fixers.command[0].home", Message: `"../x" is not inside the repository`}},
		{"a command called chat", "[[fixers.command]]\nname=\"chat\"\ncommand=[\"b\"]\n", Error{Line: 2, Column: 1, Key: "fixers.command[0].name", Message: `"chat" is used twice`}},
		{"chat without a model", "[fixers.chat]\nurl = \"https://x/v1\"\n", Error{Line: 1, Column: 2, Key: "fixers.chat", Message: "has no model", Hint: "add model = …"}},
		{"chat without an address", "[fixers.chat]\nmodel = \"m\"\n", Error{Line: 1, Column: 2, Key: "fixers.chat", Message: "has no url", Hint: `add url = "https://…/v1"`}},
		{"no address", "[fixers.chat]\nmodel = \"m\"\nurl = \"api.example.com\"\n", Error{Line: 3, Column: 1, Key: "fixers.chat.url", Message: `"api.example.com" is not an address`}},
		{"a key in the clear", "[fixers.chat]\nmodel = \"m\"\nurl = \"http://api.example.com/v1\"\n",
			Error{Line: 3, Column: 1, Key: "fixers.chat.url", Message: `"http://api.example.com/v1" would send code and the key in the clear`, Hint: "write https://"}},
		{"a negative cost", "[fixers.chat]\nmax_cost = -1.0\n", Error{Line: 2, Column: 1, Key: "fixers.chat.max_cost", Message: "is -1", Hint: "an amount is 0 or more"}},
		{"size", "[sandbox]\nmemory = \"2 gigs\"\n", Error{Line: 2, Column: 1, Key: "sandbox.memory",
			Message: `"2 gigs" is not a size`, Hint: `write a size such as "512M" or "2G", or "" for no limit`}},
		{"utf-8", "[run]\n# \xff\n", Error{Line: 2, Message: "not valid UTF-8", Hint: "save the file as UTF-8"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("regreen.toml", []byte(tt.src))
			var got *Error
			if !errors.As(err, &got) {
				t.Fatalf("Parse(%q) = %v, want an *Error", tt.src, err)
			}
			tt.want.File = "regreen.toml"
			if tt.want.Hint == "" {
				tt.want.Hint = got.Hint
			}
			if d := cmp.Diff(tt.want, *got); d != "" {
				t.Errorf("Parse(%q) (-want +got):\n%s", tt.src, d)
			}
		})
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if got := Find(dir); got != "" {
		t.Errorf("Find(empty) = %q, want nothing", got)
	}
	if got, err := Load(""); err != nil || !cmp.Equal(got, Default()) {
		t.Errorf("Load(\"\") = %v, %v, want the defaults", got, err)
	}
	path := filepath.Join(dir, Name)
	if _, err := Load(path); !errors.As(err, new(*Error)) {
		t.Errorf("Load(missing) = %v, want an *Error", err)
	}
	if err := os.WriteFile(path, []byte("\ufeff[run]\r\nfull_timeout = \"7s\"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := Find(dir); got != path {
		t.Errorf("Find = %q, want %q", got, path)
	}
	cfg, err := Load(path)
	if err != nil || cfg.Run.FullTimeout.Std() != 7*time.Second {
		t.Errorf("Load = %v, %v, want 7s", cfg.Run.FullTimeout, err)
	}
}

func TestParseSize(t *testing.T) {
	for s, want := range map[string]int64{"": 0, "10": 10, "512M": 512 << 20, "2G": 2 << 30, "2GiB": 2 << 30, "1KB": 1024} {
		if got, err := ParseSize(s); got != want || err != nil {
			t.Errorf("ParseSize(%q) = %v, %v, want %v", s, got, err, want)
		}
	}
	for _, s := range []string{"x", "-1", "0", "2X", "9999999999G", "M", "2KM"} {
		if got, err := ParseSize(s); err == nil {
			t.Errorf("ParseSize(%q) = %v, want an error", s, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("[cycle]\nbudget = \"1s\"\n[[project]]\nroot='a'\nframework = \"\"\"jest\"\"\"\n"))
	f.Add([]byte("a.\"b.c\" = [{x=1}, {y=[2,3]}] # c\n[d.'e']\n"))
	f.Add([]byte("[[a"))
	f.Fuzz(func(t *testing.T, src []byte) {
		positions(string(src))
		if _, err := Parse("regreen.toml", src); err != nil && !errors.As(err, new(*Error)) {
			t.Errorf("Parse(%q) = %v, want an *Error", src, err)
		}
	})
}
