package agents

import (
	"fmt"
	"time"

	"parley"
	"parley/internal/testhome"
)

// fromSeveral has several agents send at once: to a program that rests, that works, or beside a draft.
func (t *trial) fromSeveral() {
	const draft = "half a thought"
	drafted := false
	switch t.IntN(4) {
	case 0:
		t.tell("it is idle")
	case 1:
		t.press("-l", draft)
		t.tell("the person typed %q", draft)
		drafted = true
	default:
		t.tells(fmt.Sprintf("SLEEP %d please", 1+t.IntN(4)))
		t.pause(time.Second)
	}

	one := t.sender
	for range 4 + t.IntN(5) {
		t.sender = t.senders[t.IntN(len(t.senders))]
		t.says()
	}
	t.sender = one
	if !drafted {
		return
	}

	t.pause(5 * time.Second)
	if text := t.composer(); text != draft {
		t.fails(&t.Touched, "the composer holds %q", text)
	}
	t.backspace(draft)
	t.tell("the person took it back")
}

// intoEnd kills the program while messages are on their way to it, at times its daemon too, and starts it again.
func (t *trial) intoEnd() {
	work := t.tells("WAIT please")
	t.until(testhome.Patience, func() bool { times, _ := t.prompted(work); return times > 0 })
	t.saysInside()
	t.pause(4 * time.Second)
	t.leave()
	t.kills(t.pid)
	t.tell("the program was killed")
	if t.IntN(3) == 0 {
		t.killDaemon()
		t.tell("the daemon was killed")
	}
	t.wait("its end is seen", func() bool { // a tmux of before 3.5 can go with it
		state := t.look().State
		return state == parley.StateExited || state == parley.StateUnreachable
	})
	// In a sandbox the program is gone some time after its terminal: what it is told until then counts as answered.
	t.until(testhome.Patience, func() bool { return t.model.Open() == 0 })
	t.model.Release()
	t.restarts()
	t.tell("it is started again")
	t.press("Right")
}

// saysInside sends what goes through the door. What is urgent is typed into the program's own queue, which counts as
// read: its end, and in Codex a person's Escape, take that away.
func (t *trial) saysInside() {
	for range 1 + t.IntN(3) {
		t.tells(fmt.Sprintf("please look at file %d", t.IntN(1000)), "--priority", []string{"low", "normal"}[t.IntN(2)])
		t.pause(300 * time.Millisecond)
	}
}
