package demoagent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley"
)

const (
	// proofSeconds is how long a call waits for its deliveries' outcome: enough for
	// an idle recipient, short for one that is at work.
	proofSeconds = 2
	// gathering is how long the first to speak waits for the others to be there.
	gathering = 60 * time.Second
	// lookAgain is how often it looks meanwhile.
	lookAgain = 250 * time.Millisecond
	// quoted is how many characters of a text a call shows.
	quoted = 60
)

// job is a prompt to be worked on, or the start.
type job struct {
	start  bool
	prompt string
}

// worker does one job after the other and tells the screen.
type worker struct {
	opts options
	team *team
	tell chan<- event
}

// event is what the worker wants the screen to do.
type event struct {
	mark, text string
	ask        chan<- bool // a dialog: Yes or No goes here
	done, exit bool
}

func (w *worker) do(ctx context.Context, j job) {
	defer func() { w.tell <- event{done: true} }()

	if j.start {
		w.begin(ctx)
		return
	}

	if !pause(ctx, w.opts.work) {
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

	w.answer(ctx, readMessage(j.prompt))
}

func (w *worker) answer(ctx context.Context, m message) {
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
		w.act(ctx, a, message{})
	}
}

// gather waits until those who are needed are there.
func (w *worker) gather(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, gathering)
	defer cancel()

	for {
		var res parley.AgentStatusResult
		if err := w.team.call(ctx, status, map[string]any{}, &res); err != nil {
			w.say("⏺", "failed: "+err.Error())
			return false
		}

		seen, missing := roll(res.Agents, w.opts.needs)
		if missing == "" {
			w.say("⏺", status+": "+seen)
			return true
		}

		if !pause(ctx, lookAgain) {
			w.say("⏺", "gave up waiting for "+missing)
			return false
		}
	}
}

// roll says who of those needed is live, and who is missing.
func roll(agents []parley.AgentStatus, needs []string) (seen, missing string) {
	var there, not []string
	for _, name := range needs {
		state := ""
		for _, a := range agents {
			if strings.EqualFold(a.Name, name) && a.State.Live() {
				state = string(a.State)
			}
		}

		if state == "" {
			not = append(not, name)
		} else {
			there = append(there, name+" is "+state)
		}
	}

	return strings.Join(there, ", "), strings.Join(not, " and ")
}

func (w *worker) act(ctx context.Context, a act, m message) {
	switch a.tool {
	case reply:
		w.reply(ctx, a, m)
	case send:
		w.send(ctx, a.to, a.text, "")
	case broadcast:
		w.broadcast(ctx, a.text)
	case inbox:
		w.inbox(ctx)
	}
}

// reply answers over MCP, or on the screen alone when nobody asked from elsewhere.
func (w *worker) reply(ctx context.Context, a act, m message) {
	if m.answerTo() == "" || w.team.client == nil {
		w.say("⏺", a.text)
		return
	}
	w.send(ctx, m.answerTo(), a.text, m.id)
}

func (w *worker) send(ctx context.Context, to, text, inReplyTo string) {
	args := map[string]any{"to": []string{to}, "text": text, "wait_seconds": proofSeconds}
	if inReplyTo != "" {
		args["in_reply_to"], args["type"] = inReplyTo, string(parley.TypeResponse)
	}
	w.say("⏺", fmt.Sprintf("%s → %s: %q", send, to, parley.Truncate(text, quoted)))
	var res parley.SendMessageResult
	w.outcome(w.team.call(ctx, send, args, &res), func() string { return rungs(res.Deliveries) })
}

func (w *worker) broadcast(ctx context.Context, text string) {
	w.say("⏺", fmt.Sprintf("%s: %q", broadcast, parley.Truncate(text, quoted)))
	args := map[string]any{"text": text, "wait_seconds": proofSeconds}
	var res parley.BroadcastMessageResult
	w.outcome(w.team.call(ctx, broadcast, args, &res), func() string { return rungs(res.Deliveries) })
}

func (w *worker) inbox(ctx context.Context) {
	w.say("⏺", inbox)
	var res parley.CheckInboxResult
	w.outcome(w.team.call(ctx, inbox, map[string]any{"include_read": true}, &res), func() string {
		return fmt.Sprintf("%d messages, %d unread", res.TotalCount, res.UnreadCount)
	})
}

// outcome shows what a call came to.
func (w *worker) outcome(err error, result func() string) {
	if err != nil {
		w.say(" ", "⎿ failed: "+err.Error())
		return
	}
	w.say(" ", "⎿ "+result())
}

// rungs says how far each delivery provably is.
func rungs(deliveries []parley.Delivery) string {
	if len(deliveries) == 0 {
		return "nobody to deliver to"
	}
	said := make([]string, len(deliveries))
	for i, d := range deliveries {
		said[i] = d.Recipient + " " + string(d.State)
		if d.Reason != "" {
			said[i] += " (" + d.Reason + ")"
		}
	}
	return strings.Join(said, ", ")
}

func (w *worker) say(mark, text string) { w.tell <- event{mark: mark, text: text} }

// pause waits for d; false when ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
