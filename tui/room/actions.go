package room

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
)

// Action is an operation that a key starts.
type Action struct {
	// do returns what was done, in a sentence.
	Do   func(context.Context, parley.Service) (string, error)
	undo *Undo  // nil if it cannot be undone
	Page string // the title of the page that shows the answer; "" for the status line
}

// Undo takes an action back.
type Undo struct {
	Does   string // in words: "resumes them"
	Action Action
}

// DoneMsg is what an action did. With an error and an undo, part of it was done.
type DoneMsg struct {
	Text string
	Undo *Undo
	page string
	Err  error
}

// said is a result that says what was done.
type said[Res any] interface {
	*Res
	Said() string
}

// Act returns the action that calls an operation, whose result says what was done.
func Act[Req, Res any, P said[Res]](o op.Operation[Req, Res], r Req) Action {
	return Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := o.Call(ctx, s, r)
		if err != nil {
			return "", err
		}
		return P(res).Said(), nil
	}}
}

// ActSaying returns the action that calls an operation, and what is said when it is done.
func ActSaying[Req, Res any](done string, o op.Operation[Req, Res], r Req) Action {
	return Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		_, err := o.Call(ctx, s, r)
		return done, err
	}}
}

// Offered returns the action of what the daemon offers.
func Offered(a parley.Act) Action {
	x := offered(a.ActCalls)
	if a.Undo != nil {
		x = x.UndoneBy(kit.SafeLine(a.Undo.Words), offered(*a.Undo))
	}
	return x
}

func offered(c parley.ActCalls) Action {
	return Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		said, errs := c.Done, []error(nil) // of some calls, which keep none of the others from it
		for _, arguments := range c.Arguments {
			res, err := operate(ctx, s, c.Operation, arguments)
			errs = append(errs, err)
			if r, ok := res.(interface{ Said() string }); ok && c.Done == "" {
				said = r.Said()
			}
		}
		return kit.SafeLine(said), errors.Join(errs...)
	}}
}

// operate calls an operation by its name. The daemon knows who calls.
func operate(ctx context.Context, s parley.Service, name string, arguments map[string]any) (any, error) {
	o := op.Find(name)
	if o == nil {
		return nil, parley.Errorf(parley.InvalidArgument, "this screen does not know what the daemon offers").
			Suggest("Leave the screen, and start the program that the daemon is of.")
	}
	b, err := json.Marshal(arguments)
	if err != nil {
		return nil, err
	}
	call, err := o.Decode(b)
	if err != nil {
		return nil, err
	}
	return call.Call(parley.WithCaller(ctx, parley.Caller{ID: "?", Operator: true}), s)
}

// UndoneBy returns the action with a way back.
func (x Action) UndoneBy(does string, back Action) Action {
	x.undo = &Undo{Does: does, Action: back}
	return x
}

func (x Action) run(ctx context.Context, s parley.Service) tea.Msg {
	text, err := x.Do(ctx, s)
	if err != nil {
		return DoneMsg{Err: err, page: x.Page}
	}
	return DoneMsg{Text: text, Undo: x.undo, page: x.Page}
}

// Actions do something about what the marker is on, on any screen.
type Actions struct {
	Room     *Shared
	Undo     *Undo // of the last one
	changing changing
}

const WhichAgent = "Choose an agent first (2)."

// Run runs an action. What it changes is told when it is done.
func (a *Actions) Run(x Action) tea.Cmd {
	if x.Page != "" { // it changes nothing
		return a.Room.Do.Call(x.run)
	}
	return a.Change(x.run)
}

// AskTo asks for a yes before something is done.
func (a *Actions) AskTo(question string, x Action) tea.Cmd {
	return a.Room.Keys.Ask(question, func() tea.Cmd { return a.Run(x) })
}

// changing tells of the actions that are not done yet.
type changing struct {
	calls int
	undo  bool // the last of them is taken back once all are done
}

// Change makes a request that a doneMsg answers.
func (a *Actions) Change(r Request) tea.Cmd {
	a.changing.calls++
	return a.Room.Do.Call(r)
}

// Done tells what an action did, and takes it back if that was asked for meanwhile.
func (a *Actions) Done(msg DoneMsg) tea.Cmd {
	cmd := a.tellDone(msg)
	if msg.page != "" {
		return cmd
	}
	if a.changing.calls--; a.changing.calls > 0 || !a.changing.undo {
		return cmd
	}

	a.changing.undo = false
	if msg.Undo == nil {
		return cmd
	}
	return tea.Batch(cmd, a.UndoLast())
}

func (a *Actions) tellDone(msg DoneMsg) tea.Cmd {
	if msg.Err != nil {
		a.Room.Failed(msg.Err)
		if msg.Undo != nil {
			a.Undo, a.Room.Status.Text = msg.Undo, msg.Text+"; "+a.Room.Key("u")+" "+msg.Undo.Does
		}
		return a.Room.Link.LookSoon()
	}

	if msg.page != "" {
		a.openPage(msg)
		return nil
	}

	if a.Undo = msg.Undo; a.Undo != nil {
		msg.Text = strings.TrimSuffix(msg.Text, ".") + ". " + a.Room.Key("u") + " " + a.Undo.Does + "."
	}

	a.Room.Tell(msg.Text)

	return a.Room.Link.LookSoon()
}

// openPage opens the page of an answer, unless the person writes something meanwhile: the page would take
// their keys.
func (a *Actions) openPage(msg DoneMsg) {
	switch a.Room.Keys.Scope() {
	case kit.InShell, InTiles, InReview, InAnswer, InHelp:
		a.Room.Keys.Help = kit.Help{Open: true, Title: msg.page, Text: msg.Text}
	default:
		a.Room.Tell("“" + msg.page + "” came while you were writing. Ask for it again.")
	}
}

// UndoLast undoes the last action. One that is not done yet is undone afterwards, and one that could not be
// undone can be undone later.
func (a *Actions) UndoLast() tea.Cmd {
	if a.changing.calls > 0 {
		a.changing.undo = true
		return nil
	}
	if a.Undo == nil {
		a.Room.Tell("Nothing to undo.")
		return nil
	}
	back := a.Undo
	a.Undo = nil
	return a.Change(func(ctx context.Context, s parley.Service) tea.Msg {
		text, err := back.Action.Do(ctx, s)
		if err != nil {
			return DoneMsg{Err: err, Text: "Not undone", Undo: back}
		}
		return DoneMsg{Text: text, Undo: back.Action.undo}
	})
}

// PauseOrResume pauses the team's messages once that is confirmed, or lets them go on.
func (a *Actions) PauseOrResume() tea.Cmd {
	if a.Room.Picks() {
		return a.chosen().pause()
	}

	set := func(paused bool) Action {
		return Act(op.PauseCommunication, parley.PauseCommunicationRequest{Paused: paused})
	}
	if s := a.Room.Link.Status; s != nil && s.Paused != nil {
		return a.Run(set(false).UndoneBy("pauses them again", set(true)))
	}
	return a.Room.Keys.Ask("Pause the whole team? No message is accepted or typed until you resume.", func() tea.Cmd {
		return a.Run(set(true).UndoneBy("resumes them", set(false)))
	})
}

// Stop asks first: it ends a program with its context, and nothing brings that
// back.
func (a *Actions) Stop() tea.Cmd {
	agent := a.Room.About().Agent
	if agent == nil {
		a.Room.Lacks(WhichAgent)
		return nil
	}

	question := fmt.Sprintf("Stop %s? Its process and context are lost; messages are kept.", agent.Name)
	if agent.Adopted() {
		question = fmt.Sprintf("Release %s? Its program keeps running, but leaves the team.", agent.Name)
	}

	r := parley.StopAgentRequest{Agent: agent.ID}

	return a.AskTo(question, ActSaying(agent.Name+" stopped.", op.StopAgent, r))
}

// Restart asks first while the program runs: it loses what it is doing, or its whole context.
func (a *Actions) Restart() tea.Cmd {
	agent := a.Room.About().Agent
	if agent == nil {
		a.Room.Lacks(WhichAgent)
		return nil
	}

	x := ActSaying(agent.Name+" restarted.", op.RestartAgent, parley.RestartAgentRequest{Agent: agent.ID})
	if !agent.State.Live() {
		return a.Run(x)
	}

	loses := "Its context is lost"
	if agent.Session.Begun() && !agent.NoResume {
		loses = "Its work is interrupted, and its conversation continues"
	}

	return a.AskTo(fmt.Sprintf("Restart %s? %s; messages are kept.", agent.Name, loses), x)
}

// Retry tries the message under the marker again.
func (a *Actions) Retry() tea.Cmd {
	message := a.Room.About().Message
	if message == "" {
		a.Room.Lacks("No message to retry here.")
		return nil
	}
	return a.Run(Act(op.RetryDelivery, parley.RetryDeliveryRequest{MessageID: message}))
}

// MarkRead marks the message under the marker as read.
func (a *Actions) MarkRead() tea.Cmd {
	message := a.Room.About().Message
	if message == "" {
		a.Room.Lacks("No message to mark here.")
		return nil
	}

	return a.Run(Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := op.MarkMessageRead.Call(ctx, s, parley.MarkMessageReadRequest{MessageIDs: parley.Names{message}})
		switch {
		case err != nil:
			return "", err
		case len(res.MarkedRead) > 0:
			return "Marked read.", nil
		case len(res.AlreadyRead) > 0:
			return "Already read.", nil
		}

		return "Only its recipient can mark it read.", nil
	}})
}

// Explain shows a message's whole story on a page.
func (a *Actions) Explain() tea.Cmd {
	message := a.Room.About().Message
	if message == "" {
		a.Room.Lacks("No message to explain here.")
		return nil
	}

	read := func(ctx context.Context, s parley.Service) (string, error) {
		res, err := op.ExplainMessage.Call(ctx, s, parley.ExplainMessageRequest{MessageID: message})
		if err != nil {
			return "", err
		}
		return strings.Join(res.Story, "\n"), nil
	}

	return a.Run(Action{Do: read, Page: "Message " + parley.Short(message)})
}

// Control changes a conversation. back undoes it; nil if nothing does.
func (a *Actions) Control(r parley.ControlConversationRequest, back *parley.ControlConversationRequest) tea.Cmd {
	x := Act(op.ControlConversation, r)
	if back != nil {
		x = x.UndoneBy("undoes it", Act(op.ControlConversation, *back))
	}
	return a.Run(x)
}
