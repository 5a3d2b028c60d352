package tmux

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// A program may read keys typed right after the submitting key before it has read
// the text to submit: opencode did so within tenths of a second, and within seconds
// when it had to make a session first. On parley's own server, a person's keys
// therefore wait from the submitting key until the program has taken the text.
//
// They wait in the tmux server, not in this process, so no crash of ours can lock
// the person out. The session gets another key table. The first key in it, whichever it
// is, switches the table back, waits, and then goes to the program. The keys after
// it wait in the queue of the person's client, in order.
const (
	queueTable  = "parley-hold"
	queueOption = "@parley_hold" // of the session: number of the message for which keys wait
	// queueSteps bounds the wait, in tenths of a second.
	queueSteps = 50
	// KeysWaitFor is how long tmux keeps a person's keys back by itself: who has them wait may end meanwhile.
	KeysWaitFor = queueSteps * 100 * time.Millisecond
	// queueRest is how long, in seconds, keys wait after the composer is empty: opencode
	// replaces its composer 50 ms after its first prompt, and drops what is typed in
	// between.
	queueRest = "0.3"
)

// queueBindings make the key table. The prefix key still works in it: it never goes
// to the program.
func queueBindings() []string {
	return []string{
		"bind-key -T " + queueTable + " C-b { switch-client -T prefix }",
		"bind-key -T " + queueTable + " Any { " + queueWait() + "send-keys }",
	}
}

// queueWait returns the commands that the first key in the table runs before it goes to the
// program.
func queueWait() string {
	wait := strings.Repeat("if-shell -F "+quote("#{"+queueOption+"}")+" { run-shell -d 0.1 } ; ", queueSteps)
	return wait + "set-option -u " + queueOption + " ; set-option -u key-table ; "
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

// ReleaseKeys lets keys go to the program that wait for a text typed before: the process that
// would have let them go has ended. It reports whether any could be waiting.
func (p *Pane) ReleaseKeys(ctx context.Context) (waited bool, err error) { return ReleaseKeys(ctx, p) }

// ReleaseKeys is the method of Pane for any runner. On a joined server no keys wait.
func ReleaseKeys(ctx context.Context, pane Runner) (waited bool, err error) {
	id, joined := pane.Target()
	if joined {
		return false, nil
	}
	if err := checkPane(id); err != nil {
		return false, err
	}

	const did = "released"
	said, err := pane.Run(ctx, func(token string) string {
		return "if-shell -F -t " + id + " " + quote("#{"+queueOption+"}") +
			" { set-option -u -t " + id + " " + queueOption + " ; display-message -p " + quote(token+" "+did) +
			" } { display-message -p " + quote(token+" none") + " }"
	})
	return strings.TrimSpace(said) == did, err
}
