package traffic

import (
	"time"

	"parley"
	"parley/tui/room"
	"parley/tui/team"
)

// Screen is the screen of messages as they happen: the list, and the deliveries
// of the one under the marker.
type Screen struct {
	room *room.Shared
	acts *room.Actions
	room.Awaited
	Records   records
	reader    reader
	Detail    pane
	Filter    filter
	Want      string // the message that is shown as soon as it can be
	Selection selection
	Hidden    hiddenColumns
}

// records are the messages that the screen knows, in two lists of which one is shown.
type records struct {
	Shown *record // live, or hits while there is a filter
	Live  record  // the newest messages as they come, or older ones
	hits  record  // the matches of the filter
}

// reader reads what the shown list lacks: older messages, how far those in view came, and the ends of their texts.
type reader struct {
	room      *room.Shared
	records   *records
	verifying bool // the deliveries of the messages in view are being read
	texts     longTexts
}

// pane is the message under the marker, beside the list or below it.
type pane struct {
	room.Detail
	room    *room.Shared
	records *records
	focused bool // the movement keys go to it, not to the list
}

// record is a window on the list of messages, the oldest first: the newest as they
// come, or older ones. The rest is paged in from the daemon.
type record struct {
	paging
	rowSet
	seq   int64 // the last live event: the stream may repeat itself after a loss
	found bool  // the rows are matches of a filter: none are paged in
	Sel   *team.Row

	list    listLines // of the rows, by lay
	laid    laid
	today   time.Time
	columns listColumns

	unfolded map[string]bool // messages that the person wants to see one by one
	follow   bool
	unseen   int // rows that came since follow was left
}

// paging is the part of the list that is in the window, and what is asked for besides.
type paging struct {
	low        int64 // the window begins after this event; 0 is the record's beginning
	high       int64 // if it is apart, the window ends with this event
	apart      bool  // the newest messages are not in the window
	asking     pageOf
	missed     []parley.Event // that came while the window was apart and a page was read
	unreadable string         // why the last page could not be read
	tried      time.Time      // when that was
}

// filter is the line in which the operator says what to look for in the traffic.
type filter struct {
	room    *room.Shared
	traffic *Screen
	Open    bool
	Text    string
	query   query
	hunt    hunt
}

// hunt is the daemon's search for the messages that a filter lets through. It goes over all
// messages, and is repeated when something happens.
type hunt struct {
	asking bool
	again  bool                        // the newest matches have to be read
	shown  string                      // the text of the filter whose matches are shown
	more   bool                        // there are older matches
	next   *parley.FindMessagesRequest // asks for them
	until  time.Time                   // how far back was searched; zero: to the beginning
	err    error
}

// pickedMessages are the messages that the operator selected, by id, in whatever part of the record they are.
// Keys that can act on several messages act on these, while there are any.
type pickedMessages map[string]*team.Row

// selection is the messages that the person selected, and what keys do to them.
type selection struct {
	room    *room.Shared
	acts    *room.Actions
	records *records
	picked  pickedMessages
}

// longTexts reads more of the messages in view where the list has room for it: an event has only the first
// characters.
type longTexts struct {
	asking bool
	asked  time.Time
}

// query is a parsed filter: what is asked of the daemon, or what is wrong with it.
type query struct {
	text    string
	request parley.FindMessagesRequest
	asks    bool   // it has a condition
	problem string // why it cannot be asked; "" if it can
}

// hiddenColumns are the columns of the traffic that are not drawn.
type hiddenColumns map[string]bool

// pageOf names the part of the record that is asked for.
type pageOf int

const (
	noPage pageOf = iota
	olderPage
	newerPage
	oldestPage
	newestPage
	aroundPage // that holds a message
)

// listColumns are how wide the columns of the list are. They grow with what comes into view, so that nothing
// jumps back and forth as the list scrolls.
type listColumns struct {
	all, route, state int
	hidden            hiddenColumns
}
