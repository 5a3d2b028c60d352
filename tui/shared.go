package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// desk is what all screens share: what is known of the daemon and the team, how
// things look, and the ways to ask and to tell.
type desk struct {
	do        commands
	theme     theme
	now       time.Time
	returnKey string
	at        place // the screen that is shown
	tier      tier
	link      link
	team      team
	status    status
	undo      *undo
	said      map[string]string // by agent: what was said last, by it or to it
	inbox     inbox
	warmth    warmth
	notifier  notifier
}

// lane is one kind of request: one at a time, and once more afterwards if it was
// wanted meanwhile.
type lane struct{ busy, again bool }

// link is what is known of the daemon.
type link struct {
	lost   error // why it is away; nil while it is there
	events bool  // the past was read
	team   bool  // the agents were read
	status *parley.WorkspaceStatusResult
	asked  time.Time // when the newest answer about agents was asked for
	soon   lane
	later  lane
}

// team is who is there. The operator is not one of them.
type team struct {
	list   []parley.AgentStatus // by name
	unread int                  // messages that wait for the operator
}

func (t *team) set(list []parley.AgentStatus) {
	t.list, t.unread = nil, 0
	for _, s := range list {
		if s.Kind == parley.KindHuman {
			t.unread += s.Unread
			continue
		}

		s.Name, s.HeldReason = shownName(s.Name, s.ID), safeLine(s.HeldReason)
		s.State = parley.AgentState(safeLine(string(s.State)))
		t.list = append(t.list, s)
	}

	slices.SortStableFunc(t.list, func(x, y parley.AgentStatus) int {
		return strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name))
	})
}

// find returns an agent by its id, nil if it is not there.
func (t *team) find(id string) *parley.AgentStatus {
	for i := range t.list {
		if t.list[i].ID == id {
			return &t.list[i]
		}
	}
	return nil
}

// groups are the names of the team's groups.
func (t *team) groups() []string {
	var names []string
	for _, s := range t.list {
		names = append(names, s.Groups...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// members are the ids of those in a group.
func (t *team) members(group string) []string {
	var ids []string
	for _, s := range t.list {
		if slices.Contains(s.Groups, group) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// daemonGone reports whether err means that, and shows it.
func (d *desk) daemonGone(err error) bool {
	if parley.ErrorCode(err) != parley.DaemonUnavailable && !errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	d.link.lost = err
	return true
}

func (d *desk) lookSoon() tea.Cmd {
	if d.link.soon.busy {
		d.link.soon.again = true
		return nil
	}
	d.link.soon.busy = true
	return d.do.agents(atOnce, true)
}

func (d *desk) lookLater() tea.Cmd {
	if d.link.later.busy {
		d.link.later.again = true
		return nil
	}
	d.link.later.busy = true
	return d.do.agents(atLeisure, false)
}

// looking closes a lane, or goes round once more.
func (d *desk) looking(soon bool) tea.Cmd {
	l, look := &d.link.later, d.lookLater
	if soon {
		l, look = &d.link.soon, d.lookSoon
	}
	again := l.again
	*l = lane{}
	if again {
		return look()
	}
	return nil
}

// fed takes what the stream says of the daemon and the team.
func (d *desk) fed(msg feedMsg) tea.Cmd {
	d.now = msg.at
	cmds := []tea.Cmd{d.do.next}
	switch {
	case msg.err == nil:
		d.link.lost, d.link.events = nil, true
	case d.daemonGone(msg.err):
		cmds = append(cmds, d.lookLater())
	default:
		d.fail(msg.err)
	}

	for _, e := range msg.events {
		d.hear(e)
	}

	soon := slices.ContainsFunc(msg.events, func(e parley.Event) bool {
		return e.Type == parley.EventAgent || e.Type == parley.EventCommunication
	})
	if soon {
		cmds = append(cmds, d.lookSoon())
	} else if len(msg.events) > 0 {
		cmds = append(cmds, d.lookLater())
	}

	return tea.Batch(cmds...)
}

// looked takes an answer about agents, unless a newer one is here already.
func (d *desk) looked(msg agentsMsg) tea.Cmd {
	again := d.looking(msg.soon)
	switch {
	case msg.err != nil && d.daemonGone(msg.err):
		return tea.Batch(again, d.lookLater())
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

	return again
}

// hear notes what was said last by whom and to whom.
func (d *desk) hear(e parley.Event) {
	if !e.Type.Announces() || e.Preview == "" {
		return
	}
	r := newRow(e)
	d.warmth.hear(e, r)
	d.said[r.fromID] = "→ " + r.to + ": " + r.text
	if r.toID != "" {
		d.said[r.toID] = "← " + r.from + ": " + r.text
	}
}
