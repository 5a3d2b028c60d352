package room

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
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

// keyboard is what keys are for.
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
