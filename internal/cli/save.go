package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"regreen/cycle"
	"regreen/internal/daemon"
)

func (a *app) saveCommand() *cobra.Command {
	var wait bool
	cmd := &cobra.Command{
		Use:   "save FILE...",
		Short: "Tell the daemon of a save, from an editor's save hook",
		Long: `Tell the daemon that files were saved, and return at once; without a daemon
nothing happens. With --wait the verdict is waited for and printed as
file:line:column: severity: message [kind], and without a daemon one cycle runs
here.`,
		Example: "  regreen save src/cart.ts\n  regreen save --wait src/cart.ts",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.save(cmd.Context(), args, wait)
		},
	}
	cmd.Flags().BoolVar(&wait, "wait", false, "wait for the verdict")
	return cmd
}

// hookTime bounds a save hook that does not wait: an editor hangs as long.
const hookTime = 2 * time.Second

func (a *app) save(ctx context.Context, args []string, wait bool) error {
	c, root, err := a.client()
	if err != nil {
		return err
	}
	defer c.Close()
	files, err := a.files(Repo{Root: root}, args)
	if err != nil {
		return err
	}
	if !wait {
		ctx, cancel := context.WithTimeout(ctx, hookTime)
		defer cancel()
		if _, err := c.Save(ctx, files, false); err != nil && !noDaemon(err) {
			return err
		}
		return nil
	}
	doc, err := c.Save(ctx, files, true)
	if noDaemon(err) {
		var r Repo
		if r, err = a.open(ctx); err == nil {
			doc, err = a.deps.RunCycle(ctx, r, RunOptions{Files: files}, nil)
		}
	}
	if err != nil {
		return err
	}
	if doc == nil {
		return fmt.Errorf("the cycle gave no result")
	}
	if a.flags.json {
		a.printJSON(normal(*doc))
	} else {
		p := &printer{screen: a.screen(a.stdout)}
		for _, r := range doc.Remaining {
			p.line("%s", problemLine(r, func(rel string) string { return a.fromHere(root, rel) }))
		}
	}
	a.exit = exitOf(ctx, doc)
	return nil
}

// fromHere is a file of the repository as seen from the working folder, which
// is what an editor reads places against.
func (a *app) fromHere(root, rel string) string {
	here, err := filepath.EvalSymlinks(a.dir)
	if err != nil {
		return rel
	}
	if p, err := filepath.Rel(here, filepath.Join(root, filepath.FromSlash(rel))); err == nil {
		return p
	}
	return rel
}

// problemLine is a failure in the form that problem matchers, errorformat and
// compilation-mode read.
func problemLine(r cycle.Remaining, path func(string) string) string {
	file, line, column := r.File, r.Line, r.Column
	if file == "" {
		file, line, column = r.Test.File, 1, 1
	}
	if file == "" {
		file = "regreen"
	} else {
		file = path(file)
	}
	return fmt.Sprintf("%s:%d:%d: error: %s [%s]", oneLine(file), max(line, 1), max(column, 1), headline(r.Message, r.Symbol), r.Kind)
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Say what the daemon is doing and what fails",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, root, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			s, err := c.Status(cmd.Context())
			if noDaemon(err) {
				s, err = a.stoppedStatus(cmd.Context(), root)
			}
			if err != nil {
				return err
			}
			if a.flags.json {
				s.Failing, s.Proposals = remainingList(s.Failing), list(s.Proposals)
				a.printJSON(s)
				return nil
			}
			printStatus(a.screen(a.stdout), s)
			return nil
		},
	}
}

// stopped is the state when nobody watches.
const stopped daemon.State = "stopped"

// stoppedStatus is what the history knows.
func (a *app) stoppedStatus(ctx context.Context, root string) (daemon.Status, error) {
	s := daemon.Status{Schema: cycle.Schema, State: stopped}
	r := Repo{Root: root, Dir: a.dir, Environ: a.environ, Log: a.logger()}
	entries, err := a.deps.Log(ctx, r)
	if err != nil || len(entries) == 0 {
		return s, err
	}
	s.Outcome, s.Cycle, s.Undo = entries[0].Outcome, entries[0].ID, entries[0].Undo
	doc, err := a.deps.Show(ctx, r, s.Cycle)
	if err != nil {
		return s, err
	}
	s.Failing = doc.Remaining
	for _, p := range doc.Proposals {
		if p.ID != s.Undo { // else it is applied
			s.Proposals = append(s.Proposals, p.ID)
		}
	}
	return s, nil
}

func printStatus(sc screen, s daemon.Status) {
	p := &printer{screen: sc}
	line := string(s.State)
	if s.PID != 0 {
		line += fmt.Sprintf(" (process %d)", s.PID)
	}
	if s.Why != "" {
		line += ": " + oneLine(s.Why)
	}
	p.line("%s", line)
	if s.Outcome != "" {
		p.line("last cycle: %s %s", strings.ReplaceAll(string(s.Outcome), "_", " "), s.Cycle)
	}
	for _, r := range s.Failing {
		p.line("%s", problemLine(r, func(rel string) string { return rel }))
	}
	for _, id := range s.Proposals {
		p.line("apply: regreen apply %s", id)
	}
	if s.Undo != "" {
		p.line("undo: regreen undo %s", s.Undo)
	}
}

func (a *app) stopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "End the daemon that watches this repository",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := a.client()
			if err != nil {
				return err
			}
			defer c.Close()
			err = c.Stop(cmd.Context())
			if noDaemon(err) {
				if !a.flags.quiet {
					fmt.Fprintln(a.stderr, "regreen: nobody watches this repository")
				}
				err = nil
			}
			if err == nil && a.flags.json {
				a.printJSON(struct {
					Schema int            `json:"schema"`
					Error  *cycle.Problem `json:"error"`
				}{Schema: cycle.Schema})
			}
			return err
		},
	}
}
