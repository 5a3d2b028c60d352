package tui

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/tui/team"
)

// FindMessages finds what the record announced.
func (f *fakeService) FindMessages(
	_ context.Context, r parley.FindMessagesRequest,
) (*parley.SearchMessagesResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	f.searches, f.sought = append(f.searches, r.Query), r
	res := &parley.SearchMessagesResult{Answer: parley.OK}
	before := r.Before != ""
	for _, e := range slices.Backward(f.events) {
		if before && e.MessageID == r.Before {
			before = false
			continue
		}
		if before || !e.Type.Announces() {
			continue
		}

		m := f.found(e)
		if !fits(r, m) {
			continue
		}
		if len(res.Messages) == r.Limit {
			res.HasMore = true
			break
		}
		cutTo(&m, r.Query)
		res.Messages = append(res.Messages, m)
	}

	return res, f.err
}

// found returns a message as a search reports it.
func (f *fakeService) found(e parley.Event) parley.FoundMessage {
	m := parley.FoundMessage{Kind: team.NewRow(e).Kind, ThreadTitle: e.Thread, RecipientCount: max(1, e.RecipientCount),
		Snippet: e.Preview, States: map[parley.DeliveryState]int{}}
	m.MessageID, m.SenderAgentID, m.SenderName, m.Timestamp = e.MessageID, e.SenderID, e.Sender, e.Time
	m.Priority, m.MessageType, m.ThreadID = e.Priority, e.MessageType, e.ThreadID
	if full := f.messages[e.MessageID]; full != nil && full.Object != nil {
		if full.Object.Text != "" {
			m.Snippet = full.Object.Text
		}
		for _, d := range full.Deliveries {
			m.States[d.State]++
			m.RecipientIDs, m.Recipients = append(m.RecipientIDs, d.RecipientID), append(m.Recipients, d.Recipient)
		}
	}
	return m
}

// cutTo begins the part of the text that is shown at the words that were found.
func cutTo(m *parley.FoundMessage, words string) {
	for word := range strings.FieldsSeq(words) {
		if i := strings.Index(strings.ToLower(m.Snippet), word); i > 0 {
			m.Snippet = "…" + m.Snippet[i:]
		}
	}
}

// fits reports whether a message meets the conditions that the tests use.
func fits(r parley.FindMessagesRequest, m parley.FoundMessage) bool {
	among := func(want []string, have ...string) bool {
		return len(want) == 0 || slices.ContainsFunc(have, func(h string) bool { return slices.Contains(want, h) })
	}
	var states []string
	for s := range m.States {
		states = append(states, string(s))
	}
	everything := strings.ToLower(strings.Join(append(m.Recipients, m.SenderName, m.Snippet), " "))
	for word := range strings.FieldsSeq(strings.ToLower(r.Query)) {
		if !strings.Contains(everything, word) {
			return false
		}
	}
	split := func(s string) []string { return strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) }
	return among(split(r.From), m.SenderName) && among(split(r.To), m.Recipients...) &&
		among(r.Agents, append(m.Recipients, m.SenderName)...) && among(r.States, states...) &&
		among(r.Types, string(m.MessageType), string(m.Kind)) && among(r.Ranks, string(m.Priority)) &&
		(r.Thread == "" || strings.Contains(m.ThreadTitle+m.ThreadID, r.Thread)) &&
		(r.Since == nil || m.Timestamp.After(*r.Since))
}
