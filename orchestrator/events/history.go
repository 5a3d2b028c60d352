package events

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/store"
)

const (
	historyEvents = 100_000 // that are read at most, the newest
	historyPage   = 1000
	historySpans  = 2000 // of one agent
)

func (es *Service) TeamHistory(
	ctx context.Context, req parley.TeamHistoryRequest,
) (*parley.TeamHistoryResult, error) {
	until := es.Now()
	h := newHistory(until.Add(-time.Duration(cmp.Or(req.Hours, 8))*time.Hour), until)
	last := es.Store.Events.LastEvent()
	after, err := es.firstSince(ctx, max(0, last-historyEvents), last, h.since)
	if err != nil {
		return nil, err
	}
	h.truncated = after > 0 && after == last-historyEvents

	for after < last {
		page, err := es.Store.Events.List(ctx, store.EventQuery{After: after, Limit: historyPage})
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		for i := range page {
			h.add(&page[i])
		}
		after = page[len(page)-1].Seq
	}

	var now []parley.Agent
	for _, m := range es.Roster.All() {
		now = append(now, m.Agent())
	}
	res := h.result(now)
	if res.Shared, err = es.Overlaps.Shared(ctx, h.since); err != nil {
		return nil, err
	}
	if res.Used, err = es.Meter.Hours(ctx, h.since); err != nil {
		return nil, err
	}
	return res, nil
}

// firstSince returns the number after which the events since a time begin: numbers grow with time.
func (es *Service) firstSince(ctx context.Context, low, high int64, since time.Time) (int64, error) {
	for low < high {
		mid := low + (high-low)/2
		page, err := es.Store.Events.List(ctx, store.EventQuery{After: mid, Limit: 1})
		if err != nil {
			return 0, err
		}
		if len(page) > 0 && page[0].Time.Before(since) {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low, nil
}

// history sums up events.
type history struct {
	since, until time.Time
	truncated    bool
	agents       map[string]*parley.AgentHistory
	pairs        map[[2]string]*parley.PairHistory
	held         map[string]bool // messages that were counted as held
	answered     []parley.AnsweredAt
}

func newHistory(since, until time.Time) *history {
	return &history{
		since: since, until: until, agents: map[string]*parley.AgentHistory{},
		pairs: map[[2]string]*parley.PairHistory{}, held: map[string]bool{}, answered: []parley.AnsweredAt{},
	}
}

func (h *history) add(e *parley.Event) {
	switch {
	case e.Time.Before(h.since):
	case e.Type == parley.EventAgent && e.State != "":
		h.enter(e.AgentID, e.Agent, parley.AgentState(e.State), e.Time)
	case e.Type == parley.EventDialog:
		h.answer(e)
	case e.Type == parley.EventDelivery && e.State == string(parley.DeliveryHeld):
		if p := h.pair(e); !h.held[e.MessageID+e.RecipientID] {
			h.held[e.MessageID+e.RecipientID] = true
			p.Held++
		}
	case e.Type == parley.EventDirectMessage, e.Type == parley.EventBroadcast, e.Type == parley.EventThreadMessage:
		h.pair(e).Messages++
	}
}

func (h *history) enter(id, name string, state parley.AgentState, at time.Time) {
	a := h.agents[id]
	if a == nil {
		a = &parley.AgentHistory{AgentID: id, Agent: name, Spans: []parley.StateSpan{}}
		h.agents[id] = a
	}
	if n := len(a.Spans); n > 0 {
		last := &a.Spans[n-1]
		if last.To = at; last.State == state || n == historySpans {
			return
		}
	}
	a.Spans = append(a.Spans, parley.StateSpan{From: at, To: h.until, State: state})
}

// answer notes how long the question of an agent stood open.
func (h *history) answer(e *parley.Event) {
	a := h.agents[e.AgentID]
	if a == nil || len(a.Spans) == 0 {
		return
	}
	for _, s := range slices.Backward(a.Spans) {
		if s.State == parley.StateWaiting {
			h.answered = append(h.answered, parley.AnsweredAt{
				Agent: e.Agent, At: e.Time, Seconds: e.Time.Sub(s.From).Seconds(),
			})
			return
		}
	}
}

func (h *history) pair(e *parley.Event) *parley.PairHistory {
	to := e.Recipient
	switch {
	case e.Thread != "":
		to = "# " + e.Thread
	case to == "":
		to = fmt.Sprintf("%d agents", e.RecipientCount)
	}
	key := [2]string{e.Sender, to}
	if h.pairs[key] == nil {
		h.pairs[key] = &parley.PairHistory{Sender: e.Sender, Recipient: to}
	}
	return h.pairs[key]
}

// result completes the picture with the agents as they are now: one whose state did not change had it all the time.
func (h *history) result(now []parley.Agent) *parley.TeamHistoryResult {
	for _, a := range now {
		known := h.agents[a.ID]
		switch {
		case a.Kind == parley.KindHuman:
			delete(h.agents, a.ID)
		case a.State == parley.StateTerminated && known == nil:
		case known == nil:
			from := h.since
			if a.Since.After(from) {
				from = a.Since
			}
			h.enter(a.ID, a.Name, a.State, from)
		default:
			known.Spans[len(known.Spans)-1].To = h.until
		}
	}

	res := &parley.TeamHistoryResult{
		Answer: parley.OK, Since: h.since, Until: h.until, Truncated: h.truncated,
		Agents: []parley.AgentHistory{}, Pairs: []parley.PairHistory{}, Answered: h.answered,
	}
	for _, a := range h.agents {
		res.Agents = append(res.Agents, *a)
	}
	slices.SortFunc(res.Agents, func(a, b parley.AgentHistory) int { return strings.Compare(a.Agent, b.Agent) })
	for _, p := range h.pairs {
		if p.Messages > 0 {
			res.Pairs = append(res.Pairs, *p)
		}
	}
	slices.SortFunc(res.Pairs, func(a, b parley.PairHistory) int {
		return cmp.Or(cmp.Compare(b.Messages, a.Messages),
			strings.Compare(a.Sender+"\x00"+a.Recipient, b.Sender+"\x00"+b.Recipient))
	})
	return res
}
