package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"regreen/cycle"
)

func (a *app) affectedCommand() *cobra.Command {
	var why, list, all bool
	var base string
	cmd := &cobra.Command{
		Use:   "affected [FILE...]",
		Short: "Name the modified files and the tests that can see them",
		Example: "  regreen affected --why\n" +
			"  regreen affected --list --base main | xargs npx vitest run",
		RunE: func(cmd *cobra.Command, args []string) error {
			if list && (why || a.flags.json) {
				return usage("give one of them", "--list cannot be joined with --why or --json")
			}
			ctx := cmd.Context()
			r, err := a.open(ctx)
			if err != nil {
				return err
			}
			if cmd.Flags().Changed("base") {
				if base == "" {
					return usage("give a commit, branch or tag", "--base is empty")
				}
				r.Config.Affected.Base = base
			}
			files, err := a.files(r, args)
			if err != nil {
				return err
			}
			d, err := a.deps.Affected(ctx, r, AffectedOptions{Files: files, All: all})
			if err != nil {
				return err
			}
			switch {
			case a.flags.json:
				d.Schema = cycle.Schema
				d.ModifiedFiles = append([]string{}, d.ModifiedFiles...)
				d.AffectedTests = affectedList(d.AffectedTests)
				a.printJSON(d)
			case list:
				for _, t := range d.AffectedTests {
					fmt.Fprintln(a.stdout, t.File)
				}
			default:
				printAffected(a.screen(a.stdout), d, why)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&why, "why", false, "show for each test the chain that leads to a modified file")
	f.BoolVar(&list, "list", false, "print the tests' paths only, one a line")
	f.StringVar(&base, "base", "", "modified files are those that differ from this revision")
	f.BoolVar(&all, "all", false, "name every test")
	return cmd
}

func printAffected(s screen, d *AffectedDocument, why bool) {
	p := &printer{screen: s}
	if len(d.ModifiedFiles) > 0 {
		p.section("modified files")
		for _, f := range d.ModifiedFiles {
			p.line("  %s", printable(f))
		}
	}
	if len(d.AffectedTests) > 0 {
		p.section("affected tests")
		for _, t := range d.AffectedTests {
			p.line("  %s", printable(t.File))
			if why {
				for _, w := range t.Why {
					p.line("      %s", p.paint(dim, oneLine(w)))
				}
			}
		}
	}
	p.section("")
	text := count(len(d.ModifiedFiles), "modified file") + ", " + count(len(d.AffectedTests), "affected test file")
	if d.All {
		text += " (all)"
	}
	if d.Reason != nil && *d.Reason != "" {
		text += ": " + oneLine(*d.Reason)
	}
	p.line("%s", text)
}
