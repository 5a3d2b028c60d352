package tui

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/room"
)

// pieces of random texts: characters that terminals and fonts disagree on.
var pieces = []string{
	"a",
	"word ",
	"長い",
	"👨‍👩‍👧",
	"❤️",
	"🇩🇪",
	"क्षि",
	"e\u0301",
	"\u202e",
	"\x1b[31m",
	"\t",
	"\n",
	"\r\n",
	"ﷺ",
	"👍🏽",
	"\u00ad",
	"\ufeff",
	"\u2028",
	"한글",
	"ก็",
	"\U000e0001",
	"\U0001fae8",
	"\x9b",
	"x\u0300\u0301\u0302\u0303\u0304\u0305",
	"12345678901234567890",
}

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
	return keyMsg(b.Keys[r.IntN(len(b.Keys))])
}

// step does one random thing to the screen, and names it.
func (s *stage) step(r *rand.Rand) string {
	switch r.IntN(14) {
	case 0:
		return s.resizeRandomly(r)
	case 1:
		s.sayRandomly(r)
		return "a message"
	case 2:
		s.send(tea.PasteMsg{Content: randomText(r)})
		return "a paste"
	case 3:
		s.changeAgents(r)
		return "agents"
	case 4:
		s.pointRandomly(r)
		return "the mouse"
	case 5: // each screen is shown equally often
		k := keyMsg(string(rune('1' + r.IntN(5))))
		s.send(k)
		return k.String()
	case 6:
		s.addRandomly(r)
		return "a post, a need, or a letter"
	}

	k := randomKey(r)
	s.send(k)

	return k.String()
}

func (s *stage) resizeRandomly(r *rand.Rand) string {
	size := tea.WindowSizeMsg{Width: 1 + r.IntN(140), Height: 1 + r.IntN(50)}
	if r.IntN(3) > 0 {
		size = tea.WindowSizeMsg{Width: 60 + r.IntN(240), Height: 20 + r.IntN(60)}
	}
	s.send(size)
	return fmt.Sprint(size)
}

func (s *stage) sayRandomly(r *rand.Rand) {
	names := []string{"coder", "reviewer", "tester", "docs-writer", parley.OperatorName}
	states := append(parley.DeliveryStates(), "strange")
	priority := []parley.Priority{"low", "normal", "high", "urgent", "odd"}[r.IntN(5)]
	s.service.say(1000+len(s.service.events), names[r.IntN(5)], names[:1+r.IntN(4)], randomText(r), priority,
		states[r.IntN(len(states))], states[r.IntN(len(states))])
	s.news()
}

func (s *stage) changeAgents(r *rand.Rand) {
	s.service.mu.Lock()
	odd := parley.Errorf(parley.Internal, "%s", randomText(r)).Suggest("%s", randomText(r))
	s.service.err = []error{nil, nil, nil, gone, odd}[r.IntN(5)]
	s.service.agents[r.IntN(4)].HeldReason = randomText(r)
	s.service.agents[r.IntN(4)].State = []parley.AgentState{"idle", "busy", "odd state of some length"}[r.IntN(3)]
	s.service.mu.Unlock()

	s.blind = true
	s.looks()
}

func (s *stage) pointRandomly(r *rand.Rand) {
	buttons := []tea.MouseButton{tea.MouseLeft, tea.MouseWheelUp, tea.MouseWheelDown, tea.MouseRight}
	at := tea.Mouse{X: r.IntN(200), Y: r.IntN(60), Button: buttons[r.IntN(4)]}
	if at.Button == tea.MouseLeft || at.Button == tea.MouseRight {
		s.send(tea.MouseClickMsg(at))
		return
	}
	s.send(tea.MouseWheelMsg(at))
}

// addRandomly adds something strange: a post, a message to the operator, or a need.
func (s *stage) addRandomly(r *rand.Rand) {
	f, names := s.service, []string{"coder", "reviewer", parley.OperatorName, parley.SystemName}
	switch n, text := 5000+r.IntN(1000), randomText(r); r.IntN(3) {
	case 0:
		th := &f.threads[r.IntN(2)]
		th.Title, th.LastMessageAt = randomText(r), noon
		f.post(n, th.ID, names[r.IntN(4)], text, noon.Add(time.Duration(n)*time.Second), parley.DeliveryHeld, "strange")
		f.emit(parley.Event{
			Type:           parley.EventThreadMessage,
			ThreadID:       th.ID,
			Thread:         th.Title,
			MessageID:      f.posts[len(f.posts)-1].MessageID,
			SenderID:       idOf("coder"),
			Sender:         "coder",
			Preview:        text,
			RecipientCount: r.IntN(3),
		})
	case 1:
		f.letters = append(f.letters,
			parley.InboxMessage{MessageID: fmt.Sprint(n), Sender: randomText(r), Content: text, Timestamp: noon})
		f.agents[len(f.agents)-1].Unread++
	default:
		kinds := []parley.NeedKind{parley.NeedDialog, parley.NeedHeld, parley.NeedUnanswered, "a new kind of need"}
		f.need(kinds[r.IntN(4)], "coder", text, "parley attach coder", randomText(r), randomText(r), randomText(r))
	}

	s.news()
	s.send(room.TickMsg(noon))
}

func FuzzKeysAndSizes(f *testing.F) {
	drawsALot(f)
	for seed := range uint64(8) {
		f.Add(seed)
	}

	f.Fuzz(func(t *testing.T, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := newScreen(t, busyTeam(), 60+r.IntN(100), 20+r.IntN(40), withMouse)
		s.m.palette.room.Do.Operate = func(name string, _ url.Values, _ *op.Invocation) tea.Cmd {
			return func() tea.Msg { return operationMsg{name: name, answer: randomText(r)} }
		}

		for range 200 {
			s.fits(s.step(r))
		}
	})
}
