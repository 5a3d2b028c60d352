package tui

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
)

// textLimit is how many characters a message may have: the limit that the
// operations state. The service refuses more; the box says so before, and cuts
// nothing.
const textLimit = 2000

// newLineKeys break a line in the box, where enter sends. All but the first are
// for terminals that can tell them from enter.
var newLineKeys = []string{"ctrl+j", "alt+enter", "shift+enter"}

// compose is the box in which the operator writes.
type compose struct {
	*shared
	open   bool
	inTo   bool // the keys go to the names
	idle   bool // no key was pressed since a draft was sent
	draft  draft
	box    textarea.Model
	err    error
	newKey func() string
}

func newCompose(d *shared, newKey func() string) *compose {
	box := textarea.New()
	box.ShowLineNumbers, box.Prompt = false, ""
	box.CharLimit, box.MaxHeight, box.MaxWidth = 0, 0, 0
	box.KeyMap.InsertNewline = key.NewBinding(key.WithKeys(newLineKeys...))

	plain := textarea.StyleState{Selection: lipgloss.NewStyle().Reverse(true)}
	box.SetStyles(textarea.Styles{
		Focused: plain,
		Blurred: plain,
		Cursor:  textarea.CursorStyle{Shape: tea.CursorBlock},
	})

	box.SetVirtualCursor(false)

	return &compose{shared: d, box: box, newKey: newKey}
}

func (c *compose) keys() []binding {
	informal := func() bool { return !c.draft.formal() }
	unnamed := func() bool { return !c.draft.named() }
	return []binding{
		bind("enter", "send", c.send).hinted("send"),
		bind("ctrl+j", "new line", c.newLine, newLineKeys[1:]...).hinted("new line"),
		bind("tab", "change the recipients", c.editTo).hinted("to").unless(unnamed),
		bind("ctrl+p", "priority: low, normal, high, urgent", c.cyclePriority).hinted("priority").unless(informal),
		bind("ctrl+r", "require an answer by a deadline", c.cycleDue).hinted("answer").unless(informal),
		bind("ctrl+o", "write in your $EDITOR", c.openEditor).hinted("editor"),
		bind("esc", "close; the draft is kept", c.leave, "ctrl+c").hinted("close, keep draft"),
	}
}

func (c *compose) toKeys() []binding {
	return []binding{
		bind("enter", "go to the text", c.leaveTo).hinted("text"),
		bind("tab", "complete the name, or go to the text", c.completeTo).hinted("complete"),
		bind("esc", "close; the draft is kept", c.leave, "ctrl+c").hinted("close, keep draft"),
	}
}

// write opens the box for an address, with the draft that is kept for it.
func (c *compose) write(to address, label, names string) tea.Cmd {
	d, ok := c.drafts.kept[to]
	if !ok {
		d = newDraft(to, names)
	}
	d.label = label

	c.open, c.inTo, c.draft, c.err = true, false, d, nil
	c.drafts.boxed = &d.to
	c.box.SetValue(d.text)
	c.box.MoveToEnd()

	return c.box.Focus()
}

// close closes the box.
func (c *compose) close() {
	c.open, c.drafts.boxed = false, nil
	c.box.Blur()
}

func (c *compose) text() string { return c.box.Value() }

// update passes a key or a paste to the box.
func (c *compose) update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	c.box, cmd = c.box.Update(msg)
	return cmd
}

func (c *compose) resize(w, h int) {
	c.box.SetWidth(max(w-2, 1))
	c.box.SetHeight(max(h, 1))
}

// lines returns how many lines the box takes below its title, of a body of so
// many; 0 while it is closed.
func (c *compose) lines(w, body int) int {
	if !c.open {
		return 0
	}
	n := 1 + composeHeight(body)
	if c.err != nil {
		n += min(len(errorLines(c.theme, c.err, w)), 4)
	}
	return n
}

// note returns what the box's title adds: how long the text is, when that
// matters.
func (c *compose) note() string {
	n := utf8.RuneCountInString(c.text())
	switch {
	case n > textLimit:
		return fmt.Sprintf("%d characters, %d too many", n, n-textLimit)
	case n > textLimit/2:
		return fmt.Sprintf("%d of %d characters", n, textLimit)
	}
	return ""
}

// view draws the box in height lines below its title.
func (c *compose) view(w, height int) []string {
	lines := []string{c.theme.rule(c.draft.label, c.note(), w, true), c.fields(w)}
	for line := range strings.SplitSeq(c.box.View(), "\n") {
		lines = append(lines, "  "+fit(strings.TrimRight(line, " "), w-2))
	}

	lines = clip(lines, 2+c.box.Height())
	if c.err != nil {
		lines = append(lines, errorLines(c.theme, c.err, w)...)
	}

	return clip(lines, height+1)
}

// cursor returns where the terminal's own cursor is within the box's lines,
// title included.
func (c *compose) cursor() *tea.Cursor {
	if c.inTo {
		return tea.NewCursor(width("  to ")+width(string(c.draft.names)), 1)
	}

	cur := c.box.Cursor()
	if cur == nil {
		return nil
	}
	cur.X, cur.Y = cur.X+2, cur.Y+2

	return cur
}

func composeHeight(body int) int { return clamp(body/5, 3, 8) }
