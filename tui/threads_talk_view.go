package tui

import (
	"fmt"
	"slices"
	"strings"

	"parley"
)

// settleView lays out the posts in talkH lines below a title, of which the head
// takes some.
func (t *talk) settleView(w, h, head int) {
	if notice := t.notice(w); notice != nil {
		t.parts, t.laid, t.lines = nil, false, len(notice)
	} else {
		t.lay(w, t.now.Location())
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
		return plural(more, "more line") + ", G to the newest"
	case t.top > 0:
		return "the newest"
	}
	return ""
}

// view draws the posts in view, marked if the movement keys go to them.
func (t *talk) view(w int, marked bool) []string {
	if notice := t.notice(w); notice != nil {
		return notice[clamp(t.top, 0, len(notice)):]
	}

	var lines []string
	for _, p := range t.visible() {
		for i, line := range t.part(p, w) {
			if rest, ok := strings.CutPrefix(line, "  "); ok && marked && i == 0 && p.id != "" && p.id == t.sel {
				line = t.theme.accent.Render("▸") + " " + rest
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
		return errorLines(t.theme, t.err, w)
	case !t.known:
		return []string{"", t.theme.dim.Render(fit("  Reading…", w))}
	case len(t.posts) == 0:
		return []string{"", "  " + fit("No posts yet. c writes the first one.", w-2)}
	}
	return nil
}

// part draws a part, in as many lines as it has.
func (t *talk) part(p part, w int) []string {
	switch {
	case p.id != "":
		return t.post(&t.posts[p.post], w)
	case p.day.IsZero():
		words := plural(t.total-len(t.posts), "older post")
		if t.ended || len(t.posts) >= maxPosts {
			words += ": parley thread show"
		}
		return []string{t.theme.dim.Render(fit("  "+words, w))}
	}

	rule := t.theme.dim.Render(fit("  ── "+dayWords(p.day, t.now)+" ──", w))
	if p.height == 2 {
		return []string{"", rule}
	}

	return []string{rule}
}

// post draws a post: its sender, time, standing, and text. A notice of parley
// takes one line.
func (t *talk) post(p *parley.ContractMessage, w int) []string {
	name, clock := shownName(p.SenderName, p.SenderAgentID), p.Timestamp.In(t.now.Location()).Format("15:04")
	if p.SenderName == parley.SystemName {
		return []string{"  " + t.theme.dim.Render(fit(clock+" "+safeLine(p.Content.Text), w-2))}
	}

	left := "  " + clock + " "
	style := t.theme.strong
	if name == you {
		style = t.theme.accent
	}

	standing := ""
	if r := t.standings[p.MessageID]; r != nil && r.count > 0 {
		s, _, _ := r.standing()
		standing = t.theme.delivery(s).Render(fit(deliveryGlyph(s)+" "+r.words(), 22))
	}

	head := left + style.Render(fit(name, max(8, w-width(left)-36)))
	for _, word := range []string{standing, t.theme.dim.Render(since(p.Timestamp, t.now)), postTag(t.theme, p)} {
		if word != "" && width(head)+2+width(word) <= w {
			head += "  " + word
		}
	}

	return append(append([]string{head}, t.body(p)...), "")
}

func postTag(th theme, p *parley.ContractMessage) string {
	switch {
	case p.RequiresResponse && p.ResponseStatus.Owed():
		return th.warn.Render("asks for an answer")
	case p.Priority == parley.PriorityUrgent:
		return th.warn.Render("!! urgent")
	case p.Priority == parley.PriorityHigh:
		return th.warn.Render("! high")
	}
	return ""
}

// heldWords say what keeps the thread from going on, with the keys that help; none if nothing does.
func (t *talk) heldWords() (words []string) {
	x := t.temperatures.known[t.id]
	if x.state == nil {
		return nil
	}

	s, th := x.state, t.theme
	if s.Conversation.Muted {
		words = append(words, th.alarm.Render(" muted, M unmutes "))
	}
	if until := s.Conversation.CooledUntil; until != nil && until.After(t.now) {
		words = append(words, th.warn.Render("cools until "+momentOf(*until, t.now)+", or until a person writes"))
	}
	if n := len(s.Held); n > 0 {
		words = append(words, th.warn.Render(fmt.Sprintf("‖ %d held, R releases, i says why", n)))
	}

	return words
}
