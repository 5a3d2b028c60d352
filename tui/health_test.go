package tui

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/tui/room"
)

// typed puts messages on the record that were typed and proven after a while.
func (f *fakeService) typed(at time.Time, took ...time.Duration) {
	for _, d := range took {
		id := fmt.Sprintf("%08x-4444-4444-8444-444444444444", len(f.events))
		f.emit(parley.Event{
			Type:        parley.EventDirectMessage,
			Time:        at,
			MessageID:   id,
			Sender:      "coder",
			Recipient:   "tester",
			RecipientID: agentID("tester"),
		})

		for i, s := range append([]parley.DeliveryState{parley.DeliveryQueued}, typedStates...) {
			f.emit(parley.Event{
				Type:        parley.EventDelivery,
				Time:        at.Add(d * time.Duration(min(i, 2)) / 2),
				MessageID:   id,
				RecipientID: agentID("tester"),
				State:       string(s),
			})
		}
	}
}

func TestHealthMeasuresTypedDeliveries(t *testing.T) {
	f := busyTeam()
	var took []time.Duration
	for i := range 100 {
		took = append(took, time.Duration(i+1)*20*time.Millisecond)
	}

	f.typed(noon.Add(-30*time.Second), took...)
	s := newScreen(t, f, 140, 40)
	s.press("5")
	s.shows("1.7 a second, 100 in this minute", "p50 1.0s · p95 1.9s · max 2.0s", "of the newest 100", "█")
	s.send(room.FeedMsg{Events: f.events, At: noon}) // the stream may repeat itself
	s.shows("100 in this minute", "of the newest 100")
	s.send(room.TickMsg(noon.Add(10 * time.Minute)))
	s.shows("0 in this minute", "of the newest 100")
}

func TestHealthHasNoCurvesWhenStill(t *testing.T) {
	f := busyTeam()
	f.typed(noon.Add(-30*time.Second), time.Second)
	s := newScreen(t, f, 140, 40, func(o *Options) { o.Still = true })
	s.press("5")
	s.shows("1 in this minute")
	s.hides("···", "▇▇")
}

func TestHealthShowsProblemsFirst(t *testing.T) {
	f := busyTeam()
	f.counts, f.usage = nil, nil
	s := newScreen(t, f, 100, 30, func(o *Options) { o.Version = "1.2.3" })
	s.press("5")
	s.shows("✓ Daemon healthy. 3 need you (4).")
	f.paused = &parley.Pause{By: "operator", Since: noon.Add(-5 * time.Minute)}
	f.agents[0].Queued = 20
	s.send(room.TickMsg(noon))
	s.shows("messages: communication is paused by operator, for 5m", "queue: 20 messages wait for coder")
	s.hides("Daemon healthy")
	s.blind = true
	s.send(room.FeedMsg{Err: gone, At: noon})
	first, _, _ := strings.Cut(s.text(), "messages: communication")
	if !strings.Contains(first, "✗ daemon: no daemon runs here") ||
		!strings.Contains(first, "→ Start it: parley serve") {
		t.Errorf("the worst is not first:\n%s", s.text())
	}

	s.shows("5 Health 1")
}

func TestHealthReportsAnotherVersionOfTheDaemon(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30, func(o *Options) { o.Version = "1.3.0" })
	s.press("5")
	s.shows("the daemon is 1.2.3, this screen 1.3.0")
}

func TestHealthShowsModelUsage(t *testing.T) {
	s, f := newBusyScreen(t, 160, 50)
	s.press("5")
	s.shows("Models", "41k in, 3900 out", "12 answered", "1.2s each", "3 failed (3 no key)",
		"models: muse does not answer tester: no key")

	f.usage = nil
	s.send(room.TickMsg(noon.Add(time.Second)))
	s.shows("12 answered") // it is not summed up at every look
	s.send(room.TickMsg(noon.Add(10 * time.Second)))
	s.hides("12 answered")
}

func TestHealthShowsBudgets(t *testing.T) {
	f := busyTeam()
	coder := parley.ProgramUsage{Agent: "coder", Budget: &parley.BudgetUse{Percent: 16, Used: "812k of 5000k tokens"}}
	coder.Today = parley.Spending{Responses: 3, Tokens: parley.Tokens{Input: 812_000}}
	f.usage.Programs = []parley.ProgramUsage{coder}
	f.usage.Budget = &parley.BudgetUse{Percent: 40, Used: "2.00 of 5.00"}
	s := newScreen(t, f, 160, 60)
	s.press("5")
	s.shows("Tokens today", "812k in, 0 out · 16 % of its budget, 812k of 5000k tokens", "the team",
		"40 % of its budget, 2.00 of 5.00")
}

func TestHealthShowsWhoWritesToWhom(t *testing.T) {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	f.chat(1, 20, "coder", "tester")
	f.say(30, "coder", []string{"planner", "tester"}, "to all", "normal", parley.DeliveryRead)
	f.say(31, parley.OperatorName, []string{"planner"}, "hello", "normal", parley.DeliveryRead)
	f.events[0].Time = noon.Add(-2 * time.Hour)
	f.counts = map[string]int{"queued": 3, "typing": 1, "held": 2}

	for _, w := range []int{80, 140} {
		s := newScreen(t, f, w, 50)
		s.press("5")
		s.shows("Who writes to whom", "21 messages in the last hour", "coder", "tester", "planner", "you", "several",
			"█ 10", "▇ 9", "▁ 1", "4 pending · 2 held")
		s.shows("○ 4 pending", "‖ 2 held") // in the bar
		s.fits("5")
		if !regexp.MustCompile(`planner [·▁-█]* +0 `).MatchString(s.text()) { // it wrote none
			t.Errorf("what planner got counts as written:\n%s", s.text())
		}
	}
}

func TestMatrixKeepsToItsWidth(t *testing.T) {
	f := newFake()
	for i := range 40 {
		f.say(i, fmt.Sprintf("an-agent-of-name-%d", i%20), []string{fmt.Sprintf("移行計画の名前 %d", i/2)}, "hello", "normal",
			parley.DeliveryRead)
	}
	for _, w := range []int{60, 80, 131, 180} {
		s := newScreen(t, f, w, 60)
		s.press("5")
		s.shows("quieter one")
		s.fits("5")
	}
}
