package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lmittmann/tint"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"regreen/internal/config"
)

// Run runs one command line and gives the exit code. dir is the working
// folder, example a regreen.toml that shows every key. When ctx is cancelled with a Stopped cause, the exit code is its.
func Run(ctx context.Context, example string, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string, dir string) int {
	deps := Wire()
	deps.Example = example
	return RunWith(ctx, deps, args, stdin, stdout, stderr, environ, dir)
}

// RunWith is Run with the work behind the commands given.
func RunWith(ctx context.Context, deps Deps, args []string, stdin io.Reader, stdout, stderr io.Writer, environ []string, dir string) int {
	out := &output{w: stdout}
	a := &app{deps: deps, stdin: stdin, stdout: out, stderr: stderr, environ: environ, dir: dir}
	root := a.root()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if lost := out.failed(); err == nil && lost != nil {
		err = fmt.Errorf("write the result to standard output: %w", lost)
	}
	if err == nil {
		return a.exit
	}
	p := problemOf(ctx, err)
	p.report(stderr)
	if wantsJSON(args) && !a.printed {
		a.printJSON(errorDocument(a.command, p))
	}
	return p.Exit
}

// wantsJSON looks for --json by itself, since a command line that does not
// parse has no flags yet.
func wantsJSON(args []string) bool {
	if i := slices.Index(args, "--"); i >= 0 {
		args = args[:i]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// app is one invocation.
type app struct {
	deps           Deps
	stdin          io.Reader
	stdout, stderr io.Writer
	environ        []string
	dir            string

	flags   globals
	command string // the command's name, once it is known
	exit    int    // of a command that ended without an error
	printed bool   // a JSON document is out
}

type globals struct {
	json    bool
	color   string
	quiet   bool
	verbose bool
	dir     string
	config  string
	version bool
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "regreen",
		Short: "Turn red tests green again while you code",
		Long: `regreen runs the tests that your changes can affect (jest, vitest, mocha or
pytest), in a private copy of the working tree. Where they fail for a mechanical
reason it finds the repair, proves it by running the tests, and only then writes
it into your files. Every merge can be undone.`,
		Example: `  regreen demo     see it work in a temporary folder
  regreen run      in a project of your own: what is modified, and its tests
  regreen watch    the same after each save`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			var names []string
			for _, c := range cmd.Commands() {
				if !c.Hidden {
					names = append(names, c.Name())
				}
			}
			hint := "commands: " + strings.Join(names, ", ")
			if near, ok := config.Nearest(args[0], names); ok {
				hint = "did you mean regreen " + near + "?"
			}
			return usage(hint, "unknown command %q", args[0])
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if a.flags.version {
				return a.version()
			}
			if a.flags.json {
				return usage("regreen --help lists the commands", "no command was given")
			}
			return cmd.Help()
		},
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			a.command = cmd.Name()
			return a.prepare()
		},
	}
	root.CompletionOptions.DisableDefaultCmd = true
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	f := root.PersistentFlags()
	f.BoolVar(&a.flags.json, "json", false, "print one JSON object instead of text")
	f.StringVar(&a.flags.color, "color", "auto", "colour: auto, always or never")
	f.BoolVarP(&a.flags.quiet, "quiet", "q", false, "say nothing while working")
	f.BoolVarP(&a.flags.verbose, "verbose", "v", false, "log what is done and why")
	f.StringVarP(&a.flags.dir, "directory", "C", "", "work in this folder")
	f.StringVar(&a.flags.config, "config", "", "configuration file (default regreen.toml at the repository's root)")
	root.Flags().BoolVar(&a.flags.version, "version", false, "print the version")
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(&cobra.Command{Use: "help [COMMAND]", Short: "Help about a command", Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, rest, err := root.Find(args)
			if err != nil || c == nil || len(rest) > 0 {
				return usage("regreen --help lists the commands", "unknown command %q", strings.Join(args, " "))
			}
			return c.Help()
		}})
	root.AddCommand(a.watchCommand(), a.runCommand(), a.saveCommand(), a.affectedCommand(), a.statusCommand(), a.stopCommand(), a.logCommand(), a.showCommand(), a.applyCommand(),
		a.undoCommand(), a.initCommand(), a.hookCommand(), a.doctorCommand(), a.demoCommand(), a.completionCommand(), a.versionCommand())
	for _, c := range root.Commands() {
		if c.Args == nil {
			c.Args = cobra.ArbitraryArgs
		}
		c.Args = usageArgs(c.Args)
	}
	return root
}

// usageArgs makes a wrong number of arguments a usage problem.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		err := check(cmd, args)
		var p *Problem
		if err == nil || errors.As(err, &p) {
			return err
		}
		return usage("usage: "+cmd.UseLine(), "%s: %s", cmd.Name(), err)
	}
}

// flagError names the nearest flag of the command.
func flagError(cmd *cobra.Command, err error) error {
	hint := "usage: " + cmd.UseLine() + "; " + cmd.CommandPath() + " --help lists the flags"
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, ok := config.Nearest(unknown.GetSpecifiedName(), names); ok {
			hint = "did you mean --" + near + "?"
		}
	}
	return &Problem{Code: "usage", Exit: ExitUsage, Message: err.Error(), Hint: hint, Err: err}
}

// prepare checks what the global flags say.
func (a *app) prepare() error {
	words := []string{"auto", "always", "never"}
	if !slices.Contains(words, a.flags.color) {
		return usage("valid values: "+strings.Join(words, ", "), "--color is %q", a.flags.color)
	}
	if a.flags.quiet && a.flags.verbose {
		return usage("give one of the two", "--quiet and --verbose contradict each other")
	}
	if a.flags.dir == "" {
		return nil
	}
	dir := a.abs(a.flags.dir)
	fi, err := os.Stat(dir)
	if err != nil || !fi.IsDir() {
		return usage("give a folder that is there", "-C %s: no such folder", a.flags.dir)
	}
	a.dir = dir
	return nil
}

// abs resolves a path of the command line.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.dir, path)
}

// open finds the repository and reads its configuration.
func (a *app) open(ctx context.Context) (Repo, error) {
	return a.openAt(ctx, a.dir)
}

// openAt is open for the repository that a folder is in.
func (a *app) openAt(ctx context.Context, dir string) (Repo, error) {
	r := Repo{Dir: dir, Environ: a.environ, Log: a.logger()}
	root, err := a.deps.Root(ctx, dir, a.environ)
	if err != nil {
		return r, err
	}
	r.Root = root
	r.ConfigPath = config.Find(root)
	if a.flags.config != "" {
		r.ConfigPath = a.abs(a.flags.config)
	}
	cfg, err := config.Load(r.ConfigPath)
	if err != nil {
		return r, a.shorten(err)
	}
	r.Config = cfg
	return r, nil
}

// shorten makes a configuration error's path one that is short to read and
// that an editor started in the working folder can jump to.
func (a *app) shorten(err error) error {
	var ce *config.Error
	if errors.As(err, &ce) {
		if rel, relErr := filepath.Rel(a.dir, ce.File); relErr == nil && filepath.IsLocal(rel) {
			ce.File = rel
		}
	}
	return err
}

func (a *app) logger() *slog.Logger {
	level := slog.LevelWarn
	if a.flags.verbose {
		level = slog.LevelDebug
	}
	if a.flags.quiet {
		level = slog.LevelError
	}
	return slog.New(tint.NewHandler(a.stderr, &tint.Options{
		Level: level, TimeFormat: "15:04:05.000", NoColor: !a.screen(a.stderr).colour}))
}
