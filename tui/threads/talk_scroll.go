package threads

import (
	"slices"
	"time"

	"parley"
	"parley/tui/kit"
)

// postLayout is where the posts of a thread are, in lines.
type postLayout struct {
	top      int // the first line in view
	height   int
	lines    int    // how many there are
	parts    []part // what the lines belong to
	laid     bool   // parts are up to date
	columns  int
	wrapped  map[string][]string // by message: its text, wrapped into columns
	anchor   string              // the message that is to stay anchorAt lines below the top
	anchorAt int
}

// part is a stretch of lines: a post, or what is between posts.
type part struct {
	id          string    // the message's; "" if it is no post
	post        int       // its position
	day         time.Time // that begins, for a heading
	top, height int       // its first line, and how many it has
}

// lay finds the place of each post, of total ones that there are, in lines of w columns, without drawing any. It
// does so only when posts came or the width changed.
func (l *postLayout) lay(posts []parley.ContractMessage, total, w int, zone *time.Location) {
	if l.laid && l.columns == w {
		return
	}
	if l.columns != w || l.wrapped == nil {
		l.columns, l.wrapped = w, map[string][]string{}
	}

	l.laid, l.parts, l.lines = true, l.parts[:0], 0
	add := func(p part) {
		p.top = l.lines
		l.lines += p.height
		l.parts = append(l.parts, p)
	}

	if total > len(posts) {
		add(part{height: 1})
	}

	var day time.Time
	blank := true // the line above is
	for i := range posts {
		p := &posts[i]
		at := p.Timestamp.In(zone)
		if at.YearDay() != day.YearDay() || at.Year() != day.Year() {
			day = at
			height := 2
			if blank || l.lines == 0 {
				height = 1
			}
			add(part{day: day, height: height})
		}

		height := 1
		if blank = p.SenderName != parley.SystemName; blank {
			height = len(l.body(p)) + 2
		}

		add(part{id: p.MessageID, post: i, height: height})
	}
}

// body returns a post's text in lines. Posts do not change, and wrapping a hundred
// long ones takes longer than a frame, so it is done once.
func (l *postLayout) body(p *parley.ContractMessage) []string {
	lines, ok := l.wrapped[p.MessageID]
	if !ok {
		lines = kit.Indent(kit.Wrap(kit.SafeText(p.Content.Text), l.columns-8), 8)
		l.wrapped[p.MessageID] = lines
	}
	return lines
}

// settle scrolls after posts or the size changed.
func (t *talk) settle(height int) {
	t.height = max(1, height)
	end := max(0, t.lines-t.height)
	if t.anchor != "" { // older posts came in above
		from, _ := t.extent(t.anchor)
		t.top, t.anchor = from-t.anchorAt, ""
	}

	if t.top = kit.Clamp(t.top, 0, end); !t.away {
		t.top = end
		if n := len(t.posts); n > 0 {
			t.sel = t.posts[n-1].MessageID
		}
	}

	if from, to := t.extent(t.sel); from == to {
		t.sel = t.postInView(true)
	}
}

// visible returns the parts of which a line is in view.
func (l *postLayout) visible() []part {
	from, _ := slices.BinarySearchFunc(l.parts, l.top+1, func(p part, line int) int { return p.top + p.height - line })
	to, _ := slices.BinarySearchFunc(l.parts, l.top+l.height, func(p part, line int) int { return p.top - line })
	return l.parts[from:max(from, to)]
}

// extent returns a post's first line and the one after its last; both are 0 if it
// is not there.
func (l *postLayout) extent(id string) (from, to int) {
	for i := range l.parts {
		if p := &l.parts[i]; p.id == id && id != "" {
			return p.top, p.top + p.height
		}
	}
	return 0, 0
}

// move moves the marker from post to post, and line by line through a long one.
// At the end it stays there as more is posted.
func (t *talk) move(by kit.Motion) {
	last := len(t.posts) - 1
	from, to := t.extent(t.sel)
	long := to-from > t.height
	switch {
	case last < 0:
		return
	case by == kit.ToTop:
		t.sel, t.top = t.posts[0].MessageID, 0
	case by == kit.ToBottom:
		t.sel, t.top = t.posts[last].MessageID, kit.All
	case by == kit.LineDown && to > t.top+t.height && long:
		t.top++
	case by == kit.LineUp && from < t.top && long:
		t.top--
	case by == kit.LineUp || by == kit.LineDown:
		t.step(by)
	default:
		t.scroll(by.Lines(t.height))
		return
	}

	t.scroll(0)
}

// step moves the marker to the next post, or the one before.
func (t *talk) step(by kit.Motion) {
	at := kit.Clamp(t.index(t.sel)+by.Lines(1), 0, len(t.posts)-1)
	t.sel = t.posts[at].MessageID
	from, to := t.extent(t.sel)
	if by == kit.LineUp && to-from > t.height {
		t.top = to - t.height // a long post is entered from its end
	} else {
		t.top = min(max(t.top, to-t.height), from)
	}

	if at == 0 {
		t.top = min(t.top, max(0, to-t.height))
	}
}

// scroll moves the lines. The marker stays in view.
func (t *talk) scroll(n int) {
	end := max(0, t.lines-t.height)
	t.top = kit.Clamp(t.top+n, 0, end)
	if from, to := t.extent(t.sel); n < 0 && from >= t.top+t.height || n > 0 && to <= t.top {
		t.sel = t.postInView(n < 0)
	}
	last := t.sel == "" || len(t.posts) == 0 || t.sel == t.posts[len(t.posts)-1].MessageID
	t.away = t.top < end || !last
}

// postInView returns the first post in view, or the last.
func (t *talk) postInView(last bool) string {
	shown := slices.DeleteFunc(slices.Clone(t.visible()), func(p part) bool { return p.id == "" })
	switch {
	case len(shown) == 0:
		return t.sel
	case last:
		return shown[len(shown)-1].id
	}
	return shown[0].id
}

// click puts the marker on the post at a line of those in view.
func (t *talk) click(line int) {
	for _, p := range t.visible() {
		if i := t.top + line; p.id != "" && i >= p.top && i < p.top+p.height {
			t.sel = p.id
			t.scroll(0)
			return
		}
	}
}
