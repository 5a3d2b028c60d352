package threads

import (
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/tui/kit"
	"parley/tui/room"
)

// settleView lays out the posts in talkH lines below a title, of which the head
// takes some.
func (t *talk) settleView(w, h, head int) {
	if notice := t.notice(w); notice != nil {
		t.parts, t.laid, t.lines = nil, false, len(notice)
	} else {
		t.lay(t.posts, t.total, w, t.room.Now.Location())
	}

	t.settle(h - 1 - head)
	t.inView = nil
	for _, p := range slices.Backward(t.visible()) { // the newest first
		if p.id != "" {
			t.inView = append(t.inView, p.id)
		}
	}
}

// position returns what the title adds: how much follows.
func (t *talk) position() string {
	switch more := t.lines - t.top - t.height; {
	case more > 0:
		return kit.Plural(more, "more line") + ", G to the newest"
	case t.top > 0:
		return "the newest"
	}
	return ""
}

// view draws the posts in view, marked if the movement keys go to them.
func (t *talk) view(w int, marked bool) []string {
	if notice := t.notice(w); notice != nil {
		return notice[kit.Clamp(t.top, 0, len(notice)):]
	}

	var lines []string
	for _, p := range t.visible() {
		for i, line := range t.part(p, w) {
			if rest, ok := strings.CutPrefix(line, "  "); ok && marked && i == 0 && p.id != "" && p.id == t.sel {
				line = t.room.Theme.Accent.Render("▸") + " " + rest
			}
			if at := p.top + i; at >= t.top && at < t.top+t.height {
				lines = append(lines, line)
			}
		}
	}

	return lines
}

// notice returns what is shown in place of posts, or nil.
func (t *talk) notice(w int) []string {
	switch {
	case t.err != nil:
		return room.ErrorLines(t.room.Theme, t.err, w)
	case !t.known:
		return []string{"", t.room.Theme.Dim.Render(kit.Fit("  Reading…", w))}
	case len(t.posts) == 0:
		return []string{"", "  " + kit.Fit("No posts yet. c writes the first one.", w-2)}
	}
	return nil
}

// part draws a part, in as many lines as it has.
func (t *talk) part(p part, w int) []string {
	switch {
	case p.id != "":
		return t.post(&t.posts[p.post], w)
	case p.day.IsZero():
		words := kit.Plural(t.total-len(t.posts), "older post")
		if t.ended || len(t.posts) >= maxPosts {
			words += ": parley thread show"
		}
		return []string{t.room.Theme.Dim.Render(kit.Fit("  "+words, w))}
	}

	rule := t.room.Theme.Dim.Render(kit.Fit("  ── "+kit.DayWords(p.day, t.room.Now)+" ──", w))
	if p.height == 2 {
		return []string{"", rule}
	}

	return []string{rule}
}

// post draws a post: its sender, time, standing, and text. A notice of parley
// takes one line.
func (t *talk) post(p *parley.ContractMessage, w int) []string {
	name, clock := kit.ShownName(p.SenderName, p.SenderAgentID), p.Timestamp.In(t.room.Now.Location()).Format("15:04")
	if p.SenderName == parley.SystemName {
		return []string{"  " + t.room.Theme.Dim.Render(kit.Fit(clock+" "+kit.SafeLine(p.Content.Text), w-2))}
	}

	left := "  " + clock + " "
	style := t.room.Theme.Strong
	if name == kit.You {
		style = t.room.Theme.Accent
	}

	standing := ""
	if r := t.standings.rows[p.MessageID]; r != nil && r.Count > 0 {
		s, _, _ := r.Standing()
		standing = t.room.Theme.Delivery(s).Render(kit.Fit(kit.DeliveryGlyph(s)+" "+r.Words(), 22))
	}

	head := left + style.Render(kit.Fit(name, max(8, w-kit.Width(left)-36)))
	for _, word := range []string{standing, t.room.Theme.Dim.Render(kit.Since(p.Timestamp, t.room.Now)),
		postTag(t.room.Theme, p)} {
		if word != "" && kit.Width(head)+2+kit.Width(word) <= w {
			head += "  " + word
		}
	}

	return append(append([]string{head}, t.body(p)...), "")
}

func postTag(th kit.Theme, p *parley.ContractMessage) string {
	switch {
	case p.RequiresResponse && p.ResponseStatus.Owed():
		return th.Warn.Render("asks for an answer")
	case p.Priority == parley.PriorityUrgent:
		return th.Warn.Render("!! urgent")
	case p.Priority == parley.PriorityHigh:
		return th.Warn.Render("! high")
	}
	return ""
}

// head says how hot the thread is, who takes part, and what is held in it. Why, a key tells.
func (t *talk) head(x *parley.Thread, w int) []string {
	th := t.room.Theme
	words := strings.Join(names(x), ", ")
	if !takesPart(x) {
		words += " · you read along, J joins"
	}

	line, heat := "  ", t.room.Temperatures.Known[x.ID]
	if !heat.Cold() {
		line += th.Temperature(heat.State.State).Render(heat.Bar()) + th.Dim.Render(" · ")
	}
	lines := []string{line + th.Dim.Render(kit.Fit(words, w-kit.Width(line)))}

	if held := t.heldWords(); len(held) > 0 {
		lines = append(lines, "  "+kit.Columns(held, th.Dim.Render(" · "), w-2))
	}

	return lines
}

// heldWords say what keeps the thread from going on, with the keys that help; none if nothing does.
func (t *talk) heldWords() (words []string) {
	x := t.room.Temperatures.Known[t.id]
	if x.State == nil {
		return nil
	}

	s, th := x.State, t.room.Theme
	if s.Conversation.Muted {
		words = append(words, th.Alarm.Render(" muted, M unmutes "))
	}
	if until := s.Conversation.CooledUntil; until != nil && until.After(t.room.Now) {
		words = append(words, th.Warn.Render("cools until "+kit.MomentOf(*until,
			t.room.Now)+", or until a person writes"))
	}
	if n := len(s.Held); n > 0 {
		words = append(words, th.Warn.Render(fmt.Sprintf("‖ %d held, l releases, i says why", n)))
	}

	return words
}
