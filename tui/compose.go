package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley"
)

// textLimit is how long a message may be: the limit that the operations state.
// The service refuses more; the box says so before, and cuts nothing.
const textLimit = 2000

// address is where a draft goes. Each address has a draft of its own, so that
// words meant for one never stand before another.
type address struct {
	everyone bool
	agent    string // id
	thread   string // id
	replyTo  string // message id
	steer    bool   // as guidance
}

// draft is a message that is not sent yet.
type draft struct {
	to    address
	label string // who that is, in words
	names line   // to whom, as it is written; "" where that is not for choice
	first line   // as it was at first
	prio  parley.Priority
	due   time.Duration // an answer is required within it; 0 for none
	text  string
	key   string // makes sending again harmless
	sent  string // what that key was last sent with
}

// compose is the box in which the operator writes.
type compose struct {
	open    bool
	inTo    bool // the keys go to the names
	team    *team
	draft   draft
	kept    map[address]draft
	posting map[address]bool // drafts that are on their way
	box     textarea.Model
	err     error
	newKey  func() string
}

func newCompose(newKey func() string, team *team) compose {
	box := textarea.New()
	box.ShowLineNumbers, box.Prompt = false, ""
	box.CharLimit, box.MaxHeight, box.MaxWidth = 0, 0, 0
	box.KeyMap.InsertNewline = key.NewBinding(key.WithKeys(newLineKeys...))
	plain := textarea.StyleState{Selection: lipgloss.NewStyle().Reverse(true)}
	box.SetStyles(textarea.Styles{Focused: plain, Blurred: plain, Cursor: textarea.CursorStyle{Shape: tea.CursorBlock}})
	box.SetVirtualCursor(false)
	return compose{box: box, kept: map[address]draft{}, posting: map[address]bool{}, newKey: newKey, team: team}
}

// write opens the box for an address, with the draft that is there.
func (c *compose) write(to address, label, names string) tea.Cmd {
	d, ok := c.kept[to]
	if !ok {
		d = draft{to: to, names: line(names), first: line(names), prio: parley.PriorityNormal}
	}
	d.label = label
	c.open, c.inTo, c.draft, c.err = true, false, d, nil
	c.box.SetValue(d.text)
	c.box.MoveToEnd()
	return c.box.Focus()
}

// sending reports whether the draft in the box is on its way.
func (c *compose) sending() bool { return c.posting[c.draft.to] }

// text is what stands in the box.
func (c *compose) text() string { return c.box.Value() }

// keep closes the box and keeps what stands in it.
func (c *compose) keep() {
	if c.draft.text = c.text(); strings.TrimSpace(c.draft.text) != "" {
		c.kept[c.draft.to] = c.draft
	} else {
		delete(c.kept, c.draft.to)
	}
	c.open = false
	c.box.Blur()
}

// post returns the draft to be sent, false when there is nothing to send. The
// same text keeps its key: sent again after a failure, it is not said twice.
func (c *compose) post() (draft, bool) {
	c.draft.text = c.text()
	if strings.TrimSpace(c.draft.text) == "" || c.sending() {
		return draft{}, false
	}
	if said := c.draft.said(); c.draft.key == "" || c.draft.sent != said {
		c.draft.key, c.draft.sent = c.newKey(), said
	}
	c.kept[c.draft.to] = c.draft
	c.posting[c.draft.to], c.err = true, nil
	return c.draft, true
}

// posted takes the service's answer. After an error the box is open as before.
func (c *compose) posted(msg sentMsg) {
	delete(c.posting, msg.draft.to)
	here := c.open && c.draft.to == msg.draft.to
	if msg.err != nil {
		if here {
			c.err = msg.err
		}
		return
	}

	if c.kept[msg.draft.to].text == msg.draft.text {
		delete(c.kept, msg.draft.to)
	}

	if here {
		c.open = false
		c.box.Blur()
	}
}

// unsent are the addresses, in words, for which something is written.
func (c *compose) unsent() []string {
	var labels []string
	for to, d := range c.kept {
		if !c.open || to != c.draft.to {
			labels = append(labels, d.label)
		}
	}
	if c.open && strings.TrimSpace(c.text()) != "" {
		labels = append(labels, c.draft.label)
	}
	slices.Sort(labels)
	return labels
}

// update passes a key or a paste to the box. While a draft is on its way
// nothing in it changes.
func (c *compose) update(msg tea.Msg) tea.Cmd {
	if c.sending() {
		return nil
	}
	var cmd tea.Cmd
	c.box, cmd = c.box.Update(msg)
	return cmd
}

func (c *compose) resize(w, h int) {
	c.box.SetWidth(max(w-2, 1))
	c.box.SetHeight(max(h, 1))
}

// note says what the box's title adds: how long the text is, when that matters.
func (c *compose) note() string {
	n := utf8.RuneCountInString(c.text())
	switch {
	case c.sending():
		return "sending…"
	case n > textLimit:
		return fmt.Sprintf("%d characters, %d too many", n, n-textLimit)
	case n > textLimit/2:
		return fmt.Sprintf("%d of %d characters", n, textLimit)
	}
	return ""
}

// view draws the box in height lines below its title.
func (c *compose) view(th theme, w, height int) []string {
	lines := []string{th.rule(c.draft.label, c.note(), w, true), c.fields(th, w)}
	for line := range strings.SplitSeq(c.box.View(), "\n") {
		lines = append(lines, "  "+fit(strings.TrimRight(line, " "), w-2))
	}
	lines = clip(lines, 2+c.box.Height())
	if c.err != nil {
		lines = append(lines, errorLines(th, c.err, w)...)
	}
	return clip(lines, height+1)
}

// cursor is where the terminal's own cursor stands within the box's lines,
// title included.
func (c *compose) cursor() *tea.Cursor {
	if c.inTo {
		return tea.NewCursor(width("  to ")+width(string(c.draft.names)), 1)
	}
	cur := c.box.Cursor()
	if cur == nil || c.sending() {
		return nil
	}
	cur.X, cur.Y = cur.X+2, cur.Y+2
	return cur
}
