package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"regreen/cycle"
	"regreen/internal/config"
	"regreen/internal/runner"
)

func (a *app) initCommand() *cobra.Command {
	var only bool
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write a regreen.toml that says what was detected",
		Long: `Write a regreen.toml at the repository's root. Everything is detected and has a
default, so the file holds nothing but comments until you set something. A file
that is there is never overwritten.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return a.init(cmd.Context(), only) },
	}
	cmd.Flags().BoolVar(&only, "print", false, "print the file instead of writing it")
	return cmd
}

func (a *app) init(ctx context.Context, only bool) error {
	// A broken file that is there must not keep init from saying so itself.
	root, err := a.deps.Root(ctx, a.dir, a.environ)
	if err != nil {
		return err
	}
	r := Repo{Root: root, Dir: a.dir, Environ: a.environ, Config: config.Default(), Log: a.logger()}
	path := filepath.Join(root, config.Name)
	if _, err := os.Lstat(path); err == nil && !only {
		return usage("regreen init --print shows what would be written", "%s is there already", path)
	}
	found, err := a.deps.Detect(ctx, r)
	if err != nil {
		return err
	}
	text := initText(found) + everyKey(a.deps.Example)
	if _, err := config.Parse(path, []byte(text)); err != nil {
		return fmt.Errorf("check what is to be written: %w", err)
	}
	if !only {
		if err := writeNew(path, text); err != nil {
			return err
		}
	}
	if a.flags.json {
		a.printJSON(struct {
			Schema  int            `json:"schema"`
			Path    string         `json:"path"`
			Written bool           `json:"written"`
			Text    string         `json:"text"`
			Error   *cycle.Problem `json:"error"`
		}{cycle.Schema, path, !only, text, nil})
		return nil
	}
	if only {
		fmt.Fprint(a.stdout, text)
		return nil
	}
	next := "regreen run"
	if len(found) == 0 {
		next = "no test framework was detected; name it there in [[project]], then regreen doctor"
	}
	fmt.Fprintf(a.stdout, "wrote %s\nnext: %s\n", path, next)
	return nil
}

// writeNew writes a file that must not be there yet.
func writeNew(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return usage("regreen init --print shows what would be written", "%s is there already", path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	if _, err := f.WriteString(text); err != nil {
		_ = f.Close()
		return fmt.Errorf("write %s: %w", path, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// initText is the file: what was detected, in comments that can be made
// settings by taking the marks away.
func initText(found []runner.Candidate) string {
	var b strings.Builder
	b.WriteString(`# regreen.toml: settings of regreen for this repository.
# Everything that is not set here is detected or has its default.

# [cycle]
# merge = "propose"     # keep repairs for "regreen apply" instead of writing them
# full_suite = "auto"   # run the whole suite before a merge: always, auto, never

`)
	if len(found) == 0 {
		fmt.Fprintf(&b, "# No test framework was detected. Set it by hand: one of %s.\n", strings.Join(config.Frameworks(), ", "))
		b.WriteString("# [[project]]\n# root = \".\"\n# framework = \"vitest\"\n")
		return b.String()
	}
	b.WriteString("# Detected. Take the marks away to set a project by hand instead.\n")
	type place struct{ root, framework string }
	set := map[place]bool{} // one setting stands for all scripts of a framework in a folder
	for _, c := range found {
		p := c.Project
		about := oneLine(strings.TrimSpace(p.Framework + " " + p.Version))
		if from := source(p); from != "" {
			about += ", from " + from
		}
		if c.Problem != "" {
			about += "; " + oneLine(c.Problem)
		}
		fmt.Fprintf(&b, "#\n# %s\n", about)
		if at := (place{p.Root, p.Framework}); !set[at] {
			set[at] = true
			fmt.Fprintf(&b, "# [[project]]\n# root = %q\n# framework = %q\n", p.Root, p.Framework)
		}
	}
	return b.String()
}

// everyKey is the example with every setting made a comment: "#key = …", while
// "# " goes before what is said of it.
func everyKey(example string) string {
	_, example, ok := strings.Cut(example, "\n\n") // without what it says of itself
	if !ok {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n# Every key with its default. Take the mark away to set one, and that of the\n# table in [brackets] above it.\n\n")
	for line := range strings.Lines(example) {
		if strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "#") {
			b.WriteByte('#')
		}
		b.WriteString(line)
	}
	return b.String()
}

// source says where a project was found, and what the script there adds, which
// tells two scripts of one framework apart.
func source(p runner.Project) string {
	if p.Source == "" || len(p.Args) == 0 {
		return oneLine(p.Source)
	}
	return cut(oneLine(p.Source+": "+strings.Join(p.Args, " ")), 120)
}
