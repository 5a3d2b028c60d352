package tui

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

// bigTeam is a screen at 200x60 with 200 agents, to which 100,000 messages came.
func bigTeam(b *testing.B) *stage {
	s := newScreen(b, teamOf(200), 200, 60)
	for i := range 100 {
		s.send(room.FeedMsg{Events: burst(1000+4000*i, 1000), At: noon})
	}

	return s
}

// teamOf is a team of so many agents: of a third of them each idle, busy, and asking.
func teamOf(n int) *fakeService {
	f := busyTeam()
	for i := range n - len(f.agents) {
		f.agent(fmt.Sprintf("agent-%03d", i),
			[]parley.AgentState{parley.StateIdle, parley.StateBusy, parley.StateWaiting}[i%3], i%3, 0, "")
	}
	return f
}

// typedStates are the rungs of a message that is typed and read.
var typedStates = []parley.DeliveryState{parley.DeliveryTyping, parley.DeliverySubmitted, parley.DeliveryRead}

// burst is n messages, each with three rungs.
func burst(seq, n int) []parley.Event {
	events := make([]parley.Event, 0, 4*n)
	for i := range n {
		id := fmt.Sprintf("%08x-1111-4111-8111-111111111111", seq+i)
		events = append(events, parley.Event{
			Seq:            int64(seq + 4*i),
			Type:           parley.EventDirectMessage,
			Time:           noon,
			MessageID:      id,
			SenderID:       agentID("coder"),
			Sender:         "coder",
			Recipient:      "tester",
			RecipientID:    agentID("tester"),
			RecipientCount: 1,
			Priority:       "normal",
			Preview: "a line that says what the matter is, in so many words that it fills a row of the list, " +
				"and some more",
		})

		for j, state := range typedStates {
			events = append(
				events,
				parley.Event{Seq: int64(seq + 4*i + j + 1), Type: parley.EventDelivery, Time: noon, MessageID: id,
					RecipientID: agentID("tester"), State: string(state)},
			)
		}
	}

	return events
}

// BenchmarkFrame is a key and the frame after it, on each screen.
func BenchmarkFrame(b *testing.B) {
	s := bigTeam(b)
	for _, c := range []struct{ name, keys string }{
		{"traffic", "1"}, {"filtered", "1/matter"}, {"agents", "2"}, {"threads", "3"},
		{"needs", "4"}, {"health", "5"}, {"palette", ":a"},
	} {
		b.Run("screen="+c.name, func(b *testing.B) {
			s.press("esc", "esc")
			s.typed(c.keys)
			if c.name == "filtered" {
				s.press("enter")
			}

			b.ResetTimer()
			for i := range b.N {
				s.press([]string{"up", "down"}[i/50%2])
				_ = s.m.View()
			}
		})
	}
}

// BenchmarkEvents measures a thousand events a second: one frame's share of
// them and the frame, sixty times a second. It reports how many a second could be shown.
func BenchmarkEvents(b *testing.B) {
	s := bigTeam(b)
	seq := 1 << 20
	for b.Loop() {
		s.send(room.FeedMsg{Events: burst(seq, 5), At: noon})
		seq += 20
		_ = s.m.View()
	}
	b.ReportMetric(float64(b.N*20)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkMemory reports what the screen keeps of all that.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := bigTeam(b)
	s.service.events, s.service.messages = nil, nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB")
	runtime.KeepAlive(s)
}

// BenchmarkFirstFrame is from nothing to the first frame with agents and traffic.
func BenchmarkFirstFrame(b *testing.B) {
	for name, f := range map[string]*fakeService{"agents=7": busyTeam(), "agents=500": teamOf(500)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s := newScreen(b, f, 200, 60)
				_ = s.m.View()
			}
		})
	}
}

// BenchmarkManyAgents is a key and the frame after it with 500 agents, where they are in the frame or counted there.
func BenchmarkManyAgents(b *testing.B) {
	s := newScreen(b, teamOf(500), 200, 60)
	s.send(room.FeedMsg{Events: burst(1000, 1000), At: noon})
	for _, c := range []struct{ name, key string }{{"traffic", "1"}, {"agents", "2"}, {"needs", "4"}} {
		b.Run("screen="+c.name, func(b *testing.B) {
			s.press("esc", "esc", c.key)
			b.ResetTimer()
			for i := range b.N {
				s.press([]string{"up", "down"}[i/50%2])
				_ = s.m.View()
			}
		})
	}
}

// BenchmarkThreadFrame is a frame while one reads a thread of 500 posts: after a key, after
// an event about something else, and after one about a post in it.
func BenchmarkThreadFrame(b *testing.B) {
	f := longTalk(500)
	for i := range f.posts {
		f.posts[i].Content.Text = strings.Repeat(
			"a line that says what the matter is, in so many words that it fills a row of the list. ",
			1+i%7,
		)
	}

	s := newScreen(b, f, 200, 60)
	s.press("3", "enter", "g")
	for range 500 {
		s.press("pgup")
	}

	s.press("pgdown", "pgdown")
	frame := func(name string, next func(i int)) {
		b.Run("after="+name, func(b *testing.B) {
			i := 0
			for b.Loop() {
				next(i)
				_ = s.m.View()
				i++
			}
		})
	}

	seq := int64(1 << 30)
	of := func(id string) func(int) {
		return func(int) {
			seq++
			s.m.Update(room.FeedMsg{
				Events: []parley.Event{
					{
						Seq:         seq,
						Type:        parley.EventDelivery,
						Time:        noon,
						MessageID:   id,
						RecipientID: agentID("coder"),
						State:       "read",
					},
				},
				At: noon,
			})
		}
	}

	frame("key", func(i int) { s.press([]string{"up", "down"}[i/20%2]) })
	frame("event", of("none"))
	frame("fate", of(f.posts[20].MessageID))
	frame("width", func(i int) { s.send(tea.WindowSizeMsg{Width: 200 - 3*(i%2), Height: 60}) })
}
