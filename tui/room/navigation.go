package room

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/kit"
	"parley/tui/team"
	"parley/tui/verb"
)

// Place is one of the five screens, in the order of their keys.
type Place int

const (
	AtTraffic Place = iota
	AtAgents
	AtThreads
	AtNeeds
	AtHealth
	Places
)

// Screen is one of the five. It keeps its own state and reads what all of them
// share.
type Screen interface {
	Title() string
	Badge() Badge              // what the bar shows beside the title
	Keys() []kit.Binding       // its own, in addition to those of the shell
	Update(tea.Msg) tea.Cmd    // gets every message, shown or not, after the shared state took it
	Move(kit.Motion) tea.Cmd   // moves the marker
	Point(kit.Pointer) tea.Cmd // handles the mouse
	About() Subject            // describes what the marker is on
	Settle(w, h int)           // sets sizes and scrolling, before each view
	View(w, h int) []string    // draws h lines of at most w columns
}

// Badge is a screen's count in the bar, and whether it is serious.
type Badge struct {
	Count int
	Grave bool
}

// Subject is what the marker is on, for keys that mean the same on every screen.
type Subject struct {
	Agent     *parley.AgentStatus // whose terminal is meant; nil for none
	PartnerID string              // who gets an answer; "" if it went to several
	Partner   string              // their name
	Message   string              // a message's id
	Text      string              // how the message begins
	Thread    *parley.Thread
	ThreadID  string  // the thread that the message belongs to; "" for none
	Notice    *notice // nil unless parley itself sent the message
}

// notice is what a message of parley itself is about.
type notice struct {
	About string    // a message's id; "" for none
	row   *team.Row // that message; nil if it is not in the record here
}

// NoticeOf returns the notice about a message that the record may have.
func (n *navigation) NoticeOf(about string) *notice {
	return &notice{About: about, row: n.Recorded(about)}
}

// Answered returns what a reply goes to: the message itself, or the one that a notice of parley is about.
// ok is false if there is none.
func (s Subject) Answered() (_ Subject, ok bool) {
	if s.Notice == nil {
		return s, true
	}

	r := s.Notice.row
	if r == nil {
		return s, false
	}

	to := Subject{Message: r.ID, Text: r.Text, ThreadID: r.ThreadID}
	to.PartnerID, to.Partner = r.Partner()

	return to, true
}

// navigation knows which screen is shown.
type navigation struct {
	At       Place
	Recorded func(id string) *team.Row // a message in the record; nil for one that is not there
	Screens  [Places]Screen
	Over     Lens // what lies over the screen; nil for nothing
}

// Lens lies over a screen, and says instead of it what the marker is on.
type Lens interface{ About() Subject }

// Shown returns the screen that is shown.
func (n *navigation) Shown() Screen { return n.Screens[n.At] }

// About returns what the marker is on.
func (n *navigation) About() Subject {
	if n.Over != nil {
		return n.Over.About()
	}
	return n.Shown().About()
}

// GoTo shows a screen.
func (n *navigation) GoTo(p Place) tea.Cmd {
	n.At, n.Over = (p+Places)%Places, nil
	return n.Shown().Update(ShownMsg{})
}

// Next shows the next screen.
func (n *navigation) Next() tea.Cmd { return n.GoTo(n.At + 1) }

// Previous shows the screen before.
func (n *navigation) Previous() tea.Cmd { return n.GoTo(n.At - 1) }

// Going returns the way to a screen, for a key.
func (n *navigation) Going(p Place) func() tea.Cmd {
	return func() tea.Cmd { return n.GoTo(p) }
}

// Moving returns a movement of the marker, for a key.
func (n *navigation) Moving(by kit.Motion) func() tea.Cmd {
	return func() tea.Cmd { return n.Shown().Move(by) }
}

// Division is how the screens share their room between a list and what stands next to it or below it.
type Division struct {
	DetailWidth  int // percent of the columns that what stands next to a list has; 0 for as many as the screen chooses
	DetailHeight int // percent of the lines of what stands below it
}

// leastPane is how many columns a pane keeps, and leastLines how many lines.
const (
	leastPane  = 24
	leastLines = 4
)

// ListHeight returns the lines of a list above a pane.
func (d Division) ListHeight(usual, h int) int {
	if d.DetailHeight == 0 {
		return usual
	}
	return kit.Clamp((h*(100-d.DetailHeight)+50)/100, leastLines, max(leastLines, h-leastLines))
}

// ListWidth returns the columns of a list next to a pane.
func (d Division) ListWidth(usual, w int) int {
	if d.DetailWidth == 0 {
		return usual
	}
	return kit.Clamp(w*(100-d.DetailWidth)/100, leastPane, max(leastPane, w-3-leastPane))
}

// KeyScreenMsg is the screen of an agent, as it is when a person wants to send keys to it.
type KeyScreenMsg struct {
	AgentID string
	Seen    *parley.AnswerDialogResult
	Err     error
}

// LookForKeys looks at an agent's screen, for which a person is then asked for keys.
func (a *Actions) LookForKeys(id string) tea.Cmd {
	return a.Room.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		seen, err := op.AnswerDialog.Call(ctx, s, parley.AnswerDialogRequest{Agent: id})
		return KeyScreenMsg{id, seen, err}
	})
}

// AskKeys asks which keys the screen that was seen is to get. The daemon presses each only while it is still that
// screen. It reports whether the screen takes any.
func (a *Actions) AskKeys(msg KeyScreenMsg, agent string) (tea.Cmd, bool) {
	name := kit.SafeLine(agent)
	switch {
	case msg.Err != nil:
		a.Room.Tell(kit.SafeLine(parley.AsError(msg.Err).Message))
		return nil, false
	case msg.Seen.ScreenID == "":
		a.Room.Tell(name + "'s screen takes no keys from here. a attaches.")
		return nil, false
	}

	r := parley.AnswerDialogRequest{Agent: msg.AgentID, Dialog: msg.Seen.ScreenID}
	return a.Room.Keys.AskLine("Keys for "+name+", such as Down,Enter", func(text string) tea.Cmd {
		r.Keys = strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' })
		return a.Run(Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
			res, err := op.AnswerDialog.Call(ctx, s, r)
			if err != nil {
				return "", err
			}
			return name + ": " + kit.SafeLine(res.Message), nil
		}})
	}), true
}

const (
	InTraffic kit.Scope = kit.InShell + 1 + iota // on one screen
	InAgents
	InThreads
	InNeeds
	InHealth
	InCompose // in what lies over them
	InTo
	InPalette
	InFilter
	InList
	InHelp
	InConfirm
	InPrompt
	InAnswer
	InTiles
	InReview
	InMerge
	InLaunch
	InWorkspaces
	InPast
	InPlanned
	scopes
)

var ScopeNames = [scopes]string{
	kit.InShell: "Everywhere",
	InTraffic:   "Traffic",
	InAgents:    "Agents",
	InThreads:   "Threads",
	InNeeds:     "Needs you",
	InHealth:    "Health",
	InCompose:   "Writing",
	InTo:        "Choosing recipients",
	InPalette:   "Command palette",
	InFilter:    "Filtering messages",
	InList:      "Filtering a list",
	InHelp:      "Page",
	InConfirm:   "Question",
	InPrompt:    "Text prompt",
	InAnswer:    "Answering a question",
	InTiles:     "Tiles",
	InReview:    "Review",
	InMerge:     "Merging",
	InLaunch:    "Launching an agent",

	InWorkspaces: "Your workspaces",
	InPast:       "Conversations from before",
	InPlanned:    "Planned messages",
}

// ScreenScope returns the scope of a screen's own keys.
func ScreenScope(p Place) kit.Scope { return InTraffic + kit.Scope(p) }

const helpPage = 10 // lines of a page

// OpenHelp opens the page of all keys.
func (d *Shared) OpenHelp() tea.Cmd {
	d.Keys.Help = kit.Help{Open: true, From: ScreenScope(d.At)}
	return nil
}

// HelpKeys returns the keys of a page.
func (d *keyboard) HelpKeys() []kit.Binding {
	by := func(n int) func() tea.Cmd {
		return func() tea.Cmd { d.Help.Top += n; return nil }
	}

	return []kit.Binding{
		verb.Down.To("down", by(1)).Hinted("scroll"),
		verb.Up.To("up", by(-1)),
		verb.PageDown.To("a page down", by(helpPage)),
		verb.PageUp.To("a page up", by(-helpPage)),
		verb.Back.To("close", func() tea.Cmd { d.Help.Open = false; return nil }, verb.Help, verb.Leave,
			verb.Open).Hinted("close"),
	}
}
