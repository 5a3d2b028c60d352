package conversation

import (
	"container/heap"
	"fmt"
	"math/rand/v2"
	"time"

	"parley"
)

// simMost ends a run without end, by the number of sent messages. simSteps ends a run in
// which nothing is sent while waiting messages are held again and again.
const (
	simMost  = 10_000
	simSteps = 500_000
)

// simBegin is an arbitrary moment.
var simBegin = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// human is the index of the person in a simulated team.
const human = -1

// simMessage is a message in the simulation, among agents named by their index.
type simMessage struct {
	id      string
	link    Link
	replied Link // of the answered message, if the sender names it
	from    int
	to      []int
	text    string
	mailbox bool // the sender does not name the message that it answers
}

// A talker returns what an agent sends after a message: it never stays silent.
type talker func(w *world, me int, m *simMessage) []simMessage

// world is a team of agents that answer everything, one message at a time, and the
// protocol between them, or none.
type world struct {
	seed     uint64
	chance   *rand.Rand
	settings Settings
	thread   bool // everything is posted in one thread
	talk     talker
	fastest  time.Duration // a turn takes from fastest to four times as long

	now     time.Time
	agents  []simAgent
	events  simEvents
	budgets Budgets
	room    Room
	draw    Source

	sent, held, waited int // messages sent; turns held without end, and turns held until a time
	sequence           int
}

type simAgent struct {
	parley.Agent
	inbox []*simMessage
	busy  bool
}

func newWorld(seed uint64, agents int, settings Settings) *world {
	w := &world{
		seed:     seed,
		chance:   rand.New(rand.NewPCG(seed, 1)),
		settings: settings,
		fastest:  2 * time.Second,
		now:      simBegin,
	}

	w.draw = Keyed(fmt.Append(nil, seed))
	for i := range agents {
		w.agents = append(
			w.agents,
			simAgent{
				Agent: parley.Agent{ID: fmt.Sprint("id", i), Name: fmt.Sprint("agent", i), AgentSpec: parley.AgentSpec{
					Role: "tester", Capabilities: []string{"debugging", "tests"}, Description: "answers everything",
				}},
			},
		)
	}

	return w
}

// id returns an agent's id, or the person's.
func (w *world) id(agent int) string {
	if agent == human {
		return "operator"
	}
	return w.agents[agent].ID
}

// run lets time pass until nothing more happens, or too much has happened.
func (w *world) run() (idle bool) {
	for step := 0; len(w.events) > 0; step++ {
		if w.sent >= simMost || step >= simSteps {
			return false
		}
		e := heap.Pop(&w.events).(simEvent)
		w.now = e.at
		e.do()
	}
	return true
}

func (w *world) after(d time.Duration, do func()) {
	w.sequence++
	heap.Push(&w.events, simEvent{w.now.Add(d), w.sequence, do})
}

// send gives a message its id and link, and sends it. turn is the sender's current turn.
func (w *world) send(m simMessage, turn Link) *simMessage {
	w.sent++
	m.id = fmt.Sprint("m", w.sent)
	if m.mailbox {
		turn = w.budgets.Turn(w.id(m.from))
	}

	m.link = Next(m.id, m.from == human, m.replied, turn)
	if w.thread && !w.settings.Off {
		p := Post{ID: m.id, From: w.id(m.from), Human: m.from == human, Text: m.text, At: w.now}
		w.room.Add(p, w.others(m.from))
	}

	for _, to := range m.to {
		w.deliver(&m, to)
	}

	return &m
}

func (w *world) others(me int) []string {
	names := make([]string, 0, len(w.agents))
	for i, a := range w.agents {
		if i != me {
			names = append(names, a.Name)
		}
	}
	return names
}

// deliver starts a turn, or holds it and tries again at the time that the verdict gives.
// No waiting message is dropped, which is the worst case for the protocol.
func (w *world) deliver(m *simMessage, to int) {
	if w.settings.Off { // without any protocol, for the comparison
		w.hand(m, to)
		return
	}

	if w.thread && to != human {
		post := Post{ID: m.id, From: w.id(m.from), Human: m.from == human, Text: m.text, At: w.now}
		d := w.room.Decide(Question{&w.agents[to].Agent, post, w.now, w.draw, w.settings})
		if !d.ShouldRespond {
			return
		}
	}

	v := w.budgets.Admit(w.settings, Turn{Link: m.link, From: w.id(m.from), To: w.id(to), At: w.now,
		FromHuman: m.from == human, ToHuman: to == human})
	switch {
	case v.Held && v.Until.IsZero():
		w.held++
	case v.Held:
		w.waited++
		w.after(v.Until.Sub(w.now), func() { w.deliver(m, to) })
	default:
		w.hand(m, to)
	}
}

// hand queues a message, and starts its turn once the recipient is free.
func (w *world) hand(m *simMessage, to int) {
	if to != human {
		w.agents[to].inbox = append(w.agents[to].inbox, m)
		w.begin(to)
	}
}

// begin lets an idle agent start on its next message.
func (w *world) begin(agent int) {
	a := &w.agents[agent]
	if a.busy || len(a.inbox) == 0 {
		return
	}

	m := a.inbox[0]
	a.inbox, a.busy = a.inbox[1:], true
	w.after(w.between(w.fastest, 4*w.fastest), func() {
		for _, answer := range w.talk(w, agent, m) {
			answer.from = agent
			w.send(answer, m.link)
		}
		a.busy = false
		w.begin(agent)
	})
}

// between draws a duration in a range.
func (w *world) between(from, to time.Duration) time.Duration {
	return from + time.Duration(w.chance.Int64N(int64(to-from)))
}

type simEvent struct {
	at    time.Time
	order int
	do    func()
}

type simEvents []simEvent

func (e simEvents) Len() int { return len(e) }
func (e simEvents) Less(i, j int) bool {
	if !e[i].at.Equal(e[j].at) {
		return e[i].at.Before(e[j].at)
	}
	return e[i].order < e[j].order
}
func (e simEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *simEvents) Push(x any)   { *e = append(*e, x.(simEvent)) }
func (e *simEvents) Pop() any {
	old := *e
	last := old[len(old)-1]
	old[len(old)-1] = simEvent{}
	*e = old[:len(old)-1]
	return last
}
