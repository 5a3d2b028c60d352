package parleytest

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/must"

	"github.com/google/go-cmp/cmp"

	"parley"
)

func same[V any](t *testing.T, what string, got, want V) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// sorted returns the ids in order, so that they compare as a set.
func sorted(ids ...string) []string {
	s := append([]string{}, ids...)
	slices.Sort(s)
	return s
}

func messageTexts(messages []parley.ContractMessage) []string {
	return each(messages, func(m parley.ContractMessage) string { return m.Content.Text })
}

func inboxTexts(messages []parley.InboxMessage) []string {
	return each(messages, func(m parley.InboxMessage) string { return m.Content })
}

func exportedTexts(messages []parley.ExportedMessage) []string {
	return each(messages, func(m parley.ExportedMessage) string { return m.Text })
}

func foundTexts(r *parley.SearchMessagesResult) []string {
	return each(r.Messages, func(m parley.FoundMessage) string { return m.Content.Text })
}

func sequence(events []parley.Event) []int64 {
	return each(events, func(e parley.Event) int64 { return e.Seq })
}

// each returns what is said of each element; not nil.
func each[E, V any](list []E, say func(E) V) []V {
	all := []V{}
	for _, e := range list {
		all = append(all, say(e))
	}
	return all
}

// recipients returns everybody whom a receipt names, in order.
func recipients(s parley.DeliveryStatus) []string {
	return sorted(slices.Concat(s.DeliveredTo, s.PendingDelivery, s.FailedDelivery)...)
}

func compact(s string) string { return strings.Join(strings.Fields(s), "") }

func hexSum(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// findEvent returns the first event of a type about a message.
func findEvent(list []parley.Event, typ parley.EventType, id string) *parley.Event {
	i := slices.IndexFunc(list, func(e parley.Event) bool { return e.Type == typ && e.MessageID == id })
	if i < 0 {
		return nil
	}
	return &list[i]
}

func countThreadEvents(list []parley.Event, typ parley.EventType, id string) (n int) {
	for _, e := range list {
		if e.Type == typ && e.ThreadID == id {
			n++
		}
	}
	return n
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

// unchanged runs calls that must leave no trace: no message, and no event of one. All
// inboxes must be empty before.
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

// unchangedAfter marks all inboxes read before it does the same as unchanged.
func (f *fixture) unchangedAfter(what func()) {
	f.Helper()
	for _, m := range []member{f.planner, f.coder, f.reviewer} {
		m.getMessages(parley.GetMessagesRequest{Limit: 100})
	}
	f.unchanged(what)
}

// within fails unless run returns.
func (f *fixture) within(what string, run func()) {
	f.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		run()
	}()
	must.Come(f, "the end of "+what, done)
}

// settle gives a call that has just begun the time to start waiting. A case is right
// without it, and tests more with it.
func settle() { <-time.After(100 * time.Millisecond) }
