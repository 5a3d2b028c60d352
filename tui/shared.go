package tui

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// shared is what all screens share: what is known of the daemon and the team,
// how things look, what lies over the screens, and the ways to ask and to tell.
type shared struct {
	navigation
	appearance
	keyboard
	do        commands
	now       time.Time
	link      connection
	team      team
	status    status
	undo      *undo // of the last action
	changing  changing
	ledger    ledger // of the last hour
	lastWords lastWords
	inbox     inbox
	drafts    drafts
	picked    selection
	saved     map[string]string // filters that have a name
	notifier  notifier
}

// appearance is how things look.
type appearance struct {
	theme        theme
	tier         tier
	dividers     dividers
	temperatures temperatures
}

// keyboard is what keys are for.
type keyboard struct {
	bound     *keymap // the keys as they are set
	returnKey string
	confirm   *confirm // the question that waits for an answer; nil for none
	prompt    *prompt  // the line that is being asked for; nil for none
	help      help
	covered   func() bool  // reports whether something lies over the screens
	scope     func() scope // what the keys are for
}

// setup is how the screens look and what they know from the beginning.
type setup struct {
	theme     theme
	dividers  dividers
	returnKey string            // comes back from an attached terminal
	filters   map[string]string // by name
	notify    Notify
	now       time.Time
}

func newShared(o setup, do commands) *shared {
	return &shared{
		appearance: appearance{
			theme: o.theme, dividers: o.dividers, temperatures: newTemperatures(),
		},
		keyboard:  keyboard{bound: &keymap{}, returnKey: safeLine(o.returnKey)},
		do:        do,
		now:       o.now,
		link:      connection{do: do},
		lastWords: newLastWords(),
		drafts:    newDrafts(),
		notifier:  notifier{Notify: o.notify},
		saved:     o.filters,
	}
}

// tell shows what became of a key. It disappears by itself.
func (d *shared) tell(text string) { d.status = status{text: text, until: d.now.Add(toastTime)} }

// key returns the key that does now what a key usually does, on the shown screen or everywhere.
func (d *shared) key(usual string) string { return d.bound.shown(screenScope(d.at), usual) }

// fail shows an error until a key is pressed.
func (d *shared) fail(err error) {
	if err != nil {
		d.status = status{err: err}
	}
}

// failed shows an error that a call returned, and remembers if the daemon is away.
func (d *shared) failed(err error) {
	d.link.gone(err)
	d.fail(err)
}

// takeEvents takes what the stream reports of the daemon and the team.
func (d *shared) takeEvents(msg feedMsg) tea.Cmd {
	d.now = msg.at
	cmds := []tea.Cmd{d.do.next}
	switch {
	case msg.err == nil:
		d.link.lost, d.link.events = nil, true
	case d.link.gone(msg.err):
		cmds = append(cmds, d.link.lookLater())
	default:
		d.fail(msg.err)
	}

	for _, e := range msg.events {
		d.noteMessage(e)
		d.ledger.take(e)
		d.inbox.stale = d.inbox.stale || d.inbox.concerns(e)
	}

	soon := slices.ContainsFunc(msg.events, func(e parley.Event) bool {
		return e.Type == parley.EventAgent || e.Type == parley.EventCommunication
	})
	if soon {
		cmds = append(cmds, d.link.lookSoon())
	} else if len(msg.events) > 0 {
		cmds = append(cmds, d.link.lookLater())
	}

	return tea.Batch(cmds...)
}

// noteMessage remembers an announced message as the last of its sides.
func (d *shared) noteMessage(e parley.Event) {
	d.lastWords.deliver(e)
	if !e.Type.Announces() || e.Preview == "" {
		return
	}

	r := newRow(e)
	d.temperatures.note(r)
	d.lastWords.hear(r)
}

// takeAgents takes an answer about agents, unless a newer one is here already.
func (d *shared) takeAgents(msg agentsMsg) tea.Cmd {
	again := d.link.looked(msg.soon)
	switch {
	case msg.err != nil && d.link.gone(msg.err):
		return tea.Batch(again, d.link.lookLater())
	case msg.err != nil:
		d.fail(msg.err)
		return again
	case msg.asked.Before(d.link.asked):
		return again
	}

	if d.link.lost != nil {
		d.link.lost = nil
		d.tell("The daemon is back.")
	}

	d.link.asked, d.link.team, d.link.status = msg.asked, true, msg.workspace
	d.team.set(msg.agents)
	d.picked.prune(&d.team)

	return again
}
