package tui

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/room"
	"parley/tui/team"
	"parley/tui/traffic"
)

// clipboard is that of the person. What is copied there stands under the marker, or was read for it.
type clipboard struct {
	room    *room.Shared
	acts    *room.Actions
	traffic *traffic.Screen
	needs   *needs.Screen
}

// copyText takes the text of the message under the marker, or what the agent's terminal shows, to the
// clipboard. The terminal around the screen does that (OSC 52), also over ssh.
func (c clipboard) copyText() tea.Cmd {
	s := c.room.About()
	if c.traffic.Selection.Picks() {
		return c.traffic.Selection.CopyAll()
	}
	switch {
	case s.Message != "":
	case s.Agent != nil && team.Readable(s.Agent):
		return c.room.Do.Call(readTerminalCopy(s.Agent.ID, s.Agent.Name))
	default:
		c.room.Lacks("No message and no terminal to copy here.")
		return nil
	}

	if full := c.wholeText(s.Message); full != "" {
		return c.put(full, "Message "+parley.Short(s.Message))
	}

	return c.room.Do.Call(readMessageCopy(s.Message, s.Text))
}

// readMessageCopy reads the whole text of a message. If that cannot be had, the beginning is better than nothing.
func readMessageCopy(id, beginning string) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
		if err != nil || res.Object == nil {
			return room.CopiedMsg{Text: beginning, What: "The beginning of message " + parley.Short(id)}
		}
		return room.CopiedMsg{Text: kit.SafeText(res.Object.Text), What: "Message " + parley.Short(id)}
	}
}

// readTerminalCopy reads what an agent's terminal shows, without the blank lines at its end.
func readTerminalCopy(id, name string) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.ReadTerminal.Call(ctx, s, parley.ReadTerminalRequest{Agent: id})
		if err != nil {
			return room.CopiedMsg{Err: err}
		}
		text := strings.TrimRight(kit.SafeText(strings.Join(res.Lines, "\n")), "\n ")
		return room.CopiedMsg{Text: text, What: "The terminal of " + name}
	}
}

// wholeText returns the whole text of a message that is shown, "" if it was not read.
func (c clipboard) wholeText(id string) string {
	for _, d := range []*room.Detail{&c.traffic.Detail.Detail, &c.needs.Detail.Message} {
		if d.ID == id && d.Result != nil && d.Result.Object != nil {
			return kit.SafeText(d.Result.Object.Text)
		}
	}
	return ""
}

// copyName copies what names the thing under the marker in a command: a message's id, a
// thread's, or an agent's name.
func (c clipboard) copyName() tea.Cmd {
	switch s := c.room.About(); {
	case c.traffic.Selection.Picks():
		rows := c.traffic.Selection.Chosen()
		return c.put(strings.Join(room.IDsOf(rows), "\n"), "A list of "+kit.Plural(len(rows), "id"))
	case s.Message != "":
		return c.put(s.Message, "The message's id")
	case s.Thread != nil:
		return c.put(s.Thread.ID, "The thread's id")
	case s.Agent != nil:
		return c.put(s.Agent.Name, "The agent's name")
	}
	c.room.Lacks("Nothing to copy here.")
	return nil
}

// take takes texts that were read to the clipboard.
func (c clipboard) take(msg room.CopiedMsg) tea.Cmd {
	if msg.Err != nil {
		c.room.Failed(msg.Err)
		return nil
	}
	return c.put(msg.Text, msg.What)
}

// put takes a text to the clipboard, and tells.
func (c clipboard) put(text, what string) tea.Cmd {
	if c.room.Do.Buffer != nil {
		c.room.Tell(what + " is in tmux's buffer, and on the clipboard if the terminal allows it.")
		return tea.Batch(tea.SetClipboard(text), c.room.Do.Buffer(text))
	}
	c.room.Tell(what + " is on the clipboard, if the terminal allows it.")
	return tea.SetClipboard(text)
}

// buffered tells if tmux did not take a copy.
func (c clipboard) buffered(msg room.BufferedMsg) tea.Cmd {
	if msg.Err != nil {
		c.room.Fail(parley.Errorf(parley.TmuxUnavailable, "tmux did not take the copy: %w", msg.Err).
			Suggest("The terminal may have it all the same."))
	}
	return nil
}

// takeText gives the screen to the program that shows a text.
func (m *model) takeText(msg room.TextMsg) tea.Cmd {
	if msg.Err != nil {
		m.room.Failed(msg.Err)
		return nil
	}
	return m.room.Do.Open(msg)
}

func (m *model) opened(msg room.OpenedMsg) tea.Cmd {
	if msg.Err != nil {
		m.room.Fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w", msg.Err).
			Suggest("Set EDITOR or PAGER to a program such as nano or less."))
		return nil
	}
	m.room.Tell(msg.Name + " was open. What you change there changes nothing here.")
	return nil
}

// attached gives the screen to the command that shows the terminal.
func attached(d *room.Shared, msg room.AttachMsg) tea.Cmd {
	if msg.Err != nil {
		d.Failed(msg.Err)
		return nil
	}
	return d.Do.Show(msg.Name, msg.Cmd)
}

// besides tells how to come back from a window beside the screen.
func besides(d *room.Shared, msg room.BesideMsg) tea.Cmd {
	if msg.Err != nil {
		return returned(d, room.ReturnedMsg(msg))
	}
	back := d.Keys.ReturnHint(d.Team.Named(msg.Name), "; ", " closes it")
	d.Tell(msg.Name + " is open in a new window" + back + ".")
	return nil
}

// returned tells how the terminal was left.
func returned(d *room.Shared, msg room.ReturnedMsg) tea.Cmd {
	switch {
	case msg.Err == nil:
		d.Tell("Back from " + msg.Name + ".")
	case parley.ErrorCode(msg.Err) != parley.Internal:
		d.Failed(msg.Err)
	default:
		d.Fail(parley.Errorf(parley.TmuxUnavailable, "cannot show the terminal of %s: %w", msg.Name, msg.Err).
			Suggest("If it has ended, restart it: parley restart %s", msg.Name))
	}
	return d.Link.LookSoon()
}
