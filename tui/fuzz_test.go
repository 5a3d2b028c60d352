package tui

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// pieces are what random texts are made of: what terminals and fonts disagree on.
var pieces = []string{"a", "word ", "長い", "👨‍👩‍👧", "❤️", "🇩🇪", "क्षि", "e\u0301", "\u202e", "\x1b[31m", "\t", "\n", "\r\n",
	"ﷺ", "👍🏽", "\u00ad", "\ufeff", "\u2028", "한글", "ก็", "\U000e0001", "\U0001fae8", "\x9b", "x\u0300\u0301\u0302\u0303\u0304\u0305", "12345678901234567890"}

func randomText(r *rand.Rand) string {
	text := ""
	for range r.IntN(40) {
		text += pieces[r.IntN(len(pieces))]
	}
	return text
}

func randomKey(r *rand.Rand) tea.KeyPressMsg {
	if r.IntN(8) == 0 {
		text := pieces[r.IntN(len(pieces))]
		return tea.KeyPressMsg{Code: []rune(text)[0], Text: text}
	}
	all := bindings()
	b := all[r.IntN(len(all))]
	return keyMsg(b.keys[r.IntN(len(b.keys))])
}

// step does one random thing to the screen.
func (s *stage) step(r *rand.Rand) string {
	names := []string{"coder", "reviewer", "tester", "docs-writer", parley.OperatorName}
	states := append([]parley.DeliveryState{parley.DeliveryQueued, parley.DeliveryTyping, parley.DeliverySubmitted, parley.DeliveryRead, "strange"}, grave...)
	switch r.IntN(12) {
	case 0:
		size := tea.WindowSizeMsg{Width: 1 + r.IntN(140), Height: 1 + r.IntN(50)}
		if r.IntN(3) > 0 {
			size = tea.WindowSizeMsg{Width: 60 + r.IntN(240), Height: 20 + r.IntN(60)}
		}
		s.send(size)
		return fmt.Sprint(size)
	case 1:
		to := names[:1+r.IntN(4)]
		s.service.say(1000+len(s.service.events), names[r.IntN(5)], to, randomText(r), parley.Priority([]string{"low", "normal", "high", "urgent", "odd"}[r.IntN(5)]),
			states[r.IntN(len(states))], states[r.IntN(len(states))])
		s.news()
		return "news"
	case 2:
		s.send(tea.PasteMsg{Content: randomText(r)})
		return "a paste"
	case 3:
		s.service.mu.Lock()
		s.service.err = []error{nil, nil, nil, gone, parley.Errorf(parley.Internal, "%s", randomText(r)).Suggest("%s", randomText(r))}[r.IntN(5)]
		s.service.agents[r.IntN(4)].HeldReason = randomText(r)
		s.service.agents[r.IntN(4)].State = parley.AgentState([]string{"idle", "busy", "odd state of some length"}[r.IntN(3)])
		s.service.mu.Unlock()
		msg := lookAtAgents(s.t.Context(), s.service.options(), true)
		s.m.do.agents = func(_ time.Duration, _ bool) tea.Cmd { return nil }
		s.send(msg)
		return "agents"
	}
	k := randomKey(r)
	s.send(k)
	return k.String()
}

func FuzzKeysAndSizes(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newScreen(t, busyTeam(), 60+r.IntN(100), 20+r.IntN(40))
		s.m.do.operation = func(name string, _ *parley.Invocation) tea.Cmd {
			return func() tea.Msg { return operationMsg{name: name, answer: randomText(r)} }
		}
		for range 200 {
			s.fits(s.step(r))
		}
	})
}
