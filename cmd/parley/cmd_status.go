package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/op"
	"parley/plain"
	"parley/tmux"
)

// statusCommand shows how the daemon is.
type statusCommand struct {
	line       string // which line to print for the status bar of tmux
	everywhere bool
}

func (s *statusCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the daemon's state and where its files are",
		Example: `  parley status
  parley status --tmux
  parley status --everywhere`,
	}

	cmd.Flags().StringVar(&s.line, "tmux", "", "print one line for the status bar of tmux: with words, or --tmux=short")
	cmd.Flag("tmux").NoOptDefVal = lineWords
	cmd.Flags().BoolVar(&s.everywhere, "everywhere", false, "a line for each of your workspaces")
	cmd.MarkFlagsMutuallyExclusive("tmux", "everywhere")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case s.everywhere:
			return survey{c.out}.print(cmd.Context())
		case cmd.Flag("tmux").Changed:
			return s.printLine(cmd.Context(), c)
		}
		return s.run(cmd.Context(), c)
	}

	return cmd
}

func (s *statusCommand) run(ctx context.Context, c *cli) error {
	if err := c.at.daemonRuns(ctx); err != nil {
		return err
	}
	res, err := call[parley.WorkspaceStatusResult](ctx, c, "get_workspace_status", nil)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}

	if c.at.host == "" && res.TmuxSocket != "" && !tmux.HasSocket(res.TmuxSocket) {
		res.TmuxSocket += ", which is gone"
	}
	s.print(c.out, res, s.comesBack(c, res))

	return nil
}

// daemonRuns refuses to look where no daemon runs: to look would start one. Of another machine its own
// parley says so.
func (s *surroundings) daemonRuns(ctx context.Context) error {
	if s.host != "" {
		return nil
	}
	at, err := s.place()
	if err != nil || daemon.Running(ctx, at) != nil {
		return err
	}
	e := parley.Errorf(parley.DaemonUnavailable, "no daemon runs in %s", at.Root)
	if _, err := os.Stat(at.Log()); err != nil {
		return e.Suggest("parley launch, parley up or parley serve starts it.")
	}
	return e.With("log", at.Log()).
		Suggest("parley launch, parley up or parley serve starts it; the last one's log is %s.", at.Log())
}

// comesBack says how the agents come back after a reboot, "" where there are none, or a service brings them.
func (*statusCommand) comesBack(c *cli, res *parley.WorkspaceStatusResult) string {
	at, err := c.at.place()
	if err != nil || c.at.host != "" || len(res.Agents) == 0 {
		return ""
	}
	if _, is := serviceOf(at, c.at.env); is.Installed {
		return ""
	}
	return byHand
}

func (*statusCommand) print(o *output, s *parley.WorkspaceStatusResult, comesBack string) {
	var t table
	for _, row := range [][2]string{
		{"workspace", s.Workspace},
		{"daemon", fmt.Sprintf("%s, pid %d, up %s", s.Version, s.PID, o.ago(s.StartedAt))},
		{"agents", counts(s.Agents, "none")},
		{"needs you", needsYou(s.Needs)},
		{"messages", paused(s.Paused)},
		{"deliveries", counts(s.Deliveries, "nothing waits")},
		{"events", strconv.FormatInt(s.LastEvent, 10)},
		{"socket", s.Socket},
		{"http", s.HTTP},
		{"tmux", strings.TrimSpace(s.TmuxVersion + "  " + s.TmuxSocket)},
		{"database", s.Database},
		{"log", s.Log},
		{"reboot", comesBack},
	} {
		if row[1] != "" {
			t.add(o.paint(faint, row[0]), row[1])
		}
	}

	for _, w := range s.Notices {
		if !w.Works {
			t.add(o.paint(yellow, "notices"), fmt.Sprintf("none goes by the %s: %s", w.Way, w.Problem))
		}
	}
	for _, w := range s.Warnings {
		t.add(o.paint(yellow, "warning"), w)
	}

	t.print(o)
}

// needsYou counts what needs the operator and names the command, "" if nothing does.
func needsYou(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 thing; parley needs shows it"
	}
	return fmt.Sprintf("%d things; parley needs shows them", n)
}

// paused tells that messages are paused and how to resume them, "" if they are not.
func paused(p *parley.Pause) string {
	if p == nil {
		return ""
	}
	return p.Words() + "; parley resume ends that"
}

type backupCommand struct{}

func (b backupCommand) declare(c *cli) *cobra.Command {
	return operation[parley.BackupResult]{
		op:      "backup",
		use:     "backup FILE",
		short:   "Back up the database while everything runs",
		example: "  parley backup monday.db",
		fill: func(args []string, to url.Values) error {
			path := args[0]
			switch {
			case filepath.IsAbs(path):
			case c.at.host != "":
				return parley.Errorf(parley.InvalidArgument,
					"the daemon on %s writes the copy there, and %q is a path from here",
					c.at.host, path).Suggest("Give an absolute path on that machine.")
			default:
				path = filepath.Join(c.at.dir, path)
			}

			to.Set("path", path)
			return nil
		},
		print: func(o *output, res *parley.BackupResult) error {
			where := ""
			if o.at.host != "" {
				where = " on " + o.at.host
			}
			return o.printLine(fmt.Sprintf("Copied to %s%s (%d bytes).", res.Path, where, res.Size))
		},
	}.declare(c)
}

// lineWithin bounds the line: tmux shows the last one until the next is there, and a
// daemon that takes longer is one to look after.
const lineWithin = 2 * time.Second

// lineName is how many columns a workspace's name takes at most.
const lineName = 20

// How much of the line there is, as --tmux says.
const (
	lineWords = "words"
	lineShort = "short"
)

type lineState struct{ state, glyph, colour string }

// lineAgents lists the states of agents in the line, the most pressing first. Only
// those have a colour, because the status bar has its own, green by default. The glyphs
// are the screen's.
var lineAgents = []lineState{
	{string(parley.StateUnreachable), "∅", "red"},
	{string(parley.StateExited), "✗", "red"},
	{string(parley.StateBlocked), "■", "red"},
	{string(parley.StateWaiting), "◆", "yellow"},
	{string(parley.StateDrafting), "✎", "yellow"},
	{string(parley.StateUnknown), "?", "yellow"},
	{string(parley.StateStarting), "◌", ""},
	{string(parley.StateBusy), "◐", ""},
	{string(parley.StateIdle), "●", ""},
}

// lineDeliveries lists the states of deliveries in the line.
var lineDeliveries = []lineState{
	{string(parley.DeliveryUnconfirmed), "?", "red"},
	{string(parley.DeliveryHeld), "‖", "yellow"},
	{string(parley.DeliveryQueued), "○", ""},
}

// printLine prints the line for the status bar of the user's tmux. It does not
// start a daemon, and succeeds in any case: the line tells what is wrong.
func (s *statusCommand) printLine(ctx context.Context, c *cli) error {
	if s.line != lineWords && s.line != lineShort {
		return usageError{
			fmt.Errorf("--tmux is %q", s.line),
			"Use --tmux for glyphs and words, or --tmux=short for glyphs.",
		}
	}

	if c.out.json {
		return usageError{
			errors.New("--tmux and --json cannot be combined"),
			"Use one of them: the line is for tmux, the object for programs.",
		}
	}

	ctx, cancel := context.WithTimeout(ctx, lineWithin)
	defer cancel()

	at, err := c.at.place()
	if err != nil {
		return c.out.printLine("parley: off")
	}

	info := daemon.Running(ctx, at)
	if info == nil {
		return c.out.printLine("parley: off")
	}

	service := c.at.clientOf(info)
	defer service.Close()

	status, err := op.GetWorkspaceStatus.Call(ctx, service, parley.WorkspaceStatusRequest{})
	if err != nil {
		return c.out.printLine("parley: no answer")
	}

	l := statusLine{glyphs: usesUTF8(c.at.env), words: s.line == lineWords}
	if mine, err := op.CheckNewMessages.Call(ctx, service, parley.CheckNewMessagesRequest{}); err == nil {
		l.unread = mine.UnreadCount
	}

	return c.out.printLine(l.of(status))
}

// usesUTF8 reports whether the locale allows glyphs beyond ASCII.
func usesUTF8(e daemon.Environ) bool {
	locale := strings.ToLower(cmp.Or(e.Get("LC_ALL"), e.Get("LC_CTYPE"), e.Get("LANG")))
	return locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}

// statusLine is a line with tmux's marks of style in it.
type statusLine struct {
	glyphs, words bool
	unread        int
	parts         []string
}

func (l *statusLine) of(s *parley.WorkspaceStatusResult) string {
	name := ansi.Truncate(plain.CleanLine(filepath.Base(s.Workspace)), lineName, "…")
	l.parts = []string{"#[bold]" + tmuxText(name) + "#[nobold]"}
	if s.Paused != nil {
		l.parts = append(l.parts, l.styled("red", l.either("‖ ", "")+"paused"))
	}

	l.add(s.Needs, "!", "red", needWord(s.Needs))
	l.add(l.unread, "✉", "yellow", "unread")
	before := len(l.parts)
	for _, a := range lineAgents {
		l.add(s.Agents[a.state], a.glyph, a.colour, a.state)
	}

	if len(l.parts) == before {
		l.parts = append(l.parts, "no agents")
	}

	for _, d := range lineDeliveries {
		l.add(s.Deliveries[d.state], d.glyph, d.colour, d.state)
	}

	return strings.Join(l.parts, " ")
}

func needWord(n int) string {
	if n == 1 {
		return "needs you"
	}
	return "need you"
}

// add adds a number with its glyph and, in the long form, its word.
func (l *statusLine) add(n int, glyph, colour, word string) {
	if n == 0 {
		return
	}
	text := fmt.Sprintf("%s%d", l.either(glyph, ""), n)
	if l.words || !l.glyphs {
		text += " " + word
	}
	l.parts = append(l.parts, l.styled(colour, text))
}

func (l *statusLine) either(glyph, ascii string) string {
	if l.glyphs {
		return glyph
	}
	return ascii
}

// styled colours text and then restores the bar's own colour.
func (l *statusLine) styled(colour, text string) string {
	if colour == "" {
		return text
	}
	return "#[fg=" + colour + "]" + text + "#[fg=default]"
}

// tmuxText escapes text for tmux, which expands formats, commands and styles in the
// output of a status bar's command.
func tmuxText(text string) string { return strings.ReplaceAll(text, "#", "##") }
