package tui

import (
	tea "charm.land/bubbletea/v2"

	"parley"
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

// screen is one of the five. It keeps its own state and reads what all of them
// share.
type screen interface {
	title() string
	badge() badge           // what the bar shows beside the title
	keys() []binding        // its own, in addition to those of the shell
	update(tea.Msg) tea.Cmd // gets every message, shown or not, after the shared state took it
	move(motion) tea.Cmd    // moves the marker
	point(pointer) tea.Cmd  // handles the mouse
	about() subject         // describes what the marker is on
	settle(w, h int)        // sets sizes and scrolling, before each view
	view(w, h int) []string // draws h lines of at most w columns
}

// badge is a screen's count in the bar, and whether it is serious.
type badge struct {
	count int
	grave bool
}

// subject is what the marker is on, for keys that mean the same on every screen.
type subject struct {
	agent     *parley.AgentStatus // whose terminal is meant; nil for none
	partnerID string              // who gets an answer; "" if it went to several
	partner   string              // their name
	message   string              // a message's id
	text      string              // how the message begins
	thread    *parley.Thread
	threadID  string  // the thread that the message belongs to; "" for none
	notice    *notice // nil unless parley itself sent the message
}

// notice is what a message of parley itself is about.
type notice struct {
	about string // a message's id; "" for none
	row   *row   // that message; nil if it is not in the record here
}

// noticeOf returns the notice about a message that the record may have.
func (n *navigation) noticeOf(about string) *notice {
	return &notice{about: about, row: n.recorded(about)}
}

// answered returns what a reply goes to: the message itself, or the one that a notice of parley is about.
// ok is false if there is none.
func (s subject) answered() (_ subject, ok bool) {
	if s.notice == nil {
		return s, true
	}

	r := s.notice.row
	if r == nil {
		return s, false
	}

	to := subject{message: r.id, text: r.text, threadID: r.threadID}
	to.partnerID, to.partner = r.partner()

	return to, true
}

// navigation knows which screen is shown.
type navigation struct {
	at       place
	recorded func(id string) *row // a message in the record; nil for one that is not there
	screens  [places]screen
	over     lens // what lies over the screen; nil for nothing
}

// lens lies over a screen, and says instead of it what the marker is on.
type lens interface{ about() subject }

func (n *navigation) shown() screen { return n.screens[n.at] }

func (n *navigation) about() subject {
	if n.over != nil {
		return n.over.about()
	}
	return n.shown().about()
}

func (n *navigation) goTo(p place) tea.Cmd {
	n.at, n.over = (p+places)%places, nil
	return n.shown().update(shownMsg{})
}

func (n *navigation) next() tea.Cmd     { return n.goTo(n.at + 1) }
func (n *navigation) previous() tea.Cmd { return n.goTo(n.at - 1) }

func (n *navigation) going(p place) func() tea.Cmd {
	return func() tea.Cmd { return n.goTo(p) }
}

func (n *navigation) moving(by motion) func() tea.Cmd {
	return func() tea.Cmd { return n.shown().move(by) }
}
