package tmux

import (
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
