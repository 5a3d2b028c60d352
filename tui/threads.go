package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// threads is the screen of discussions of several.
type threads struct {
	*desk
	list   []parley.Thread
	total  int
	sel    int
	top    int
	height int
	asking bool
	known  bool
	err    error
}

func (t *threads) title() string { return "Threads" }

func (t *threads) badge() badge { return badge{} }

func (t *threads) keys() []binding {
	return []binding{
		{inThreads, []string{"enter"}, "enter", "show what was said in it", "open", (*model).openThread, ""},
	}
}

func (t *threads) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case agentsMsg, shownMsg:
		if t.at != atThreads || t.asking {
			return nil
		}
		t.asking = true
		return t.do.threads()
	case threadsMsg:
		t.asking = false
		if t.err = msg.err; msg.err != nil {
			t.daemonGone(msg.err)
			return nil
		}
		t.known, t.list, t.total = true, msg.list, msg.total
	}
	return nil
}

func (t *threads) move(by motion) tea.Cmd {
	t.sel = clamp(t.sel+by.lines(t.height), 0, max(0, len(t.list)-1))
	return nil
}

func (t *threads) about() subject {
	if t.sel >= len(t.list) {
		return subject{}
	}
	return subject{thread: &t.list[t.sel]}
}

// openThread shows a thread's posts in the traffic.
func (m *model) openThread() tea.Cmd {
	s := m.threads.about()
	if s.thread == nil {
		m.tell("There is no thread to open yet.")
		return nil
	}
	m.traffic.filterBy("thread " + safeLine(s.thread.Title))
	return m.goTo(atTraffic)
}

func (t *threads) settle(_, h int) {
	t.height = h - 1
	t.sel = clamp(t.sel, 0, max(0, len(t.list)-1))
	t.top = window(t.top, t.sel, len(t.list), t.height)
}

func (t *threads) view(w, h int) []string {
	note := ""
	if t.total > len(t.list) {
		note = plural(t.total-len(t.list), "older one")
	}
	lines := []string{t.theme.rule("Threads", note, w, true)}
	switch {
	case t.err != nil:
		return clip(append(lines, errorLines(t.theme, t.err, w)...), h)
	case !t.known:
		return clip(append(lines, t.theme.dim.Render(fit("  Looking what is discussed…", w))), h)
	case len(t.list) == 0:
		for _, line := range wrap("No threads yet. Agents open one with create_thread; you do so too:  parley thread create", w-2) {
			lines = append(lines, "  "+line)
		}
		return clip(lines, h)
	}
	for i := t.top; i < min(t.top+t.height, len(t.list)); i++ {
		lines = append(lines, t.line(i, w))
	}
	return clip(lines, h)
}

// line is a thread: when something was said last, its title, and who takes part.
func (t *threads) line(i, w int) string {
	th := t.list[i]
	mark := "  "
	if i == t.sel {
		mark = "▸ "
	}
	title := clamp(w*40/100, 16, 60)
	left := mark + pad(since(th.LastMessageAt, t.now), 4) + " " + pad(safeLine(th.Title), title) + "  "
	names := fit(safeLine(strings.Join(th.ParticipantNames, ", ")), w-width(left))
	if i == t.sel {
		return t.theme.focus.Render(pad(left+names, w))
	}
	return left + t.theme.dim.Render(names)
}
