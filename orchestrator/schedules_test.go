package orchestrator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/wait"
	"parley/op"
	"parley/orchestrator/messages"
	"parley/store/storetest"
	"parley/tmux/tmuxtest"
)

// fakeClock is a wall clock that a test sets.
type fakeClock struct {
	mu sync.Mutex
	at time.Time
}

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *fakeClock) set(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = at
}

// clockTeam is a team whose clock a test sets, with the mailboxes planner and coder.
type clockTeam struct {
	*testTeam
	clock          fakeClock
	zone           *time.Location
	planner, coder context.Context
}

// newClockTeam starts one at a time of day in a zone.
func newClockTeam(t *testing.T, zone, at string) *clockTeam {
	t.Helper()
	ct := &clockTeam{zone: must.Have(time.LoadLocation(zone))(t)}
	ct.to(t, at)
	ct.testTeam = newTeam(t, func(o *Options) { o.Now, o.Settings.Watch = ct.clock.now, time.Hour })
	ct.planner, ct.coder = ct.as("planner"), ct.as("coder")
	return ct
}

// to sets the clock.
func (ct *clockTeam) to(t *testing.T, at string) {
	t.Helper()
	ct.clock.set(must.Have(time.ParseInLocation("2006-01-02 15:04:05", at, ct.zone))(t))
}

// look deals with what is due, and waits for it.
func (ct *clockTeam) look() {
	ct.t.Helper()
	s := ct.services.schedules.Timetable
	for range 2 { // the second time finds what the first one set
		must.Do(ct.t, s.Look(context.Background()))
		s.Wait()
	}
}

func (ct *clockTeam) plan(as context.Context, req parley.ScheduleMessageRequest) parley.Schedule {
	ct.t.Helper()
	if req.To == nil && req.ThreadID == "" {
		req.To = parley.Names{"coder"}
	}
	if req.Zone == "" {
		req.Zone = ct.zone.String()
	}
	if req.Text == "" {
		req.Text = "go on"
	}
	return *must.Have(op.ScheduleMessage.Call(as, ct, req))(ct.t).Schedule
}

// got returns the messages that coder has got and not read: the time for which each was sent, and whether it was late.
// It marks them as read.
func (ct *clockTeam) got() (list []string) {
	ct.t.Helper()
	res := must.Have(op.CheckInbox.Call(ct.coder, ct, parley.CheckInboxRequest{Limit: 50}))(ct.t)
	for _, m := range res.Messages {
		full, _, err := ct.opts.Store.Messages.Message(context.Background(), m.MessageID)
		must.Do(ct.t, err)
		if full.Schedule == nil {
			continue
		}
		words := full.Schedule.Due.In(ct.zone).Format("Mon 02 15:04 -07")
		if full.Schedule.Late {
			words += " late"
		}
		list = append(list, words)
		must.Have(op.MarkMessageRead.Call(ct.coder, ct,
			parley.MarkMessageReadRequest{MessageIDs: parley.Names{m.MessageID}}))(ct.t)
	}
	slices.Sort(list)
	return list
}

func (ct *clockTeam) schedules() []parley.Schedule {
	ct.t.Helper()
	return must.Have(op.ListSchedules.Call(ct.operator(), ct, parley.ListSchedulesRequest{}))(ct.t).Schedules
}

func (ct *clockTeam) wantGot(want ...string) {
	ct.t.Helper()
	if got := ct.got(); !slices.Equal(got, want) {
		ct.t.Errorf("at %s: got %q, want %q", ct.clock.now().In(ct.zone).Format(time.DateTime), got, want)
	}
}

// A week with a change of summer time, looked at each minute, as a daemon that runs does.
func TestAWeekWithAChangeOfSummerTime(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ zone, from, rule, want string }{
		{"Europe/Berlin", "2026-03-26 12:00:00", "daily 2:30",
			"Fri 27 02:30 +01, Sat 28 02:30 +01, Sun 29 03:30 +02, " +
				"Mon 30 02:30 +02, Tue 31 02:30 +02"},
		{"Europe/Berlin", "2026-10-22 12:00:00", "daily 2:30",
			"Fri 23 02:30 +02, Sat 24 02:30 +02, Sun 25 02:30 +02, " +
				"Mon 26 02:30 +01, Tue 27 02:30 +01"},
		{"America/New_York", "2026-03-05 12:00:00", "weekdays 9:00",
			"Fri 06 09:00 -05, Mon 09 09:00 -04, Tue 10 09:00 -04"},
		{"America/New_York", "2026-10-29 12:00:00", "weekdays 9:00",
			"Fri 30 09:00 -04, Mon 02 09:00 -05, Tue 03 09:00 -05"},
	} {
		t.Run(c.zone+c.from[4:7], func(t *testing.T) {
			t.Parallel()
			ct := newClockTeam(t, c.zone, c.from)
			ct.plan(ct.operator(), parley.ScheduleMessageRequest{Every: c.rule})
			var got []string
			for start := ct.clock.now(); ct.clock.now().Before(start.Add(120 * time.Hour)); {
				ct.clock.set(ct.clock.now().Add(10 * time.Minute))
				ct.look()
				got = append(got, ct.got()...)
			}
			if words := strings.Join(got, ", "); words != c.want {
				t.Errorf("got  %s\nwant %s", words, c.want)
			}
		})
	}
}

// What passes while the machine sleeps, or no daemon runs, comes once, late, and the rule goes on.
func TestMissedTimesComeOnceAndLate(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "Europe/Berlin", "2026-12-01 08:00:00")
	ct.plan(ct.operator(), parley.ScheduleMessageRequest{Every: "daily 9:00"})
	ct.plan(ct.operator(), parley.ScheduleMessageRequest{At: "18:00"})

	ct.close()
	ct.to(t, "2026-12-03 10:00:00")
	ct.open()
	ct.look()
	ct.wantGot("Thu 03 09:00 +01 late", "Tue 01 18:00 +01 late")
	ct.look()
	ct.wantGot()

	list := ct.schedules()
	if len(list) != 2 || list[0].Last.Missed != 2 || list[0].Next.In(ct.zone).Format("02 15:04") != "04 09:00" ||
		list[1].State != parley.ScheduleDone || !list[1].Last.Late {
		t.Errorf("the schedules are %+v, %+v", list[0].Last, list[1].Last)
	}
}

// A clock that is put back gives no time a second message, and one that was wrong for a while stops no rule.
func TestAClockThatJumps(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "Europe/Berlin", "2026-12-01 08:00:00")
	ct.plan(ct.operator(), parley.ScheduleMessageRequest{Every: "daily 9:00"})
	ct.to(t, "2026-12-01 09:00:01")
	ct.look()
	ct.wantGot("Tue 01 09:00 +01")

	ct.to(t, "2026-12-01 08:30:00")
	ct.look()
	ct.to(t, "2026-12-01 09:00:01")
	ct.look()
	ct.wantGot()
	ct.to(t, "2026-12-02 09:00:01")
	ct.look()
	ct.wantGot("Wed 02 09:00 +01")

	ct.to(t, "2027-12-02 12:00:00")
	ct.look()
	ct.wantGot("Thu 02 09:00 +01 late")
	ct.to(t, "2026-12-02 10:00:00")
	ct.look()
	ct.wantGot()
	ct.restart() // it must not depend on what a daemon remembers
	ct.to(t, "2026-12-03 09:00:01")
	ct.look()
	ct.wantGot("Thu 03 09:00 +01")
}

func TestATimeIsSkippedWhileTheLastMessageWaits(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "UTC", "2026-12-01 08:00:00")
	ct.plan(ct.operator(), parley.ScheduleMessageRequest{Every: "1h"})
	for hour := 9; hour <= 12; hour++ {
		ct.to(t, fmt.Sprintf("2026-12-01 %02d:00:01", hour))
		ct.look()
	}
	if p := ct.schedules()[0]; p.InARow != 3 || p.Last.End != parley.ScheduleSkipped ||
		p.Last.Words() != "skipped (an earlier one still waits)" {
		t.Errorf("the schedule is %+v, %+v", p, p.Last)
	}
	ct.wantGot("Tue 01 09:00 +00")
	ct.to(t, "2026-12-01 13:00:01")
	ct.look()
	ct.wantGot("Tue 01 13:00 +00")
	if p := ct.schedules()[0]; p.InARow != 0 || p.Last.Words() != "sent, delivered" {
		t.Errorf("the schedule is %+v, %+v", p, p.Last.Words())
	}
}

// What holds a message of the sender's holds a planned one, when its time comes.
func TestAPauseHoldsATime(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "UTC", "2026-12-01 08:00:00")
	ct.plan(ct.planner, parley.ScheduleMessageRequest{At: "in 1h"})
	ct.pause(true)
	ct.to(t, "2026-12-01 09:00:01")
	ct.look()
	ct.wantGot()
	ct.pause(false)
	ct.to(t, "2026-12-01 09:30:00")
	ct.look()
	ct.wantGot("Tue 01 09:00 +00 late")
}

func TestAgentsPlanForThemselvesAndTheOperatorForAll(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "UTC", "2026-12-01 08:00:00")
	own := ct.plan(ct.planner, parley.ScheduleMessageRequest{Every: "daily 9:00", Name: "Standup"})
	ct.plan(ct.operator(), parley.ScheduleMessageRequest{Every: "daily 10:00"})
	sees := func(as context.Context) []parley.Schedule {
		return must.Have(op.ListSchedules.Call(as, ct, parley.ListSchedulesRequest{}))(t).Schedules
	}
	if list := sees(ct.planner); len(list) != 1 || list[0].ID != own.ID || list[0].Name != "standup" {
		t.Errorf("planner sees %+v", list)
	}
	if list := sees(ct.coder); len(list) != 0 {
		t.Errorf("coder sees %+v", list)
	}

	change := func(as context.Context, ref string, a parley.ScheduleAction) error {
		_, err := op.ChangeSchedule.Call(as, ct, parley.ChangeScheduleRequest{ScheduleID: ref, Action: a})
		return err
	}
	wantCode(t, change(ct.coder, own.ID, parley.RemoveSchedule), parley.InvalidArgument)
	must.Do(t, change(ct.planner, "standup", parley.PauseSchedule))
	ct.to(t, "2026-12-01 09:00:01")
	ct.look()
	ct.wantGot()
	must.Do(t, change(ct.operator(), own.ID[:8], parley.ResumeSchedule))
	ct.look()
	ct.wantGot() // a rule goes on from now
	ct.to(t, "2026-12-02 09:00:01")
	ct.look()
	ct.wantGot("Tue 01 10:00 +00 late", "Wed 02 09:00 +00")
	must.Do(t, change(ct.planner, own.ID, parley.RemoveSchedule))
	wantCode(t, change(ct.planner, own.ID, parley.RemoveSchedule), parley.InvalidArgument)

	_, err := op.ScheduleMessage.Call(ct.planner, ct, parley.ScheduleMessageRequest{To: parley.Names{"coder"},
		Text: "x", At: "10:00", Start: true})
	wantCode(t, err, parley.NotAuthorized)
}

func TestWhatCannotBePlanned(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "UTC", "2026-12-01 08:00:00")
	for what, req := range map[string]parley.ScheduleMessageRequest{
		"the past":       {To: parley.Names{"coder"}, Text: "x", At: "2026-11-30 10:00"},
		"no time":        {To: parley.Names{"coder"}, Text: "x", At: "soon"},
		"no such zone":   {To: parley.Names{"coder"}, Text: "x", At: "10:00", Zone: "Europe/Nowhere"},
		"no text":        {To: parley.Names{"coder"}, Text: " ", At: "10:00"},
		"itself":         {To: parley.Names{"planner"}, Text: "x", At: "10:00"},
		"an unknown one": {To: parley.Names{"nobody"}, Text: "x", At: "10:00"},
	} {
		if req.Zone == "" {
			req.Zone = "UTC"
		}
		if _, err := op.ScheduleMessage.Call(ct.planner, ct, req); err == nil {
			t.Errorf("%s was planned", what)
		}
	}
	if list := ct.schedules(); len(list) != 0 {
		t.Errorf("the schedules are %+v", list)
	}
}

// A time whose message is refused is not tried for ever, and says why.
func TestARefusedTimeSaysWhy(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "UTC", "2026-12-01 08:00:00")
	th := must.Have(op.CreateThread.Call(ct.planner, ct, parley.CreateThreadRequest{Title: "t",
		Participants: parley.Names{"coder"}}))(t).Thread
	ct.plan(ct.coder, parley.ScheduleMessageRequest{ThreadID: th.ID, Every: "1h"})
	must.Have(op.RemoveParticipant.Call(ct.coder, ct, parley.RemoveParticipantRequest{ThreadID: th.ID,
		Agent: "coder"}))(t)
	ct.to(t, "2026-12-01 09:00:01")
	ct.look()
	if p := ct.schedules()[0]; p.Last == nil || p.Last.End != parley.ScheduleRefused || p.Last.Reason == "" ||
		p.State != parley.ScheduleActive {
		t.Errorf("the schedule is %+v, %+v", p, p.Last)
	}
}

func TestAThreadAndEveryoneGetWhatIsPlanned(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "UTC", "2026-12-01 08:00:00")
	th := must.Have(op.CreateThread.Call(ct.planner, ct, parley.CreateThreadRequest{Title: "t",
		Participants: parley.Names{"coder"}}))(t).Thread
	ct.plan(ct.planner, parley.ScheduleMessageRequest{ThreadID: th.ID, At: "in 1h"})
	ct.plan(ct.operator(), parley.ScheduleMessageRequest{To: parley.Names{"ALL"}, At: "in 2h"})
	ct.to(t, "2026-12-01 10:00:30")
	ct.look()
	ct.wantGot("Tue 01 09:00 +00 late", "Tue 01 10:00 +00")
}

// A stopped agent is started for its message, once, and the message is typed into its terminal.
func TestAStoppedAgentIsStartedForItsMessage(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	log := te.launch("worker", "framed", tmuxtest.Agent{})
	te.stop("worker")
	must.Have(op.ScheduleMessage.Call(te.operator(), te, parley.ScheduleMessageRequest{
		To: parley.Names{"worker"}, Text: "good morning", At: "in 1s", Zone: "UTC", Start: true,
	}))(t)

	var last *parley.ScheduleOutcome
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must.Do(t, wait.Until(ctx, 50*time.Millisecond, func() (bool, error) {
		last = must.Have(op.ListSchedules.Call(te.operator(), te, parley.ListSchedulesRequest{}))(t).Schedules[0].Last
		return last != nil, nil
	}))
	if last.End != parley.ScheduleSent {
		t.Fatalf("the outcome is %+v", last)
	}
	te.arrived(last.MessageID)
	if got := tmuxtest.Messages(t, log); len(got) != 1 || !strings.Contains(got[0].Text, "good morning") {
		t.Errorf("typed: %v", got)
	}
}

// The status of an agent says when the next planned message for it is due. What comes to nothing needs the operator.
func TestPlansAreSeenAndTheirFailuresNeedTheOperator(t *testing.T) {
	t.Parallel()
	ct := newClockTeam(t, "UTC", "2026-12-01 08:00:00")
	planned := func(as context.Context) *time.Time {
		t.Helper()
		ct.look()
		res := must.Have(op.GetAgentStatus.Call(as, ct, parley.AgentStatusRequest{Agent: "coder"}))(t)
		return res.Agents[0].Planned
	}
	if at := planned(ct.operator()); at != nil {
		t.Errorf("planned for %s", at)
	}
	ct.plan(ct.operator(), parley.ScheduleMessageRequest{At: "18:00"})
	rule := ct.plan(ct.planner, parley.ScheduleMessageRequest{To: parley.Names{"ALL"}, Every: "1h"})
	if at := planned(ct.operator()); at == nil || at.Hour() != 9 {
		t.Errorf("planned for %v, want 9:00", at)
	}
	if at := planned(ct.coder); at != nil {
		t.Error("an agent sees what others have planned")
	}

	for hour := 9; hour <= 12; hour++ {
		if n := len(ct.plans()); n != 0 {
			t.Errorf("%d needs before %d:00", n, hour)
		}
		ct.to(t, fmt.Sprintf("2026-12-01 %02d:00:01", hour))
		ct.look()
	}
	if needs := ct.plans(); len(needs) != 1 || needs[0].Agent != "planner" ||
		!strings.HasPrefix(needs[0].Text, "3 times in a row were skipped of what is planned to everyone, 1h in UTC") ||
		!strings.HasSuffix(needs[0].Action, rule.ID[:8]) {
		t.Errorf("needs %+v", needs)
	}
	ct.got()
	ct.to(t, "2026-12-01 13:00:01")
	ct.look()
	if needs := ct.plans(); len(needs) != 0 {
		t.Errorf("needs %+v", needs)
	}
}

// plans returns what the operator has to see to about schedules.
func (ct *clockTeam) plans() []parley.Need {
	ct.t.Helper()
	needs := must.Have(op.GetNeeds.Call(ct.operator(), ct, parley.GetNeedsRequest{}))(ct.t).Needs
	return slices.DeleteFunc(needs, func(n parley.Need) bool { return n.Kind != parley.NeedPlan })
}

// Of several daemons on one database exactly one sends a time, whichever believes that it leads.
func TestOneOfSeveralHostsSendsATime(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	hosts := []*testTeam{hostOf(t, url, "ann"), hostOf(t, url, "bob"), hostOf(t, url, "cat")}
	reader := hosts[0].as("reader")
	var all []*messages.Timetable
	for _, te := range hosts {
		te.knows("reader")
		s := messages.NewSchedules(te.services.messages, te.Orchestrator, func() bool { return true })
		all = append(all, s.Timetable)
	}
	must.Have(op.ScheduleMessage.Call(hosts[1].operator(), hosts[1], parley.ScheduleMessageRequest{
		To: parley.Names{"reader"}, Text: "now", At: "in 1s", Zone: "UTC",
	}))(t)

	var list []parley.Schedule
	tmuxtest.Poll(t, func() bool {
		var looking sync.WaitGroup
		for _, tt := range all {
			looking.Go(func() {
				tt.Changed() // what others plan is told to their own
				must.Do(t, tt.Look(t.Context()))
				tt.Wait()
			})
		}
		looking.Wait()
		res := must.Have(op.ListSchedules.Call(hosts[2].operator(), hosts[2], parley.ListSchedulesRequest{}))(t)
		list = res.Schedules
		return list[0].State == parley.ScheduleDone
	}, func() string { return fmt.Sprintf("the schedule is %+v", list) })
	inbox := must.Have(op.CheckInbox.Call(reader, hosts[0], parley.CheckInboxRequest{Limit: 50}))(t)
	if len(inbox.Messages) != 1 || list[0].Last.End != parley.ScheduleSent {
		t.Errorf("%d messages, want one: %+v", len(inbox.Messages), list[0].Last)
	}
}
