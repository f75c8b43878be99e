package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"regreen/cycle"
)

func (a *app) logCommand() *cobra.Command {
	var limit int
	cmd := &cobra.Command{
		Use:   "log",
		Short: "List the cycles that ran here, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			entries, err := a.deps.Log(cmd.Context(), r)
			if err != nil {
				return err
			}
			if limit > 0 && len(entries) > limit {
				entries = entries[:limit]
			}
			if a.flags.json {
				out := append([]LogEntry{}, entries...)
				for i := range out {
					out[i].Files, out[i].Fixes, out[i].Proposals = list(out[i].Files), list(out[i].Fixes), list(out[i].Proposals)
				}
				a.printJSON(struct {
					Schema int            `json:"schema"`
					Cycles []LogEntry     `json:"cycles"`
					Error  *cycle.Problem `json:"error"`
				}{cycle.Schema, out, nil})
				return nil
			}
			printLog(a.screen(a.stdout), entries)
			return nil
		},
	}
	cmd.Flags().IntVarP(&limit, "number", "n", 20, "show at most so many cycles; 0 shows all")
	return cmd
}

func printLog(s screen, entries []LogEntry) {
	p := &printer{screen: s}
	if len(entries) == 0 {
		p.line("no cycle ran here yet")
		return
	}
	for _, e := range entries {
		next := ""
		switch {
		case e.Undo != "":
			next = "  undo: regreen undo " + e.Undo
		case len(e.Proposals) > 0 && len(e.Fixes) == 0:
			next = "  apply: regreen apply " + e.Proposals[0]
		}
		p.line("%s  %s  %-9s %s, %s, %s%s", p.paint(bold, e.ID), e.Started.Local().Format(time.DateTime), strings.ReplaceAll(string(e.Outcome), "_", " "),
			count(len(e.Files), "file"), count(e.Tests, "test"), span(e.DurationMS), next)
		for i, f := range e.Fixes {
			if i == maxNames {
				p.line("    … %s", fmt.Sprintf("%d more", len(e.Fixes)-i))
				break
			}
			p.line("    %s %s", p.paint(green, "fixed:"), oneLine(f))
		}
	}
}

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show [ID]",
		Short: "Show the result of a cycle again; without ID of the last one",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.open(cmd.Context())
			if err != nil {
				return err
			}
			id, err := a.cycleID(cmd.Context(), r, args)
			if err != nil {
				return err
			}
			d, err := a.deps.Show(cmd.Context(), r, id)
			if err != nil {
				return err
			}
			a.retell(d)
			return nil
		},
	}
}

// cycleID is the cycle that is asked for, else the newest.
func (a *app) cycleID(ctx context.Context, r Repo, args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	entries, err := a.deps.Log(ctx, r)
	if err != nil {
		return "", err
	}
	if len(entries) == 0 {
		return "", usage("regreen run runs one", "no cycle ran here yet")
	}
	return entries[0].ID, nil
}

func (a *app) applyCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "apply [ID]",
		Short: "Write a proposal into your files; without ID the last one",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.change(cmd.Context(), "applied", args, a.deps.Apply)
		},
	}
}

func (a *app) undoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "undo [ID]",
		Short: "Take back a merge; without ID the last one",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.change(cmd.Context(), "undone", args, a.deps.Undo)
		},
	}
}

func (a *app) change(ctx context.Context, word string, args []string, do func(context.Context, Repo, string) (*Change, error)) error {
	r, err := a.open(ctx)
	if err != nil {
		return err
	}
	id := ""
	if len(args) > 0 {
		id = args[0]
	}
	c, err := do(ctx, r, id)
	if err != nil && c != nil && c.Status == Done {
		// It is written; what came after it does not change that.
		r.Log.Warn("not all was cleaned up", "err", err)
		err = nil
	}
	if err != nil {
		return err
	}
	switch c.Status {
	case Nothing:
		a.exit = ExitFailed
	case Refused:
		a.exit = ExitProposed
	}
	if a.flags.json {
		c.Schema = cycle.Schema
		c.Files = list(c.Files)
		a.printJSON(c)
		return nil
	}
	printChange(a.screen(a.stdout), word, c)
	return nil
}

func printChange(s screen, word string, c *Change) {
	p := &printer{screen: s}
	if c.Patch != "" {
		p.patch(c.Patch)
	}
	switch c.Status {
	case Done:
		p.line("%s %s: %s changed", p.paint(green, word), c.ID, count(len(c.Files), "file"))
		if c.Undo != "" {
			p.line("undo: regreen undo %s", c.Undo)
		}
	case Nothing:
		p.line("nothing to do%s", because(c.Reason))
	case Refused:
		p.line("%s: nothing was written%s", p.paint(red, "refused"), because(c.Reason))
	}
}
