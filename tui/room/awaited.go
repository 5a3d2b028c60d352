package room

import (
	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/kit"
)

// Awaited is embedded by what shows an answer of the daemon. Until that has come, nothing is known of it.
type Awaited struct {
	What string // is read, as in "Still reading the threads."
	Read bool   // the answer has come
	Err  error  // of the last try; nil if it went well
}

// Missing says that the answer has not come; "" if it has.
func (a *Awaited) Missing() string {
	switch {
	case a.Read:
		return ""
	case a.Err != nil:
		return "Not read yet: " + kit.SafeLine(parley.AsError(a.Err).Message) + "."
	}
	return StillReading(a.What)
}

// StillReading says that an answer has not come yet.
func StillReading(what string) string {
	return "Still reading " + what + ". Press the key again in a moment."
}

// Listed is embedded by a screen whose list can be narrowed.
type Listed struct {
	Awaited
	Noun   string // a thing of the list
	Filter kit.Filter
}

// ListFilter returns the filter of the screen's list.
func (l *Listed) ListFilter() *kit.Filter { return &l.Filter }

// Missing says that the list has not been read, or that the filter lets nothing of it pass; "" otherwise.
func (l *Listed) Missing() string {
	if l.Read && l.Filter.Active() && l.Filter.Empty() {
		return l.Filter.Nothing(l.Noun)
	}
	return l.Awaited.Missing()
}

// Lacks tells that what a key needs is not there. What has not been read yet may be there: it then says that.
func (d *Shared) Lacks(text string) {
	if !d.Link.Team {
		d.Tell(StillReading("who is in the team"))
		return
	}

	var shown any = d.Shown()
	if d.Over != nil {
		shown = d.Over
	}
	if x, ok := shown.(interface{ Missing() string }); ok && x.Missing() != "" {
		text = x.Missing()
	}
	d.Tell(text)
}

// FilteredMsg tells a screen that the filter of its list has changed.
type FilteredMsg struct{}

// Named is something that one can go to by its name.
type Named struct {
	Kind  string // agent, thread, need or message
	Name  string
	About string
	Go    func() tea.Cmd
}
