package tmux

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The two guarded lines. The server runs each to its end without doing anything
// else in between, except after load-buffer, which comes first. For a pane that has
// gone, formats expand to nothing, or, from 3.8 on, to what holds for the client's own
// pane. Neither has the owner that the guard asks for.
//
// The guard against a dead pane keeps the server alive: up to tmux 3.3a a paste
// into one crashes it, and with it every agent.

// pasteLine fills the buffer and pastes it unless the guard refuses. -p frames the
// text if the program asked for bracketed paste, -r keeps line feeds, -d deletes the
// buffer. If phase is PaneEntered, the key follows in the same step.
func (d *delivery) pasteLine(token string, b Buffer, phase string) string {
	pane := d.id
	seq := strconv.FormatUint(d.Seq, 10)
	used := "#{e|>=:" + progressFormat(pane, d.joined) + "," + seq + "}" // empty if the record is no number
	guard := d.guard(fact{"#{!=:" + used + ",1}", "1"})
	key := ""
	if phase == PaneEntered {
		key = " ; send-keys -t " + pane + " " + string(d.Key)
	}
	return b.Load + " ; " + d.refuseIf(guard) + d.leaveMode() +
		"paste-buffer -p -r -d -b " + b.Name + " -t " + pane + key +
		" ; " + record(pane, d.joined, formatProgress(d.Seq, phase)) +
		" ; display-message -p " + quote(token+" yes")
}

// keyLine presses the key if the pane's recorded progress is this message at phase
// from, and records phase to.
func (d *delivery) keyLine(token, from, to string) string {
	pane := d.id
	guard := d.guard(fact{progressFormat(pane, d.joined), formatProgress(d.Seq, from)})
	return d.refuseIf(guard) + d.leaveMode() + d.queueKeys() +
		"send-keys -t " + pane + " " + string(d.Key) +
		" ; " + record(pane, d.joined, formatProgress(d.Seq, to)) +
		" ; display-message -p -t " + pane + " " + quote(token+" yes#{"+queueOption+"}")
}

// refuseIf returns a command that ends the line if guard is true.
//
// tmux drops the rest of a line when a command fails, and a command that it does not
// know fails. A guard around the commands that type would be simpler. But from 3.3 to
// 3.7 tmux never frees the commands that an if-shell ran: 2 to 8 kB for each message.
// Why it refuses is asked afterwards: with 200 panes a second guard around the command
// that says so took a fifth of the server's time.
func (d *delivery) refuseIf(guard string) string {
	return "if-shell -F -t " + d.id + " " + quote(guard) + " " + refuse + " ; "
}

// refuse is a command that no tmux knows.
const refuse = "parley-refuses"

func refuses(err error) bool {
	failed, ok := errors.AsType[*CommandError](err)
	return ok && strings.Contains(failed.Text, refuse)
}

// fact is a format, and what it must expand to for anything to be typed.
type fact struct{ format, wanted string }

// guard returns a format that is true, which refuses, unless every fact expands to what is wanted. It is one
// comparison, because tmux parses a nested format again at each level. No wanted value has a |, so what
// a format expands to cannot take the place of another.
func (d *delivery) guard(last ...fact) string {
	facts := []fact{
		{"#{pane_dead}", "0"},
		{"#{pane_input_off}", "0"},
		{"#{pane_synchronized}", "0"},
		{"#{" + ownerOption + "}", d.Owner},
	}

	if !d.LeaveMode {
		facts = append(facts, fact{"#{pane_in_mode}", "0"})
	}
	if d.On != "" {
		facts = append(facts, fact{instanceFormat, d.On})
	}
	if !d.Untouched.IsZero() {
		facts = append(facts, fact{d.touched(), "0"})
	}

	var are, wanted []string
	for _, f := range append(facts, last...) {
		are, wanted = append(are, f.format), append(wanted, f.wanted)
	}

	return "#{!=:" + strings.Join(are, "|") + "," + strings.Join(wanted, "|") + "}"
}

// instanceFormat expands to the server's Instance.
const instanceFormat = "#{pid}/#{start_time}"

// touched returns a format that is true if a person who views the pane has pressed a
// key, or has attached, since Untouched. tmux never forgets a session's last activity, so it counts
// only while somebody is attached.
func (d *delivery) touched() string {
	since := "0"
	if !d.Untouched.IsZero() {
		since = "#{e|>=:#{session_activity}," + strconv.FormatInt(d.Untouched.Unix(), 10) + "}"
	}
	if !d.Ahead.IsZero() {
		since = "#{&&:" + since + ",#{!=:#{session_activity}," + strconv.FormatInt(d.Ahead.Unix(), 10) + "}}"
	}
	return whileAttached("#{&&:" + foremost + "," + since + "}")
}

// leaveMode takes the pane out of any mode. It belongs inside the guarded part, so
// that a refusal interrupts nobody.
func (d *delivery) leaveMode() string {
	if !d.LeaveMode {
		return ""
	}
	return "copy-mode -q -t " + d.id + " ; "
}

// factsLine prints why a guard may have refused, after cleanup.
func (d *delivery) factsLine(token, cleanup string) string {
	return cleanup + "display-message -p -t " + d.id + " " + quote(token+" "+noFacts+strings.Join([]string{
		"#{pane_id}", "#{pane_dead}", "#{pane_input_off}", "#{pane_in_mode}",
		escaped(ownerOption), progressFormat(d.id, d.joined), "#{pane_synchronized}", d.touched(), instanceFormat,
	}, "|"))
}

// noFacts begins the line of facts.
const noFacts = "no "

// answer is what a guarded line did.
type answer struct {
	yes      bool
	keysWait bool     // a person's keys are queued
	fields   []string // of facts, if not yes
}

func parseAnswer(text string) (answer, error) {
	if waiting, ok := strings.CutPrefix(text, "yes"); ok {
		return answer{yes: true, keysWait: waiting != ""}, nil
	}
	facts, ok := strings.CutPrefix(text, noFacts)
	fields := splitFields(facts)
	if !ok || len(fields) != 9 {
		return answer{}, fmt.Errorf("tmux answered %q", text)
	}
	return answer{fields: fields}, nil
}

// refused returns the reason and its words. A lasting reason comes before a passing
// one.
func (a answer) refused(d *delivery) (Refusal, string) {
	if a.yes {
		return NoRefusal, ""
	}

	f := a.fields
	seq, phase := parseProgress(f[5])
	switch {
	case f[0] != d.id, d.On != "" && f[8] != d.On:
		return Gone, "the pane is gone"
	case f[4] != d.Owner:
		return Foreign, fmt.Sprintf("the pane is owned by %q", f[4])
	case f[1] == "1":
		return Dead, "the program has ended"
	case d.Seq > 0 && d.typed(seq, phase):
		return Repeated, fmt.Sprintf("the pane is at message %d, %s", seq, phase)
	case f[2] == "1":
		return InputOff, "the pane takes no input"
	case f[6] == "1":
		return Shared, "typed text goes to every pane of the window (synchronize-panes)"
	case number(f[3]) > 0:
		return InMode, "somebody scrolls or chooses in the pane"
	case f[7] == "1":
		return Touched, "somebody types in the pane, or has just attached to it"
	case d.Seq == 0:
		return Changed, "the screen has changed"
	}

	return InMode, "somebody did something in the pane a moment ago"
}

// typed reports whether the pane's recorded progress forbids this step. Before the
// paste every number that is not lower does, after it all but the step before.
func (d *delivery) typed(seq uint64, phase string) bool {
	if d.out.Phase == Unknown {
		return seq >= d.Seq
	}
	return seq != d.Seq || phase != d.out.PanePhase()
}

// queueKeys returns the commands that make the keys of a person who views the pane
// wait, or "" where they need not. With releaseKeys, they cost the server 1.2 kB that it
// never frees (see stopIf), but only while somebody views the pane.
func (d *delivery) queueKeys() string {
	if d.Next == nil || d.joined {
		return ""
	}
	pane, seq := d.id, strconv.FormatUint(d.Seq, 10)
	return "if-shell -F -t " + pane + " " + quote(watched) +
		" { set-option -t " + pane + " " + queueOption + " " + seq +
		" ; set-option -t " + pane + " key-table " + queueTable + " } ; "
}

// releaseKeys lets waiting keys go to the program. If it fails they go after
// queueSteps.
func (d *delivery) releaseKeys(ctx context.Context) error {
	if !d.keysWait {
		return nil
	}
	stillOurs := "#{==:#{" + queueOption + "}," + strconv.FormatUint(d.Seq, 10) + "}" // not another message's
	release := "if-shell -F -t " + d.id + " " + quote(stillOurs) +
		" { set-option -u -t " + d.id + " " + queueOption + " }"
	line := endWithToken([]string{"run-shell -b -d " + queueRest + " -C { " + release + " }"})
	_, err := d.pane.Run(ctx, line)
	return err
}
