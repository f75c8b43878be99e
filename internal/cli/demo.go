package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"regreen/internal/proc"
)

// demoFiles are small shops, one in JavaScript and one in Python.
//
//go:embed all:demo
var demoFiles embed.FS

// demoKit is one way to get a project with a test framework.
type demoKit struct {
	name     string
	files    string // folder of demo/
	manifest string // package.json
	needs    []string
	install  [][]string
	// moved and broken are what the demo does to the project.
	from, to       string
	file, old, new string
}

func demoKits() []demoKit {
	js := func(name, version, script, files, kind string) demoKit {
		return demoKit{name: name, files: files,
			manifest: fmt.Sprintf(`{
  "name": "regreen-demo",
  "private": true,
  "type": %q,
  "scripts": { "test": %q },
  "devDependencies": { %q: %q }
}
`, kind, script, name, version),
			needs:   []string{"node", "npm"},
			install: [][]string{{"npm", "install", "--no-audit", "--no-fund", "--loglevel=error"}},
			from:    "src/money.js", to: "src/lib/money.js",
			file: "src/cart.js", old: "price * count", new: "price * cuont"}
	}
	return []demoKit{
		js("vitest", "^3.2.0", "vitest run", "esm", "module"),
		js("mocha", "^11.0.0", "mocha test", "esm", "module"),
		js("jest", "^30.0.0", "jest", "cjs", "commonjs"), // jest runs ES modules only with a flag
		{name: "pytest", files: "py", needs: []string{"python3"},
			install: [][]string{{"python3", "-m", "venv", ".venv"}, {".venv/bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest"}},
			from:    "shop/money.py", to: "shop/lib/money.py",
			file: "shop/cart.py", old: "price * count", new: "price * cuont"},
	}
}

func (a *app) demoCommand() *cobra.Command {
	var keep bool
	var with string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Break and repair a small real project in a temporary folder",
		Long: `Make a small project in a temporary folder, install a test framework there
(vitest, mocha, jest or pytest: the first that works), move a module that two
others import, misspell a name, and let regreen repair it. Nothing outside the
temporary folder is touched; it needs the network once.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.flags.json {
				return usage("regreen run --json prints a result for scripts", "demo has no --json")
			}
			return a.demo(cmd.Context(), with, keep)
		},
	}
	cmd.Flags().BoolVar(&keep, "keep", false, "leave the project there to play with")
	cmd.Flags().StringVar(&with, "framework", "", "use this framework only: vitest, mocha, jest or pytest")
	return cmd
}

func (a *app) demo(ctx context.Context, framework string, keep bool) (err error) {
	kits := demoKits()
	if framework != "" {
		var one []demoKit
		for _, k := range kits {
			if k.name == framework {
				one = append(one, k)
			}
		}
		if kits = one; len(kits) == 0 {
			return usage("frameworks: vitest, mocha, jest, pytest", "unknown framework %q", framework)
		}
	}
	base, err := os.MkdirTemp(env(a.environ, "TMPDIR"), "regreen-demo-")
	if err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	// Its state goes with it.
	d := &demo{app: a, dir: filepath.Join(base, "shop"), state: "XDG_STATE_HOME=" + filepath.Join(base, "state"), limit: 5 * time.Minute}
	defer func() {
		if keep || err != nil {
			d.say("the project is in %s; regreen's state for it: %s", d.dir, d.state)
			return
		}
		err = os.RemoveAll(base)
	}()
	kit, err := d.prepare(ctx, kits)
	if err != nil {
		return err
	}
	return d.play(ctx, kit)
}

// demo is one demonstration.
type demo struct {
	*app
	dir   string
	state string        // the setting of a private state folder
	limit time.Duration // of one command that installs
}

func (d *demo) say(format string, args ...any) {
	fmt.Fprintf(d.stdout, "%s\n", d.screen(d.stdout).paint(dim, "# "+fmt.Sprintf(format, args...)))
}

// prepare makes the project with the first framework that can be installed.
func (d *demo) prepare(ctx context.Context, kits []demoKit) (demoKit, error) {
	var tried []string
	for _, k := range kits {
		err := d.install(ctx, k)
		if err == nil {
			return k, d.git(ctx)
		}
		if ctx.Err() != nil {
			return k, ctx.Err()
		}
		d.say("%s: %s", k.name, oneLine(err.Error()))
		tried = append(tried, k.name)
		if err := os.RemoveAll(d.dir); err != nil {
			return k, fmt.Errorf("clear the demo's folder: %w", err)
		}
	}
	return demoKit{}, &Problem{Code: "environment", Exit: ExitEnvironment,
		Message: "none of " + strings.Join(tried, ", ") + " could be installed for the demo",
		Hint:    "install node and npm, or python3 with venv and pip, and have a network"}
}

func (d *demo) install(ctx context.Context, k demoKit) error {
	for _, n := range k.needs {
		if _, err := lookPath(d.environ, n); err != nil {
			return err
		}
	}
	d.say("making a project that uses %s", k.name)
	if err := copyDemo(path.Join("demo", k.files), d.dir, k.name); err != nil {
		return err
	}
	if k.manifest != "" {
		if err := os.WriteFile(filepath.Join(d.dir, "package.json"), []byte(k.manifest), 0o666); err != nil {
			return err
		}
	}
	for _, argv := range k.install {
		d.say("%s, which takes a while", strings.Join(argv[:min(len(argv), 4)], " "))
		limited, cancel := context.WithTimeout(ctx, d.limit)
		err := d.exec(limited, false, argv...)
		late := limited.Err() != nil && ctx.Err() == nil
		cancel()
		if late {
			return fmt.Errorf("%s did not end within %s", strings.Join(argv, " "), span(d.limit.Milliseconds()))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copyDemo writes the embedded project; {{framework}} in a file becomes the
// import that the framework's tests need.
func copyDemo(from, to, framework string) error {
	imports := map[string]string{
		"vitest": "import assert from 'node:assert/strict';\nimport { describe, it } from 'vitest';\n",
		"mocha":  "import assert from 'node:assert/strict';\n",
	}
	return fs.WalkDir(demoFiles, from, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, from), "/")
		rel = strings.TrimSuffix(strings.ReplaceAll(rel, "dot-", "."), ".txt")
		target := filepath.Join(to, filepath.FromSlash(rel))
		if e.IsDir() {
			return os.MkdirAll(target, 0o777)
		}
		src, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(src), "{{framework}}\n", imports[framework])
		return os.WriteFile(target, []byte(text), 0o666)
	})
}

func (d *demo) git(ctx context.Context) error {
	for _, argv := range [][]string{
		{"git", "init", "--quiet"},
		{"git", "add", "--all"},
		{"git", "-c", "user.name=demo", "-c", "user.email=demo@example.invalid", "-c", "commit.gpgsign=false",
			"commit", "--quiet", "--no-verify", "-m", "a small shop"},
	} {
		if err := d.exec(ctx, false, argv...); err != nil {
			return err
		}
	}
	return nil
}

// play breaks the project and shows what regreen does about it.
func (d *demo) play(ctx context.Context, k demoKit) error {
	d.say("its tests pass and are committed; now move a module that two others import …")
	d.prompt("mv " + k.from + " " + k.to)
	to := filepath.Join(d.dir, filepath.FromSlash(k.to))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := os.Rename(filepath.Join(d.dir, filepath.FromSlash(k.from)), to); err != nil {
		return err
	}
	d.say("… and misspell a name in %s", k.file)
	d.prompt(fmt.Sprintf("sed -i 's/%s/%s/' %s", k.old, k.new, k.file))
	file := filepath.Join(d.dir, filepath.FromSlash(k.file))
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !strings.Contains(string(src), k.old) {
		return fmt.Errorf("the demo's %s has no %q", k.file, k.old)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(src), k.old, k.new, 1)), 0o666); err != nil {
		return err
	}
	if err := d.regreen(ctx, "run"); err != nil {
		return err
	}
	d.say("what git says is left of it: the move, and importers that follow it")
	if err := d.exec(ctx, true, "git", "--no-pager", "diff"); err != nil {
		return err
	}
	d.say("a merge can always be taken back")
	if err := d.regreen(ctx, "undo"); err != nil {
		return err
	}
	return d.exec(ctx, true, "git", "--no-pager", "diff", "--stat")
}

func (d *demo) prompt(line string) {
	fmt.Fprintf(d.stdout, "%s\n", d.screen(d.stdout).paint(bold, "$ "+line))
}

// regreen runs a command of this very program in the project.
func (d *demo) regreen(ctx context.Context, args ...string) error {
	d.prompt("regreen " + strings.Join(args, " "))
	argv := append([]string{"--color", d.flags.color}, args...)
	code := RunWith(ctx, d.deps, argv, d.stdin, d.stdout, d.stderr, append(slices.Clone(d.environ), d.state), d.dir)
	if err := ctx.Err(); err != nil {
		return err
	}
	if code != ExitOK {
		return &Problem{Code: "demo", Exit: code, Message: fmt.Sprintf("regreen %s ended with %d in the demo", strings.Join(args, " "), code),
			Hint: "regreen doctor, run in the demo's project, says what is missing"}
	}
	return nil
}

// exec runs a program in the project; its output is shown, or told when it
// fails.
func (d *demo) exec(ctx context.Context, show bool, argv ...string) error {
	prog := filepath.Join(d.dir, argv[0])
	if !strings.Contains(argv[0], "/") {
		var err error
		if prog, err = lookPath(d.environ, argv[0]); err != nil {
			return err
		}
	}
	out := proc.NewTail(64 << 10)
	cmd := proc.Cmd{Path: prog, Args: argv[1:], Dir: d.dir, Env: d.environ, Stdout: out, Stderr: out}
	if show {
		d.prompt(strings.Join(argv, " "))
		cmd.Stdout = d.stdout
		if d.screen(d.stdout).colour && argv[0] == "git" {
			cmd.Args = append([]string{"-c", "color.ui=always"}, cmd.Args...)
		}
	}
	ex, err := proc.Local{}.Run(ctx, cmd)
	if err != nil {
		return err
	}
	if ex.Code != 0 {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return errors.New(strings.Join(argv, " ") + ": " + cut(lines[len(lines)-1], 200))
	}
	return nil
}
