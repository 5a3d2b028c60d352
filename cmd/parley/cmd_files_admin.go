package main

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/spf13/cobra"

	"parley"
)

type filesCommand struct{}

func (f filesCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.ListFilesResult]{
		op:    "list_files",
		use:   "files",
		short: "List stored files and the space they take, and delete them",
		example: `  parley files
  parley files --limit 1000 --json`,
		args:  cobra.ArbitraryArgs,
		flags: []string{"limit"},
		print: f.print,
	}.declare(c)

	cmd.Args = noSuchCommand
	cmd.AddCommand(commands{removeFilesCommand(), pruneFilesCommand{}}.declare(c)...)

	return cmd
}

func removeFilesCommand() operation[parley.RemoveFilesResult] {
	return operation[parley.RemoveFilesResult]{
		op:      "remove_files",
		use:     "rm ID…",
		short:   "Delete files, with their recipients' copies",
		example: "  parley files rm 5f0c21aa",
		args:    cobra.MinimumNArgs(1),
		print:   printRemoved,
		fill:    func(args []string, to url.Values) error { to["file_ids"] = args; return nil },
	}
}

type pruneFilesCommand struct{}

func (pruneFilesCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.RemoveFilesResult]{
		op:      "remove_files",
		use:     "prune --older-than DAYS",
		short:   "Delete files older than so many days, and their copies",
		example: "  parley files prune --older-than 30",
		args:    cobra.NoArgs,
		flags:   []string{"older_than_days=older-than"},
		print:   printRemoved,
	}.declare(c)

	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !cmd.Flags().Changed("older-than") {
			return misused(cmd, errors.New("parley files prune takes --older-than DAYS"))
		}
		return nil
	}

	return cmd
}

func printRemoved(o *output, res *parley.RemoveFilesResult) error {
	var bytes int64
	for _, f := range res.Removed {
		bytes += f.Size
	}
	return o.printLine(fmt.Sprintf("%s (%s).", res.Message, size(bytes)))
}

func (filesCommand) print(o *output, res *parley.ListFilesResult) error {
	if res.TotalCount == 0 {
		return o.printLine("No files are stored.")
	}

	t := table{fits: []fit{whole, inner, whole, prose, whole, spare, whole}}
	for _, f := range res.Files {
		t.add(parley.Short(f.ID), o.paint(bold, f.Name), size(f.Size), "from "+f.Sender,
			f.CreatedAt.Local().Format(time.DateTime), "sha256 "+f.SHA256[:12]+"…", count(f.Messages, "message"))
	}

	t.print(o)

	return o.printLine(fmt.Sprintf("%s, %s; their recipients' copies %s; %s free.", count(res.TotalCount, "file"),
		size(res.ContentBytes), size(res.CopyBytes), size(res.FreeBytes)))
}
