package room

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
	"parley/tui/verb"
)

// TemperaturesMsg is what was read.
type TemperaturesMsg struct {
	known map[string]team.Temperature
	err   error
}

// AskTemperatures reads those of the named conversations that are unknown or
// too old.
func (d *Shared) AskTemperatures(in ...string) tea.Cmd {
	t, now := &d.Temperatures, d.Now
	if t.Asking || d.Link.Lost != nil {
		return nil
	}

	var want []string
	for _, id := range in {
		if id != "" && len(want) < team.TemperaturePage && t.Due(id, now) {
			want = append(want, id)
		}
	}

	if len(want) == 0 {
		return nil
	}

	t.Asking = true

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		msg := TemperaturesMsg{known: map[string]team.Temperature{}}
		for _, id := range want {
			r := parley.ConversationStateRequest{ThreadID: id}
			if len(id) > team.IdLength {
				r = parley.ConversationStateRequest{With: id}
			}

			res, err := op.GetConversationState.Call(ctx, s, r)
			if err != nil {
				msg.err, res = err, nil
			}

			msg.known[id] = team.Temperature{State: res, Read: now}
		}

		return msg
	})
}

// TakeTemperatures takes what was read of conversations, and reports whether that changes what is shown.
func (d *Shared) TakeTemperatures(msg TemperaturesMsg) (changed bool) {
	d.Temperatures.Asking = false
	if msg.err != nil {
		d.Link.Gone(msg.err)
		changed = true
	}
	for in, x := range msg.known {
		changed = changed || !reflect.DeepEqual(x.State, d.Temperatures.Known[in].State)
	}
	maps.Copy(d.Temperatures.Known, msg.known)
	return changed
}

// inboxPage is how many unread messages are listed: more than fit on a screen.
const inboxPage = 50

// InboxMsg is the operator's inbox; unread is the count for which it was read.
type InboxMsg struct {
	list   []parley.InboxMessage
	unread int
	err    error
}

// ReadMsg says whether messages could be marked read.
type ReadMsg struct{ Err error }

// AskInbox reads the inbox when the count of unread messages has changed.
func (d *Shared) AskInbox() tea.Cmd {
	b, unread := &d.Inbox, d.Team.Unread
	if b.Asking {
		b.Again = true
		return nil
	}

	if b.Known && b.Asked == unread && !b.Stale {
		return nil
	}

	b.Asking, b.Stale = true, false

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		if unread == 0 {
			return InboxMsg{}
		}

		res, err := op.CheckInbox.Call(ctx, s, parley.CheckInboxRequest{Limit: inboxPage})
		if err != nil {
			return InboxMsg{err: err, unread: unread}
		}

		return InboxMsg{list: res.Messages, unread: unread}
	})
}

// TakeInbox takes the operator's unread messages, and rings for new ones.
func (d *Shared) TakeInbox(msg InboxMsg) tea.Cmd {
	b := &d.Inbox
	again := b.Again
	b.Asking, b.Again = false, false
	if msg.err != nil {
		d.Link.Gone(msg.err)
		return nil
	}

	b.List, b.Known, b.Asked, b.Unseen = msg.list, true, msg.unread, max(0, msg.unread-len(msg.list))
	news := d.notifier.ringForMessages(d.Now, b.List)
	if again {
		return tea.Batch(news, d.AskInbox())
	}

	return news
}

// MarkMessagesRead returns the request that marks messages read.
func MarkMessagesRead(ids ...string) Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		_, err := op.MarkMessageRead.Call(ctx, s, parley.MarkMessageReadRequest{MessageIDs: ids})
		return ReadMsg{err}
	}
}

const pastEvents = 1000 // that are read once for the curves: as many as the daemon gives

// PastMsg is the newest events of the past.
type PastMsg struct{ Events []parley.Event }

// AskPast reads the newest events of the past once: the stream begins with fewer than an hour may have.
func (d *Shared) AskPast() tea.Cmd {
	if d.Ledger.Asked || !d.Link.Events || d.Link.Lost != nil {
		return nil
	}

	d.Ledger.Asked = true

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.ReadEvents.Call(ctx, s, parley.ReadEventsRequest{Last: pastEvents, Limit: pastEvents})
		if err != nil {
			return PastMsg{}
		}
		return PastMsg{res.Events}
	})
}

// StandingsMsg is the deliveries of some messages, of those that could be read.
type StandingsMsg struct {
	IDs     []string
	Results []*parley.MessageStatusResult
	Err     error
}

// ReadStandings reads the deliveries of messages.
func ReadStandings(ctx context.Context, s parley.Service, ids []string) StandingsMsg {
	msg := StandingsMsg{IDs: ids}
	for _, id := range ids {
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.Err = err
			continue
		}
		msg.Results = append(msg.Results, res)
	}
	return msg
}

// Ask asks for a yes before a command runs.
func (d *keyboard) Ask(question string, yes func() tea.Cmd) tea.Cmd {
	d.Confirm = &kit.Confirm{Question: question, Yes: yes}
	return nil
}

func (d *keyboard) agree() tea.Cmd {
	yes := d.Confirm.Yes
	d.Confirm = nil
	return yes()
}

func (d *Shared) decline() tea.Cmd {
	d.Keys.Confirm = nil
	if d.Status.Err == nil { // else it came while the question stood there
		d.Tell("Cancelled.")
	}
	return nil
}

// AskLine asks for a line of text.
func (d *keyboard) AskLine(label string, take func(string) tea.Cmd) tea.Cmd {
	d.Prompt = &kit.Prompt{Label: label, Take: take}
	return nil
}

func (d *keyboard) takeLine() tea.Cmd {
	p := d.Prompt
	text := strings.TrimSpace(p.Text)
	if text == "" {
		return nil
	}
	d.Prompt = nil
	return p.Take(text)
}

func (d *keyboard) rubLine() tea.Cmd {
	if r := []rune(d.Prompt.Text); len(r) > 0 {
		d.Prompt.Text = string(r[:len(r)-1])
	}
	return nil
}

func (d *Shared) dropLine() tea.Cmd {
	d.Keys.Prompt = nil
	d.Tell("Cancelled.")
	return nil
}

// ConfirmKeys returns the keys while a question waits for yes or no.
func (d *Shared) ConfirmKeys() []kit.Binding {
	return []kit.Binding{
		verb.Yes.To("", d.Keys.agree).Hinted("yes"),
		verb.No.To("", d.decline, verb.Back, verb.Leave).Hinted("no"),
	}
}

// PromptKeys returns the keys while a line is asked for.
func (d *Shared) PromptKeys() []kit.Binding {
	return []kit.Binding{
		verb.Accept.To("accept the line", d.Keys.takeLine).Hinted("accept"),
		verb.Rub.To("", d.Keys.rubLine),
		verb.Close.To("cancel", d.dropLine).Hinted("cancel"),
	}
}

// Question is the dialog of an agent, as the person who answers it has seen it.
type Question struct {
	AgentID, Agent string
	Dialog         *parley.Dialog
	Key            string // that was pressed last
}

// Names reports whether a key names an option.
func (q *Question) Names(key string) bool { return q.Index(key) >= 0 }

// Index returns the option that a key names; -1 for none.
func (q *Question) Index(key string) int {
	named := func(o parley.DialogOption) bool { return strings.EqualFold(o.Choice, key) }
	return slices.IndexFunc(q.Dialog.Options, named)
}

// Tick returns the box before an option of which several can be chosen.
func Tick(o parley.DialogOption) string {
	switch {
	case !o.Several:
		return ""
	case o.Ticked:
		return "[x] "
	}
	return "[ ] "
}

// AnswerDialog sends an answer to the dialog that was seen, and to no other.
func (a *Actions) AnswerDialog(q *Question, choice, text string) tea.Cmd {
	a.Room.Tell("Answering " + q.Agent + "…")
	r := parley.AnswerDialogRequest{Agent: q.AgentID, Dialog: q.Dialog.ID, Choice: choice, Text: text}

	return a.Run(Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := op.AnswerDialog.Call(ctx, s, r)
		if err != nil {
			return "", err
		}
		return q.Agent + ": " + kit.SafeLine(res.Message), nil
	}})
}

// TileRests is how long a question must have stood in its tile before a key answers it: a
// key that was on its way may be meant for what was there before.
const TileRests = 500 * time.Millisecond
