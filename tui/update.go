package tui

import (
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley/tui/agents"
	"parley/tui/compose"
	"parley/tui/health"
	"parley/tui/kit"
	"parley/tui/needs"
	"parley/tui/review"
	"parley/tui/room"
	"parley/tui/threads"
	"parley/tui/traffic"
	"parley/tui/verb"
)

func newModel(o Options, do room.Commands) *model {
	a := &room.Actions{Room: room.NewShared(room.Setup{
		Theme:     kit.ThemeOf(o.Theme, o.NoColor),
		Division:  room.Division{DetailWidth: o.Look.DetailWidth, DetailHeight: o.Look.DetailHeight},
		ReturnKey: o.ReturnKey, Filters: o.Filters, Notify: o.Notify, Now: o.Now(),
	}, do)}
	m := &model{
		room: a.Room, acts: a,
		pointer: pointer{on: o.Mouse},
		start:   start{adapts: !o.NoColor && (o.Theme == "" || o.Theme == kit.ThemeTerminal)},
		traffic: traffic.New(a),
		agents:  agents.New(a, o.Look.AgentColumns, !o.NoColor),
		health:  health.New(a.Room, o.Version, o.Examine, o.Still),
		compose: compose.New(a.Room, o.NewKey),
	}

	m.room.Keys.Bound.Names, m.room.Keys.Bound.First = room.ScopeNames[:], essentials
	m.traffic.Hidden = traffic.HiddenColumnsOf(o.Look.TrafficColumns)
	m.palette = &palette{room: a.Room, acts: a, keymap: m.room.Keys.Bound}
	m.tiles = agents.NewTiles(a, shell{m}, !o.NoColor)
	m.review = review.New(a, shell{m})
	m.agents.Zoom = func(id string) tea.Cmd { return agents.Zoom(m.tiles, id) }
	m.form = &launchForm{
		room: a.Room, agents: m.agents, Awaited: room.Awaited{What: "which programs are installed"},
	}
	m.workspaces = &workspaces{room: a.Room, quit: m.quit}
	m.threads = threads.New(a)
	m.needs = needs.New(a, shell{m})
	m.frame = frame{a.Room, kit.SafeLine(filepath.Base(o.Workspace)), o.ASCII, m.needs}
	m.finding = finding{a.Room, m.traffic, m.agents, m.threads, m.needs, m.tiles, m.palette,
		&past{room: a.Room, form: m.form}, &planned{acts: a, room: a.Room}}
	m.palette.of = m.finding
	m.clipboard = clipboard{a.Room, a, m.traffic, m.needs}
	m.room.Screens = [room.Places]room.Screen{m.traffic, m.agents, m.threads, m.needs, m.health}
	a.Room.Keys.Scope, a.Room.Recorded = m.scope, traffic.Recorded(m.traffic)
	a.Room.Keys.Covered = func() bool {
		return m.layout.Small() || m.room.Over != nil || m.room.Keys.Help.Open || m.palette.open || m.form.open ||
			m.workspaces.open || m.finding.past.open || m.finding.planned.open
	}
	m.bindKeys(o.Keys)
	m.begin(o.Open)
	m.room.Status.Text = o.Tip
	m.room.Fail(o.Problem)

	return m
}

// bindKeys makes the table of keys. What is wrong with the settings is shown, and the keys are then
// the usual ones.
func (m *model) bindKeys(keys map[string]string) {
	all, err := rebind(m.bindings(), keys)
	if err != nil {
		all = m.bindings()
		m.room.Fail(err)
	}
	m.room.Keys.Bound.All = all
}

// Init asks for everything once.
func (m *model) Init() tea.Cmd {
	first := tea.Batch(m.room.Do.Next, m.room.Link.LookFirst(), m.room.Do.Tick, m.room.Do.Programs)
	if m.start.adapts {
		return tea.Batch(first, tea.RequestBackgroundColor)
	}
	return first
}

// twoEscapes is how a terminal that sends two of them at once reports them.
const twoEscapes = "alt+esc"

// Update decides what a message means. It does no I/O.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == twoEscapes {
		escape := tea.KeyPressMsg{Code: tea.KeyEscape}
		_, first := m.Update(escape)
		_, second := m.Update(escape)
		return m, tea.Batch(first, second)
	}

	m.same = false
	early, wait := m.start.wait(msg)
	if wait {
		return m, nil
	}
	cmds := []tea.Cmd{m.take(msg)}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.WindowSizeMsg, tea.MouseMsg:
	default:
		for _, s := range m.room.Screens {
			cmds = append(cmds, s.Update(msg))
		}
		cmds = append(cmds, m.tiles.Update(msg), m.review.Update(msg))
		m.palette.renew()
	}

	m.settle()
	cmds = append(cmds, m.room.Shown().Update(room.SettledMsg{}), m.tiles.Update(room.SettledMsg{}))
	m.settle()

	for _, msg := range early {
		_, cmd := m.Update(msg)
		cmds = append(cmds, cmd)
	}
	return m, tea.Batch(cmds...)
}

// start is what is known of the terminal, and what a person typed before that.
type start struct {
	adapts bool // the theme is that of the terminal, whose background may be light
	sized  bool // its size is known
	early  []tea.Msg
}

// wait keeps what a person types before the size of the terminal is told: what it does can depend on that, and Bubble
// Tea tells both at once. It returns what was kept once that is over.
func (s *start) wait(msg tea.Msg) (early []tea.Msg, wait bool) {
	switch msg.(type) {
	case tea.WindowSizeMsg:
		early, s.early, s.sized = s.early, nil, true
	case tea.KeyPressMsg, tea.PasteMsg, tea.MouseMsg:
		if wait = !s.sized; wait {
			s.early = append(s.early, msg)
		}
	}
	return early, wait
}

// take routes a message to the part of the model that it is for.
func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		if m.start.adapts && !msg.IsDark() { // on white, bold yellow and cyan cannot be read
			m.room.Theme = kit.ThemeOf(kit.ThemeLight, false)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseMsg:
		return m.pointed(msg)
	case room.FeedMsg:
		return m.room.TakeEvents(msg)
	case room.TickMsg:
		age(m, time.Time(msg))
		return tea.Batch(m.room.Link.LookSoon(), m.room.Do.Tick, m.workspaces.refresh(), m.finding.planned.refresh())
	case room.BeatMsg:
		age(m, time.Time(msg))
		look := m.room.Link.FeelPulse
		if m.room.Link.Lost != nil || showsAges(m) && !m.room.Team.Rests() {
			look = m.room.Link.LookSoon
		}
		return tea.Batch(look(), m.room.Do.Tick, m.workspaces.refresh(), m.finding.planned.refresh())
	case room.PulseMsg:
		m.same = msg.Err == nil && !showsAges(m)
		return m.room.Link.Felt(msg)
	case room.AgentsMsg:
		return tea.Batch(m.room.TakeAgents(msg), m.room.AskInbox(), m.room.RingForNeeds())
	case room.InboxMsg:
		return m.room.TakeInbox(msg)
	case room.PastMsg:
		m.room.Ledger.TakePast(msg.Events)
	case room.TemperaturesMsg:
		m.same = !m.room.TakeTemperatures(msg)
	default:
		return m.takeAnswer(msg)
	}

	return nil
}

// takeAnswer takes what came of something that the person asked for.
func (m *model) takeAnswer(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case room.SentMsg:
		return m.compose.Sent(msg)
	case compose.EditedMsg:
		return m.compose.Edited(msg)
	case operationMsg:
		return m.palette.answered(msg)
	case workspacesMsg:
		m.workspaces.take(msg)
	case plannedMsg:
		m.finding.planned.take(msg)
	case pastMsg:
		return m.finding.past.take(msg)
	case programsMsg:
		m.form.offerPrograms(msg)
	case launchedMsg:
		return m.form.launched(msg)
	case room.TextMsg:
		return m.takeText(msg)
	case room.OpenedMsg:
		return m.opened(msg)
	case room.ExportedMsg:
		return m.room.Exported(msg)
	case room.BufferedMsg:
		return m.clipboard.buffered(msg)
	case room.CopiedMsg:
		return m.clipboard.take(msg)
	case room.DoneMsg:
		return tea.Batch(m.acts.Done(msg), m.finding.planned.ask())
	case room.AttachMsg:
		return attached(m.room, msg)
	case room.BesideMsg:
		return besides(m.room, msg)
	case room.ReturnedMsg:
		return returned(m.room, msg)
	default:
		if m.compose.Open {
			return m.compose.Update(msg) // its clipboard
		}
	}

	return nil
}

// age tells the time. What it changes is drawn when the daemon has answered, but for a notice that disappears.
func age(m *model, now time.Time) {
	m.room.Now = now
	m.same = !m.room.Status.Age(now)
}

// showsAges reports whether what is shown tells how long things take.
func showsAges(m *model) bool {
	return m.tiles.Opened() || m.room.At != room.AtTraffic && m.room.At != room.AtThreads
}

// begin goes to the target before anything is read.
func (m *model) begin(to Target) {
	for i, name := range Screens {
		if name == to.Screen {
			m.room.At = room.Place(i)
		}
	}

	switch {
	case to.Agent != "":
		m.room.At, m.agents.List.Sel = room.AtAgents, to.Agent
	case to.Thread != nil:
		m.room.At, m.threads.List.Sel, m.threads.InTalk = room.AtThreads, to.Thread.ID, true
		m.threads.Linked = to.Thread
	case to.Message != "":
		m.room.At, m.traffic.Want = room.AtTraffic, to.Message
	}
}

// model is the whole screen: the five screens, what lies over them, and the
// routing of keys and messages.
type model struct {
	room       *room.Shared
	acts       *room.Actions
	frame      frame
	clipboard  clipboard
	finding    finding
	layout     kit.Layout
	traffic    *traffic.Screen
	agents     *agents.Screen
	threads    *threads.Screen
	needs      *needs.Screen
	health     *health.Screen
	compose    *compose.Box
	palette    *palette
	tiles      *agents.Tiles
	review     *review.Room
	form       *launchForm
	workspaces *workspaces
	pointer    pointer
	same       bool // the last message has changed nothing that is drawn
	start      start
}

// shell is what the screens may ask of the whole.
type shell struct{ m *model }

// Do does what a screen has a key for and the shell can do.
func (s shell) Do(v verb.Verb) tea.Cmd {
	return s.m.room.Keys.Bound.Of(kit.InShell, v.Row().Name).Run()
}

// PaletteOpen reports whether the palette lies over the screen.
func (s shell) PaletteOpen() bool { return s.m.palette.open }

// Send opens the box with a draft, which is kept until it is sent.
func (s shell) Send(d room.Draft) tea.Cmd {
	s.m.room.Drafts.Keep(d)
	return s.m.compose.Write(d.To, d.Label, "")
}

// Resume opens the box with an unsent draft.
func (s shell) Resume(d room.Draft) tea.Cmd { return s.m.compose.Write(d.To, d.Label, "") }

// OpenThread shows a thread.
func (s shell) OpenThread(id string) tea.Cmd { return s.m.threads.OpenThread(id) }
