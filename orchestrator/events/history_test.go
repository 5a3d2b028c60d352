package events

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func TestHistoryHasNoGaps(t *testing.T) {
	start := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
	at := func(m int) time.Time { return start.Add(time.Duration(m) * time.Minute) }
	h := newHistory(at(0), at(60))
	agent := func(m int, state parley.AgentState) *parley.Event {
		return &parley.Event{Type: parley.EventAgent, AgentID: "1", Agent: "coder", State: string(state), Time: at(m)}
	}
	message := func(kind parley.EventType, to string) *parley.Event {
		return &parley.Event{Type: kind, MessageID: "m1", Sender: "ann", Recipient: to, RecipientCount: 3, Time: at(9)}
	}
	held := &parley.Event{
		Type: parley.EventDelivery, MessageID: "m1", Sender: "ann", Recipient: "coder", State: "held", Time: at(9),
	}
	for _, e := range []*parley.Event{
		agent(-5, parley.StateBusy), agent(10, parley.StateIdle), agent(20, parley.StateWaiting),
		agent(22, parley.StateWaiting),
		{Type: parley.EventDialog, AgentID: "1", Agent: "coder", Time: at(25)}, agent(26, parley.StateBusy),
		{Type: parley.EventAgent, AgentID: "4", Agent: "operator", State: string(parley.StateIdle), Time: at(1)},
		message(parley.EventDirectMessage, "coder"), message(parley.EventDirectMessage, "coder"), held, held,
		message(parley.EventBroadcast, ""),
	} {
		h.add(e)
	}

	res := h.result([]parley.Agent{
		{ID: "1", Name: "coder", Kind: parley.KindTerminal, State: parley.StateBusy},
		{ID: "2", Name: "quiet", Kind: parley.KindTerminal, State: parley.StateIdle, Since: at(-100)},
		{ID: "3", Name: "new", Kind: parley.KindTerminal, State: parley.StateIdle, Since: at(50)},
		{ID: "4", Name: "operator", Kind: parley.KindHuman}, {ID: "5", Name: "gone", State: parley.StateTerminated},
	})
	span := func(from, to int, state parley.AgentState) parley.StateSpan {
		return parley.StateSpan{From: at(from), To: at(to), State: state}
	}
	want := &parley.TeamHistoryResult{
		Answer: parley.OK, Since: at(0), Until: at(60),
		Agents: []parley.AgentHistory{
			{AgentID: "1", Agent: "coder", Spans: []parley.StateSpan{
				span(10, 20, parley.StateIdle), span(20, 26, parley.StateWaiting), span(26, 60, parley.StateBusy),
			}},
			{AgentID: "3", Agent: "new", Spans: []parley.StateSpan{span(50, 60, parley.StateIdle)}},
			{AgentID: "2", Agent: "quiet", Spans: []parley.StateSpan{span(0, 60, parley.StateIdle)}},
		},
		Pairs: []parley.PairHistory{
			{Sender: "ann", Recipient: "coder", Messages: 2, Held: 1},
			{Sender: "ann", Recipient: "3 agents", Messages: 1},
		},
		Answered: []parley.AnsweredAt{{Agent: "coder", At: at(25), Seconds: 300}},
	}
	if diff := cmp.Diff(want, res); diff != "" {
		t.Error(diff)
	}
}
