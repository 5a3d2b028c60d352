package profile

import (
	"regexp"
	"slices"
	"strings"

	"parley/program/typed"
)

// tailLines is how many lines Look reads, not counting empty ones. All six measured
// agent CLIs show their state within them.
const tailLines = 20

// Reading is what a screen shows of a program.
type Reading struct {
	Shows     State
	Cause     string   // what blocks the program, such as "a usage limit"; "": the screen shows no known cause
	LimitEnds string   // the words of when a usage limit ends, see ParseReset; "": it does not say
	Quota     Warning  // that one is nearly used; the zero value: none is shown
	Composer  string   // see Composer
	Composing bool     // the composer is on the screen
	Above     []string // see Above
	Asks      Question // see Asks; only where the markers know neither a state nor a composer
}

// Read is Look, Composer, Above and Asks at once, and says what blocks the program.
func (p *Profile) Read(s Screen) Reading {
	pg := p.open(s.Lines)
	r := Reading{Cause: pg.cause()}
	if r.Cause == UsageLimit {
		r.LimitEnds = p.patterns.limitWords(pg.tail)
	}
	r.Quota = p.patterns.warning(pg.tail)
	r.Shows = pg.state(r.Cause)
	r.Composer, r.Composing = pg.composed(&s)
	if r.Composing && p.OneLine && strings.Contains(r.Composer, "\n") && pg.isLast() {
		r.Shows, r.Composer, r.Composing = Unknown, "", false // output follows the line that was submitted
	}
	r.Above, _ = pg.above()
	if r.Shows == Idle && r.Composing && p.patterns.dialog == nil && pg.asksBelow(p.patterns.dialogs) {
		r.Shows = Dialog
	}
	if !p.HasMarkers() || r.Shows == Unknown && !r.Composing {
		r.Asks = p.Asks(s)
	}
	return r
}

// isLast reports whether nothing stands below the composer.
func (pg *page) isLast() bool {
	return pg.found && strings.TrimSpace(pg.text[pg.composer.end:]) == ""
}

// asksBelow reports whether something that looks like a dialog stands below the composer.
func (pg *page) asksBelow(dialogs map[string]*regexp.Regexp) bool {
	return ask(dialogs, bottom(strings.Split(pg.text[pg.composer.end:], "\n"))) != Question{}
}

// page is a screen of a program on which the composer was looked for.
type page struct {
	profile  *Profile
	lines    []string
	text     string // the rows without trailing blanks
	composer composer
	found    bool
	end      int    // of the rows that show a state, in bytes of text: the user's own may follow
	tail     string // the last of them, without a message of parley's in the composer
}

// open looks for the composer on a screen.
func (p *Profile) open(lines []string) page {
	pg := page{profile: p, lines: lines}
	if p.patterns.composer != nil {
		pg.text = strings.Join(trimRows(lines), "\n") + "\n"
		pg.composer, pg.found = findComposer(p.patterns.composer, pg.text)
		pg.end = pg.endOfState(p.patterns.footer)
	}
	pg.tail = lastLines(pg.withoutOwnMessage())
	return pg
}

// endOfState returns where the rows that show a state end on a screen: below the frame of the composer, if the
// user's status line is all that can follow.
func (pg *page) endOfState(footer *regexp.Regexp) int {
	if !pg.found || footer == nil {
		return len(pg.text)
	}
	frame := strings.IndexByte(pg.text[pg.composer.end:], '\n') + 1
	end := pg.composer.end + frame
	for row := range strings.Lines(pg.text[end:]) {
		if row != "\n" && !strings.HasPrefix(row, "  ") || footer.MatchString(row) {
			return len(pg.text) // something of the program's own
		}
	}
	return end
}

// rows returns the rows that show a state.
func (pg *page) rows() []string {
	if pg.end == len(pg.text) {
		return pg.lines
	}
	return strings.Split(pg.text[:pg.end], "\n")
}

// Look returns the state that a screen shows, given its rows without colours. A dialog
// counts before busy, busy before blocked, and blocked before idle. A message of
// parley's in the composer does not count, whatever it imitates.
func (p *Profile) Look(lines []string) State {
	pg := p.open(lines)
	return pg.state(pg.cause())
}

// state returns the state that the page shows, given what blocks the program.
func (pg *page) state(cause string) State {
	p := &pg.profile.patterns
	switch {
	case p.shows(p.dialog, pg.tail):
		return Dialog
	case p.shows(p.busy, pg.tail):
		return Busy
	case cause != "":
		return Blocked
	case pg.composer.tall, (pg.found || p.composer == nil) && p.shows(p.idle, lastLines(pg.shortened())):
		return Idle
	}

	return Unknown
}

// SignIn is the cause in Blocked of a program that is signed out of its provider.
const SignIn = "a missing sign-in"

// ModelError is the cause in Blocked of a program whose last turn has failed, and which does not try it again.
const ModelError = "an error of its model's server"

// RefusedBy returns the cause with which the program refuses a text by itself, and "" if the screen shows none.
func (p *Profile) RefusedBy(lines []string) string {
	pg := p.open(lines)
	if cause := pg.cause(); slices.Contains(p.Markers.Refusals, cause) {
		return cause
	}
	return ""
}

// cause returns what blocks the program, such as "a usage limit", and "" if the page shows no known cause.
func (pg *page) cause() string {
	p := &pg.profile.patterns
	for _, cause := range p.causes {
		if p.shows(p.blocked[cause], pg.tail) {
			return cause
		}
	}
	return ""
}

// HasMarkers reports whether the screen shows when the program is ready. Otherwise
// only Quiet tells.
func (p *Profile) HasMarkers() bool { return p.patterns.idle != nil }

// lastLines returns the last lines of a screen that are not empty. One that has only a scroll bar is.
func lastLines(lines []string) string {
	var last []string
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimRight(line, " "); line != "" && !isScrollBar(line) {
			last = append(last, line)
		}
		if len(last) == tailLines {
			break
		}
	}
	slices.Reverse(last)
	return strings.Join(last, "\n") + "\n"
}

// isScrollBar reports whether a row has nothing but a scroll bar at its right edge: a tall one would take the place of
// all that tells a state.
func isScrollBar(line string) bool {
	bar := strings.TrimLeft(line, " ")
	return len(line)-len(bar) >= 20 && (bar == "█" || bar == "▐" || bar == "▕")
}

// holdsOwnMessage reports whether the composer holds a message of parley's, from its beginning to its end. Where menus
// lie over the composer it says no, since the rows could belong to a menu.
func (pg *page) holdsOwnMessage() bool {
	if !pg.found || pg.profile.Markers.Cursor {
		return false
	}
	c := pg.composer
	text := pg.text[c.start:c.end]
	return typed.Is(text) || c.cut && typed.Ends(text)
}

// withoutOwnMessage removes from a screen the rows of a message of parley's in the composer.
func (pg *page) withoutOwnMessage() []string {
	if !pg.holdsOwnMessage() {
		return pg.rows()
	}
	return strings.Split(pg.text[:pg.composer.start]+"\n"+pg.text[pg.composer.end:pg.end], "\n")
}

// shortened returns the rows that show a state, and of a message of parley's in the composer only the first and the
// last: a tall one would take the place of the rest.
func (pg *page) shortened() []string {
	c := pg.composer
	if !pg.holdsOwnMessage() {
		return pg.rows()
	}
	text := strings.TrimSuffix(pg.text[c.start:c.end], "\n")
	first, last := strings.IndexByte(text, '\n'), strings.LastIndexByte(text, '\n')
	if first < 0 {
		return pg.rows()
	}
	return strings.Split(pg.text[:c.start+first]+pg.text[c.start+last:pg.end], "\n")
}
