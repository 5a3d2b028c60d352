package tui

import (
	"context"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// action changes something in the world.
type action struct {
	// do returns what was done, in a sentence.
	do   func(context.Context, parley.Service) (string, error)
	undo *undo  // nil if it cannot be undone
	page string // the title of the page that shows the answer; "" for the status line
}

// undo takes an action back.
type undo struct {
	does   string // in words: "resumes them"
	action action
}

// doneMsg is what an action did. With an error and an undo, part of it was done.
type doneMsg struct {
	text string
	undo *undo
	page string
	err  error
}

// method is an operation of the service.
type method[Req, Res any] = func(parley.Service, context.Context, Req) (Res, error)

// act returns the action that calls a method of the service, whose result says what was done.
func act[Req any, Res interface{ Said() string }](call method[Req, Res], r Req) action {
	return action{do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := call(s, ctx, r)
		if err != nil {
			return "", err
		}
		return res.Said(), nil
	}}
}

// actSaying returns the action that calls a method of the service, and what is said when it is done.
func actSaying[Req, Res any](done string, call method[Req, Res], r Req) action {
	return action{do: func(ctx context.Context, s parley.Service) (string, error) {
		_, err := call(s, ctx, r)
		return done, err
	}}
}

// undoneBy returns the action with a way back.
func (x action) undoneBy(does string, back action) action {
	x.undo = &undo{does: does, action: back}
	return x
}

func (x action) run(ctx context.Context, s parley.Service) tea.Msg {
	text, err := x.do(ctx, s)
	if err != nil {
		return doneMsg{err: err, page: x.page}
	}
	return doneMsg{text: text, undo: x.undo, page: x.page}
}

// actions do something about what the marker is on, on any screen.
type actions struct{ *shared }

const whichAgent = "Choose an agent first (2)."

func (a actions) run(x action) tea.Cmd {
	if x.page != "" { // it changes nothing
		return a.do.call(x.run)
	}
	return a.change(x.run)
}

// askTo asks for a yes before something is done.
func (a actions) askTo(question string, x action) tea.Cmd {
	return a.ask(question, func() tea.Cmd { return a.run(x) })
}

// changing tells of the actions that are not done yet.
type changing struct {
	calls int
	undo  bool // the last of them is taken back once all are done
}

// change makes a request that a doneMsg answers.
func (a actions) change(r request) tea.Cmd {
	a.changing.calls++
	return a.do.call(r)
}

// done tells what an action did, and takes it back if that was asked for meanwhile.
func (a actions) done(msg doneMsg) tea.Cmd {
	cmd := a.tellDone(msg)
	if msg.page != "" {
		return cmd
	}
	if a.changing.calls--; a.changing.calls > 0 || !a.changing.undo {
		return cmd
	}

	a.changing.undo = false
	if msg.undo == nil {
		return cmd
	}
	return tea.Batch(cmd, a.undoLast())
}

func (a actions) tellDone(msg doneMsg) tea.Cmd {
	if msg.err != nil {
		a.failed(msg.err)
		if msg.undo != nil {
			a.undo, a.status.text = msg.undo, msg.text+"; "+a.key("u")+" "+msg.undo.does
		}
		return a.link.lookSoon()
	}

	if msg.page != "" {
		a.openPage(msg)
		return nil
	}

	if a.undo = msg.undo; a.undo != nil {
		msg.text = strings.TrimSuffix(msg.text, ".") + ". " + a.key("u") + " " + a.undo.does + "."
	}

	a.tell(msg.text)

	return a.link.lookSoon()
}

// openPage opens the page of an answer, unless the person writes something meanwhile: the page would take
// their keys.
func (a actions) openPage(msg doneMsg) {
	switch a.scope() {
	case inShell, inTiles, inAnswer, inHelp:
		a.help = help{open: true, title: msg.page, text: msg.text}
	default:
		a.tell("“" + msg.page + "” came while you were writing. Ask for it again.")
	}
}

// undoLast undoes the last action. One that is not done yet is undone afterwards, and one that could not be
// undone can be undone later.
func (a actions) undoLast() tea.Cmd {
	if a.changing.calls > 0 {
		a.changing.undo = true
		return nil
	}
	if a.undo == nil {
		a.tell("Nothing to undo.")
		return nil
	}
	back := a.undo
	a.undo = nil
	return a.change(func(ctx context.Context, s parley.Service) tea.Msg {
		text, err := back.action.do(ctx, s)
		if err != nil {
			return doneMsg{err: err, text: "Not undone", undo: back}
		}
		return doneMsg{text: text, undo: back.action.undo}
	})
}

// pauseOrResume pauses the team's messages once that is confirmed, or lets them go on.
func (a actions) pauseOrResume() tea.Cmd {
	if a.picks() {
		return a.pauseSelected()
	}

	set := func(paused bool) action {
		return act(parley.Service.PauseCommunication, parley.PauseCommunicationRequest{Paused: paused})
	}
	if s := a.link.status; s != nil && s.Paused != nil {
		return a.run(set(false).undoneBy("pauses them again", set(true)))
	}
	return a.ask("Pause the whole team? No message is accepted or typed until you resume.", func() tea.Cmd {
		return a.run(set(true).undoneBy("resumes them", set(false)))
	})
}

// stop asks first: it ends a program with its context, and nothing brings that
// back.
func (a actions) stop() tea.Cmd {
	agent := a.about().agent
	if agent == nil {
		a.tell(whichAgent)
		return nil
	}

	question := fmt.Sprintf("Stop %s? Its process and context are lost; messages are kept.", agent.Name)
	if agent.Adopted() {
		question = fmt.Sprintf("Release %s? Its program keeps running, but leaves the team.", agent.Name)
	}

	r := parley.StopAgentRequest{Agent: agent.ID}

	return a.askTo(question, actSaying(agent.Name+" stopped.", parley.Service.StopAgent, r))
}

// restart asks first while the program runs: it loses what it is doing, or its whole context.
func (a actions) restart() tea.Cmd {
	agent := a.about().agent
	if agent == nil {
		a.tell(whichAgent)
		return nil
	}

	x := actSaying(agent.Name+" restarted.", parley.Service.RestartAgent, parley.RestartAgentRequest{Agent: agent.ID})
	if !agent.State.Live() {
		return a.run(x)
	}

	loses := "Its context is lost"
	if agent.Session.Begun() && !agent.NoResume {
		loses = "Its work is interrupted, and its conversation continues"
	}

	return a.askTo(fmt.Sprintf("Restart %s? %s; messages are kept.", agent.Name, loses), x)
}

func (a actions) retry() tea.Cmd {
	message := a.about().message
	if message == "" {
		a.tell("No message to retry here.")
		return nil
	}
	return a.run(act(parley.Service.RetryDelivery, parley.RetryDeliveryRequest{MessageID: message}))
}

func (a actions) markRead() tea.Cmd {
	message := a.about().message
	if message == "" {
		a.tell("No message to mark here.")
		return nil
	}

	return a.run(action{do: func(ctx context.Context, s parley.Service) (string, error) {
		res, err := s.MarkMessageRead(ctx, parley.MarkMessageReadRequest{MessageIDs: parley.Names{message}})
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

// explain shows a message's whole story on a page.
func (a actions) explain() tea.Cmd {
	message := a.about().message
	if message == "" {
		a.tell("No message to explain here.")
		return nil
	}

	read := func(ctx context.Context, s parley.Service) (string, error) {
		res, err := s.ExplainMessage(ctx, parley.ExplainMessageRequest{MessageID: message})
		if err != nil {
			return "", err
		}
		return strings.Join(res.Story, "\n"), nil
	}

	return a.run(action{do: read, page: "Message " + parley.Short(message)})
}

// control changes a conversation. back undoes it; nil if nothing does.
func (a actions) control(r parley.ControlConversationRequest, back *parley.ControlConversationRequest) tea.Cmd {
	x := act(parley.Service.ControlConversation, r)
	if back != nil {
		x = x.undoneBy("undoes it", act(parley.Service.ControlConversation, *back))
	}
	return a.run(x)
}
