package tui

import (
	"slices"
	"time"

	"parley"
)

// part is a stretch of a conversation: a post, or what stands between posts.
type part struct {
	id          string    // the message's; "" when it is no post
	post        int       // which it is
	day         time.Time // that begins, when it is a heading
	top, height int       // its first line, and how many it has
}

// lay finds where each post stands in lines of w columns. None is drawn for that: it
// is done again only when posts came or the width is another one.
func (t *talk) lay(w int, in *time.Location) {
	if t.laid && t.columns == w {
		return
	}
	if t.columns != w || t.wrapped == nil {
		t.columns, t.wrapped = w, map[string][]string{}
	}

	t.laid, t.parts, t.lines = true, t.parts[:0], 0
	add := func(p part) {
		p.top = t.lines
		t.lines += p.height
		t.parts = append(t.parts, p)
	}

	if t.total > len(t.posts) {
		add(part{height: 1})
	}

	var day time.Time
	blank := true // the line above is
	for i := range t.posts {
		p := &t.posts[i]
		at := p.Timestamp.In(in)
		if at.YearDay() != day.YearDay() || at.Year() != day.Year() {
			day = at
			add(part{day: day, height: map[bool]int{true: 1, false: 2}[blank || t.lines == 0]})
		}

		blank = p.SenderName != parley.SystemName
		height := 1
		if blank {
			height = len(t.body(p)) + 2
		}

		add(part{id: p.MessageID, post: i, height: height})
	}
}

// body is a post's text in lines. Posts do not change, and wrapping a hundred
// long ones takes longer than a frame.
func (t *talk) body(p *parley.ContractMessage) []string {
	lines, ok := t.wrapped[p.MessageID]
	if !ok {
		lines = indent(wrap(safeText(p.Content.Text), t.columns-8), 8)
		t.wrapped[p.MessageID] = lines
	}
	return lines
}

// shown are the parts of which a line is in view.
func (t *talk) shown() []part {
	from, _ := slices.BinarySearchFunc(t.parts, t.top+1, func(p part, line int) int { return p.top + p.height - line })
	to, _ := slices.BinarySearchFunc(t.parts, t.top+t.height, func(p part, line int) int { return p.top - line })
	return t.parts[from:max(from, to)]
}

// notice is what stands where there are no posts; nil where there are.
func (t *threads) notice(w int) []string {
	switch {
	case t.talk.err != nil:
		return errorLines(t.theme, t.talk.err, w)
	case !t.talk.known:
		return []string{"", t.theme.dim.Render(fit("  Reading…", w))}
	case len(t.talk.posts) == 0:
		return []string{"", "  " + fit("Nothing was said yet. c writes the first post.", w-2)}
	}
	return nil
}

// part draws one, in as many lines as it has.
func (t *threads) part(p part, w int) []string {
	switch {
	case p.id != "":
		return t.post(&t.talk.posts[p.post], w)
	case p.day.IsZero():
		words := plural(t.talk.total-len(t.talk.posts), "older post")
		if t.talk.ended || len(t.talk.posts) >= maxPosts {
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

// dayWords name a day as one speaks of it.
func dayWords(at, now time.Time) string {
	switch {
	case at.Format(time.DateOnly) == now.Format(time.DateOnly):
		return "today"
	case at.Format(time.DateOnly) == now.AddDate(0, 0, -1).Format(time.DateOnly):
		return "yesterday"
	}
	return at.Format("Monday, 2 January 2006")
}

// post is who said it, when, how far it came, and what was said. What parley
// itself tells takes one line.
func (t *threads) post(p *parley.ContractMessage, w int) []string {
	name, clock := shownName(p.SenderName, p.SenderAgentID), p.Timestamp.In(t.now.Location()).Format("15:04")
	if p.SenderName == parley.SystemName {
		return []string{"  " + t.theme.dim.Render(fit(clock+" "+safeLine(p.Content.Text), w-2))}
	}

	left := "  " + clock + " "
	style := t.theme.strong
	if name == you {
		style = t.theme.accent
	}

	fate := ""
	if r := t.talk.fates[p.MessageID]; r != nil && r.count > 0 {
		s, _, _ := r.standing()
		fate = t.theme.delivery(s).Render(fit(deliveryGlyph(s)+" "+r.words(), 22))
	}

	head := left + style.Render(fit(name, max(8, w-width(left)-36)))
	for _, word := range []string{fate, t.theme.dim.Render(since(p.Timestamp, t.now)), postTag(t.theme, p)} {
		if word != "" && width(head)+2+width(word) <= w {
			head += "  " + word
		}
	}

	return append(append([]string{head}, t.talk.body(p)...), "")
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
