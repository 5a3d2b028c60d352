package tui

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// Workspace is one of the person's workspaces, as it is now.
type Workspace struct {
	Name   string // opens it: a directory here, or what ssh calls another machine, with a directory there
	Shown  string // how it is shown
	State  string // of its agents, or why nothing is known
	Needs  string // of the person; "" for nothing
	Grave  bool   // nothing is known, and something should be
	Opened bool   // the screen shows it now
}

// workspacesEvery is the time between two looks. Those on other machines cost a connection each.
const workspacesEvery = 6 * time.Second

// workspaces is the page with all workspaces of the person, also of other machines.
type workspaces struct {
	room   *room.Shared
	quit   func() tea.Cmd // leaves the screen, nil if it warns first
	open   bool
	asking bool // an answer is on its way
	known  bool
	asked  time.Time
	list   []Workspace
	err    error
	sel    string // the name under the marker
	top    int
	height int
	chosen string // opens next; "" for none
}

// workspacesMsg is what became of a look at all workspaces.
type workspacesMsg struct {
	list []Workspace
	err  error
}

func (s *workspaces) keys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { s.move(n); return nil }
	}

	return []kit.Binding{
		verb.Open.To("open it; its agents and these go on", s.choose).Hinted("open"),
		verb.Down.To("next", by(1)).Hinted("next"),
		verb.Up.To("previous", by(-1)),
		verb.Back.To("back", s.leave, verb.Leave).Hinted("back"),
	}
}

// start opens the page, with what was known before.
func (s *workspaces) start() tea.Cmd {
	if s.room.Do.Workspaces == nil {
		s.room.Tell("Only parley in a shell knows your other workspaces: parley status --everywhere.")
		return nil
	}
	s.open, s.sel = true, ""
	return s.ask()
}

func (s *workspaces) ask() tea.Cmd {
	if s.asking {
		return nil
	}
	s.asking, s.asked = true, s.room.Do.Now()
	return s.room.Do.Workspaces
}

// refresh looks again while the page is open.
func (s *workspaces) refresh() tea.Cmd {
	if !s.open || s.room.Do.Now().Sub(s.asked) < workspacesEvery {
		return nil
	}
	return s.ask()
}

// take takes an answer. The marker stays on its workspace.
func (s *workspaces) take(msg workspacesMsg) {
	s.asking, s.err = false, msg.err
	if msg.err == nil {
		s.known, s.list = true, msg.list
	}
}

// index returns the row under the marker: at first that of the workspace that is shown.
func (s *workspaces) index() int {
	marked := func(w Workspace) bool { return w.Name == s.sel }
	if s.sel == "" {
		marked = func(w Workspace) bool { return w.Opened }
	}
	return max(0, slices.IndexFunc(s.list, marked))
}

func (s *workspaces) move(n int) {
	if len(s.list) > 0 {
		s.sel = s.list[kit.Clamp(s.index()+n, 0, len(s.list)-1)].Name
	}
}

// choose leaves the screen for the workspace under the marker, after a warning if drafts would be lost.
func (s *workspaces) choose() tea.Cmd {
	if len(s.list) == 0 {
		return nil
	}

	to := s.list[s.index()]
	if to.Opened {
		return s.leave()
	}

	cmd := s.quit()
	if cmd != nil {
		s.chosen = to.Name
	}

	return cmd
}

func (s *workspaces) leave() tea.Cmd {
	s.open = false
	return nil
}

func (s *workspaces) settle(h int) {
	s.height = h - 1
	s.top = kit.Window(s.top, s.index(), len(s.list), s.height)
}

func (s *workspaces) view(w, h int) []string {
	note := kit.Plural(len(s.list), "workspace")
	switch {
	case s.err != nil:
		note = "not looked at"
	case !s.known:
		note = "looking…"
	}

	lines := []string{s.room.Theme.Rule("Your workspaces", note, w, true)}
	if s.err != nil {
		lines = append(lines, room.ErrorLines(s.room.Theme, parley.AsError(s.err), w)...)
	}

	nameW, stateW := 0, 0
	for _, x := range s.list {
		nameW, stateW = max(nameW, kit.Width(kit.SafeLine(x.Shown))), max(stateW, kit.Width(kit.SafeLine(x.State)))
	}
	nameW, stateW = min(nameW, w/2), min(stateW, w/3)

	at := s.index()
	for i, x := range s.list[min(s.top, len(s.list)):] {
		lines = append(lines, s.row(x, i+s.top == at, nameW, stateW, w))
	}

	return kit.Clip(lines, h)
}

// row draws a workspace: the marker, its name, its agents, and what needs the person.
func (s *workspaces) row(x Workspace, marked bool, nameW, stateW, w int) string {
	mark, name := "  ", kit.Pad(kit.SafeLine(x.Shown), nameW)
	if marked {
		mark, name = s.room.Theme.Accent.Render("▸ "), s.room.Theme.Strong.Render(name)
	}

	state := s.room.Theme.Plain.Render(kit.Pad(kit.SafeLine(x.State), stateW))
	if x.Grave {
		state = s.room.Theme.Bad.Render(kit.Pad(kit.SafeLine(x.State), stateW))
	}

	var last []string
	if x.Needs != "" {
		last = append(last, s.room.Theme.Alarm.Render(" "+kit.SafeLine(x.Needs)+" "))
	}
	if x.Opened {
		last = append(last, s.room.Theme.Dim.Render("shown now"))
	}

	return kit.Fit(mark+name+"  "+state+"  "+strings.Join(last, " "), w)
}
