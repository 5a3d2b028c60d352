package demoagent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"parley"
	"parley/internal/wait"
	"parley/op"
	"parley/plain"
	"parley/program/typed"
)

const (
	// outcomeSeconds is how long a call waits for the outcome of its deliveries: enough
	// for an idle recipient, short for a busy one.
	outcomeSeconds = 2
	// callTimeout bounds one call, including the daemon's own waiting.
	callTimeout = 30 * time.Second
	// gatherWithin is how long the start waits for the agents that it needs.
	gatherWithin = 60 * time.Second
	// gatherEvery is the time between two looks at who is there.
	gatherEvery = 250 * time.Millisecond
	// shownChars is how many characters of a text a call shows.
	shownChars = 60
)

// job is a prompt to work on, or the start.
type job struct {
	start  bool
	prompt string
}

// worker does one job after another and tells the screen about it.
type worker struct {
	opts options
	team parley.Service // nil: it is on no team
	tell chan<- event
}

// event is a change that the worker wants on the screen.
type event struct {
	mark, text string
	ask        chan<- bool // open a dialog; the answer goes here
	done, exit bool
}

func (w *worker) do(ctx context.Context, j job) {
	defer func() { w.tell <- event{done: true} }()

	if j.start {
		w.begin(ctx)
		return
	}

	if wait.Pause(ctx, w.opts.work) != nil {
		w.say("·", "Interrupted.")
		return
	}

	if on := w.opts.dialogOn; on != nil && on.MatchString(j.prompt) && !w.allowed(ctx) {
		w.say("·", "Not allowed.")
		return
	}

	if on := w.opts.exitOn; on != nil && on.MatchString(j.prompt) {
		w.say("·", "Good-bye.")
		w.tell <- event{exit: true}
		return
	}

	w.answer(ctx, parsePrompt(j.prompt))
}

func (w *worker) answer(ctx context.Context, m typed.Message) {
	acts := actsFor(w.opts.rules, m)
	if len(acts) == 0 {
		w.say("⏺", "Noted.")
		return
	}
	for _, a := range acts {
		w.act(ctx, a, m)
	}
}

// allowed opens a dialog and waits for its answer.
func (w *worker) allowed(ctx context.Context) bool {
	answer := make(chan bool, 1)
	w.tell <- event{ask: answer}
	select {
	case yes := <-answer:
		return yes
	case <-ctx.Done():
		return false
	}
}

func (w *worker) begin(ctx context.Context) {
	if w.opts.dialogStart && !w.allowed(ctx) {
		w.say("·", "Not allowed.")
		return
	}
	if len(w.opts.needs) > 0 && !w.gather(ctx) {
		return
	}
	for _, a := range w.opts.start {
		w.act(ctx, a, typed.Message{})
	}
}

// gather waits until the needed agents are there, and reports whether they are.
func (w *worker) gather(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, gatherWithin)
	defer cancel()

	for {
		res, err := call(ctx, w, op.GetAgentStatus, parley.AgentStatusRequest{})
		if err != nil {
			w.say("⏺", "failed: "+err.Error())
			return false
		}

		seen, missing := presence(res.Agents, w.opts.needs)
		if missing == "" {
			w.say("⏺", op.GetAgentStatus.Name+": "+seen)
			return true
		}

		if wait.Pause(ctx, gatherEvery) != nil {
			w.say("⏺", "gave up waiting for "+missing)
			return false
		}
	}
}

// presence returns which needed agents are live, with their states, and which are
// missing.
func presence(agents []parley.AgentStatus, needs []string) (seen, missing string) {
	var live, absent []string
	for _, name := range needs {
		state := ""
		for _, a := range agents {
			if strings.EqualFold(a.Name, name) && a.State.Live() {
				state = string(a.State)
			}
		}

		if state == "" {
			absent = append(absent, name)
		} else {
			live = append(live, name+" is "+state)
		}
	}

	return strings.Join(live, ", "), strings.Join(absent, " and ")
}

func (w *worker) act(ctx context.Context, a act, m typed.Message) {
	switch a.tool {
	case reply:
		w.reply(ctx, a, m)
	case send:
		w.send(ctx, a.to, a.text, typed.Message{})
	case broadcast:
		w.broadcast(ctx, a.text)
	case inbox:
		w.inbox(ctx)
	case commit:
		w.commit(ctx, a.to, a.text)
	}
}

// commit writes a file into the directory of the agent and commits it, if that is wanted.
func (w *worker) commit(ctx context.Context, file, text string) {
	if !w.opts.commits {
		return
	}
	err := os.WriteFile(file, []byte(text), 0o600)
	for _, words := range [][]string{{"add", file}, {"commit", "--quiet", "--message", "add " + file}} {
		as := []string{"-c", "user.name=" + w.opts.role, "-c", "user.email=" + w.opts.role + "@demo.invalid"}
		if err == nil {
			err = exec.CommandContext(ctx, "git", append(as, words...)...).Run()
		}
	}
	w.say("⏺", commit+": "+file)
	w.showOutcome(err, func() string { return "committed" })
}

// reply answers over MCP, or only on the screen if the prompt came from no agent.
func (w *worker) reply(ctx context.Context, a act, m typed.Message) {
	to := replyTo(m)
	if to == "" || w.team == nil {
		w.say("⏺", a.text)
		return
	}
	w.send(ctx, to, a.text, m)
}

// send sends a text to an agent, or as an answer to m: to the thread of a post, with its
// id if the prompt had one.
func (w *worker) send(ctx context.Context, to, text string, m typed.Message) {
	r := parley.SendMessageRequest{To: parley.Names{to}, Text: text, WaitSeconds: outcomeSeconds}
	if m.ThreadID != "" {
		r.To, r.ThreadID, to = nil, m.ThreadID, "thread "+m.ThreadID
	}
	if m.ID != "" {
		r.InReplyTo, r.Type = m.ID, parley.TypeResponse
	}

	w.say("⏺", fmt.Sprintf("%s → %s: %q", send, to, plain.Truncate(text, shownChars)))
	res, err := call(ctx, w, op.SendMessage, r)
	w.showOutcome(err, func() string { return formatDeliveries(res.Deliveries, res.Said()) })
}

func (w *worker) broadcast(ctx context.Context, text string) {
	w.say("⏺", fmt.Sprintf("%s: %q", broadcast, plain.Truncate(text, shownChars)))
	res, err := call(ctx, w, op.BroadcastMessage,
		parley.BroadcastMessageRequest{Text: text, WaitSeconds: outcomeSeconds})
	w.showOutcome(err, func() string { return formatDeliveries(res.Deliveries, res.Said()) })
}

func (w *worker) inbox(ctx context.Context) {
	w.say("⏺", inbox)
	res, err := call(ctx, w, op.CheckInbox, parley.CheckInboxRequest{IncludeRead: true})
	w.showOutcome(err, func() string {
		return fmt.Sprintf("%d messages, %d unread", res.TotalCount, res.UnreadCount)
	})
}

// call calls an operation of the team. Its error has the next step, as agents get it.
func call[Req, Res any](ctx context.Context, w *worker, o op.Operation[Req, Res], r Req) (*Res, error) {
	if w.team == nil {
		return nil, errors.New("not on a team: PARLEY_KEY is not set")
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()

	res, err := o.Call(ctx, w.team, r)
	if err != nil {
		e := parley.AsError(err)
		return nil, fmt.Errorf("%s: %s", o.Name, strings.TrimSpace(e.Message+". "+e.Action))
	}
	return res, nil
}

// showOutcome shows the result of a call, or its error.
func (w *worker) showOutcome(err error, result func() string) {
	if err != nil {
		w.say(" ", "⎿ failed: "+err.Error())
		return
	}
	w.say(" ", "⎿ "+result())
}

// formatDeliveries returns the state of each delivery in one line, or what was said of them all: of many, a model is
// told no more.
func formatDeliveries(deliveries []parley.Delivery, said string) string {
	if len(deliveries) == 0 {
		return said
	}
	states := make([]string, len(deliveries))
	for i, d := range deliveries {
		states[i] = d.Recipient + " " + string(d.State)
		if d.Reason != "" {
			states[i] += " (" + d.Reason + ")"
		}
	}
	return strings.Join(states, ", ")
}

func (w *worker) say(mark, text string) { w.tell <- event{mark: mark, text: text} }
