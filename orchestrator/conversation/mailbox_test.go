package conversation

import (
	"fmt"
	"testing"
	"time"
)

// mailboxes are agents without terminals that write to each other.
type mailboxes struct {
	budgets Budgets
	now     time.Time
	sent    int
}

// send sends a message after a pause. It is not stored if it is refused.
func (m *mailboxes) send(pause time.Duration, from, to string) Verdict {
	m.now = m.now.Add(pause)
	m.sent++
	link := Next(fmt.Sprint("m", m.sent), false, Link{}, m.budgets.Turn(from))
	return m.budgets.Admit(Settings{}, Turn{Link: link, From: from, To: to, At: m.now, ToMailbox: true})
}

// around passes a message around until it is refused. It returns how many were sent, and why no more.
func (m *mailboxes) around(limit int, pause time.Duration, agents ...string) (sent int, why Reason) {
	for n := range limit {
		if v := m.send(pause, agents[n%len(agents)], agents[(n+1)%len(agents)]); v.Held {
			return n, v.Reason
		}
	}
	return limit, ""
}

func TestLoopsOfMailboxesEnd(t *testing.T) {
	for _, test := range []struct {
		name   string
		agents []string
		pause  time.Duration
		most   int
		why    Reason
	}{
		{"two at once", []string{"a", "b"}, time.Millisecond, 11, PairSpent},
		{"two in five seconds", []string{"a", "b"}, 5 * time.Second, 11, PairSpent},
		{"two in twenty seconds", []string{"a", "b"}, 20 * time.Second, 20, ChainSpent},
		{"three at once", []string{"a", "b", "c"}, time.Millisecond, 20, CycleSpent},
		{"five in a minute each", []string{"a", "b", "c", "d", "e"}, time.Minute, 20, CycleSpent},
		{"nine", []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}, time.Second, 27, CycleSpent},
	} {
		m := &mailboxes{now: noon}
		if sent, why := m.around(1000, test.pause, test.agents...); sent != test.most || why != test.why {
			t.Errorf("%s: %d were sent (%q), want %d (%q)", test.name, sent, why, test.most, test.why)
		}
	}
}

// What does not go back and forth is no loop, however much it is.
func TestManyMessagesToMailboxesPass(t *testing.T) {
	team := []string{"a", "b", "c", "d", "e"}
	for name, play := range map[string]func(m *mailboxes, passes func(Verdict)){
		"a stream": func(m *mailboxes, passes func(Verdict)) {
			for range 500 {
				passes(m.send(time.Millisecond, "a", "b"))
			}
		},
		"tasks, then results": func(m *mailboxes, passes func(Verdict)) {
			for range 100 {
				passes(m.send(time.Millisecond, "a", "b"))
			}
			for range 100 {
				passes(m.send(time.Millisecond, "b", "a"))
			}
		},
		"one word to everybody, and their answers": func(m *mailboxes, passes func(Verdict)) {
			for range 5 {
				for _, to := range team[1:] {
					passes(m.send(time.Millisecond, "a", to))
				}
				for _, from := range team[1:] {
					passes(m.send(time.Millisecond, from, "a"))
				}
			}
		},
		"everybody to everybody": func(m *mailboxes, passes func(Verdict)) {
			for _, from := range team {
				for range 50 {
					for _, to := range team {
						if to != from {
							passes(m.send(0, from, to))
						}
					}
				}
			}
		},
		"a task every minute, each with its result": func(m *mailboxes, passes func(Verdict)) {
			for n := range 9 * len(team[1:]) {
				worker := team[1+n%len(team[1:])]
				passes(m.send(time.Minute, "a", worker))
				passes(m.send(time.Second, worker, "a"))
			}
		},
	} {
		m := &mailboxes{now: noon}
		play(m, func(v Verdict) {
			t.Helper()
			if v.Held {
				t.Fatalf("%s: message %d is refused: %+v", name, m.sent, v)
			}
		})
	}
}

// What settles requests, and what rests, is no loop, however long it lasts.
func TestDialoguesOfMailboxesNeverRunOut(t *testing.T) {
	settle := func(m *mailboxes, agent string) { m.budgets.Settle(m.budgets.Turn(agent)) }
	for _, test := range []struct {
		name string
		turn func(m *mailboxes, n int) (agents []string, pause time.Duration) // n-th exchange
	}{
		{"each request has its formal answer", func(m *mailboxes, n int) ([]string, time.Duration) {
			settle(m, "a") // the last message to a is the answer
			return []string{"a", "b"}, 20 * time.Second
		}},
		{"three pass requests on, and each is settled", func(m *mailboxes, n int) ([]string, time.Duration) {
			settle(m, "a")
			return []string{"a", "b", "c"}, 20 * time.Second
		}},
		{"one message in four is ignored", func(m *mailboxes, n int) ([]string, time.Duration) {
			if n%2 == 1 {
				settle(m, "b")
			}
			return []string{"a", "b"}, 20 * time.Second
		}},
		{"they rest for an hour after 18 messages", func(m *mailboxes, n int) ([]string, time.Duration) {
			if n%9 == 0 {
				m.now = m.now.Add(time.Hour)
			}
			return []string{"a", "b"}, 20 * time.Second
		}},
	} {
		m := &mailboxes{now: noon}
		for n := range 100 {
			agents, pause := test.turn(m, n)
			if sent, why := m.around(len(agents), pause, agents...); sent < len(agents) {
				t.Errorf("%s: message %d is refused (%s)", test.name, m.sent, why)
				break
			}
		}
	}
}

// A person's word or a release lets two mailboxes go on.
func TestAPersonLetsMailboxesGoOn(t *testing.T) {
	for name, allow := range map[string]func(m *mailboxes){
		"a word": func(m *mailboxes) {
			m.budgets.Take(Turn{Link: Link{"p", 0}, From: "operator", To: "b", At: m.now, FromHuman: true,
				ToMailbox: true})
		},
		"a release": func(m *mailboxes) {
			m.budgets.Release(Turn{Link: m.budgets.Turn("a"), From: "a", To: "b", At: m.now})
		},
	} {
		for _, pause := range []time.Duration{time.Millisecond, 20 * time.Second} {
			m := &mailboxes{now: noon}
			first, _ := m.around(1000, pause, "a", "b")
			allow(m)
			if sent, why := m.around(first, pause, "b", "a"); sent < first-1 {
				t.Errorf("after %s, every %s: %d passed (%q), want about %d", name, pause, sent, why, first)
			}
		}
	}
}
