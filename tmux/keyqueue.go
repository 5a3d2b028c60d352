package tmux

import (
	"context"
	"strconv"
	"strings"
)

// A program may take up keys that come right after the one that submits before it has
// read what it was to submit: opencode did within tenths of a second, and within seconds
// when it had a session to make first. So on a server of our own a person's keys wait
// from that key until the text was taken.
//
// They wait in the server and not here, so nobody's end can lock the person out: the
// session's key table is one of ours, in which the first key, whichever it is, ends that
// again, waits, and then goes to the program. Those behind it wait in the queue of the
// person's client, in their order.
const (
	holdTable  = "parley-hold"
	holdOption = "@parley_hold" // of the session: the message whose key keeps the person's waiting
	// holdSteps of a tenth of a second are the longest wait.
	holdSteps = 50
	// holdRest is how long, in seconds, a program may take to be itself again after its
	// composer is empty: opencode puts another in its place 50 ms after its first prompt,
	// and drops what is typed meanwhile.
	holdRest = "0.3"
)

// holdBindings make the table. The prefix is no key for the program.
func holdBindings() []string {
	wait := strings.Repeat("if-shell -F "+quote("#{"+holdOption+"}")+" { run-shell -d 0.1 } ; ", holdSteps)
	return []string{
		"bind-key -T " + holdTable + " C-b { switch-client -T prefix }",
		"bind-key -T " + holdTable + " Any { " + wait + "set-option -u " + holdOption + " ; set-option -u key-table ; send-keys }",
	}
}

// hold lets the keys of whoever has the pane before them wait from now on.
func (d *delivery) hold() string {
	if d.Taken == nil || d.pane.server.opts.Join {
		return ""
	}
	pane := d.pane.id
	return "if-shell -F -t " + pane + " " + quote(
		watched,
	) + " { set-option -t " + pane + " " + holdOption + " " + strconv.FormatUint(
		d.Seq,
		10,
	) +
		" ; set-option -t " + pane + " key-table " + holdTable + " } ; "
}

// letGo ends that. Nothing is lost if it fails: they do not wait for ever.
func (d *delivery) letGo(ctx context.Context) {
	if !d.holds {
		return
	}
	still := "#{==:#{" + holdOption + "}," + strconv.FormatUint(d.Seq, 10) + "}" // and not another message's
	end := "if-shell -F -t " + d.pane.id + " " + quote(
		still,
	) + " { set-option -u -t " + d.pane.id + " " + holdOption + " }"
	_, _ = d.pane.server.run(ctx, "run-shell -b -d "+holdRest+" -C { "+end+" }")
}
