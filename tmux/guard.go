package tmux

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The two guarded lines. Each is one line of the control client, which the server
// runs to its end without doing anything else, but for load-buffer, which comes
// first. A pane that is gone expands every format to nothing, so the identity is
// tested for equality with what must be there.
//
// The guard against a dead pane keeps the server alive: up to tmux 3.3a a paste
// into one crashes it, and with it every agent.

// pasteLine runs load, which fills buffer with the text, and pastes it unless the
// guard refuses. -p frames the text if the program asked for bracketed paste, -r
// keeps line feeds, -d deletes the buffer. With at set to phaseEntered the key
// follows in the same step.
func (d *delivery) pasteLine(token, load, buffer, at string) string {
	pane := d.pane.id
	seq := strconv.FormatUint(d.Seq, 10)
	guard := d.guard("#{e|>=:#{" + seqOption + "}," + seq + "}")
	key := ""
	if at == phaseEntered {
		key = " ; send-keys -t " + pane + " " + string(d.Key)
	}
	return load + " ; if-shell -F -t " + pane + " " + quote(guard) +
		" { delete-buffer -b " + buffer + " ; " + d.refusal(token) + " } { " + d.leaveMode() +
		"paste-buffer -p -r -d -b " + buffer + " -t " + pane + key +
		" ; set-option -p -t " + pane + " " + seqOption + " " + remembrance(d.Seq, at) +
		" ; display-message -p " + quote(token+" yes") + " }"
}

// keyLine presses the key, if the pane remembers this message at phase from.
func (d *delivery) keyLine(token, from, to string) string {
	pane := d.pane.id
	guard := d.guard("#{!=:#{" + seqOption + "}," + remembrance(d.Seq, from) + "}")
	return "if-shell -F -t " + pane + " " + quote(guard) +
		" { " + d.refusal(token) + " } { " + d.leaveMode() + d.hold() +
		"send-keys -t " + pane + " " + string(d.Key) +
		" ; set-option -p -t " + pane + " " + seqOption + " " + remembrance(d.Seq, to) +
		" ; display-message -p -t " + pane + " " + quote(token+" yes#{"+holdOption+"}") + " }"
}

// guard is a format that is true when nothing may be typed.
func (d *delivery) guard(sequence string) string {
	terms := []string{
		"#{pane_dead}", "#{pane_input_off}", "#{pane_synchronized}",
		"#{!=:#{" + ownerOption + "}," + d.Owner + "}", sequence,
	}

	if !d.LeaveMode {
		terms = append(terms, "#{pane_in_mode}")
	}
	if d.On != "" {
		terms = append(terms, "#{!=:"+instanceFormat+","+d.On+"}")
	}
	if !d.Untouched.IsZero() {
		terms = append(terms, d.touched())
	}

	guard := terms[0]
	for _, term := range terms[1:] {
		guard = "#{||:" + guard + "," + term + "}"
	}

	return guard
}

// instanceFormat is what Server.Instance says.
const instanceFormat = "#{pid}/#{start_time}"

// touched is a format that is true when someone who has the pane before them has
// pressed a key since Untouched. tmux forgets a session's activity never, so without
// anyone attached it says nothing.
func (d *delivery) touched() string {
	since := "0"
	if !d.Untouched.IsZero() {
		since = "#{e|>=:#{session_activity}," + strconv.FormatInt(d.Untouched.Unix(), 10) + "}"
	}
	return "#{&&:" + watched + "," + since + "}"
}

// watched is true while someone has the pane before them.
const watched = "#{&&:#{session_attached},#{&&:#{window_active},#{pane_active}}}"

// leaveMode takes the pane out of any mode, within the guarded part, so that a
// refusal throws nobody out.
func (d *delivery) leaveMode() string {
	if !d.LeaveMode {
		return ""
	}
	return "copy-mode -q -t " + d.pane.id + " ; "
}

func (d *delivery) refusal(token string) string {
	return "display-message -p -t " + d.pane.id + " " + quote(token+" no "+strings.Join([]string{
		"#{pane_id}", "#{pane_dead}", "#{pane_input_off}", "#{pane_in_mode}",
		"#{q:" + ownerOption + "}", "#{" + seqOption + "}", "#{pane_synchronized}", d.touched(), instanceFormat,
	}, "|"))
}

// answer is what a guarded line printed.
type answer struct {
	yes    bool
	holds  bool     // a person's keys wait
	fields []string // of refusal, if not yes
}

func parseAnswer(text string) (answer, error) {
	if hold, ok := strings.CutPrefix(text, "yes"); ok {
		return answer{yes: true, holds: hold != ""}, nil
	}
	rest, ok := strings.CutPrefix(text, "no ")
	fields := splitFields(rest)
	if !ok || len(fields) != 9 {
		return answer{}, fmt.Errorf("tmux answered %q", text)
	}
	return answer{fields: fields}, nil
}

// refused names the reason: what lasts before what passes.
func (a answer) refused(d *delivery) (Refusal, string) {
	if a.yes {
		return NoRefusal, ""
	}

	f := a.fields
	seq, phase := recalled(f[5])
	switch {
	case f[0] != d.pane.id, d.On != "" && f[8] != d.On:
		return Gone, "the pane is gone"
	case f[4] != d.Owner:
		return Foreign, fmt.Sprintf("the pane is owned by %q", f[4])
	case f[1] == "1":
		return Dead, "the program has ended"
	case d.typed(seq):
		return Repeated, fmt.Sprintf("the pane is at message %d, %s", seq, phase)
	case f[2] == "1":
		return InputOff, "the pane takes no input"
	case f[6] == "1":
		return Shared, "what is typed there goes to every pane of the window (synchronize-panes)"
	case number(f[3]) > 0:
		return InMode, "somebody scrolls or chooses in the pane"
	case f[7] == "1":
		return Touched, "somebody types in the pane"
	}

	return Repeated, fmt.Sprintf("the pane is at message %d, %s", seq, phase)
}

// typed reports whether the pane's sequence number forbids this step: any that is
// not lower before the paste, any other one after it.
func (d *delivery) typed(seq uint64) bool {
	if d.out.Phase == Unknown {
		return seq >= d.Seq
	}
	return seq != d.Seq
}

// phases are the ways a message is remembered, by the digit that stands for them.
var phases = [...]string{"", phasePasted, phaseEntered, phaseAgain}

// remembrance is the value of the pane's option: the sequence number, a point, and
// the digit of the phase. It is one option and not two, because with 200 panes each
// set-option costs the server 0.12 ms; and a number, because tmux compares whole
// numbers and ignores what follows the point.
func remembrance(seq uint64, phase string) string {
	return strconv.FormatUint(seq, 10) + "." + strconv.Itoa(slices.Index(phases[:], phase))
}

// recalled is the reverse; anything else, as on a pane never typed to, is 0 and "".
func recalled(option string) (seq uint64, phase string) {
	number, digit, _ := strings.Cut(option, ".")
	seq, _ = strconv.ParseUint(number, 10, 64)
	if n, err := strconv.Atoi(digit); err == nil && n > 0 && n < len(phases) {
		phase = phases[n]
	}
	return seq, phase
}
