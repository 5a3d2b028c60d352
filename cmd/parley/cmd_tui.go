package main

import (
	"github.com/spf13/cobra"
)

// tuiCommand opens the screen.
type tuiCommand struct{ link screenLink }

func (t *tuiCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tui",
		Short: "Open the screen (parley without a command does the same)",
		Example: `  parley tui
  parley tui --screen needs
  parley tui --message 5f0c0007
  parley tui --plain    # in words, for a screen reader`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return screens{c}.open(cmd.Context(), t.link) },
	}
	t.link.flags(cmd)
	return cmd
}
