package tui

import "parley"

// status is the line that answers what the operator did.
type status struct {
	text    string
	err     error
	receipt *row // of what was sent last: text is then whom it went to
	leaving bool // it warned of drafts that would be left behind
	warned  bool // it did so just before this key
}

// clear makes way for the next answer.
func (s *status) clear() {
	*s = status{warned: s.leaving}
}

func (m *model) tell(text string) { m.status = status{text: text} }

func (m *model) fail(err error) {
	if err != nil {
		m.status = status{err: err}
	}
}

// statusLines draws it, two lines at most; an idle one says what the marker's
// agent offers.
func (m *model) statusLines(w int) []string {
	switch s := m.status; {
	case m.filter.open:
		return []string{"/" + tail(m.filter.text, w-2)}
	case s.err != nil:
		e := parley.AsError(s.err)
		words := "✗ " + safeLine(e.Message)
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

// offer is what can be done with the agent or message under the marker.
func (m *model) offer() string {
	s := m.subject()
	if s == nil || m.scope() != inLists {
		return ""
	}
	write := "c writes to " + s.Name
	if r := m.traffic.sel; m.focus != onAgents && r != nil {
		if id, name := r.other(); id != "" {
			write = "r replies to " + name
		} else {
			write = "enter opens the message"
		}
	}
	if s.Kind != parley.KindTerminal {
		return write
	}
	return "a attaches to " + s.Name + ", " + m.returnKey + " returns · " + write
}

func lowerFirst(s string) string {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	return string(s[0]+'a'-'A') + s[1:]
}
