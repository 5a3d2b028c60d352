package agents

import (
	"fmt"
	"slices"
	"time"

	"parley"
	"parley/internal/testhome"
)

// intoQueue sends what is urgent into work, where a program with a queue takes it, and
// ends the work: by itself, by a person's Escape, or by a failure.
func (t *trial) intoQueue() {
	fails := len(t.program.fails) > 0 && t.IntN(3) == 0
	work := "WAIT please"
	if fails {
		work += t.failure()
	}

	t.tells(work)
	first := t.sent[len(t.sent)-1]
	works := func() bool { times, _ := t.prompted(first); return times > 0 && t.look().State == parley.StateBusy }
	if !t.until(testhome.Patience, works) {
		t.fails(&t.Wrong, "no work is seen")
		return
	}

	for range 1 + t.IntN(3) {
		t.tells(fmt.Sprintf("this matters %d", t.IntN(1000)), "--priority", []string{"high", "urgent"}[t.IntN(2)])
		t.pause(time.Second)
	}

	if t.IntN(2) == 0 {
		t.says()
	}

	if next := t.sent[t.first+1]; t.profile.QueueKey != "" && !fails && t.IntN(2) == 0 &&
		t.until(testhome.Patience, func() bool { return t.status(next).State.Delivered() }) {
		t.refuse()
		t.tell("the person pressed Escape")
		t.pause(2 * time.Second)
	}

	t.model.Release()
	t.tell("the model goes on")
	if fails {
		t.goesOn()
	}
}

// intoFailure has the model fail, checks that later messages wait, and has the operator
// retry the first of them.
func (t *trial) intoFailure() {
	if len(t.program.fails) == 0 {
		return // it tries again after each
	}
	t.tells(fmt.Sprintf("SLEEP %d please", 1+t.IntN(3)) + t.failure())
	t.pause(4 * time.Second)
	t.says123()
	t.goesOn()
}

func (t *trial) failure() string {
	times := ""
	if t.program.repeats && t.sender != nil {
		times = " ONCE" // else it can try for as long as that fails
	}
	return fmt.Sprintf(" and FAIL %d this time%s", t.program.fails[t.IntN(len(t.program.fails))], times)
}

// goesOn does what an operator does after a failure: if the program is blocked, it
// retries the first message that waits.
func (t *trial) goesOn() {
	t.tells("go on")
	inside := t.sender != nil // then what is inside can go on by itself, at any moment
	mine := t.sent[t.first:]
	queued := t.profile.QueueKey != "" && slices.ContainsFunc(mine, func(m *letter) bool {
		return m.Priority == parley.PriorityHigh || m.Priority == parley.PriorityUrgent
	}) // then it goes on with that by itself

	var waits *letter
	over := t.until(testhome.Patience, func() bool {
		t.model.Release() // some try again
		waits = nil
		for _, m := range mine {
			if d := t.status(m); d.State.Settled() || waits != nil {
				continue
			}
			if times, _ := t.prompted(m); times == 0 { // what failed may be proven only later
				waits = m
			}
		}

		return waits == nil || t.look().State == parley.StateBlocked
	})
	if !over && inside {
		return
	}
	if !over {
		t.fails(&t.Wrong, "no failure is seen: ann is %s, held: %q", t.agent.State, t.agent.HeldReason)
		return
	}

	if waits == nil {
		if !queued && !inside {
			t.fails(&t.Wrong, "nothing waited after the failure")
		}
		return
	}

	t.tell("it is blocked: %s", t.agent.Evidence)
	t.pause(2 * time.Second)
	switch times, _ := t.prompted(waits); {
	case inside:
	case t.look().State == parley.StateBlocked && times != 0:
		t.fails(&t.Wrong, "%s was typed after the failure", parley.Short(waits.ID))
	case t.agent.State != parley.StateBlocked && !queued:
		t.fails(&t.Wrong, "the failure is seen no more: ann is %s", t.agent.State)
	}

	out, err := t.Command("retry", waits.ID).CombinedOutput()
	t.tell("the operator retried %s: %s(%v)", parley.Short(waits.ID), out, err)
}
