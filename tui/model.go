package tui

import (
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"
)

// model is the whole screen: the five screens, what lies over them, and the
// routing of keys and messages.
type model struct {
	actions
	workspace  string
	ascii      bool
	mouse      bool
	layout     layout
	keys       *keymap
	traffic    *traffic
	agents     *agents
	threads    *threads
	needs      *needs
	health     *health
	compose    *compose
	palette    *palette
	tiles      *tiles
	form       *launchForm
	workspaces *workspaces
	clicks     clicks
	same       bool // the last message has changed nothing that is drawn
	adapts     bool // the theme is that of the terminal, whose background may be light
}

func newModel(o Options, do commands) *model {
	a := actions{shared: newShared(setup{
		theme: themeOf(o.Theme, o.NoColor), dividers: newDividers(o.Look.DetailWidth, o.Look.DetailHeight),
		returnKey: o.ReturnKey, filters: o.Filters, notify: o.Notify, now: o.Now(),
	}, do)}
	m := &model{
		actions:   a,
		ascii:     o.ASCII,
		mouse:     o.Mouse,
		adapts:    !o.NoColor && (o.Theme == "" || o.Theme == ThemeTerminal),
		workspace: safeLine(filepath.Base(o.Workspace)),
		keys:      a.bound,
		traffic:   newTraffic(a),
		agents:    newAgents(a, o.Look.AgentColumns, !o.NoColor),
		health:    newHealth(a.shared, o.Version, o.Examine, o.Still),
		compose:   newCompose(a.shared, o.NewKey),
	}

	m.keys.names, m.keys.first = scopeNames[:], essentials
	m.traffic.hidden = hiddenColumnsOf(o.Look.TrafficColumns)
	m.palette = &palette{shared: a.shared, keymap: m.keys}
	m.tiles = newTiles(a, shell{m}, !o.NoColor)
	m.form = &launchForm{shared: a.shared, agents: m.agents}
	m.workspaces = &workspaces{shared: a.shared, quit: m.quit}
	m.threads = newThreads(a)
	m.needs = newNeeds(a, shell{m})
	m.screens = [places]screen{m.traffic, m.agents, m.threads, m.needs, m.health}
	a.scope, a.recorded = m.scope, recorded(m.traffic)
	a.covered = func() bool {
		return m.layout.small() || m.over != nil || m.help.open || m.palette.open || m.form.open || m.workspaces.open
	}
	m.bindKeys(o.Keys)
	m.begin(o.Open)
	m.fail(o.Problem)

	return m
}

// bindKeys makes the table of keys. What is wrong with the settings is shown, and the keys are then
// the usual ones.
func (m *model) bindKeys(keys map[string]string) {
	all, err := rebind(m.bindings(), keys)
	if err != nil {
		all = m.bindings()
		m.fail(err)
	}
	m.keys.all = all
}

// Init asks for everything once.
func (m *model) Init() tea.Cmd {
	first := tea.Batch(m.do.next, m.link.lookFirst(), m.do.tick)
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
		for _, s := range m.screens {
			cmds = append(cmds, s.update(msg))
		}
		cmds = append(cmds, m.tiles.update(msg))
	}

	m.settle()
	cmds = append(cmds, m.shown().update(settledMsg{}), m.tiles.update(settledMsg{}))
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
			m.theme = themeOf(ThemeLight, false)
		}
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseMsg:
		return m.pointed(msg)
	case feedMsg:
		return m.takeEvents(msg)
	case tickMsg:
		age(m, time.Time(msg))
		return tea.Batch(m.link.lookSoon(), m.do.tick, m.workspaces.refresh())
	case beatMsg:
		age(m, time.Time(msg))
		if showsAges(m) || m.link.lost != nil {
			return tea.Batch(m.link.lookSoon(), m.do.tick, m.workspaces.refresh())
		}
		return tea.Batch(m.link.feelPulse(), m.do.tick, m.workspaces.refresh())
	case pulseMsg:
		m.same = msg.err == nil
		return m.link.felt(msg)
	case agentsMsg:
		return tea.Batch(m.takeAgents(msg), m.askInbox(), m.ringForNeeds())
	case inboxMsg:
		return m.takeInbox(msg)
	case pastMsg:
		m.ledger.takePast(msg.events)
	case temperaturesMsg:
		m.takeTemperatures(msg)
	case sentMsg:
		return m.compose.sent(msg)
	case editedMsg:
		return m.compose.edited(msg)
	case operationMsg:
		return m.palette.answered(msg)
	case workspacesMsg:
		m.workspaces.take(msg)
	case programsMsg:
		m.form.offerPrograms(msg)
	case launchedMsg:
		return m.form.launched(msg)
	case textMsg:
		return m.takeText(msg)
	case openedMsg:
		return m.opened(msg)
	case exportedMsg:
		return m.exported(msg)
	case bufferedMsg:
		return m.buffered(msg)
	case copiedMsg:
		return m.copied(msg)
	case doneMsg:
		return m.done(msg)
	case attachMsg:
		return m.attached(msg)
	case besideMsg:
		return m.openedBeside(msg)
	case returnedMsg:
		return m.returned(msg)
	default:
		if m.compose.open {
			return m.compose.update(msg) // its clipboard
		}
	}

	return nil
}

// age tells the time. What it changes is drawn when the daemon has answered, but for a notice that disappears.
func age(m *model, now time.Time) {
	m.now = now
	m.same = !m.status.age(now)
}

// showsAges reports whether what is shown tells how long things take.
func showsAges(m *model) bool { return m.tiles.opened() || m.at != atTraffic && m.at != atThreads }
