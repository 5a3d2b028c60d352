package conversation

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// population is a team whose talk never stops by itself.
type population struct {
	name  string
	least int // agents
	start func(w *world)
	talk  talker
	room  bool
}

// politely has the texts of such a team. None of them concludes a conversation.
var politely = []string{
	"You are most welcome, happy to help!",
	"Likewise, and good luck with the tests.",
	"Let me add one more thing about debugging.",
	"Indeed. We should also document the tests.",
	"A fine idea, I will note it.",
	"Shall we plan the next tests?",
}

func (w *world) words() string { return politely[w.chance.IntN(len(politely))] }

func everyone(w *world, but int) []int {
	all := make([]int, 0, len(w.agents))
	for i := range w.agents {
		if i != but {
			all = append(all, i)
		}
	}
	return all
}

// back answers the sender.
func back(w *world, me int, m *simMessage) []simMessage {
	return []simMessage{{to: []int{m.from}, text: w.words(), replied: m.link}}
}

// toAll answers everyone.
func toAll(w *world, me int, m *simMessage) []simMessage {
	return []simMessage{{to: everyone(w, me), text: w.words()}}
}

// around passes a message on to the next of a group of n.
func around(n int) talker {
	return func(w *world, me int, m *simMessage) []simMessage {
		size := n
		if n == 0 {
			size = len(w.agents)
		}
		group := me / size * size
		next := group + (me-group+1)%min(size, len(w.agents)-group)
		return []simMessage{{to: []int{next}, text: w.words()}}
	}
}

// calling addresses the next agent in one of several ways.
func calling(text string) talker {
	return func(w *world, me int, m *simMessage) []simMessage {
		next := (me + 1) % len(w.agents)
		return []simMessage{{to: everyone(w, me), text: fmt.Sprintf(text, w.agents[next].Name)}}
	}
}

// begun starts with a person's message to all; opened starts with a message of each
// agent, without a person.
func begun(w *world) {
	w.send(simMessage{from: human, to: everyone(w, human), text: "Introduce yourselves."}, Link{})
}

func opened(w *world) {
	for i := range w.agents {
		to := everyone(w, i)
		if !w.thread {
			to = w.firstOf(i)
		}
		w.send(simMessage{from: i, to: to, text: "Hello, I am here to help with tests."}, Link{})
	}
}

// firstOf returns the recipients of an agent's first message.
func (w *world) firstOf(agent int) []int {
	return w.talk(w, agent, &simMessage{from: (agent + 1) % len(w.agents)})[0].to
}

var populations = []population{
	{"politeness in pairs", 2, opened, around(2), false},
	{"politeness, everyone answers everyone", 2, func(w *world) {
		for i := range w.agents {
			w.send(simMessage{from: i, to: everyone(w, i), text: "Hello!"}, Link{})
		}
	}, back, false},
	{"triangles", 3, opened, around(3), false},
	{"one long circle", 3, opened, around(0), false},
	{"a circle of new requests after a person's word", 2, begun, around(0), false},
	{"answers to the first message only", 2, begun, func(w *world, me int, m *simMessage) []simMessage {
		return []simMessage{{to: []int{(me + 1) % len(w.agents)}, text: w.words(), replied: Link{"m1", 0}}}
	}, false},
	{"mailboxes that do not say what they answer", 2, opened, func(w *world, me int, m *simMessage) []simMessage {
		return []simMessage{{to: []int{(me + 1) % len(w.agents)}, text: w.words(), mailbox: true}}
	}, false},
	{"broadcast storm, begun by a person", 2, begun, toAll, false},
	{"broadcast storm, begun by every agent", 2, opened, toAll, false},
	{"a planner that broadcasts, workers that report", 3, func(w *world) {
		w.send(simMessage{from: human, to: []int{0}, text: "Begin."}, Link{})
	}, func(w *world, me int, m *simMessage) []simMessage {
		if me == 0 {
			return toAll(w, me, m)
		}
		return []simMessage{{to: []int{0}, text: w.words()}}
	}, false},
	{"messages to oneself", 2, opened, func(w *world, me int, m *simMessage) []simMessage {
		return []simMessage{{to: []int{me}, text: w.words()}}
	}, false},
	{"a thread that answers its own posts", 2, begun, func(w *world, me int, m *simMessage) []simMessage {
		return []simMessage{
			{
				to:   everyone(w, human),
				text: fmt.Sprintf("@%s and @%s: %s", w.agents[me].Name, w.agents[(me+1)%len(w.agents)].Name, w.words()),
			},
		}
	}, true},
	{"a thread of chatter", 2, begun, toAll, true},
	{"a thread that mentions the next", 2, begun, calling("Good point. @%s, thoughts?"), true},
	{"a thread that asks the next", 2, opened, calling("%s, which tests need debugging?"), true},
	{"a thread that mentions everyone", 2, begun, func(w *world, me int, m *simMessage) []simMessage {
		text := "What do you all say @" + strings.Join(w.others(me), " @")
		return []simMessage{{to: everyone(w, me), text: text}}
	}, true},
}

// The sizes of the populations, and the time of the fastest answer.
var (
	simSizes = []int{2, 3, 5, 10, 25, 50}
	simPaces = []time.Duration{time.Second, 8 * time.Second, time.Minute}
)

func (p population) world(size int, pace time.Duration, settings Settings) *world {
	w := newWorld(uint64(size), size, settings)
	w.talk, w.thread, w.fastest = p.talk, p.room, pace
	p.start(w)
	return w
}

// loopRuns holds the page's figures for a population.
type loopRuns struct {
	name            string
	runs            int
	median, longest int // messages until everybody was silent
	without         int // messages of the shortest run without the protocol
}

func simulateLoops(t *testing.T) []loopRuns {
	all := make([]loopRuns, len(populations))
	var running sync.WaitGroup
	for i, p := range populations {
		running.Go(func() { all[i] = p.simulate(t) })
	}
	running.Wait()
	return all
}

func (p population) simulate(t *testing.T) loopRuns {
	result := loopRuns{name: p.name, without: simMost}
	var sent []int
	for _, size := range simSizes {
		if size < p.least {
			continue
		}

		for _, pace := range simPaces {
			if size > 10 && pace != simPaces[1] {
				continue // each takes long, and smaller ones show the effect of pace
			}

			w := p.world(size, pace, Settings{})
			if !w.run() {
				t.Errorf("%s: %d agents at %v: not idle after %d messages", p.name, size, pace, w.sent)
			}

			sent = append(sent, w.sent)
		}

		w := p.world(size, simPaces[0], Settings{Off: true})
		if w.run() {
			t.Errorf("%s: %d agents without the protocol: idle after %d messages", p.name, size, w.sent)
		}

		result.without = min(result.without, w.sent)
	}

	slices.Sort(sent)
	result.runs, result.median, result.longest = len(sent), sent[len(sent)/2], sent[len(sent)-1]

	return result
}
