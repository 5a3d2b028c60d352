package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/export"
	"parley/plain"
)

// exportPage is the number of messages in one call.
const exportPage = 500

// exportCommand writes messages to a file.
type exportCommand struct {
	with, and, thread string
	since             timeFlag
	all, force        bool
	format, file      string
}

func (x *exportCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write messages to a file: Markdown or JSON Lines",
		Long: `Writes messages with every delivery, its states and their evidence: those between two
agents (--with, --and), a thread, or all.`,
		Example: `  parley export --with coder -o coder.md
  parley export --with planner --and coder --since 2h
  parley export --thread 1a2b3c4d --format markdown -o plan.md
  parley export --all -o team.jsonl`,
	}

	x.addFlags(cmd, completer{c})
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		req, format, err := x.read(cmd, c.out.json)
		if err != nil {
			return err
		}
		return x.run(cmd.Context(), c, req, format)
	}

	return cmd
}

func (x *exportCommand) addFlags(cmd *cobra.Command, c completer) {
	flags := cmd.Flags()
	flags.StringVar(&x.with, "with", "", "messages between this agent and another: name or id")
	flags.StringVar(&x.and, "and", "", "the other agent (default: you)")
	flags.StringVar(&x.thread, "thread", "", "this thread, by its id")
	flags.BoolVar(&x.all, "all", false, "every message of the workspace")
	flags.Var(&x.since, "since", "only since then: "+timeForms)
	flags.StringVar(&x.format, "format", "",
		"markdown or jsonl (default: by the file's extension, else markdown)")
	flags.StringVarP(&x.file, "output", "o", "",
		"file to write (default: standard output); a failed export leaves none")
	flags.BoolVar(&x.force, "force", false, "replace an existing file")

	formats := cobra.FixedCompletions(plain.Strings(export.Formats), cobra.ShellCompDirectiveNoFileComp)
	_ = cmd.RegisterFlagCompletionFunc("format", formats)
	_ = cmd.RegisterFlagCompletionFunc("with", c.completeAgents)
	_ = cmd.RegisterFlagCompletionFunc("and", c.completeAgents)
}

func (x *exportCommand) run(ctx context.Context, c *cli, req parley.ExportMessagesRequest, f export.Format) error {
	if x.file == "" || x.file == "-" {
		_, err := exporting{c}.write(ctx, req, f, c.out.out)
		return err
	}

	if !filepath.IsAbs(x.file) {
		x.file = filepath.Join(c.at.dir, x.file)
	}

	n, err := exporting{c}.writeFile(ctx, req, f, x.file, x.force)
	if err != nil {
		return err
	}

	if c.out.json {
		return c.out.printJSON(struct {
			parley.Answer
			Path     string `json:"path"`
			Messages int    `json:"messages"`
		}{parley.OK, x.file, n})
	}

	return c.out.printLine(count(n, "message") + " written to " + x.file)
}

// read turns the flags into a request and a format.
func (x *exportCommand) read(cmd *cobra.Command, wantsJSON bool) (parley.ExportMessagesRequest, export.Format, error) {
	req, format := parley.ExportMessagesRequest{ThreadID: x.thread, Limit: exportPage}, export.Format(x.format)
	given := 0
	for _, one := range []bool{x.with != "" || x.and != "", x.thread != "", x.all} {
		if one {
			given++
		}
	}

	switch {
	case given > 1:
		return req, "", misused(cmd, errors.New("give only one of --with, --thread and --all"))
	case given == 0:
		return req, "", misused(cmd, errors.New("say what to export: --with NAME, --thread ID, or --all"))
	case x.and != "" && x.with == "":
		return req, "", misused(cmd, errors.New("--and needs --with NAME"))
	case x.with != "" && x.and == "":
		req.Between = parley.Names{x.with, parley.OperatorName}
	case x.with != "":
		req.Between = parley.Names{x.with, x.and}
	}

	if since := x.since.at; !since.IsZero() {
		req.Since = &since
	}

	switch {
	case format != "" && !slices.Contains(export.Formats, format):
		known := strings.Join(plain.Strings(export.Formats), ", ")
		return req, "", misused(cmd, fmt.Errorf("--format is %q; it can be %s", x.format, known))
	case format == "":
		if format = formatOf(x.file, wantsJSON); format == "" {
			return req, "", misused(cmd, fmt.Errorf("%s is of no known format; name it .md or .jsonl, or give --format",
				plain.CleanLine(x.file)))
		}
	}

	return req, format, nil
}

// formatOf returns the format for a file's extension, "" for one that says another.
func formatOf(file string, wantsJSON bool) export.Format {
	switch ending := strings.ToLower(filepath.Ext(file)); {
	case ending == ".jsonl" || ending == ".ndjson" || file == "" && wantsJSON:
		return export.JSONL
	case ending == ".html" || ending == ".htm" || ending == ".csv" || ending == ".json":
		return ""
	}
	return export.Markdown
}

// exporting writes messages as they come from the service.
type exporting struct{ cli *cli }

// writeFile writes the whole file or none. Only its owner may read it.
func (c exporting) writeFile(
	ctx context.Context, req parley.ExportMessagesRequest, f export.Format, file string, force bool,
) (int, error) {
	return writeNewFile(file, force, func(to io.Writer) (int, error) { return c.write(ctx, req, f, to) })
}

// writeNewFile lets write fill a file, and puts it in its place when it is whole. It returns what write
// returns.
func writeNewFile(file string, force bool, write func(io.Writer) (int, error)) (int, error) {
	taken := parley.Errorf(parley.InvalidArgument, "%s exists already", file).With("parameter", "output").
		Suggest("Use another name, or --force to replace it.")
	if info, err := os.Lstat(file); err == nil && (!force || info.IsDir()) {
		return 0, taken
	}

	temporary, err := os.CreateTemp(filepath.Dir(file), ".parley-export-*")
	if err != nil {
		return 0, parley.Errorf(parley.InvalidArgument,
			"cannot write into %s: %w", filepath.Dir(file), errors.Unwrap(err)).
			With("parameter", "output").
			Suggest("Name a file in an existing directory that you may write to.")
	}

	defer os.Remove(temporary.Name())

	n, err := write(temporary)
	if err = errors.Join(err, temporary.Sync(), temporary.Close()); err != nil {
		return 0, err
	}

	if force {
		err = os.Rename(temporary.Name(), file)
	} else if err = os.Link(temporary.Name(), file); errors.Is(err, fs.ErrExist) {
		return 0, taken
	} else if err != nil { // a file system without links
		err = os.Rename(temporary.Name(), file)
	}

	if err != nil {
		return 0, fmt.Errorf("put the export in its place: %w", err)
	}

	return n, nil
}

// write writes messages page by page and returns their number. On a terminal it
// shows progress after a second.
func (c exporting) write(
	ctx context.Context, req parley.ExportMessagesRequest, f export.Format, to io.Writer,
) (n int, err error) {
	page, err := call[parley.ExportMessagesResult](ctx, c.cli, "export_messages", req)
	if err != nil {
		return 0, err
	}

	total, told := page.TotalCount, c.cli.out.now()
	w, err := export.New(to, f, export.Head{Title: exportTitle(page), Total: total, At: c.cli.out.now(),
		Zone: time.Local})
	if err != nil {
		return 0, err
	}

	progress := c.cli.out.passing()
	defer progress.clear()
	for {
		for i := range page.Messages {
			if err := w.Message(&page.Messages[i]); err != nil {
				return 0, fmt.Errorf("write the export: %w", err)
			}
		}

		n += len(page.Messages)
		if to != io.Writer(c.cli.out.out) && c.cli.out.now().Sub(told) >= time.Second {
			told = c.cli.out.now()
			progress.show("%d of %d messages", n, total)
		}

		// Later messages are not part of it, so that the count in the head is right.
		if !page.HasMore || n >= total {
			break
		}

		req.After = page.Next
		if page, err = call[parley.ExportMessagesResult](ctx, c.cli, "export_messages", req); err != nil {
			return 0, err
		}

		page.Messages = page.Messages[:min(len(page.Messages), total-n)]
	}

	return n, w.Close()
}

func exportTitle(page *parley.ExportMessagesResult) string {
	switch {
	case page.Thread != nil:
		return "Thread: " + page.Thread.Title
	case len(page.Between) == 2:
		return "Messages between " + page.Between[0] + " and " + page.Between[1]
	}
	return "All messages"
}

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
