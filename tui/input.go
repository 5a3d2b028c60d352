package tui

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
)

// scope returns where the next key goes. In the shell, the keys of the shown
// screen come first.
func (m *model) scope() scope {
	switch {
	case m.confirm != nil:
		return inConfirm
	case m.prompt != nil:
		return inPrompt
	case m.help.open:
		return inHelp
	case m.palette.open:
		return inPalette
	case m.form.open:
		return inLaunch
	case m.workspaces.open:
		return inWorkspaces
	case m.compose.open && m.compose.inTo:
		return inTo
	case m.compose.open:
		return inCompose
	case m.at == atTraffic && m.traffic.filter.open:
		return inFilter
	case m.tiles.opened():
		return inTiles
	case m.at == atNeeds && m.needs.question != nil:
		return inAnswer
	}

	return inShell
}

// press runs the binding of a key. A key without one is text, where text is
// expected.
func (m *model) press(key tea.KeyPressMsg) tea.Cmd {
	s := m.scope()
	m.compose.idle = false
	if m.layout.small() {
		return m.pressUnseen(s, key)
	}

	b := m.keys.find(s, key.String())
	if s == inAnswer {
		m.needs.question.key = key.Text
	}
	m.tiles.pressed = key.Text
	if s == inShell {
		if own := m.keys.find(screenScope(m.at), key.String()); own != nil {
			b = own
		}
	}

	switch {
	case b != nil:
		if s == inShell || s == inTiles || s == inLaunch {
			m.status.clear()
		}
		return b.run()
	case s == inShell || s == inTiles:
		m.status.clear()
		m.tell(fmt.Sprintf("%s does nothing on this screen; %s lists the keys.",
			safeLine(cmp.Or(key.Text, key.String())), m.key("?")))
	case s == inCompose:
		return m.compose.update(key)
	case s == inTo:
		m.compose.typeTo(key)
	case s == inPalette:
		m.palette.press(key)
	case s == inLaunch:
		m.status.clear()
		m.form.press(key)
	case s == inFilter:
		m.traffic.filter.set(m.traffic.filter.text + key.Text)
	case s == inPrompt:
		m.prompt.insert(key.Text)
	case s == inAnswer && key.Text != "":
		return answering{needs: m.needs}.answerKey(key.Text)
	}

	return nil
}

// pasteLimit returns how many characters may be pasted. More would be no message and no line, and
// would make each key wait while it is drawn.
func pasteLimit(s scope) int {
	if s == inCompose {
		return 20 * textLimit
	}
	return 2 * textLimit
}

// filterTraffic goes to the traffic and begins a filter there, from whichever screen.
func (m *model) filterTraffic() tea.Cmd {
	return tea.Batch(m.goTo(atTraffic), m.traffic.filter.start())
}

// pressUnseen takes a key while the window is too small to show anything. Only
// text for an open draft counts, whose window shrank under the person's hands,
// and the way out.
func (m *model) pressUnseen(s scope, key tea.KeyPressMsg) tea.Cmd {
	switch {
	case s == inCompose && key.Text != "":
		return m.compose.update(key)
	case key.String() == "q", key.String() == "ctrl+c":
		return m.quit()
	}
	return nil
}

func (m *model) paste(msg tea.PasteMsg) tea.Cmd {
	s := m.scope()
	m.compose.idle = false
	if m.layout.small() && s != inCompose {
		return nil
	}

	if n := utf8.RuneCountInString(msg.Content); n > pasteLimit(s) {
		m.tell(fmt.Sprintf(
			"Not pasted: it has %d characters, and %d fit here. A message takes %d; parley send-file sends more.",
			n, pasteLimit(s), textLimit))
		return nil
	}

	text := safeLine(msg.Content)
	switch s {
	case inCompose:
		return m.compose.update(msg)
	case inTo:
		m.compose.draft.names.insert(text)
	case inPalette:
		m.palette.insert(text)
	case inFilter:
		m.traffic.filter.set(m.traffic.filter.text + text)
	case inPrompt:
		m.prompt.insert(text)
	case inLaunch:
		m.form.insert(text)
	}

	return nil
}

// quit leaves the screen. It warns once when drafts would be lost.
func (m *model) quit() tea.Cmd {
	unsent := m.compose.unsent()
	if len(unsent) == 0 || m.status.leaving || m.status.warned {
		return tea.Quit
	}

	labels := strings.ToLower(strings.Join(unsent, ", "))
	m.tell(fmt.Sprintf("Not sent: %s. Press the key again to quit anyway.", labels))
	m.status.leaving = true

	return nil
}
