package messages

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/internal/when"
	"parley/orchestrator/admission"
	"parley/orchestrator/talk"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// Schedules plans messages. The timetable sends each when its time comes.
type Schedules struct {
	Messages  *Service
	Timetable *Timetable
	Zone      string // of this machine, by its name; "" if it has none
}

// NewSchedules returns the schedules of messages that ms sends. service starts agents, and leads reports whether this
// host sends, of those that share the database.
func NewSchedules(ms *Service, service parley.Service, leads func() bool) *Schedules {
	return &Schedules{ms, &Timetable{Messages: ms, Service: service, Leads: leads, Log: ms.Log},
		when.ZoneName(os.Getenv("TZ"))}
}

// maxSchedules is how many schedules of an agent may wait: more are a mistake.
const maxSchedules = 50

func (s *Schedules) ScheduleMessage(
	ctx context.Context, req parley.ScheduleMessageRequest,
) (*parley.ScheduleMessageResult, error) {
	ms, caller := s.Messages, parley.CallerFrom(ctx)
	from, err := ms.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}
	if req.Start && !caller.Operator && !caller.Orchestrate {
		return nil, parley.Errorf(parley.NotAuthorized, "%s may not start agents", from.Name).
			With("parameter", "start").Suggest("Leave start out: the message waits until the agent runs.")
	}
	if err := s.checkMessage(from, &req); err != nil {
		return nil, err
	}

	now := ms.Now()
	p := parley.Schedule{
		ID: team.NewID(), Name: strings.ToLower(plain.CleanLabel(req.Name)), OwnerID: from.ID, Owner: from.Name,
		Message: req.Send(), Every: strings.Join(strings.Fields(req.Every), " "), Zone: cmp.Or(req.Zone, s.Zone),
		Start: req.Start, State: parley.ScheduleActive, Created: now, NextFrom: now,
	}
	if from.Kind != parley.KindHuman { // a plan of an agent goes on with what it was about
		link := ms.Talk.Memory.NextLink(p.ID, from, talk.Parent{}.Link)
		p.ChainID, p.Hop = link.Chain, link.Hop
	}
	call := store.Call{AgentID: from.ID, Key: req.IdempotencyKey, Made: p.ID,
		Asked: admission.RequestHash("schedule", p.Message, req.At, req.Every, req.Zone, req.Name, req.Start)}
	if err := s.setFirst(ctx, &p, req.At, call); err != nil {
		return nil, err
	}

	p, err = ms.Store.Schedules.Add(ctx, p, call, maxSchedules)
	if err != nil {
		return nil, err
	}
	s.Timetable.Changed()

	return &parley.ScheduleMessageResult{
		Answer: parley.OK, Schedule: &p, Message: "Planned " + p.Words(now) + said(&p),
	}, nil
}

// checkMessage refuses now what would be refused each time.
func (s *Schedules) checkMessage(from *team.Member, req *parley.ScheduleMessageRequest) (err error) {
	if req.Text, err = s.Messages.Admission.CleanText(req.Text); err != nil {
		return err
	}
	if req.ThreadID == "" {
		_, err = s.Messages.Admission.Addressees.Recipients(from, req.To)
	}
	return err
}

// setFirst sets the first time of a schedule. A single time that has passed is refused, unless the call only repeats
// an earlier one.
func (s *Schedules) setFirst(ctx context.Context, p *parley.Schedule, at string, call store.Call) error {
	zone, err := time.LoadLocation(p.Zone)
	if err != nil || p.Zone == "" {
		return parley.Errorf(parley.InvalidArgument, "there is no zone %q", plain.CleanLine(p.Zone)).
			With("parameter", "zone").Suggest("Give zone as the list of IANA has it, such as Europe/Berlin or UTC.")
	}
	if p.Every != "" {
		return advance(p, p.Created, p.Created)
	}

	first, ok := when.Parse(at, p.Created.In(zone), true)
	if !ok {
		return parley.Errorf(parley.InvalidArgument, "at is %q, which is not a time", plain.CleanLine(at)).
			With("parameter", "at").Suggest("Give at as %s.", when.Forms)
	}
	if !first.After(p.Created) {
		if _, again, err := s.Messages.Store.Idempotency.Called(ctx, call); err != nil || !again {
			past := parley.Errorf(parley.InvalidArgument, "%s has passed", first.Format(time.RFC3339)).
				With("parameter", "at").With("now", p.Created.Format(time.RFC3339)).Suggest("Give a time to come.")
			return cmp.Or(err, error(past))
		}
	}
	p.Next = &first

	return nil
}

// advance sets the next time of a rule after a time.
func advance(p *parley.Schedule, after, now time.Time) error {
	nextAfter, err := nextOf(p)
	if err != nil {
		return err
	}
	next := nextAfter(after)
	p.Next, p.NextFrom = &next, now
	return nil
}

// nextOf returns what finds the first time of a rule after a time.
func nextOf(p *parley.Schedule) (nextAfter func(time.Time) time.Time, err error) {
	rule, err := when.ParseRule(p.Every)
	if err != nil {
		return nil, err
	}
	zone, err := time.LoadLocation(p.Zone)
	if err != nil {
		return nil, err
	}
	return func(after time.Time) time.Time { return rule.Next(after, p.Created, zone) }, nil
}

func (s *Schedules) ListSchedules(
	ctx context.Context, req parley.ListSchedulesRequest,
) (*parley.ListSchedulesResult, error) {
	list, err := s.visible(ctx)
	if err != nil {
		return nil, err
	}
	res := &parley.ListSchedulesResult{Answer: parley.OK, Schedules: []parley.Schedule{}}
	var about *team.Member
	if req.Agent != "" {
		if about, err = s.Messages.Roster.Find(req.Agent); err != nil {
			return nil, err
		}
	}

	for i := range list {
		p := &list[i]
		if about != nil && p.OwnerID != about.ID && !s.reaches(p, about) {
			continue
		}
		if p.Last != nil && p.Last.MessageID != "" {
			_, deliveries, err := s.Messages.Store.Messages.Message(ctx, p.Last.MessageID)
			if err != nil && parley.ErrorCode(err) != parley.MessageNotFound { // it may be too old to be kept
				return nil, err
			}
			if err == nil {
				p.Last.DeliveryStatus = new(parley.SumUp(s.Messages.Roster.Names.FillInDeliveries(deliveries)))
			}
		}
		res.Schedules = append(res.Schedules, *p)
	}

	return res, nil
}

// reaches reports whether an agent gets the messages of a schedule, as far as that is known now.
func (s *Schedules) reaches(p *parley.Schedule, m *team.Member) bool {
	to, err := s.Messages.Admission.Addressees.Recipients(s.Messages.Roster.ByID(p.OwnerID), p.Message.To)
	return err == nil && slices.Contains(to, m)
}

// visible returns the schedules of the caller, and all to the operator.
func (s *Schedules) visible(ctx context.Context) ([]parley.Schedule, error) {
	list, err := s.Messages.Store.Schedules.List(ctx)
	caller := parley.CallerFrom(ctx)
	return slices.DeleteFunc(list, func(p parley.Schedule) bool {
		return !caller.Operator && p.OwnerID != caller.ID
	}), err
}

func (s *Schedules) ChangeSchedule(
	ctx context.Context, req parley.ChangeScheduleRequest,
) (*parley.ChangeScheduleResult, error) {
	list, err := s.visible(ctx)
	if err != nil {
		return nil, err
	}
	p, err := find(list, strings.ToLower(strings.TrimSpace(req.ScheduleID)))
	if err != nil {
		return nil, err
	}

	now, done := s.Messages.Now(), ""
	switch schedules := s.Messages.Store.Schedules; req.Action {
	case parley.RemoveSchedule:
		err, done = schedules.Remove(ctx, p.ID), "Removed: "
	case parley.PauseSchedule:
		err = schedules.Change(ctx, p.ID, func(stored *parley.Schedule) error {
			stored.State = parley.SchedulePaused
			*p = *stored
			return unlessDone(p, stored)
		})
		done = "Paused: "
	case parley.ResumeSchedule:
		err = schedules.Change(ctx, p.ID, func(stored *parley.Schedule) error {
			if stored.State == parley.SchedulePaused && stored.Every != "" {
				if err := advance(stored, now, now); err != nil {
					return err
				}
			}
			stored.State = parley.ScheduleActive
			*p = *stored
			return unlessDone(p, stored)
		})
		done = "Resumed: "
	}
	if err != nil {
		return nil, err
	}
	s.Timetable.Changed()

	return &parley.ChangeScheduleResult{Answer: parley.OK, Schedule: p, Message: done + p.Words(now) + said(p)}, nil
}

// said names a schedule behind a sentence about it.
func said(p *parley.Schedule) string { return " (" + parley.Short(p.ID) + ")" }

// unlessDone refuses a change of a schedule without a time.
func unlessDone(p, stored *parley.Schedule) error {
	if stored.Next != nil {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument, "schedule %s has no time left", parley.Short(p.ID)).
		With("parameter", "schedule_id").Suggest("Plan the message again: schedule_message.")
}

// find returns the schedule with a name, an id, or an id that begins so.
func find(list []parley.Schedule, ref string) (*parley.Schedule, error) {
	var found *parley.Schedule
	for i := range list {
		p := &list[i]
		named := p.Name != "" && p.Name == ref
		if named || len(ref) >= parley.ShortID && strings.HasPrefix(p.ID, ref) {
			if found != nil {
				return nil, parley.Errorf(parley.InvalidArgument, "several schedules are called %q",
					plain.CleanLine(ref)).
					With("parameter", "schedule_id").Suggest("Give the id; list_schedules shows it.")
			}
			found = p
		}
	}
	if found == nil {
		return nil, parley.ScheduleNotFound(plain.CleanLine(plain.Truncate(ref, 64)))
	}
	return found, nil
}
