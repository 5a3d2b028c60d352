package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"parley/internal/daemon"
)

type moveDatabaseCommand struct{}

func (m moveDatabaseCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "move-database server|file",
		Short: "Move the database to a PostgreSQL server, or back into a file",
		Long: `Copies all that the workspace's database holds to the PostgreSQL database that the setting
database names, or from there back into a file in .parley. The daemon must not run;
agents may. When it is interrupted, nothing was moved: run it again. What was moved
stays where it was, and parley refuses to use it from then on.`,
		Example:   "  parley down --keep-agents\n  parley move-database server",
		Args:      usage(cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs)),
		ValidArgs: []string{"server", "file"},
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.run(cmd.Context(), c.out, args[0] == "server")
		},
	}
}

func (moveDatabaseCommand) run(ctx context.Context, o *output, toServer bool) error {
	at, err := o.at.place()
	if err != nil {
		return err
	}

	done, err := daemon.MoveDatabase(ctx, at, o.at.env, toServer, func(table string, rows int64) {
		if !o.json && rows > 0 {
			_ = o.printLine(fmt.Sprintf("%-18s %d", table, rows)) // the end tells of what cannot be written
		}
	})
	if err != nil {
		return err
	}

	if o.json {
		return o.printJSON(map[string]int64{"rows": done.Rows, "messages": done.Messages})
	}
	return o.printLine(movedWords(toServer, done.Messages))
}

// movedWords says what a move did, and what comes next.
func movedWords(toServer bool, messages int64) string {
	moved := count(int(messages), "message")
	text := fmt.Sprintf("Moved: %s, and all that belongs to them. ", moved)
	if toServer {
		return text + "The next command starts the daemon on the server."
	}
	return text + "Take the setting database out now; the next command starts the daemon on the file."
}
