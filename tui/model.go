package tui

import (
	"context"
	"errors"
	"path/filepath"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// pane is where the movement keys go.
type pane int

const (
	onTraffic pane = iota
	onAgents
	onDetail
)

const (
	heartbeat = 3 * time.Second       // a stream that mends itself does not tell that the daemon is away: look
	atOnce    = 50 * time.Millisecond // an agent changed: gathers a burst of changes
	atLeisure = 2 * time.Second       // a delivery moved: the counts may lag this much
)

// lane is one kind of request: one at a time, and once more afterwards if it was
// wanted meanwhile.
type lane struct{ busy, again bool }

// model is the whole screen. Panes keep their own state; the model routes keys
// and news to them, and asks for what must be asked for.
type model struct {
	do        commands
	workspace string
	returnKey string
	theme     theme
	now       time.Time
	layout    layout
	focus     pane
	agents    agents
	traffic   traffic
	detail    detail
	compose   compose
	filter    filter
	help      help
	needs     needs
	status    status
	link      link
}

// link is what is known of the daemon.
type link struct {
	lost   error // why it is away; nil while it is there
	events bool  // the past was read
	team   bool  // the agents were read
	counts map[string]int
	paused *parley.Pause // nil: messages go
	needs  int           // how many things want the operator
	asked  time.Time     // when the newest answer about agents was asked for
	soon   lane
	later  lane
}

func newModel(o Options, do commands) *model {
	return &model{do: do, workspace: safeLine(filepath.Base(o.Workspace)), returnKey: safeLine(o.ReturnKey),
		theme: newTheme(o.NoColor), now: o.Now(), traffic: newTraffic(), compose: newCompose(o.NewKey)}
}

// Init asks for everything once.
func (m *model) Init() tea.Cmd {
	return tea.Batch(m.do.next, m.lookSoon(), m.do.tick(heartbeat))
}

// Update decides what a message means. It does nothing itself that could wait.
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	cmd := m.take(msg)
	if more := m.follow(); more != nil {
		cmd = tea.Batch(cmd, more)
	}
	m.settle()
	return m, cmd
}

func (m *model) take(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.layout.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		return m.press(msg)
	case tea.PasteMsg:
		return m.paste(msg)
	case feedMsg:
		return m.fed(msg)
	case tickMsg:
		m.now = time.Time(msg)
		return tea.Batch(m.lookSoon(), m.do.tick(heartbeat))
	case agentsMsg:
		return m.looked(msg)
	case needsMsg:
		return m.needed(msg)
	case detailMsg:
		return m.detailed(msg)
	case sentMsg:
		return m.sent(msg)
	case readMsg:
		m.fail(msg.err)
	case attachMsg:
		return m.attached(msg)
	case returnedMsg:
		return m.returned(msg)
	default:
		if m.compose.open {
			return m.compose.update(msg) // its clipboard
		}
	}
	return nil
}

// fed takes the stream's news.
func (m *model) fed(msg feedMsg) tea.Cmd {
	m.now = msg.at
	cmds := []tea.Cmd{m.do.next}
	switch {
	case msg.err == nil:
		m.link.lost, m.link.events = nil, true
	case m.daemonGone(msg.err):
		cmds = append(cmds, m.lookLater())
	default:
		m.fail(msg.err)
	}
	touched := m.traffic.add(msg.events)
	if m.detail.open && touched[m.detail.id] {
		cmds = append(cmds, m.askDetail())
	}
	soon, later := false, false
	for _, e := range msg.events {
		switch e.Type {
		case parley.EventAgent, parley.EventCommunication:
			soon = true
		default:
			later = true
		}
	}
	if soon {
		cmds = append(cmds, m.lookSoon())
	} else if later {
		cmds = append(cmds, m.lookLater())
	}
	return tea.Batch(cmds...)
}

func (m *model) lookSoon() tea.Cmd {
	if m.link.soon.busy {
		m.link.soon.again = true
		return nil
	}
	m.link.soon.busy = true
	return m.do.agents(atOnce, true)
}

func (m *model) lookLater() tea.Cmd {
	if m.link.later.busy {
		m.link.later.again = true
		return nil
	}
	m.link.later.busy = true
	return m.do.agents(atLeisure, false)
}

// looked takes an answer about agents, unless a newer one is here already.
func (m *model) looked(msg agentsMsg) tea.Cmd {
	again := m.looking(msg.soon)
	if msg.err != nil {
		if m.daemonGone(msg.err) {
			return tea.Batch(again, m.lookLater())
		}
		m.fail(msg.err)
		return again
	}
	if msg.asked.Before(m.link.asked) {
		return again
	}
	if m.link.lost != nil {
		m.link.lost = nil
		m.tell("The daemon is back.")
		again = tea.Batch(again, m.askDetail())
	}
	m.link.asked, m.link.team, m.link.counts, m.link.paused = msg.asked, true, msg.counts, msg.paused
	m.link.needs = msg.needs
	m.agents.set(msg.agents)
	return tea.Batch(again, m.askNeeds())
}

// looking closes a lane, or goes round once more.
func (m *model) looking(soon bool) tea.Cmd {
	l, look := &m.link.later, m.lookLater
	if soon {
		l, look = &m.link.soon, m.lookSoon
	}
	again := l.again
	*l = lane{}
	if again {
		return look()
	}
	return nil
}

// daemonGone reports whether err means that, and shows it.
func (m *model) daemonGone(err error) bool {
	if parley.ErrorCode(err) != parley.DaemonUnavailable && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	m.link.lost = err
	return true
}

// follow keeps the open detail on the selected message.
func (m *model) follow() tea.Cmd {
	if !m.detail.open {
		return nil
	}
	r := m.traffic.sel
	if r == nil || r.id == m.detail.id {
		return nil
	}
	m.detail.show(r.id)
	return m.askDetail()
}

func (m *model) askDetail() tea.Cmd {
	switch {
	case !m.detail.open:
		return nil
	case m.detail.asking:
		m.detail.stale = true
		return nil
	}
	m.detail.asking = true
	return m.do.details(m.detail.id)
}

// detailed takes a message's record, and asks again when it is out of date.
func (m *model) detailed(msg detailMsg) tea.Cmd {
	stale := m.detail.stale || msg.id != m.detail.id
	m.detail.asking, m.detail.stale = false, false
	if msg.err == nil && msg.result != nil {
		m.traffic.learn(msg.id, msg.result.Deliveries)
	}
	var cmd tea.Cmd
	if msg.id == m.detail.id {
		switch {
		case msg.err == nil:
			m.detail.result, m.detail.err = msg.result, nil
			if m.detail.open && m.detail.owed() {
				cmd = m.do.read(msg.id)
			}
		case m.daemonGone(msg.err):
			cmd = m.lookLater()
			if m.detail.result == nil {
				m.detail.err = msg.err
			}
		default:
			m.detail.err = msg.err
		}
	}
	if stale {
		cmd = tea.Batch(cmd, m.askDetail())
	}
	return cmd
}
