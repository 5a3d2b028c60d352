package profile

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley"
)

// tailLines is how many lines Look reads, not counting empty ones. All six measured
// agent CLIs show their state within them.
const tailLines = 20

// Look returns the state that a screen shows, given its rows without colours. A dialog
// counts before busy, busy before blocked, and blocked before idle. A message of
// parley's in the composer does not count, whatever it imitates.
func (p *Profile) Look(lines []string) State {
	text := lastLines(p.withoutOwnMessage(lines))
	shows := func(marker *regexp.Regexp, text string) bool { return marker != nil && marker.MatchString(text) }
	switch {
	case shows(p.patterns.dialog, text):
		return Dialog
	case shows(p.patterns.busy, text):
		return Busy
	case p.blockedBy(text) != "":
		return Blocked
	case shows(p.patterns.idle, lastLines(lines)):
		return Idle
	}

	return Unknown
}

// BlockedBy returns what blocks the program, such as "a usage limit", and "" if the
// screen shows no known cause.
func (p *Profile) BlockedBy(lines []string) string {
	return p.blockedBy(lastLines(p.withoutOwnMessage(lines)))
}

// SignIn is the cause in Blocked of a program that is signed out of its provider.
const SignIn = "a missing sign-in"

// RefusedBy is BlockedBy for the causes with which the program refuses a text by itself.
func (p *Profile) RefusedBy(lines []string) string {
	if cause := p.BlockedBy(lines); slices.Contains(p.Markers.Refusals, cause) {
		return cause
	}
	return ""
}

func (p *Profile) blockedBy(text string) string {
	for _, cause := range slices.Sorted(maps.Keys(p.patterns.blocked)) {
		if p.patterns.blocked[cause].MatchString(text) {
			return cause
		}
	}
	return ""
}

// HasMarkers reports whether the screen shows when the program is ready. Otherwise
// only Quiet tells.
func (p *Profile) HasMarkers() bool { return p.patterns.idle != nil }

// lastLines returns the last lines of a screen that are not empty.
func lastLines(lines []string) string {
	var last []string
	for _, line := range slices.Backward(lines) {
		if line = strings.TrimRight(line, " "); line != "" {
			last = append(last, line)
		}
		if len(last) == tailLines {
			break
		}
	}
	slices.Reverse(last)
	return strings.Join(last, "\n") + "\n"
}

// withoutOwnMessage removes from a screen the rows of a composer that holds a message of
// parley's, from its beginning to its end. Where menus lie over the composer it removes
// nothing, since the rows could belong to a menu.
func (p *Profile) withoutOwnMessage(lines []string) []string {
	if p.patterns.composer == nil || p.Markers.Cursor {
		return lines
	}

	screen := strings.Join(trimRows(lines), "\n") + "\n"
	c, ok := p.findComposer(screen)
	if !ok {
		return lines
	}

	text := screen[c.start:c.end]
	if parley.IsTyped(text) || c.cut && parley.EndsTyped(text) {
		return strings.Split(screen[:c.start]+"\n"+screen[c.end:], "\n")
	}

	return lines
}
