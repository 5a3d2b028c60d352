package tui

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"parley"
)

// ListSchedules has a schedule that comes again, one that comes once, and one that is done.
func (f *fakeService) ListSchedules(
	context.Context, parley.ListSchedulesRequest,
) (*parley.ListSchedulesResult, error) {
	next := noon.Add(3 * time.Hour)
	if f.planned == nil {
		f.planned = []parley.Schedule{
			{ID: agentID("standup"), Name: "standup", Owner: "operator", Every: "weekdays 9:00", Zone: "UTC",
				Next: &next, State: parley.ScheduleActive,
				Message: parley.SendMessageRequest{To: parley.Names{parley.Everyone}, Text: "Stand-up."},
				Last: &parley.ScheduleOutcome{Due: noon, At: noon, End: parley.ScheduleSkipped,
					Reason: "an earlier one waits"}},
			{ID: agentID("once"), Owner: "coder", Zone: "UTC", Next: &next, State: parley.ScheduleActive, Start: true,
				Message: parley.SendMessageRequest{To: parley.Names{"reviewer"}, Text: "Look at it again."}},
			{ID: agentID("done"), Owner: "operator", Zone: "UTC", State: parley.ScheduleDone,
				Message: parley.SendMessageRequest{To: parley.Names{"coder"}, Text: "Tag it."}},
		}
	}
	return &parley.ListSchedulesResult{Answer: parley.OK, Schedules: slices.Clone(f.planned)}, f.err
}

func (f *fakeService) ChangeSchedule(
	_ context.Context, r parley.ChangeScheduleRequest,
) (*parley.ChangeScheduleResult, error) {
	i := slices.IndexFunc(f.planned, func(s parley.Schedule) bool { return s.ID == r.ScheduleID })
	s := &f.planned[i]
	switch r.Action {
	case parley.PauseSchedule:
		s.State = parley.SchedulePaused
	case parley.ResumeSchedule:
		s.State = parley.ScheduleActive
	case parley.RemoveSchedule:
		f.planned = slices.Delete(f.planned, i, i+1)
	}
	return &parley.ChangeScheduleResult{Answer: parley.OK, Message: fmt.Sprint(r.Action, " is done")}, f.err
}

func TestSchedulesArePausedAndRemoved(t *testing.T) {
	s, f := newBusyScreen(t, 160, 40)
	s.press("P")
	s.shows("Planned messages", "3 schedules", "to everyone, weekdays 9:00 in UTC", "Stand-up.", "standup",
		"from operator", "an earlier one waits")

	s.press("enter")
	s.shows("pause is done. u lets it go on", "weekdays 9:00 in UTC, paused")
	s.press("u")
	s.shows("weekdays 9:00 in UTC, next at")
	s.press("j")
	s.shows("from coder", "starts who is stopped", "no time has come yet")

	s.press("D")
	s.shows("Remove the schedule to reviewer")
	s.press("n")
	s.press("D", "y")
	s.shows("remove is done", "2 schedules")
	s.press("D", "y", "D", "y")
	s.shows("Nothing is planned.")
	s.press("enter", "esc")
	if s.m.finding.planned.open || len(f.planned) != 0 {
		t.Errorf("open: %v, planned: %v", s.m.finding.planned.open, f.planned)
	}
}
