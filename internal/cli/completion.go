package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"regreen/internal/config"
)

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cobra.Command{
		Use:       "completion SHELL",
		Short:     "Print completions for bash, zsh, fish or powershell",
		Example:   "  source <(regreen completion bash)\n  regreen completion fish > ~/.config/fish/completions/regreen.fish",
		ValidArgs: shells,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(shells, args[0]) {
				return nil
			}
			hint := "shells: " + strings.Join(shells, ", ")
			if len(args) != 1 {
				return usage(hint, "completion wants one shell")
			}
			if near, ok := config.Nearest(args[0], shells); ok {
				hint = "did you mean " + near + "?"
			}
			return usage(hint, "unknown shell %q", args[0])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.stdout, true)
			case "zsh":
				return root.GenZshCompletion(a.stdout)
			case "fish":
				return root.GenFishCompletion(a.stdout, true)
			}
			return root.GenPowerShellCompletionWithDesc(a.stdout)
		},
	}
}
