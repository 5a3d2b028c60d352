package parleytest

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
)

// params are a call's parameters when no request type can hold them.
type params = map[string]any

func (m member) send(text string, to ...string) *parley.SendMessageResult {
	m.Helper()
	return do[parley.SendMessageResult](m, "send_message", parley.SendMessageRequest{To: to, Text: text})
}

// inbox returns what check_inbox shows: the unread messages, oldest first.
func (m member) inbox() []parley.InboxMessage {
	m.Helper()
	return m.check(parley.CheckInboxRequest{Limit: 50}).Messages
}

func (m member) check(r parley.CheckInboxRequest) *parley.CheckInboxResult {
	m.Helper()
	return do[parley.CheckInboxResult](m, "check_inbox", r)
}

func (m member) get(r parley.GetMessagesRequest) *parley.GetMessagesResult {
	m.Helper()
	return do[parley.GetMessagesResult](m, "get_messages", r)
}

func (m member) events(after int64) *parley.ReadEventsResult {
	m.Helper()
	return do[parley.ReadEventsResult](m, "read_events", parley.ReadEventsRequest{After: after, Limit: 1000})
}

// expectInbox compares the texts of the unread messages, oldest first.
func (m member) expectInbox(want ...string) {
	m.Helper()
	got := []string{}
	for _, msg := range m.inbox() {
		got = append(got, msg.Content)
	}
	same(m.T, m.name+"'s inbox", got, append([]string{}, want...))
}

// unchanged runs a call that must leave no trace: no message, no event of one.
func (f *fixture) unchanged(what func()) {
	f.Helper()
	messages := func() int {
		return len(
			slices.DeleteFunc(f.operator.events(0).Events, func(e parley.Event) bool { return e.MessageID == "" }),
		)
	}
	before := messages()
	what()
	for _, m := range []member{f.planner, f.coder, f.reviewer} {
		m.expectInbox()
	}
	same(f.T, "number of events about messages", messages(), before)
}

func same[V any](t *testing.T, what string, got, want V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// sorted returns the ids in order: a set, for comparing.
func sorted(ids ...string) []string {
	s := append([]string{}, ids...)
	slices.Sort(s)
	return s
}

func texts(messages []parley.ContractMessage) []string {
	list := []string{}
	for _, m := range messages {
		list = append(list, m.Content.Text)
	}
	return list
}

func contents(messages []parley.InboxMessage) []string {
	list := []string{}
	for _, m := range messages {
		list = append(list, m.Content)
	}
	return list
}

// recipients returns to whom a receipt says that a message went.
func recipients(s parley.DeliveryStatus) []string {
	return sorted(slices.Concat(s.DeliveredTo, s.PendingDelivery, s.FailedDelivery)...)
}

// chars is a text of n times one character.
func chars(c string, n int) string { return strings.Repeat(c, n) }
