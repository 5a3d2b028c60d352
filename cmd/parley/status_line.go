package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"parley"
	"parley/internal/daemon"
	"parley/op"
	"parley/plain"
)

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

// lineState is a state that the line counts.
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
