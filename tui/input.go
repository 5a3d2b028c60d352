package tui

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"parley/tui/compose"
	"parley/tui/kit"
	"parley/tui/room"
)

// scope returns where the next key goes. In the shell, the keys of the shown
// screen come first.
func (m *model) scope() kit.Scope {
	switch {
	case m.room.Keys.Confirm != nil:
		return room.InConfirm
	case m.room.Keys.Prompt != nil:
		return room.InPrompt
	case m.room.Keys.Help.Open:
		return room.InHelp
	case m.palette.open:
		return room.InPalette
	case m.form.open:
		return room.InLaunch
	case m.workspaces.open:
		return room.InWorkspaces
	case m.finding.past.open:
		return room.InPast
	case m.finding.planned.open:
		return room.InPlanned
	case m.compose.Open && m.compose.Form.InTo:
		return room.InTo
	case m.compose.Open:
		return room.InCompose
	case m.room.At == room.AtTraffic && m.traffic.Filter.Open:
		return room.InFilter
	case m.finding.listFilter() != nil && m.finding.listFilter().Open:
		return room.InList
	case m.review.Asks():
		return room.InMerge
	case m.review.Opened():
		return room.InReview
	case m.tiles.Opened():
		return room.InTiles
	case m.room.At == room.AtNeeds && m.needs.Answer.Question != nil:
		return room.InAnswer
	}

	return kit.InShell
}

// isOver reports whether keys in a scope are commands of a screen, or of a room that lies over it.
func isOver(s kit.Scope) bool {
	return s == kit.InShell || s == room.InTiles || s == room.InReview || s == room.InMerge
}

func takesText(s kit.Scope) bool {
	switch s {
	case room.InCompose, room.InTo, room.InPalette, room.InFilter, room.InList, room.InPrompt, room.InLaunch,
		room.InPast:
		return true
	}
	return false
}

// press runs the binding of a key. A key without one is text, where text is
// expected.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	s := m.scope()
	if takesText(s) {
		key = kit.LatinChord(key)
	} else {
		key = kit.LatinKey(key)
	}

	m.compose.Idle = false
	if m.layout.Small() {
		return m.pressUnseen(s, key)
	}

	b := m.room.Keys.Bound.Find(s, key.String())
	if s == room.InAnswer {
		m.needs.Answer.Question.Key = key.Text
	}
	m.tiles.Pressed = key.Text
	m.review.Pressed(key.Text)
	if s == kit.InShell {
		if own := m.room.Keys.Bound.Find(room.ScreenScope(m.room.At), key.String()); own != nil {
			b = own
		}
	}

	switch {
	case m.finding.dropsFilter(s, key.String()):
		m.room.Status.Clear()
		return m.finding.filtered()
	case b != nil:
		if isOver(s) || s == room.InLaunch {
			m.room.Status.Clear()
		}
		return b.Run()
	case isOver(s):
		m.room.Status.Clear()
		m.room.Tell(fmt.Sprintf("%s does nothing on this screen; %s lists the keys.",
			kit.SafeLine(cmp.Or(key.Text, key.String())), m.room.Key("?")))
	case s == room.InCompose:
		return m.compose.Update(key)
	case s == room.InTo:
		m.compose.Form.TypeTo(key)
	case s == room.InPalette:
		m.palette.press(key)
	case s == room.InLaunch:
		m.room.Status.Clear()
		m.form.press(key)
	case s == room.InPast:
		m.room.Status.Clear()
		return m.finding.past.press(key)
	case s == room.InFilter:
		m.traffic.Filter.Set(m.traffic.Filter.Text + key.Text)
	case s == room.InList:
		m.finding.listFilter().Press(key)
		return m.finding.filtered()
	case s == room.InPrompt:
		m.room.Keys.Prompt.Insert(key.Text)
	case s == room.InAnswer && key.Text != "":
		return m.needs.Answer.Choose(key.Text)
	}

	return nil
}

// pasteLimit returns how many characters may be pasted. More would be no message and no line, and
// would make each key wait while it is drawn.
func pasteLimit(s kit.Scope) int {
	if s == room.InCompose {
		return 20 * compose.TextLimit
	}
	return 2 * compose.TextLimit
}

// pressUnseen takes a key while the window is too small to show anything. Only
// text for an open draft counts, whose window shrank under the person's hands,
// and the way out.
func (m *model) pressUnseen(s kit.Scope, key tea.KeyPressMsg) tea.Cmd {
	switch {
	case s == room.InCompose && key.Text != "":
		return m.compose.Update(key)
	case key.String() == "q", key.String() == "ctrl+c":
		return m.quit()
	}
	return nil
}

func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	s := m.scope()
	m.compose.Idle = false
	if m.layout.Small() && s != room.InCompose {
		return nil
	}

	if n := utf8.RuneCountInString(msg.Content); n > pasteLimit(s) {
		m.room.Tell(fmt.Sprintf(
			"Not pasted: it has %d characters, and %d fit here. A message takes %d; parley send-file sends more.",
			n, pasteLimit(s), compose.TextLimit))
		return nil
	}

	text := kit.SafeLine(msg.Content)
	switch s {
	case room.InCompose:
		return m.compose.Update(msg)
	case room.InTo:
		m.compose.Form.Draft.Names.Insert(text)
	case room.InPalette:
		m.palette.insert(text)
	case room.InFilter:
		m.traffic.Filter.Set(m.traffic.Filter.Text + text)
	case room.InList:
		m.finding.listFilter().Insert(text)
		return m.finding.filtered()
	case room.InPrompt:
		m.room.Keys.Prompt.Insert(text)
	case room.InLaunch:
		m.form.insert(text)
	case room.InPast:
		return m.finding.past.insert(text)
	}

	return nil
}

// quit leaves the screen. It warns once when drafts would be lost.
func (m *model) quit() tea.Cmd {
	unsent := append(m.compose.Unsent(), m.review.Unsent()...)
	if len(unsent) == 0 || m.room.Status.Leaving || m.room.Status.Warned {
		return tea.Quit
	}

	labels := strings.ToLower(strings.Join(unsent, ", "))
	m.room.Tell(fmt.Sprintf("Not sent: %s. Press the key again to quit anyway.", labels))
	m.room.Status.Leaving = true

	return nil
}
