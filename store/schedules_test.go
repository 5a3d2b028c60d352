package store

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/internal/must"
)

// noon is when the first time of a planned schedule comes.
var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// planned returns a schedule of an agent with a message to agent 2.
func planned(owner int, every string) parley.Schedule {
	return parley.Schedule{
		ID: uuid.NewString(), OwnerID: agentID(owner), Every: every, Zone: "Europe/Berlin",
		State:   parley.ScheduleActive,
		Message: parley.SendMessageRequest{To: parley.Names{agentName(2)}, Text: "go on"}, Next: new(noon),
		Created: noon.Add(-time.Hour), NextFrom: noon.Add(-time.Hour),
	}
}

// timeAt is the time of a schedule that comes at noon, and then each hour.
func timeAt(p parley.Schedule, hour int) *ScheduleTime {
	due := noon.Add(time.Duration(hour) * time.Hour)
	return &ScheduleTime{ScheduleID: p.ID, Taken: due, Due: due, Next: due.Add(time.Hour), Now: due.Add(time.Second)}
}

// timed returns the message of a time, to some agents.
func timed(p parley.Schedule, hour int, to ...int) Post {
	m := post(1, to...)
	m.Time = timeAt(p, hour)
	m.Message.Schedule = &parley.ScheduledFor{ScheduleID: p.ID, Due: m.Time.Due}
	return m
}

func (s *Schedules) only(t *testing.T) parley.Schedule {
	t.Helper()
	list := must.Have(s.List(t.Context()))(t)
	if len(list) != 1 {
		t.Fatalf("%d schedules, want one: %+v", len(list), list)
	}
	return list[0]
}

// Several daemons may find the same time due, and one may end before it knows what it has stored.
func TestATimeIsTakenOnceWithItsMessage(t *testing.T) {
	s := openWith(t, 4)
	ctx := t.Context()
	p := must.Have(s.Schedules.Add(ctx, planned(1, "1h"), Call{}, 5))(t)

	first := must.Have(s.Messages.Append(ctx, timed(p, 0, 2)))(t)
	if _, err := s.Messages.Append(ctx, timed(p, 0, 2)); !errors.Is(err, ErrTimeTaken) && !errors.Is(err, ErrTimeSent) {
		t.Errorf("the same time again: %v", err)
	}
	if err := s.Schedules.Record(ctx, *timeAt(p, 0), parley.ScheduleSkipped, "x"); !errors.Is(err, ErrTimeTaken) {
		t.Errorf("the same time without a message: %v", err)
	}

	got := s.Schedules.only(t)
	if !got.Next.Equal(noon.Add(time.Hour)) || got.Last == nil || got.Last.MessageID != first.Message.ID ||
		got.Last.End != parley.ScheduleSent {
		t.Errorf("the schedule is %+v, %+v", got, got.Last)
	}
	m, _, err := s.Messages.Message(ctx, first.Message.ID)
	if err != nil || m.Schedule == nil || m.Schedule.ScheduleID != p.ID || !m.Schedule.Due.Equal(noon) {
		t.Errorf("the message names %+v, %v", m.Schedule, err)
	}
}

// A message that is refused takes no time, and a paused schedule has none.
func TestARefusedMessageTakesNoTime(t *testing.T) {
	s := openWith(t, 4)
	ctx := t.Context()
	p := must.Have(s.Schedules.Add(ctx, planned(1, "1h"), Call{}, 5))(t)

	refused := timed(p, 0, 2)
	refused.Admit = func() error { return parley.Errorf(parley.RateLimited, "slower") }
	if _, err := s.Messages.Append(ctx, refused); parley.ErrorCode(err) != parley.RateLimited {
		t.Errorf("got %v", err)
	}
	unknown := timed(p, 0, 2)
	unknown.Deliveries[0].RecipientID = "nobody"
	if _, err := s.Messages.Append(ctx, unknown); err == nil {
		t.Error("a message to nobody was stored")
	}
	if got := s.Schedules.only(t); !got.Next.Equal(noon) || got.Last != nil {
		t.Errorf("the schedule is %+v", got)
	}

	must.Do(t, s.Schedules.Change(ctx, p.ID, func(p *parley.Schedule) error {
		p.State = parley.SchedulePaused
		return nil
	}))
	if _, err := s.Messages.Append(ctx, timed(p, 0, 2)); !errors.Is(err, ErrTimeTaken) {
		t.Errorf("a paused schedule: %v", err)
	}
}

func TestATimeIsSkippedForWhoeverStillWaits(t *testing.T) {
	s := openWith(t, 5)
	ctx := t.Context()
	p := must.Have(s.Schedules.Add(ctx, planned(1, "1h"), Call{}, 5))(t)

	first := must.Have(s.Messages.Append(ctx, timed(p, 0, 2, 3)))(t)
	must.Have(s.Messages.Append(ctx, post(1, 4)))(t) // another message does not count
	deliverTo(t, s, first, 3)

	second := must.Have(s.Messages.Append(ctx, timed(p, 1, 2, 3, 4)))(t)
	if len(second.Deliveries) != 2 || second.Deliveries[0].RecipientID != agentID(3) {
		t.Errorf("the second reaches %+v, want agents 3 and 4", second.Deliveries)
	}
	if got := s.Schedules.only(t); got.Last.Reason != "not to agent-002: an earlier one still waits there" {
		t.Errorf("the outcome is %+v", got.Last)
	}

	if _, err := s.Messages.Append(ctx, timed(p, 2, 2)); !errors.Is(err, ErrStillWaits) {
		t.Errorf("the third: %v", err)
	}
	must.Do(t, s.Schedules.Record(ctx, *timeAt(p, 2), parley.ScheduleSkipped, "it waits"))
	if got := s.Schedules.only(t); got.InARow != 1 || got.Last.End != parley.ScheduleSkipped ||
		got.Last.MessageID != second.Message.ID {
		t.Errorf("the schedule is %+v, %+v", got, got.Last)
	}

	deliverTo(t, s, first, 2)
	must.Have(s.Messages.Append(ctx, timed(p, 3, 2)))(t)
	if got := s.Schedules.only(t); got.InARow != 0 {
		t.Errorf("the schedule is %+v", got)
	}
}

// deliverTo ends the delivery of a message to an agent.
func deliverTo(t *testing.T, s *Store, m Appended, agent int) {
	t.Helper()
	must.Do(t, s.Deliveries.Advance(t.Context(), Key{m.Seq, agentID(agent)},
		Change{State: parley.DeliveryRead, Cause: parley.ProofDoor.With("a test")}))
}

func TestASingleTimeIsTheLast(t *testing.T) {
	s := openWith(t, 4)
	ctx := t.Context()
	p := must.Have(s.Schedules.Add(ctx, planned(1, ""), Call{}, 5))(t)
	m := timed(p, 0, 2)
	m.Time.Next = time.Time{}
	must.Have(s.Messages.Append(ctx, m))(t)
	if got := s.Schedules.only(t); got.State != parley.ScheduleDone || got.Next != nil {
		t.Errorf("the schedule is %+v", got)
	}
	must.Do(t, s.Schedules.Forget(ctx, noon))
	s.Schedules.only(t)
	must.Do(t, s.Schedules.Forget(ctx, noon.Add(time.Hour)))
	if list := must.Have(s.Schedules.List(ctx))(t); len(list) != 0 {
		t.Errorf("it is still listed: %+v", list)
	}
}

// By the name, a file of a team can plan the same again and again. A repeated call plans nothing more.
func TestASchedulesNameAndKeyMakeItOne(t *testing.T) {
	s := openWith(t, 4)
	ctx := t.Context()
	call := Call{AgentID: agentID(1), Key: "k", Asked: "a"}
	named := planned(1, "daily 9:00")
	named.Name, call.Made = "standup", named.ID
	first := must.Have(s.Schedules.Add(ctx, named, call, 1))(t)

	again := named
	again.ID, again.Next = uuid.NewString(), new(noon.Add(time.Minute))
	for what, c := range map[string]Call{"the same call": call, "the same name": {}} {
		if got := must.Have(s.Schedules.Add(ctx, again, c, 1))(t); got.ID != first.ID || !got.Next.Equal(noon) {
			t.Errorf("%s: got %+v", what, got)
		}
	}

	again.Every = "daily 10:00"
	if got := must.Have(s.Schedules.Add(ctx, again, Call{}, 1))(t); got.ID != first.ID || got.Every != again.Every {
		t.Errorf("another rule: got %+v", got)
	}
	if got := s.Schedules.only(t); got.Every != again.Every || !got.Next.Equal(*again.Next) {
		t.Errorf("it is stored as %+v", got)
	}
	if _, err := s.Schedules.Add(ctx, planned(1, "1h"), Call{}, 1); parley.ErrorCode(err) != parley.RateLimited {
		t.Errorf("one too many: %v", err)
	}
	must.Have(s.Schedules.Add(ctx, planned(2, "1h"), Call{}, 1))(t)
}
