package tui

import (
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"
)

const (
	heartbeat = 3 * time.Second       // a stream that mends itself does not tell that the daemon is away: look
	atOnce    = 50 * time.Millisecond // an agent changed: gathers a burst of changes
	atLeisure = 2 * time.Second       // a delivery moved: the counts may lag this much
)

// place is one of the five screens, in the order of their keys.
type place int

const (
	atTraffic place = iota
	atAgents
	atThreads
	atNeeds
	atHealth
	places
)

// screen is one of the five. It keeps its own state, in terms of the desk that
// all of them share.
type screen interface {
	title() string
	badge() badge           // what the bar says beside the title
	keys() []binding        // its own, beside those of the shell
	update(tea.Msg) tea.Cmd // of every message, shown or not, after the desk has taken it
	move(motion) tea.Cmd    // of the marker
	point(pointer) tea.Cmd  // what the mouse does
	about() subject         // what the marker stands on
	settle(w, h int)        // before each view: sizes and scrolling
	view(w, h int) []string // h lines of at most w columns
}

// badge counts what a screen has to say, and whether that is grave.
type badge struct {
	count int
	grave bool
}

// model is the shell: it has the stream, the five screens, what lies over them,
// and the way that keys and news take.
type model struct {
	*desk
	workspace string
	ascii     bool
	mouse     bool
	layout    layout
	screens   [places]screen
	traffic   *traffic
	agents    *agents
	threads   *threads
	needs     *needs
	health    *health
	compose   compose
	help      help
	palette   palette
	confirm   *confirm
	prompt    *prompt
}

func newModel(o Options, do commands) *model {
	d := &desk{
		do:        do,
		theme:     newTheme(o.NoColor),
		now:       o.Now(),
		notifier:  notifier{Notify: o.Notify},
		returnKey: safeLine(o.ReturnKey),
		said:      map[string]string{},
		warmth:    newWarmth(),
	}

	m := &model{
		desk:      d,
		ascii:     o.ASCII,
		mouse:     o.Mouse,
		workspace: safeLine(filepath.Base(o.Workspace)),
		compose:   newCompose(o.NewKey, &d.team),
		traffic:   newTraffic(d),
		agents:    &agents{desk: d},
		threads:   &threads{desk: d},
		health:    newHealth(d, o),
	}

	m.needs = newNeeds(d, &m.compose)
	m.screens = [places]screen{m.traffic, m.agents, m.threads, m.needs, m.health}
	m.begin(o.Open)

	return m
}

// screen is the one that is shown.
func (m *model) screen() screen { return m.screens[m.at] }

// Init asks for everything once.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.do.next, m.lookSoon(), m.do.tick(heartbeat))
}

// twoEscapes is what two of them are taken for when a terminal sends both at once.
const twoEscapes = "alt+esc"

// Update decides what a message means. It does nothing itself that could wait.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if key, ok := msg.(tea.KeyPressMsg); ok && key.String() == twoEscapes {
		escape := tea.KeyPressMsg{Code: tea.KeyEscape}
		_, first := m.Update(escape)
		_, second := m.Update(escape)
		return m, tea.Batch(first, second)
	}

	cmds := []tea.Cmd{m.take(msg)}
	switch msg.(type) {
	case tea.KeyPressMsg, tea.PasteMsg, tea.WindowSizeMsg, tea.MouseMsg:
	default:
		for _, s := range m.screens {
			cmds = append(cmds, s.update(msg))
		}
	}

	m.settle()
	cmds = append(cmds, m.screen().update(settledMsg{}))
	m.settle()

	return m, tea.Batch(cmds...)
}

// settledMsg tells the shown screen that all else has been done: what it shows
// may need more from the daemon.
type settledMsg struct{}

func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case tea.MouseMsg:
		return m.pointed(msg)
	case feedMsg:
		return m.fed(msg)
	case tickMsg:
		m.now = time.Time(msg)
		m.status.age(m.now)
		return tea.Batch(m.lookSoon(), m.do.tick(heartbeat))
	case agentsMsg:
		return tea.Batch(m.looked(msg), m.lookInto(), m.needNews())
	case inboxMsg:
		return m.lookedInto(msg)
	case sentMsg:
		return m.sent(msg)
	case operationMsg:
		return m.operated(msg)
	case editedMsg:
		return m.edited(msg)
	case doneMsg:
		return m.did(msg)
	case warmMsg:
		m.warmed(msg)
	case attachMsg:
		return m.attached(msg)
	case besideMsg:
		return m.isBeside(msg)
	case returnedMsg:
		return m.returned(msg)
	default:
		if m.compose.open {
			return m.compose.update(msg) // its clipboard
		}
	}

	return nil
}

// goTo shows another screen.
func (m *model) goTo(p place) tea.Cmd {
	m.at = (p + places) % places
	return m.screen().update(shownMsg{})
}

// shownMsg tells a screen that it is looked at from now on.
type shownMsg struct{}

func (m *model) nextScreen() tea.Cmd     { return m.goTo(m.at + 1) }
func (m *model) previousScreen() tea.Cmd { return m.goTo(m.at - 1) }
