package conversation

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/must"
)

// line is one message of an exchange. In a thread, agents outside of to may or may not
// receive it.
type line struct {
	from int
	to   []int
	text string
}

// useful is talk as productive teams have it.
type useful struct {
	name           string
	slowest, quick time.Duration // between two messages
	thread         bool
	lines          func(w *world) []line
}

var usefuls = []useful{
	{"a question and its answer", 40 * time.Second, 5 * time.Second, false, asking},
	{"a question and its answer, begun by an agent", 40 * time.Second, 5 * time.Second, false, alone(asking)},
	{"a review with five rounds", 2 * time.Minute, 10 * time.Second, false, reviewing},
	{"a review with five rounds, begun by an agent", 2 * time.Minute, 10 * time.Second, false, alone(reviewing)},
	{"three plan in a thread, a person among them", time.Minute, 10 * time.Second, true, planning},
	{"three plan by messages, a person among them", time.Minute, 10 * time.Second, false, planning},
	{
		"a planner hands out work to nine and gathers it",
		20 * time.Second,
		2 * time.Second,
		false,
		func(w *world) []line {
			workers := everyone(w, 0)
			lines := []line{{human, []int{0}, "Find the slow tests."}, {0, workers, "Each of you takes one package."}}
			for _, worker := range workers {
				lines = append(lines, line{worker, []int{0}, "Two of mine take over a second."})
			}
			return append(lines, line{0, workers, "Make them faster."}, line{0, []int{human}, "All are at work."})
		},
	},
}

func asking(w *world) []line {
	lines := []line{{human, []int{0}, "Add the retry to the client, please."}}
	for range 1 + w.chance.IntN(3) {
		lines = append(lines, line{0, []int{1}, "What does the server answer when it is busy?"},
			line{1, []int{0}, "503, with Retry-After in seconds."})
	}
	return append(lines, line{0, []int{human}, "Done; the tests pass."})
}

func reviewing(w *world) []line {
	lines := []line{
		{human, []int{0}, "Write the parser and have it reviewed."},
		{0, []int{1}, "The parser is on branch p, please review it."},
	}
	for round := range 5 {
		lines = append(lines, line{1, []int{0}, fmt.Sprintf("%d: the error of an empty list is lost.", round)},
			line{0, []int{1}, "Corrected, with a test."})
	}
	return append(lines, line{1, []int{0}, "Sounds good, approved."}, line{0, []int{human}, "Reviewed and merged."})
}

// alone returns the same lines without the person's first one.
func alone(lines func(w *world) []line) func(w *world) []line {
	return func(w *world) []line { return lines(w)[1:] }
}

// planning is talk among three agents, each of which ends by addressing another one, and
// a person who speaks now and then.
func planning(w *world) (lines []line) {
	last, name := 0, func(i int) string { return w.agents[i].Name }
	for part := range 4 {
		lines = append(lines, line{human, []int{0, 1, 2}, fmt.Sprintf("Part %d: what is needed?", part)})
		for range 4 + w.chance.IntN(4) {
			next := (last + 1 + w.chance.IntN(2)) % 3
			text := []string{
				"We need a table for it. @%s, what do you think?",
				"I would test that first. @%s, is there a fixture?",
				"That makes sense. @%s, over to you.",
			}[w.chance.IntN(3)]
			lines = append(lines, line{last, []int{next}, fmt.Sprintf(text, name(next))})
			last = next
		}
		lines = append(lines, line{last, []int{human}, "@operator, does this help?"})
	}
	return lines
}

type usefulRuns struct {
	name           string
	messages, held int
}

// simulateUseful runs the exchanges in one team, one after another, so that each starts
// with the memory of the earlier ones.
func simulateUseful() (all []usefulRuns) {
	const times = 50
	w := newWorld(1, 10, Settings{})
	for range times {
		for i, u := range usefuls {
			if len(all) <= i {
				all = append(all, usefulRuns{name: u.name})
			}
			messages, held := u.lead(w)
			all[i].messages += messages
			all[i].held += held
		}
	}

	return all
}

func (u useful) lead(w *world) (messages, held int) {
	room, turn := &Room{}, map[int]Link{}
	for _, l := range u.lines(w) {
		w.now = w.now.Add(w.between(u.quick, u.slowest))
		messages++
		w.sent++
		m := simMessage{id: fmt.Sprint("m", w.sent), from: l.from, to: l.to, text: l.text}
		m.link = Next(m.id, l.from == human, Link{}, turn[l.from])
		post := Post{ID: m.id, From: w.id(l.from), Human: l.from == human, Text: l.text, At: w.now}
		room.Add(post, w.others(l.from)[:2])
		passed := true
		for _, to := range l.to {
			silent := u.thread && to != human &&
				!room.Decide(Question{&w.agents[to].Agent, post, w.now, w.draw, w.settings}).ShouldRespond
			next := Turn{Link: m.link, From: w.id(l.from), To: w.id(to), At: w.now,
				FromHuman: l.from == human, ToHuman: to == human}
			if silent || w.budgets.Admit(w.settings, next).Held {
				passed = false
				continue
			}

			turn[to] = m.link
		}

		if !passed {
			held++
		}
	}

	return messages, held
}

// Loops end, useful talk passes, and the page has the figures.
func TestLoopsEndAndUsefulTalkPasses(t *testing.T) {
	if must.Raced {
		t.Skip("nothing here runs at once with anything; make check runs it without the race detector")
	}
	loops, useful := simulateLoops(t), simulateUseful()
	for _, u := range useful {
		if u.held*100 >= u.messages {
			t.Errorf("%s: %d of %d messages held, want fewer than 1 in 100", u.name, u.held, u.messages)
		}
	}
	checkPage(t, loops, useful)
}
