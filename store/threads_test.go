package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/internal/must"
)

// openThread stores a thread that agent 0 creates with other agents.
func openThread(t testing.TB, s *Store, others ...int) string {
	t.Helper()
	th := parley.Thread{
		ID:           uuid.NewString(),
		Title:        "the parser",
		CreatorID:    agentID(0),
		Participants: []string{agentID(0)},
	}

	for _, n := range others {
		th.Participants = append(th.Participants, agentID(n))
	}

	if _, _, err := s.Threads.CreateThread(t.Context(), th, Call{}); err != nil {
		t.Fatalf("CreateThread: %v", err)
	}

	return th.ID
}

// threadPost returns a post of an agent to all others in the thread.
func threadPost(thread string, from int) Post {
	p := post(from)
	p.Message.Kind, p.Message.ThreadID, p.Event = parley.KindThread, thread, parley.EventThreadMessage
	p.Reach = func(ids []string) (ds []NewDelivery, err error) {
		for _, id := range ids {
			if id != agentID(from) {
				ds = append(ds, NewDelivery{RecipientID: id, State: parley.DeliveryQueued})
			}
		}
		return ds, nil
	}
	return p
}

func change(thread string, agent int, leave bool) Membership {
	p := threadPost(thread, 0)
	p.Event, p.Member = parley.EventThreadUpdated, Member{AgentID: agentID(agent), Status: parley.MemberAdded}
	return Membership{
		ThreadID: thread,
		AgentID:  agentID(agent),
		Leave:    leave,
		Allow:    func([]string) error { return nil },
		Post:     p,
	}
}

func TestThreadPostsGoToThoseInIt(t *testing.T) {
	s := openWith(t, 4)
	id := openThread(t, s, 1, 2)

	got := must.Have(s.Messages.Append(t.Context(), threadPost(id, 1)))(t)
	if want := []string{agentID(0), agentID(2)}; !slices.Equal(got.Message.Recipients, want) {
		t.Errorf("the post went to %v, want %v", got.Message.Recipients, want)
	}

	for _, d := range got.Deliveries {
		if d.ConversationID != id {
			t.Errorf("the conversation is %s, want the thread", d.ConversationID)
		}
	}

	jobs, err := s.Deliveries.Pending(t.Context(), agentID(2), 10)
	if err != nil || len(jobs) != 1 || jobs[0].Message.ThreadID != id || jobs[0].Message.Kind != parley.KindThread {
		t.Errorf("what waits is %+v, %v", jobs, err)
	}

	th, err := s.Threads.Thread(t.Context(), id[:8])
	if err != nil || !th.LastMessageAt.After(th.CreatedAt) {
		t.Errorf("the thread is %+v, %v; want it active after it was opened", th, err)
	}
}

func TestRefusedPostLeavesNothing(t *testing.T) {
	s := openWith(t, 2)
	id := openThread(t, s, 1)
	before, _ := s.Threads.Thread(t.Context(), id)
	p := threadPost(id, 1)
	p.Reach = func([]string) ([]NewDelivery, error) { return nil, parley.Errorf(parley.NotAParticipant, "no") }
	if _, err := s.Messages.Append(t.Context(), p); parley.ErrorCode(err) != parley.NotAParticipant {
		t.Errorf("the error is %v", err)
	}

	gone := threadPost(uuid.NewString(), 0)
	if _, err := s.Messages.Append(t.Context(), gone); parley.ErrorCode(err) != parley.ThreadNotFound {
		t.Errorf("posting to no thread: %v", err)
	}

	unknown := parley.Thread{
		ID:           uuid.NewString(),
		Title:        "t",
		CreatorID:    agentID(0),
		Participants: []string{agentID(0), agentID(9)},
	}
	_, _, err := s.Threads.CreateThread(t.Context(), unknown, Call{}, threadPost(id, 0))
	wantCode(t, "a thread with an unknown agent", err, parley.AgentNotFound)

	after, _ := s.Threads.Thread(t.Context(), id)
	list, total, err := s.Threads.List(t.Context(), "", 10)
	if err != nil || total != 1 || len(list) != 1 || after.LastMessageAt != before.LastMessageAt ||
		s.Events.LastEvent() != 2 {
		t.Errorf("threads %+v, last event %d, %v; want nothing new", list, s.Events.LastEvent(), err)
	}
}

func TestMembershipChangesOnce(t *testing.T) {
	s := openWith(t, 3)
	id := openThread(t, s, 1)
	var group sync.WaitGroup
	added := make(chan bool, 20)
	for range cap(added) {
		group.Go(func() {
			_, changed, err := s.Threads.ChangeMembership(t.Context(), change(id, 2, false))
			if err != nil {
				t.Error(err)
			}
			added <- changed
		})
	}

	group.Wait()
	close(added)
	n := 0
	for changed := range added {
		if changed {
			n++
		}
	}

	if n != 1 {
		t.Errorf("%d of 20 additions changed something, want 1", n)
	}

	for i, want := range []bool{true, false} {
		if _, changed, err := s.Threads.ChangeMembership(t.Context(), change(id, 2, true)); changed != want ||
			err != nil {
			t.Errorf("removal %d: changed %v, %v", i, changed, err)
		}
	}

	if _, changed, err := s.Threads.ChangeMembership(t.Context(), change(id, 2, false)); !changed || err != nil {
		t.Errorf("coming back: changed %v, %v", changed, err)
	}

	th, err := s.Threads.Thread(t.Context(), id)
	if want := []string{agentID(0), agentID(1), agentID(2)}; err != nil || !slices.Equal(th.Participants, want) {
		t.Errorf("in the thread are %v, %v, want %v", th.Participants, err, want)
	}
}

// The clock of a host may be behind that of another, or be set back.
func TestLateMemberFindsEarlierPostsByAnyClock(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s := openClocked(t, &now, at(t, filepath.Join(t.TempDir(), "parley.db")))
	addAgents(t, s, 3)
	id := openThread(t, s, 1)
	early := threadPost(id, 0)
	early.Message.Text = "an early word"
	send(t, s, early)

	now = now.Add(-time.Minute)
	_, changed, err := s.Threads.ChangeMembership(t.Context(), change(id, 2, false))
	if err != nil || !changed {
		t.Fatalf("joining: changed %v, %v", changed, err)
	}

	for n := range 3 {
		wantFound(t, s, SearchQuery{Words: "early", For: agentID(n)}, "an early word")
	}
}

// Posts and a removal happen at the same time. Whatever their order, the removed agent gets
// nothing that was stored afterwards.
func TestNobodyGetsAPostAfterItsRemoval(t *testing.T) {
	s := openWith(t, 3)
	id := openThread(t, s, 1, 2)
	var group sync.WaitGroup
	for range 30 {
		group.Go(func() {
			if _, err := s.Messages.Append(t.Context(), threadPost(id, 1)); err != nil {
				t.Error(err)
			}
		})
	}

	removed := make(chan int64, 1)
	group.Go(func() {
		out, _, err := s.Threads.ChangeMembership(t.Context(), change(id, 2, true))
		if err != nil {
			t.Error(err)
		}
		removed <- out.Seq
	})

	group.Wait()
	at := <-removed

	jobs := must.Have(s.Deliveries.Pending(t.Context(), agentID(2), 100))(t)

	all, err := s.Deliveries.Pending(t.Context(), agentID(0), 100)
	if err != nil || len(all) != 30 {
		t.Errorf("who stayed has %d posts, %v, want 30", len(all), err)
	}

	for _, job := range jobs {
		if job.Key.MessageSeq > at {
			t.Errorf("message %d was delivered after the removal, %d", job.Key.MessageSeq, at)
		}
	}

	for _, job := range all {
		reached := slices.ContainsFunc(jobs, func(j Job) bool { return j.Key.MessageSeq == job.Key.MessageSeq })
		if job.Key.MessageSeq < at && !reached {
			t.Errorf("message %d from before the removal, %d, was not delivered", job.Key.MessageSeq, at)
		}
	}
}

func TestThreadPageHasAllPosts(t *testing.T) {
	s := openWith(t, 4)
	id, other := openThread(t, s, 1), openThread(t, s, 1)
	for i, from := range []int{0, 1, 0} {
		p := threadPost(id, from)
		p.Message.Text = fmt.Sprint(i)
		must.Have(s.Messages.Append(t.Context(), p))(t)
	}

	must.Have(s.Messages.Append(t.Context(), threadPost(other, 0)))(t)

	for agent, unread := range map[int]int{0: 1, 1: 2, 3: 0} {
		page, err := s.Inbox.Page(t.Context(),
			InboxQuery{RecipientID: agentID(agent), ThreadID: id, Limit: 2, OldestFirst: true})
		if err != nil || page.Total != 3 || page.Unread != unread || len(page.Items) != 2 {
			t.Errorf("agent %d: %d in all, %d unread, %d shown, %v; want 3, %d, 2", agent, page.Total, page.Unread,
				len(page.Items), err, unread)

			continue
		}

		for i, item := range page.Items {
			if item.Message.Text != fmt.Sprint(i) || item.Delivery.ConversationID != id {
				t.Errorf("agent %d: item %d is %+v", agent, i, item)
			}
		}
	}

	page, err := s.Inbox.Page(t.Context(),
		InboxQuery{RecipientID: agentID(1), ThreadID: id, Limit: 10, UnreadOnly: true, Senders: []string{agentID(0)}})
	if err != nil || len(page.Items) != 2 || page.Items[0].Message.Text != "2" || page.Total != 2 {
		t.Errorf("unread and filtered: %+v, %v", page, err)
	}
}

// IDs are random, so the order of participants must come from their joining.
func TestThreadKeepsTheOrderOfItsParticipants(t *testing.T) {
	s := openWith(t, 4)
	want := []string{agentID(2), agentID(3), agentID(0), agentID(1)}
	th := parley.Thread{ID: uuid.NewString(), Title: "the order", CreatorID: agentID(2), Participants: want}
	_, _, err := s.Threads.CreateThread(t.Context(), th, Call{})
	must.Do(t, err)
	got := must.Have(s.Threads.Thread(t.Context(), th.ID))(t)
	if !slices.Equal(got.Participants, want) {
		t.Errorf("in the thread are %v, want %v", got.Participants, want)
	}
}
