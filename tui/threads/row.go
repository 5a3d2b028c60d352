package threads

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// threadRows draws the list of threads.
type threadRows struct {
	*room.Shared
	*threadList
	inTalk bool // the movement keys go to the posts
}

// lines draws the threads in view.
func (t threadRows) lines(w int) []string {
	var lines []string
	for i := t.top; i < min(t.top+t.height, len(t.list)); i++ {
		lines = append(lines, t.row(&t.list[i], w))
	}
	return lines
}

// anyHot reports whether the list has a column for temperatures.
func (t threadRows) anyHot() bool {
	return slices.ContainsFunc(t.inView(), func(x parley.Thread) bool { return !t.Temperatures.Known[x.ID].Cold() })
}

// row draws a thread: when it was active last, its unread posts, temperature,
// title, and what was said last in it.
func (t threadRows) row(x *parley.Thread, w int) string {
	selected := x.ID == t.Sel
	mark := "  "
	if selected {
		mark = "▸ "
	}

	fresh := "    "
	if n := len(t.Inbox.UnreadIn(x.ID)); n > 0 {
		fresh = fmt.Sprintf("%-4s", fmt.Sprintf("✉%d", min(n, 99)))
	}

	left := mark + kit.Pad(kit.Since(x.LastMessageAt, t.Now), 4) + " "
	heat := ""
	if t.anyHot() {
		heat = kit.Pad(t.Temperatures.Known[x.ID].InList(), team.TemperatureColumn)
	}

	room := w - kit.Width(left) - 4 - kit.Width(heat)
	titleW := min(t.titleWidth(), max(14, room*65/100))
	if room-titleW < leastWords {
		titleW = room
	}

	title := kit.Pad(kit.SafeLine(x.Title), titleW)
	words := t.LastWords.Get(x.ID)
	if words == "" {
		words = strings.Join(names(x), ", ")
	}

	rest := kit.Fit("  "+words, room-kit.Width(title))
	if selected && !t.inTalk {
		return t.Theme.Focus.Render(kit.Pad(left+fresh+heat+title+rest, w))
	}

	who, said, ok := strings.Cut(rest, ": ")
	if !ok {
		who, said = "", rest
	} else {
		who += ": "
	}

	return left + t.Theme.Warn.Render(fresh) + t.Theme.Dim.Render(heat) + t.Theme.Strong.Render(title) +
		t.Theme.Dim.Render(who) + said
}

// leastWords is how many columns what was said last needs to be worth a look.
const leastWords = 14

// titleWidth returns how many columns the titles in view need.
func (t threadRows) titleWidth() int {
	need := 14
	for _, x := range t.inView() {
		need = max(need, kit.Width(kit.SafeLine(x.Title)))
	}
	return need
}

// nothingLines say what threads are.
func nothingLines(w int) []string {
	lines := []string{""}
	for _, text := range []string{
		"No threads yet.",
		"A thread is a group discussion with a title: each post reaches every participant. " +
			"Agents open one with create_thread. Here, O opens one and c writes in it.",
	} {
		for _, line := range kit.Wrap(text, w-2) {
			lines = append(lines, "  "+line)
		}
	}
	return lines
}
