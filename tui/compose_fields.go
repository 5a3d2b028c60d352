package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// priorities and dues are what their keys go through.
var (
	priorities = []parley.Priority{
		parley.PriorityNormal,
		parley.PriorityHigh,
		parley.PriorityUrgent,
		parley.PriorityLow,
	}
	dues = []time.Duration{0, 10 * time.Minute, 30 * time.Minute, time.Hour, 4 * time.Hour, 24 * time.Hour}
)

// said is all that makes one sending the same as another.
func (d draft) said() string {
	return fmt.Sprint(d.names, "\x00", d.prio, "\x00", d.due, "\x00", d.text)
}

// formal reports whether priority and answer are for choice.
func (d draft) formal() bool { return !d.to.steer }

// named reports whether those who get it are.
func (d draft) named() bool { return d.first != "" || d.to == (address{}) }

// fields is the line of what a message has beside its text.
func (c *compose) fields(th theme, w int) string {
	d := c.draft
	var words []string
	if d.named() {
		to := string(d.names)
		if c.inTo {
			to += th.dim.Render(c.rest())
		}
		if to == "" {
			to = th.dim.Render("agents, @group or ALL")
		}

		words = append(words, th.dim.Render("to ")+to)
	}

	if d.formal() {
		words = append(
			words,
			th.dim.Render("priority ")+string(d.prio)+th.dim.Render(" ^p"),
			th.dim.Render("answer ")+dueWords(d.due)+th.dim.Render(" ^r"),
		)
	} else {
		words = append(words, th.dim.Render("typed under a header of its own, with high priority"))
	}

	return fit("  "+strings.Join(words, "   "), w)
}

func dueWords(d time.Duration) string {
	switch {
	case d == 0:
		return "not required"
	case d < time.Hour:
		return fmt.Sprintf("within %dm", int(d.Minutes()))
	}
	return fmt.Sprintf("within %dh", int(d.Hours()))
}

// formless reports whether the draft has none of what its keys change, and says so.
func (m *model) formless() bool {
	if m.compose.draft.formal() {
		return false
	}
	m.tell("Guidance has high priority, and requires no answer.")
	return true
}

func (m *model) cyclePriority() tea.Cmd {
	d := &m.compose.draft
	if m.compose.sending() || m.formless() {
		return nil
	}
	d.prio = priorities[(slices.Index(priorities, d.prio)+1)%len(priorities)]
	return nil
}

func (m *model) cycleDue() tea.Cmd {
	d := &m.compose.draft
	if m.compose.sending() || m.formless() {
		return nil
	}
	d.due = dues[(slices.Index(dues, d.due)+1)%len(dues)]
	return nil
}

// editTo gives the keys to the names, where they are for choice.
func (m *model) editTo() tea.Cmd {
	c := &m.compose
	switch {
	case c.sending():
	case c.draft.named():
		c.inTo = true
	case c.draft.to.steer:
		m.tell("Guidance goes to one agent. b and w write to others.")
	default:
		m.tell("This goes to who is named above. w writes to others.")
	}
	return nil
}

func (m *model) leaveTo() tea.Cmd { m.compose.inTo = false; return nil }

func (c *compose) typeTo(key tea.KeyPressMsg) {
	if !c.sending() {
		c.draft.names.press(key)
	}
}

// rest is what the name that is being written lacks, if only one begins so.
func (c *compose) rest() string {
	text := string(c.draft.names)
	begun := strings.ToLower(text[strings.LastIndexAny(text, ", ")+1:])
	if begun == "" {
		return ""
	}

	names := []string{parley.Everyone}
	for _, s := range c.team.list {
		names = append(names, s.Name)
	}

	for _, g := range c.team.groups() {
		names = append(names, "@"+safeLine(g))
	}

	found := ""
	for _, name := range names {
		if strings.HasPrefix(strings.ToLower(name), begun) {
			if found != "" {
				return ""
			}
			found = name
		}
	}

	if found == "" {
		return ""
	}

	return found[len(begun):]
}

func (m *model) completeTo() tea.Cmd {
	c := &m.compose
	if rest := c.rest(); rest != "" {
		c.draft.names += line(rest + ", ")
		return nil
	}
	c.inTo = false
	return nil
}

// recipients reads the names: everyone, one group, or agents.
func (c *compose) recipients(d draft) (ids []string, group string, everyone bool) {
	words := strings.FieldsFunc(string(d.names), func(r rune) bool { return r == ',' || r == ' ' })
	for _, word := range words {
		if strings.EqualFold(word, parley.Everyone) {
			return nil, "", true
		}

		if g, ok := strings.CutPrefix(word, "@"); ok {
			if len(words) == 1 {
				group = g
			}
			ids = append(ids, c.team.members(g)...)
			continue
		}

		i := slices.IndexFunc(c.team.list, func(s parley.AgentStatus) bool { return strings.EqualFold(s.Name, word) })
		if i >= 0 {
			word = c.team.list[i].ID
		}

		ids = append(ids, word)
	}

	return ids, group, false
}

// parcel is a draft with its recipients read.
type parcel struct {
	draft
	ids      []string
	group    string
	everyone bool
}

func (c *compose) parcel(d draft) parcel {
	p := parcel{draft: d}
	if d.names != d.first {
		p.label = "To " + strings.TrimRight(string(d.names), ", ")
	}
	switch {
	case d.to.agent != "" && d.names == d.first:
		p.ids = []string{d.to.agent}
	default:
		p.ids, p.group, p.everyone = c.recipients(d)
	}
	return p
}

func send(ctx context.Context, s parley.Service, p parcel, now time.Time) sentMsg {
	msg := sentMsg{draft: p.draft}
	switch {
	case p.to.steer:
		res, err := s.SteerAgent(ctx, parley.SteerAgentRequest{Agent: p.to.agent, Text: p.text, IdempotencyKey: p.key})
		if msg.err = err; err == nil {
			msg.id, msg.deliveries = res.MessageID, res.Deliveries
		}
		return msg
	case (p.everyone || p.group != "") && p.due == 0:
		res, err := s.BroadcastMessage(
			ctx,
			parley.BroadcastMessageRequest{Text: p.text, Group: p.group, Priority: p.prio, IdempotencyKey: p.key},
		)
		if msg.err = err; err == nil {
			msg.id, msg.deliveries = res.MessageID, res.Deliveries
		}
		return msg
	}

	r := parley.SendMessageRequest{
		To:             p.ids,
		ThreadID:       p.to.thread,
		Text:           p.text,
		Priority:       p.prio,
		InReplyTo:      p.to.replyTo,
		IdempotencyKey: p.key,
	}

	if p.everyone {
		r.To = parley.Names{parley.Everyone}
	}

	if p.due > 0 {
		deadline := now.Add(p.due)
		r.RequiresResponse, r.ResponseDeadline, r.Type = true, &deadline, parley.TypeRequest
	}

	res, err := s.SendMessage(ctx, r)
	if msg.err = err; err == nil {
		msg.id, msg.deliveries = res.MessageID, res.Deliveries
	}

	return msg
}

// editedMsg is what an editor left.
type editedMsg struct {
	to   address
	text string
	err  error
}

// edit opens the draft in the person's editor. The file is theirs alone, and
// goes afterwards.
func edit(environ []string, d draft) tea.Cmd {
	fail := func(err error) tea.Cmd { return func() tea.Msg { return editedMsg{to: d.to, err: err} } }
	f, err := os.CreateTemp("", "parley-*.md")
	if err != nil {
		return fail(err)
	}

	_, err = f.WriteString(d.text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fail(err)
	}

	argv := append(editor(environ), f.Name())
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = environ

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(f.Name())
		text, readErr := os.ReadFile(f.Name())
		return editedMsg{to: d.to, text: strings.TrimRight(string(text), "\n"), err: errors.Join(err, readErr)}
	})
}

// editor is the person's editor with its arguments.
func editor(environ []string) []string {
	for _, name := range []string{"VISUAL=", "EDITOR="} {
		for _, e := range environ {
			if words := strings.Fields(strings.TrimPrefix(e, name)); strings.HasPrefix(e, name) && len(words) > 0 {
				return words
			}
		}
	}
	return []string{"vi"}
}

func (m *model) edit() tea.Cmd {
	if m.compose.sending() {
		return nil
	}
	d := m.compose.draft
	d.text = m.compose.text()
	return m.do.edit(d)
}

// edited takes the text back, unless the editor says that it failed.
func (m *model) edited(msg editedMsg) tea.Cmd {
	if msg.err != nil {
		m.fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w; the draft is as it was", msg.err).
			Suggest("Set EDITOR to one that runs, such as nano or vi."))
		return nil
	}
	if m.compose.open && m.compose.draft.to == msg.to {
		m.compose.box.SetValue(msg.text)
		m.compose.box.MoveToEnd()
	}
	return nil
}
