package room

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
)

// Shared is what all screens share: what is known of the daemon and the team,
// how things look, what lies over the screens, and the ways to ask and to tell.
type Shared struct {
	navigation
	appearance
	Keys      keyboard
	Do        Commands
	Now       time.Time
	Link      connection
	Team      team.Roster
	Status    Status
	Ledger    team.Ledger // of the last hour
	LastWords team.LastWords
	Inbox     team.Inbox
	Drafts    drafts
	Picked    team.Selection
	Saved     map[string]string // filters that have a name
	notifier  notifier
}

// appearance is how things look.
type appearance struct {
	Theme        kit.Theme
	Tier         kit.Tier
	Division     Division
	Temperatures team.Temperatures
}

type keyboard struct {
	Bound     *kit.Keymap // the keys as they are set
	returnKey string
	Confirm   *kit.Confirm // the question that waits for an answer; nil for none
	Prompt    *kit.Prompt  // the line that is being asked for; nil for none
	Help      kit.Help
	Covered   func() bool      // reports whether something lies over the screens
	Scope     func() kit.Scope // what the keys are for
}

// Setup is how the screens look and what they know from the beginning.
type Setup struct {
	Theme     kit.Theme
	Division  Division
	ReturnKey string            // comes back from an attached terminal
	Filters   map[string]string // by name
	Notify    Notify
	Now       time.Time
}

// NewShared returns what all screens share, before anything is known.
func NewShared(o Setup, do Commands) *Shared {
	return &Shared{
		appearance: appearance{
			Theme: o.Theme, Division: o.Division, Temperatures: team.NewTemperatures(),
		},
		Keys:      keyboard{Bound: &kit.Keymap{}, returnKey: kit.SafeLine(o.ReturnKey)},
		Do:        do,
		Now:       o.Now,
		Link:      connection{do: do},
		LastWords: team.NewLastWords(),
		Drafts:    newDrafts(),
		notifier:  notifier{Notify: o.Notify},
		Saved:     o.Filters,
	}
}

// Tell shows what became of a key. It disappears by itself.
func (d *Shared) Tell(text string) { d.Status = Status{Text: text, until: d.Now.Add(toastTime)} }

// Key returns the key that does now what a key usually does, on the shown screen or everywhere.
func (d *Shared) Key(usual string) string { return d.Keys.Bound.Shown(ScreenScope(d.At), usual) }

// Fail shows an error until a key is pressed.
func (d *Shared) Fail(err error) {
	if err != nil {
		d.Status = Status{Err: err}
	}
}

// Failed shows an error that a call returned, and remembers if the daemon is away.
func (d *Shared) Failed(err error) {
	d.Link.Gone(err)
	d.Fail(err)
}

// TakeEvents takes what the stream reports of the daemon and the team.
func (d *Shared) TakeEvents(msg FeedMsg) tea.Cmd {
	d.Now = msg.At
	cmds := []tea.Cmd{d.Do.Next}
	switch {
	case msg.Err == nil:
		d.Link.Lost, d.Link.Events = nil, true
	case d.Link.Gone(msg.Err):
		cmds = append(cmds, d.Link.LookLater())
	default:
		d.Fail(msg.Err)
	}

	for _, e := range msg.Events {
		d.noteMessage(e)
		d.Ledger.Take(e)
		d.Inbox.Stale = d.Inbox.Stale || d.Inbox.Concerns(e)
		if e.Type == parley.EventPage && d.Now.Sub(e.Time) < toastTime { // none of the past
			d.Tell("The page: " + kit.SafeLine(e.Detail) + ". parley web --sessions lists them.")
		}
	}

	soon := slices.ContainsFunc(msg.Events, func(e parley.Event) bool {
		return e.Type == parley.EventAgent || e.Type == parley.EventCommunication
	})
	if soon {
		cmds = append(cmds, d.Link.LookSoon())
	} else if len(msg.Events) > 0 {
		cmds = append(cmds, d.Link.LookLater())
	}

	return tea.Batch(cmds...)
}

// noteMessage remembers an announced message as the last of its sides.
func (d *Shared) noteMessage(e parley.Event) {
	d.LastWords.Deliver(e)
	if !e.Type.Announces() || e.Preview == "" {
		return
	}

	r := team.NewRow(e)
	d.Temperatures.Note(r)
	d.LastWords.Hear(r)
}

// TakeAgents takes an answer about agents, unless a newer one is here already.
func (d *Shared) TakeAgents(msg AgentsMsg) tea.Cmd {
	again := d.Link.looked(msg.soon)
	switch {
	case msg.Err != nil && d.Link.Gone(msg.Err):
		return tea.Batch(again, d.Link.LookLater())
	case msg.Err != nil:
		d.Fail(msg.Err)
		return again
	case msg.asked.Before(d.Link.asked):
		return again
	}

	if d.Link.Lost != nil {
		d.Link.Lost = nil
		d.Tell("The daemon is back.")
	}

	d.Link.asked, d.Link.Team, d.Link.Status = msg.asked, true, msg.workspace
	d.Team.Set(msg.agents)
	d.Picked.Prune(&d.Team)

	return again
}

const (
	Heartbeat = 3 * time.Second       // a stream that reconnects by itself does not report a loss: look
	FullBeat  = 5                     // every so many of them, all agents are looked at
	atOnce    = 50 * time.Millisecond // after a change of an agent: gathers a burst of changes
	atLeisure = 2 * time.Second       // after a change of a delivery: counts may lag this much
)

// TickMsg tells the time, and that all agents are to be looked at.
type TickMsg time.Time

// BeatMsg tells the time between two ticks.
type BeatMsg time.Time

// PulseMsg is a look at the workspace alone.
type PulseMsg struct {
	Workspace *parley.WorkspaceStatusResult
	Err       error
}

// AgentsMsg is a look at the agents and the workspace.
type AgentsMsg struct {
	soon      bool // asked for at once, not at leisure
	asked     time.Time
	agents    []parley.AgentStatus
	workspace *parley.WorkspaceStatusResult
	Err       error
}

// lane is one kind of request: one at a time, and once more afterwards if
// something asked for it meanwhile.
type lane struct{ busy, again bool }

// connection is what the screen knows of the daemon.
type connection struct {
	do     Commands
	Lost   error // why the daemon is away; nil while it is there
	Events bool  // the past was read
	Team   bool  // the agents were read
	Status *parley.WorkspaceStatusResult
	asked  time.Time // when the newest answer about agents was asked for
	soon   lane
	later  lane
	pulse  bool // one is being read
}

// Gone reports whether err means that the daemon is away, and remembers it.
func (c *connection) Gone(err error) bool {
	if parley.ErrorCode(err) != parley.DaemonUnavailable && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	c.Lost = err
	return true
}

// LookFirst looks without a wait: nothing is shown yet.
func (c *connection) LookFirst() tea.Cmd {
	c.soon.busy = true
	return c.do.Call(lookAtAgents(c.do.Now, true))
}

// LookSoon looks at all agents, after what else has just changed.
func (c *connection) LookSoon() tea.Cmd { return c.look(&c.soon, atOnce) }

// LookLater looks at all agents when there is time.
func (c *connection) LookLater() tea.Cmd { return c.look(&c.later, atLeisure) }

func (c *connection) look(l *lane, wait time.Duration) tea.Cmd {
	if l.busy {
		l.again = true
		return nil
	}
	l.busy = true
	return c.do.Later(wait, lookAtAgents(c.do.Now, wait == atOnce))
}

// FeelPulse looks at the workspace alone.
func (c *connection) FeelPulse() tea.Cmd {
	if c.pulse {
		return nil
	}
	c.pulse = true
	return c.do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		workspace, err := op.GetWorkspaceStatus.Call(ctx, s, parley.WorkspaceStatusRequest{})
		return PulseMsg{workspace, err}
	})
}

// Felt looks at all agents when anything has happened since they were looked at.
func (c *connection) Felt(msg PulseMsg) tea.Cmd {
	c.pulse = false
	switch {
	case msg.Err != nil:
		c.Gone(msg.Err)
		return c.LookLater()
	case !reflect.DeepEqual(msg.Workspace, c.Status):
		return c.LookSoon()
	}
	return nil
}

// looked frees the lane of an answer, or asks again.
func (c *connection) looked(soon bool) tea.Cmd {
	l, wait := &c.later, atLeisure
	if soon {
		l, wait = &c.soon, atOnce
	}

	again := l.again
	*l = lane{}
	if again {
		return c.look(l, wait)
	}

	return nil
}

func lookAtAgents(now func() time.Time, soon bool) Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := AgentsMsg{soon: soon, asked: now()}
		agents, err := op.GetAgentStatus.Call(ctx, s, parley.AgentStatusRequest{})
		if err != nil {
			msg.Err = err
			return msg
		}

		msg.agents = agents.Agents
		msg.workspace, msg.Err = op.GetWorkspaceStatus.Call(ctx, s, parley.WorkspaceStatusRequest{})

		return msg
	}
}
