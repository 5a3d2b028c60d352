package tui

import (
	"strings"
	"time"

	"parley"
)

// toastTime is how long a word stays that nobody has to act upon: long enough to
// be read twice.
const toastTime = 8 * time.Second

// status is the line that answers what the operator did.
type status struct {
	text    string
	err     error // text is then what was done before it
	receipt *row  // of what was sent last: text is then whom it went to
	until   time.Time
	leaving bool // it warned of drafts that would be left behind
	warned  bool // it did so just before this key
}

// clear makes way for the next answer.
func (s *status) clear() {
	*s = status{warned: s.leaving}
}

// age lets a word go that has stood long enough; errors and warnings stay until
// a key is pressed.
func (s *status) age(now time.Time) {
	if !s.until.IsZero() && now.After(s.until) && !s.leaving {
		*s = status{}
	}
}

func (d *desk) tell(text string) { d.status = status{text: text, until: d.now.Add(toastTime)} }

func (d *desk) fail(err error) {
	if err != nil {
		d.status = status{err: err}
	}
}

// statusLines draws it, two lines at most; an idle one says what the marker's
// agent offers.
func (m *model) statusLines(w int) []string {
	switch s := m.status; {
	case m.confirm != nil:
		return m.confirm.lines(m.theme, w)
	case m.prompt != nil:
		return []string{m.prompt.line(m.theme, w)}
	case m.scope() == inFilter:
		line := m.filterLine(w)
		if m.traffic.filter.text == "" {
			line += m.theme.dim.Render(fit("  "+filterHint, w-2))
		}
		return []string{line}
	case s.err != nil:
		e := parley.AsError(s.err)
		words := "✗ " + safeLine(e.Message)
		if s.text != "" {
			words += " · " + safeLine(s.text)
		}
		if e.Action != "" {
			words += " → " + safeLine(e.Action)
		}

		lines := wrap(words, w)
		for i := range lines {
			lines[i] = m.theme.bad.Render(lines[i])
		}

		return lines[:min(len(lines), 2)]
	case s.receipt != nil:
		return []string{fit(m.receiptWords(), w)}
	case s.text != "":
		return []string{fit(safeLine(s.text), w)}
	}

	return []string{m.theme.dim.Render(fit(m.offer(), w))}
}

// receiptWords says how far the last message sent provably came, by now.
func (m *model) receiptWords() string {
	r := m.status.receipt
	if newer := m.traffic.byID[r.id]; newer != nil {
		r = newer
	}
	state, _, _ := r.standing()
	return "Sent " + lowerFirst(m.status.text) + ": " + deliveryGlyph(state) + " " + r.words()
}

// offer is what can be done with what is under the marker.
func (m *model) offer() string {
	s := m.screen().about()
	if m.scope() != inShell {
		return ""
	}

	var words []string
	if a := s.agent; a != nil && a.Kind == parley.KindTerminal {
		words = append(words, "a attaches to "+a.Name+unlessAdopted(a, ", "+m.returnKey+" returns"))
	}

	switch {
	case s.message != "" && s.partnerID != "":
		words = append(words, "r replies to "+s.partner)
	case s.message != "" && m.at == atTraffic:
		words = append(words, "enter opens the message")
	case s.partnerID != "":
		words = append(words, "c writes to "+s.partner)
	}

	return strings.Join(words, " · ")
}

func lowerFirst(s string) string {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	return string(s[0]+'a'-'A') + s[1:]
}
