package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// plannedEvery is the time between two looks while the page is open.
const plannedEvery = 5 * time.Second

// planned is the page with the messages that are planned.
type planned struct {
	acts   *room.Actions
	room   *room.Shared
	open   bool
	asking bool // an answer is on its way
	asked  time.Time
	known  bool
	list   []parley.Schedule
	err    error
	sel    string // the id under the marker
	top    int
}

type plannedMsg struct {
	list []parley.Schedule
	err  error
}

func (p *planned) keys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { p.move(n); return nil }
	}
	return []kit.Binding{
		verb.Open.To("pause it, or let it go on", p.pauseOrResume).Hinted("pause or resume"),
		verb.Remove.To("remove it; its messages stay", p.remove).Hinted("remove"),
		verb.Down.To("next", by(1)).Hinted("next"),
		verb.Up.To("previous", by(-1)),
		verb.Undo.To("undo the last action", p.acts.UndoLast),
		verb.Back.To("back", p.leave, verb.Leave).Hinted("back"),
	}
}

func (p *planned) start() tea.Cmd {
	p.open, p.sel = true, ""
	return p.ask()
}

func (p *planned) leave() tea.Cmd {
	p.open = false
	return nil
}

// ask asks what is planned, if the page is open.
func (p *planned) ask() tea.Cmd {
	if !p.open || p.asking {
		return nil
	}
	p.asking, p.asked = true, p.room.Do.Now()
	return p.room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.ListSchedules.Call(ctx, s, parley.ListSchedulesRequest{})
		if err != nil {
			return plannedMsg{err: err}
		}
		return plannedMsg{list: res.Schedules}
	})
}

// refresh looks again after a while.
func (p *planned) refresh() tea.Cmd {
	if p.room.Do.Now().Sub(p.asked) < plannedEvery {
		return nil
	}
	return p.ask()
}

// take takes an answer. The marker stays on its schedule.
func (p *planned) take(msg plannedMsg) {
	if p.asking, p.err = false, msg.err; msg.err == nil {
		p.known, p.list = true, msg.list
	}
}

func (p *planned) index() int {
	return max(0, slices.IndexFunc(p.list, func(s parley.Schedule) bool { return s.ID == p.sel }))
}

func (p *planned) move(n int) {
	if len(p.list) > 0 {
		p.sel = p.list[kit.Clamp(p.index()+n, 0, len(p.list)-1)].ID
	}
}

func change(s *parley.Schedule, does parley.ScheduleAction) room.Action {
	id := s.ID
	return room.Action{Do: func(ctx context.Context, service parley.Service) (string, error) {
		res, err := op.ChangeSchedule.Call(ctx, service, parley.ChangeScheduleRequest{ScheduleID: id, Action: does})
		if err != nil {
			return "", err
		}
		return kit.SafeLine(res.Message), nil
	}}
}

// marked returns the schedule under the marker, nil if there is none.
func (p *planned) marked() *parley.Schedule {
	if len(p.list) > 0 {
		return &p.list[p.index()]
	}
	if p.known {
		p.room.Tell("Nothing is planned.")
	}
	return nil
}

func (p *planned) pauseOrResume() tea.Cmd {
	s := p.marked()
	if s == nil {
		return nil
	}
	pause, resume := change(s, parley.PauseSchedule), change(s, parley.ResumeSchedule)
	if s.State == parley.SchedulePaused {
		return p.acts.Run(resume.UndoneBy("pauses it", pause))
	}
	return p.acts.Run(pause.UndoneBy("lets it go on", resume))
}

func (p *planned) remove() tea.Cmd {
	s := p.marked()
	if s == nil {
		return nil
	}
	return p.acts.AskTo("Remove the schedule "+kit.SafeLine(s.Words(p.room.Now))+"?", change(s, parley.RemoveSchedule))
}

func (p *planned) settle(h int) { p.top = kit.Window(p.top, p.index(), len(p.list), h-3) }

func (p *planned) view(w, h int) []string {
	th, note := p.room.Theme, kit.Plural(len(p.list), "schedule")
	switch {
	case p.err != nil:
		note = "not looked at"
	case !p.known:
		note = "looking…"
	}
	lines := []string{th.Rule("Planned messages", note, w, true)}
	if p.err != nil {
		lines = append(lines, room.ErrorLines(th, p.err, w)...)
	}
	if p.known && len(p.list) == 0 {
		lines = append(lines, th.Dim.Render(kit.Fit(
			"  Nothing is planned. parley send NAME TEXT --at 18:00, or --every “weekdays 9:00”.", w)))
	}

	for i := p.top; i < min(len(p.list), p.top+h-3); i++ {
		lines = append(lines, p.row(&p.list[i], i == p.index(), w))
	}
	if len(p.list) > 0 {
		for _, line := range p.about(&p.list[p.index()]) {
			lines = append(lines, th.Dim.Render(kit.Fit("  "+kit.SafeLine(line), w)))
		}
	}
	return kit.Clip(lines, h)
}

// row draws a schedule: to whom and when it comes, and what it says.
func (p *planned) row(s *parley.Schedule, marked bool, w int) string {
	th := p.room.Theme
	mark, words := "  ", kit.SafeLine(s.Words(p.room.Now))
	switch {
	case marked:
		mark, words = th.Accent.Render("▸ "), th.Strong.Render(words)
	case s.State != parley.ScheduleActive:
		words = th.Dim.Render(words)
	default:
		words = th.Plain.Render(words)
	}
	return kit.Fit(mark+words+th.Dim.Render("  "+kit.SafeLine(s.Message.Text)), w)
}

// about says more of the schedule under the marker: whose it is, and what came of the last time.
func (p *planned) about(s *parley.Schedule) []string {
	words := []string{parley.Short(s.ID)}
	if s.Name != "" {
		words = append(words, s.Name)
	}
	words = append(words, "from "+s.Owner)
	if s.Start {
		words = append(words, "starts who is stopped")
	}
	last := "no time has come yet"
	if s.Last != nil {
		last = "last: " + s.Clock(s.Last.Due, p.room.Now) + " " + s.Last.Words()
	}
	return []string{strings.Join(words, " · "), last}
}
