package cli

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"regreen/cycle"
	"regreen/internal/config"
)

type runFlags struct {
	all, noMerge, update bool
	base                 string
	target               float64
	iterations           int
	timeout              time.Duration
}

func (a *app) runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run [FILE...]",
		Short: "Run the affected tests, repair what broke, and merge the proved repair",
		Long: `Run the tests that the modified files can affect and, where they fail for a
mechanical reason, repair it. Without FILE the modified files are those that
differ from the last commit, untracked ones included. A repair is written into
your files only when the tests prove it; regreen undo takes it back.`,
		Example: "  regreen run\n  regreen run src/cart.ts\n  regreen run --all --no-merge --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			r, err := a.open(ctx)
			if err != nil {
				return err
			}
			if err := f.override(cmd, &r.Config); err != nil {
				return err
			}
			files, err := a.files(r, args)
			if err != nil {
				return err
			}
			return a.run(ctx, r, RunOptions{Files: files, All: f.all, NoMerge: f.noMerge})
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.all, "all", false, "run the whole suite, not only the affected tests")
	fl.StringVar(&f.base, "base", "", "modified files are those that differ from this revision")
	fl.BoolVar(&f.noMerge, "no-merge", false, "keep a proved repair as a proposal, write nothing")
	fl.BoolVar(&f.update, "update-assertions", false, "rewrite expected literals and snapshots to what was received, where that is sound")
	fl.Float64Var(&f.target, "target", 0, "the pass rate in percent that a result needs")
	fl.IntVar(&f.iterations, "max-iterations", 0, "the most rounds of repair")
	fl.DurationVar(&f.timeout, "timeout", 0, `the wall clock of the whole cycle, such as "5m"`)
	return cmd
}

// override lets flags win over the file.
func (f runFlags) override(cmd *cobra.Command, c *config.Config) error {
	set := cmd.Flags().Changed
	if set("target") {
		if math.IsNaN(f.target) || f.target < 0 || f.target > 100 {
			return usage("percent go from 0 to 100", "--target is %v", f.target)
		}
		c.Cycle.TargetPassRate = f.target
	}
	if set("max-iterations") {
		if f.iterations < 1 {
			return usage("the smallest valid value is 1", "--max-iterations is %d", f.iterations)
		}
		c.Cycle.MaxIterations = f.iterations
	}
	if set("timeout") {
		if f.timeout <= 0 {
			return usage(`write a duration such as "90s" or "5m"`, "--timeout is %s", f.timeout)
		}
		c.Cycle.Budget = config.Duration(f.timeout)
	}
	if set("base") {
		if f.base == "" {
			return usage("give a commit, branch or tag", "--base is empty")
		}
		c.Affected.Base = f.base
	}
	if f.update {
		c.Fixers.UpdateAssertions = true
	}
	return nil
}

// files makes arguments rel to the repository. A file that was deleted is a
// valid argument, so it need not be there; one outside the repository is not.
func (a *app) files(r Repo, args []string) ([]string, error) {
	root := resolved(r.Root)
	var out []string
	for _, arg := range args {
		if arg == "" {
			return nil, usage("give files of "+r.Root, "an argument is empty")
		}
		rel, err := filepath.Rel(root, resolved(a.abs(arg)))
		if err != nil || !filepath.IsLocal(rel) {
			return nil, usage("give files of "+r.Root, "%s is not a file of the repository", arg)
		}
		out = append(out, filepath.ToSlash(rel))
	}
	return out, nil
}

// resolved follows links as far as the path exists, but not the last element:
// a link in the repository is a file of its own.
func resolved(path string) string {
	dir, base := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return path
	}
	if fi, err := os.Stat(path); err == nil && fi.IsDir() {
		if p, err := filepath.EvalSymlinks(path); err == nil {
			return p
		}
	}
	if p, err := filepath.EvalSymlinks(dir); err == nil {
		return filepath.Join(p, base)
	}
	return filepath.Join(resolved(dir), base)
}

func (a *app) run(ctx context.Context, r Repo, o RunOptions) error {
	live := newLive(a.screen(a.stderr), a.flags.quiet, a.flags.verbose)
	d, err := a.deps.RunCycle(ctx, r, o, live.event)
	live.end()
	if err != nil && d != nil && len(d.Merged) > 0 {
		// The user must learn what was written, whatever came after it.
		d.Warnings, err = append(d.Warnings, err.Error()), nil
	}
	if err != nil && d != nil && len(d.Proposals) > 0 {
		// So that it can be applied once the trouble is over.
		p := problemOf(ctx, err)
		d.Error, d.Reason = p.json(), p.Message
		a.show(d)
		p.report(a.stderr)
		a.exit = p.Exit
		return nil
	}
	if err != nil {
		return err
	}
	if d == nil {
		return fmt.Errorf("the cycle gave no result")
	}
	a.show(d)
	if d.Error != nil {
		p := Problem{Message: d.Error.Message, Hint: d.Error.Hint}
		p.report(a.stderr)
	}
	a.exit = exitOf(ctx, d)
	return nil
}

// show prints a cycle's document in the form that was asked for.
func (a *app) show(d *cycle.Document) {
	if a.flags.json {
		a.printJSON(normal(*d))
		return
	}
	printResult(a.screen(a.stdout), d)
}

// retell shows a cycle of the past: what it came to, after how it came there.
func (a *app) retell(d *cycle.Document) {
	if a.flags.json {
		a.show(d)
		return
	}
	p := &printer{screen: a.screen(a.stdout)}
	p.rounds(d)
	p.result(d)
}
