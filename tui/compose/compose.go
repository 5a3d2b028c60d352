// Package compose is the box in which messages are written, over whichever screen.
package compose

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/textarea"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/verb"
)

// TextLimit is how many characters a message may have: the limit that the
// operations state. The service refuses more; the box says so before, and cuts
// nothing.
const TextLimit = 2000

// Box is the box in which the operator writes.
type Box struct {
	room   *room.Shared
	Form   form
	Open   bool
	Idle   bool // no key was pressed since a draft was sent
	box    textarea.Model
	err    error
	newKey func() string
}

// New returns the closed box. newKey makes idempotency keys.
func New(d *room.Shared, newKey func() string) *Box {
	box := textarea.New()
	box.ShowLineNumbers, box.Prompt = false, ""
	box.CharLimit, box.MaxHeight, box.MaxWidth = 0, 0, 0
	box.KeyMap.InsertNewline = key.NewBinding(key.WithKeys(verb.NewLine.To("", nil).Keys...))

	plain := textarea.StyleState{Selection: lipgloss.NewStyle().Reverse(true)}
	box.SetStyles(textarea.Styles{
		Focused: plain,
		Blurred: plain,
		Cursor:  textarea.CursorStyle{Shape: tea.CursorBlock},
	})

	box.SetVirtualCursor(false)

	return &Box{room: d, Form: form{room: d}, box: box, newKey: newKey}
}

// Keys returns the keys while one writes.
func (c *Box) Keys() []kit.Binding {
	informal := func() bool { return !c.Form.Draft.Formal() }
	unnamed := func() bool { return !c.Form.Draft.Named() }
	return []kit.Binding{
		verb.Send.To("send", c.send).Hinted("send"),
		verb.NewLine.To("new line", c.newLine).Hinted("new line"),
		verb.Recipients.To("", c.Form.editTo).Hinted("to").Unless(unnamed),
		verb.Priority.To("", c.Form.cyclePriority).Hinted("priority").Unless(informal),
		verb.Deadline.To("", c.Form.cycleDue).Hinted("answer").Unless(informal),
		verb.Editor.To("", c.openEditor).Hinted("editor"),
		verb.Close.To("close; the draft is kept", c.leave).Hinted("close, keep draft"),
	}
}

// ToKeys returns the keys while one chooses recipients.
func (c *Box) ToKeys() []kit.Binding {
	return []kit.Binding{
		verb.Accept.To("go to the text", c.Form.leaveTo).Hinted("text"),
		verb.Complete.To("complete the name, or go to the text", c.Form.completeTo).Hinted("complete"),
		verb.Close.To("close; the draft is kept", c.leave).Hinted("close, keep draft"),
	}
}

// Write opens the box for an address, with the draft that is kept for it.
func (c *Box) Write(to room.Address, label, names string) tea.Cmd {
	d, ok := c.room.Drafts.Kept[to]
	if !ok {
		d = room.NewDraft(to, names)
	}
	d.Label = label

	c.Open, c.Form.InTo, c.Form.Draft, c.err = true, false, d, nil
	c.room.Drafts.Boxed = &d.To
	c.box.SetValue(d.Text)
	c.box.MoveToEnd()

	return c.box.Focus()
}

func (c *Box) close() {
	c.Open, c.room.Drafts.Boxed = false, nil
	c.box.Blur()
}

func (c *Box) text() string { return c.box.Value() }

// Update passes a key or a paste to the box.
func (c *Box) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	c.box, cmd = c.box.Update(msg)
	return cmd
}

// Resize sets the size of the box.
func (c *Box) Resize(w, h int) {
	c.box.SetWidth(max(w-2, 1))
	c.box.SetHeight(max(h, 1))
}

// Lines returns how many lines the box takes below its title, of a body of so
// many; 0 while it is closed.
func (c *Box) Lines(w, body int) int {
	if !c.Open {
		return 0
	}
	n := 1 + Height(body)
	if c.err != nil {
		n += min(len(room.ErrorLines(c.room.Theme, c.err, w)), 4)
	}
	return n
}

// note returns what the box's title adds: how long the text is, when that
// matters.
func (c *Box) note() string {
	n := utf8.RuneCountInString(c.text())
	switch {
	case n > TextLimit:
		return fmt.Sprintf("%d characters, %d too many", n, n-TextLimit)
	case n > TextLimit/2:
		return fmt.Sprintf("%d of %d characters", n, TextLimit)
	}
	return ""
}

// View draws the box in height lines below its title.
func (c *Box) View(w, height int) []string {
	lines := []string{c.room.Theme.Rule(c.Form.Draft.Label, c.note(), w, true), c.Form.line(w)}
	for line := range strings.SplitSeq(c.box.View(), "\n") {
		lines = append(lines, "  "+kit.Fit(strings.TrimRight(line, " "), w-2))
	}

	lines = kit.Clip(lines, 2+c.box.Height())
	if c.err != nil {
		lines = append(lines, room.ErrorLines(c.room.Theme, c.err, w)...)
	}

	return kit.Clip(lines, height+1)
}

// Cursor returns where the terminal's own cursor is within the box's lines,
// title included.
func (c *Box) Cursor() *tea.Cursor {
	if c.Form.InTo {
		return tea.NewCursor(kit.Width("  to ")+kit.Width(string(c.Form.Draft.Names)), 1)
	}

	cur := c.box.Cursor()
	if cur == nil {
		return nil
	}
	cur.X, cur.Y = cur.X+2, cur.Y+2

	return cur
}

// Height returns how many lines the box takes of those between bar and status.
func Height(body int) int { return kit.Clamp(body/5, 3, 8) }

// Unsent returns the addresses, in words, for which something is written.
func (c *Box) Unsent() []string {
	var labels []string
	for to, d := range c.room.Drafts.Kept {
		if !c.Open || to != c.Form.Draft.To {
			labels = append(labels, d.Label)
		}
	}
	if c.Open && strings.TrimSpace(c.text()) != "" {
		labels = append(labels, c.Form.Draft.Label)
	}
	for _, d := range c.room.Drafts.Posting {
		labels = append(labels, d.Label)
	}
	slices.Sort(labels)
	return labels
}

// EditedMsg is the text that an editor left.
type EditedMsg struct {
	To   room.Address
	Text string
	Err  error
}

// Edit opens a draft in the person's editor. Only they can read the file, which
// is removed afterwards.
func Edit(environ []string, d room.Draft) tea.Cmd {
	file, err := room.TemporaryFile(d.Text)
	if err != nil {
		return func() tea.Msg { return EditedMsg{To: d.To, Err: err} }
	}

	cmd := room.WithFile(environ, editor(environ), file)

	return tea.ExecProcess(cmd, func(err error) tea.Msg {
		defer os.Remove(file)
		text, readErr := os.ReadFile(file)
		return EditedMsg{To: d.To, Text: strings.TrimRight(string(text), "\n"), Err: errors.Join(err, readErr)}
	})
}

// editor returns the person's editor with its arguments.
func editor(environ []string) []string { return room.ProgramOf(environ, "vi", "VISUAL=", "EDITOR=") }

func (c *Box) openEditor() tea.Cmd {
	d := c.Form.Draft
	d.Text = c.text()
	return c.room.Do.Edit(d)
}

// Edited takes the text back, unless the editor failed.
func (c *Box) Edited(msg EditedMsg) tea.Cmd {
	if msg.Err != nil {
		c.room.Fail(parley.Errorf(parley.InvalidArgument, "the editor failed: %w; the draft is unchanged", msg.Err).
			Suggest("Set EDITOR to a program such as nano or vi."))
		return nil
	}
	if c.Open && c.Form.Draft.To == msg.To {
		c.box.SetValue(msg.Text)
		c.box.MoveToEnd()
	}
	return nil
}

// form is a draft, and what its message has besides the text.
type form struct {
	room  *room.Shared
	Draft room.Draft
	InTo  bool // the keys go to the names
}

func (f *form) line(w int) string {
	d, dim := f.Draft, f.room.Theme.Dim
	var words []string
	if d.Named() {
		to := string(d.Names)
		if f.InTo {
			to += dim.Render(f.room.Team.Complete(to))
		}
		if to == "" {
			to = dim.Render("agents, @group or ALL")
		}

		words = append(words, dim.Render("to ")+to)
	}

	if d.Formal() {
		words = append(words,
			dim.Render("priority ")+string(d.Prio)+dim.Render(" ^p"),
			dim.Render("answer ")+dueWords(d.Due)+dim.Render(" ^r"))
	} else {
		words = append(words, dim.Render("typed under its own header, with high priority"))
	}

	return kit.Fit("  "+strings.Join(words, "   "), w)
}

func dueWords(d time.Duration) string {
	switch {
	case d == 0:
		return "not required"
	case d < time.Hour:
		return fmt.Sprintf("within %dm", int(d.Minutes()))
	}
	return fmt.Sprintf("within %dh", int(d.Hours()))
}

// fixed reports whether the draft's priority and answer cannot be changed, and
// says so for guidance.
func (f *form) fixed() bool {
	if f.Draft.Formal() {
		return false
	}
	f.room.Tell("Guidance has high priority and requires no answer.")
	return true
}

func (f *form) cyclePriority() tea.Cmd {
	if !f.fixed() {
		f.Draft.Prio = following(room.Priorities, f.Draft.Prio)
	}
	return nil
}

func (f *form) cycleDue() tea.Cmd {
	if !f.fixed() {
		f.Draft.Due = following(room.Dues, f.Draft.Due)
	}
	return nil
}

// following returns the value after one, around the end.
func following[T comparable](values []T, v T) T {
	return values[(slices.Index(values, v)+1)%len(values)]
}

// editTo gives the keys to the names, where they can be chosen.
func (f *form) editTo() tea.Cmd {
	switch {
	case f.Draft.Named():
		f.InTo = true
	case f.Draft.To.Steer:
		f.room.Tell("Guidance goes to one agent. b and w write to others.")
	default:
		f.room.Tell("The recipient is fixed here. " + f.room.Key("w") + " writes to others.")
	}
	return nil
}

func (f *form) leaveTo() tea.Cmd { f.InTo = false; return nil }

// TypeTo takes a key for the names of the recipients.
func (f *form) TypeTo(key tea.KeyPressMsg) { f.Draft.Names.Press(key) }

func (f *form) completeTo() tea.Cmd {
	if rest := f.room.Team.Complete(string(f.Draft.Names)); rest != "" {
		f.Draft.Names += kit.Line(rest + ", ")
		return nil
	}
	f.InTo = false
	return nil
}
