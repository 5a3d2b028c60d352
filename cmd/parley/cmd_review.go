package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/review"
	"parley/internal/sh"
)

// reviewing is one review of what an agent has changed.
type reviewing struct {
	c    *cli
	name string
	file string // a sheet that is written already; - is standard input, "" asks in an editor
	yes  bool   // send without asking
	kept string // where the sheet is that was written in an editor
}

type reviewCommand struct{}

func (reviewCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "review NAME",
		Short: "Comment on what an agent has changed, in your editor",
		Long: `Opens what an agent has changed in $EDITOR. A line that you begin with ` + review.Mark + ` is a comment
on the line above it. The agent gets all comments as one message, with file and line.`,
		Example: `  parley review coder
  parley review coder --wait
  parley diff coder > work.diff     # comment it wherever you like, then
  parley review coder --file work.diff`,
	}

	r := &reviewing{c: c}
	cmd.Flags().StringVar(&r.file, "file", "", "read a diff with comments from a file instead; - for standard input")
	cmd.Flags().BoolVarP(&r.yes, "yes", "y", false, "send without asking")
	read := addFlags(cmd, "send_message", []string{"urgent", "idempotency_key=key"})
	wait := addWait(cmd)

	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		r.name = args[0]
		return r.run(cmd.Context(), read(), wait())
	}
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})

	return cmd
}

func (r *reviewing) run(ctx context.Context, values url.Values, wait time.Duration) error {
	text, err := r.text(ctx)
	if err != nil || text == "" {
		return err
	}

	values.Set("to", r.name)
	values.Set("text", text)
	res, err := call[parley.SendMessageResult](ctx, r.c, "send_message", values)
	if err != nil {
		return r.keep(err)
	}
	if !res.Success {
		return r.keep(receipts{r.c}.undeliverable(ctx, r.name, res))
	}
	if r.kept != "" {
		os.Remove(r.kept)
	}

	return receipts{r.c}.printSent(ctx, r.name, res, wait)
}

// text returns the comments as a message, or nothing if there are none or the person changed their mind.
func (r *reviewing) text(ctx context.Context) (string, error) {
	diff, err := call[parley.DiffAgentResult](ctx, r.c, "diff_agent", url.Values{"agent": {r.name}})
	if err != nil {
		return "", err
	}
	r.name = diff.Name
	if diff.Diff == "" {
		return "", parley.Errorf(parley.InvalidArgument, "%s has changed nothing", diff.Name).
			Suggest("Look again when it has: parley diff %s", diff.Name)
	}

	sheet, err := r.sheet(ctx, diff)
	if err != nil {
		return "", err
	}

	comments := review.Read(sheet, diff.Diff)
	if len(comments) == 0 {
		if r.kept != "" {
			os.Remove(r.kept)
		}
		if r.c.out.json {
			return "", parley.Errorf(parley.InvalidArgument, "there is no comment").
				Suggest("Begin each line of a comment with %s, below the line that it is about.", review.Mark)
		}
		return "", r.c.out.printLine("No comments: nothing was sent. A line that begins with " + review.Mark +
			" is one.")
	}

	text := review.Message(comments, diff.Since)
	if r.file == "" && !r.yes && r.c.program.canAsk() {
		fmt.Fprintf(r.c.out.err, "%s\n\n", r.c.at.shown(text))
		if !r.c.program.agreed("Send this to " + diff.Name + "? [y/N] ") {
			fmt.Fprintf(r.c.out.err, "Nothing was sent. What you wrote is in %s; send it with %s\n", r.kept, r.again())
			return "", nil
		}
	}

	return text, nil
}

// sheet returns the diff as the person has commented it.
func (r *reviewing) sheet(ctx context.Context, diff *parley.DiffAgentResult) (string, error) {
	from := r.c.program.in
	switch r.file {
	case "":
		return r.edit(ctx, diff)
	case "-":
	default:
		f, err := os.Open(r.c.at.absolute(r.file))
		if err != nil {
			return "", unreadable(err)
		}
		defer f.Close()
		from = f
	}

	b, err := io.ReadAll(io.LimitReader(from, maxSheet))
	if err != nil {
		return "", unreadable(err)
	}
	return string(b), nil
}

func unreadable(err error) error {
	return parley.Errorf(parley.InvalidArgument, "the review cannot be read: %w", err).
		Suggest("Give --file the diff with your comments in it.")
}

// maxSheet bounds a sheet in bytes: a diff of parley's, and as much of comments.
const maxSheet = 2 << 20

// edit lets the person write into the diff.
func (r *reviewing) edit(ctx context.Context, diff *parley.DiffAgentResult) (string, error) {
	editor := cmp.Or(r.c.at.env.Get("VISUAL"), r.c.at.env.Get("EDITOR"))
	if editor == "" && !isTerminal(r.c.program.in) {
		return "", parley.Errorf(parley.InvalidArgument, "an editor needs a terminal").
			Suggest("Comment the diff elsewhere and give it with --file, or set EDITOR.")
	}

	f, err := os.CreateTemp("", "parley-review-*.diff")
	if err != nil {
		return "", err
	}
	r.kept = f.Name()
	_, err = f.WriteString(review.Sheet(diff.Name, diff.Diff))
	if err := cmp.Or(err, f.Close()); err != nil {
		return "", err
	}

	cmd := exec.CommandContext(ctx, "sh", "-c", cmp.Or(editor, "vi")+` "$1"`, "sh", r.kept)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = r.c.program.in, r.c.out.err, r.c.out.err
	if err := cmd.Run(); err != nil {
		const words = "your editor (%s) failed: %w"
		return "", r.keep(parley.Errorf(parley.InvalidArgument, words, cmp.Or(editor, "vi"), err).
			Suggest("Set EDITOR to a program such as nano or vi."))
	}

	b, err := os.ReadFile(r.kept)
	if err != nil {
		return "", fmt.Errorf("read the review: %w", err)
	}
	return string(b), nil
}

// keep adds to an error where the review is that was not sent.
func (r *reviewing) keep(err error) error {
	if e, ok := err.(*parley.Error); ok && r.kept != "" {
		return e.Suggest("%s", strings.TrimSpace(e.Action+" What you wrote is in "+r.kept+"; send it with "+r.again()))
	}
	return err
}

// again is the command that sends the sheet that was kept.
func (r *reviewing) again() string {
	return fmt.Sprintf("parley review %s --file %s", sh.Word(r.name), sh.Word(r.kept))
}
