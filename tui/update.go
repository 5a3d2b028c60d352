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
)

func newModel(o Options, do room.Commands) *model {
	a := room.Actions{Shared: room.NewShared(room.Setup{
		Theme: kit.ThemeOf(o.Theme, o.NoColor), Dividers: room.NewDividers(o.Look.DetailWidth, o.Look.DetailHeight),
		ReturnKey: o.ReturnKey, Filters: o.Filters, Notify: o.Notify, Now: o.Now(),
	}, do)}
	m := &model{
		Actions: a,
		mouse:   o.Mouse,
		adapts:  !o.NoColor && (o.Theme == "" || o.Theme == kit.ThemeTerminal),
		traffic: traffic.New(a),
		agents:  agents.New(a, o.Look.AgentColumns, !o.NoColor),
		health:  health.New(a.Shared, o.Version, o.Examine, o.Still),
		compose: compose.New(a.Shared, o.NewKey),
	}

	m.Bound.Names, m.Bound.First = room.ScopeNames[:], essentials
	m.traffic.Hidden = traffic.HiddenColumnsOf(o.Look.TrafficColumns)
	m.palette = &palette{Shared: a.Shared, keymap: m.Bound, names: finding{m}.everything, allRead: finding{m}.allRead}
	m.tiles = agents.NewTiles(a, shell{m}, !o.NoColor)
	m.review = review.New(a, shell{m})
	m.agents.Zoom = func(id string) tea.Cmd { return agents.Zoom(m.tiles, id) }
	m.form = &launchForm{
		Shared: a.Shared, agents: m.agents, Awaited: room.Awaited{What: "which programs are installed"},
	}
	m.workspaces = &workspaces{Shared: a.Shared, quit: m.quit}
	m.threads = threads.New(a)
	m.needs = needs.New(a, shell{m})
	m.frame = frame{a.Shared, kit.SafeLine(filepath.Base(o.Workspace)), o.ASCII, m.needs}
	m.clipboard = clipboard{a, m.traffic, m.needs}
	m.Screens = [room.Places]room.Screen{m.traffic, m.agents, m.threads, m.needs, m.health}
	a.Scope, a.Recorded = m.scope, traffic.Recorded(m.traffic)
	a.Covered = func() bool {
		return m.layout.Small() || m.Over != nil || m.Help.Open || m.palette.open || m.form.open || m.workspaces.open
	}
	m.bindKeys(o.Keys)
	m.begin(o.Open)
	m.Status.Text = o.Tip
	m.Fail(o.Problem)

	return m
}

// bindKeys makes the table of keys. What is wrong with the settings is shown, and the keys are then
// the usual ones.
func (m *model) bindKeys(keys map[string]string) {
	all, err := rebind(m.bindings(), keys)
	if err != nil {
		all = m.bindings()
		m.Fail(err)
	}
	m.Bound.All = all
}

// Init asks for everything once.
func (m *model) Init() tea.Cmd {
	first := tea.Batch(m.Do.Next, m.Link.LookFirst(), m.Do.Tick, m.Do.Programs)
	if m.adapts {
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
	cmds := []tea.Cmd{m.take(msg)}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.WindowSizeMsg, tea.MouseMsg:
	default:
		for _, s := range m.Screens {
			cmds = append(cmds, s.Update(msg))
		}
		cmds = append(cmds, m.tiles.Update(msg), m.review.Update(msg))
		finding{m}.renewNames()
	}

	m.settle()
	cmds = append(cmds, m.Shown().Update(room.SettledMsg{}), m.tiles.Update(room.SettledMsg{}))
	m.settle()

	return m, tea.Batch(cmds...)
}

// take routes a message to the part of the model that it is for.
func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.BackgroundColorMsg:
		if m.adapts && !msg.IsDark() { // on white, bold yellow and cyan cannot be read
			m.Theme = kit.ThemeOf(kit.ThemeLight, false)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseMsg:
		return m.pointed(msg)
	case room.FeedMsg:
		return m.TakeEvents(msg)
	case room.TickMsg:
		age(m, time.Time(msg))
		return tea.Batch(m.Link.LookSoon(), m.Do.Tick, m.workspaces.refresh())
	case room.BeatMsg:
		age(m, time.Time(msg))
		if m.Link.Lost != nil || showsAges(m) && !m.Team.Rests() {
			return tea.Batch(m.Link.LookSoon(), m.Do.Tick, m.workspaces.refresh())
		}
		return tea.Batch(m.Link.FeelPulse(), m.Do.Tick, m.workspaces.refresh())
	case room.PulseMsg:
		m.same = msg.Err == nil && !showsAges(m)
		return m.Link.Felt(msg)
	case room.AgentsMsg:
		return tea.Batch(m.TakeAgents(msg), m.AskInbox(), m.RingForNeeds())
	case room.InboxMsg:
		return m.TakeInbox(msg)
	case room.PastMsg:
		m.Ledger.TakePast(msg.Events)
	case room.TemperaturesMsg:
		m.same = !m.TakeTemperatures(msg)
	case room.SentMsg:
		return m.compose.Sent(msg)
	case compose.EditedMsg:
		return m.compose.Edited(msg)
	case operationMsg:
		return m.palette.answered(msg)
	case workspacesMsg:
		m.workspaces.take(msg)
	case programsMsg:
		m.form.offerPrograms(msg)
	case launchedMsg:
		return m.form.launched(msg)
	case room.TextMsg:
		return m.takeText(msg)
	case room.OpenedMsg:
		return m.opened(msg)
	case room.ExportedMsg:
		return m.Exported(msg)
	case room.BufferedMsg:
		return m.clipboard.buffered(msg)
	case room.CopiedMsg:
		return m.clipboard.take(msg)
	case room.DoneMsg:
		return m.Done(msg)
	case room.AttachMsg, room.BesideMsg, room.ReturnedMsg:
		return room.Attaching{Shared: m.Shared}.Take(msg)
	default:
		if m.compose.Open {
			return m.compose.Update(msg) // its clipboard
		}
	}

	return nil
}

// age tells the time. What it changes is drawn when the daemon has answered, but for a notice that disappears.
func age(m *model, now time.Time) {
	m.Now = now
	m.same = !m.Status.Age(now)
}

// showsAges reports whether what is shown tells how long things take.
func showsAges(m *model) bool {
	return m.tiles.Opened() || m.At != room.AtTraffic && m.At != room.AtThreads
}

// begin goes to the target before anything is read.
func (m *model) begin(to Target) {
	for i, name := range Screens {
		if name == to.Screen {
			m.At = room.Place(i)
		}
	}

	switch {
	case to.Agent != "":
		m.At, m.agents.Sel = room.AtAgents, to.Agent
	case to.Thread != nil:
		m.At, m.threads.Sel, m.threads.InTalk = room.AtThreads, to.Thread.ID, true
		m.threads.Linked = to.Thread
	case to.Message != "":
		m.At, m.traffic.Want = room.AtTraffic, to.Message
	}
}
