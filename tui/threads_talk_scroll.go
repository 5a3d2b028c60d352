package tui

import (
	"slices"

	"parley"
)

// extent are the lines of a post, from its first to behind its last; both 0 when it is
// not there.
func (t *talk) extent(id string) (from, to int) {
	for i := range t.parts {
		if p := &t.parts[i]; p.id == id && id != "" {
			return p.top, p.top + p.height
		}
	}
	return 0, 0
}

// index is where a post stands among the posts, -1 if it does not.
func (t *talk) index(id string) int {
	for i := range t.posts {
		if t.posts[i].MessageID == id {
			return i
		}
	}
	return -1
}

// move moves the marker from post to post, and through a long one line by line. Who
// arrives at the end stays there as more is said.
func (t *talk) move(by motion) {
	last := len(t.posts) - 1
	switch from, to := t.extent(t.sel); {
	case last < 0:
		return
	case by == toTop:
		t.sel, t.top = t.posts[0].MessageID, 0
	case by == toBottom:
		t.sel, t.top = t.posts[last].MessageID, all
	case by == lineDown && to > t.top+t.height && to-from > t.height:
		t.top++
	case by == lineUp && from < t.top && to-from > t.height:
		t.top--
	case by == lineUp || by == lineDown:
		at := clamp(t.index(t.sel)+by.lines(1), 0, last)
		t.sel = t.posts[at].MessageID
		from, to = t.extent(t.sel)
		if by == lineUp && to-from > t.height {
			t.top = to - t.height // it is read from its end
		} else {
			t.top = min(max(t.top, to-t.height), from)
		}

		if at == 0 {
			t.top = min(t.top, max(0, to-t.height))
		}
	default:
		t.scroll(by.lines(t.height))
		return
	}

	t.scroll(0)
}

// scroll moves the lines; the marker stays in view.
func (t *talk) scroll(n int) {
	end := max(0, t.lines-t.height)
	t.top = clamp(t.top+n, 0, end)
	if from, to := t.extent(t.sel); n < 0 && from >= t.top+t.height || n > 0 && to <= t.top {
		t.sel = t.inLines(n < 0)
	}
	last := t.sel == "" || len(t.posts) == 0 || t.sel == t.posts[len(t.posts)-1].MessageID
	t.away = t.top < end || !last
}

// inLines is the last post in view, or the first.
func (t *talk) inLines(last bool) string {
	shown := slices.DeleteFunc(slices.Clone(t.shown()), func(p part) bool { return p.id == "" })
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
	for _, p := range t.shown() {
		if i := t.top + line; p.id != "" && i >= p.top && i < p.top+p.height {
			t.sel = p.id
			t.scroll(0)
			return
		}
	}
}

// selected is the post under the marker, nil if there is none.
func (t *talk) selected() *parley.ContractMessage {
	if i := t.index(t.sel); i >= 0 {
		return &t.posts[i]
	}
	return nil
}

// prepend puts older posts in front; what is in view stays there.
func (t *talk) prepend(older []parley.ContractMessage, total int) {
	t.total = total
	known := map[string]bool{}
	for i := range t.posts {
		known[t.posts[i].MessageID] = true
	}
	older = slices.DeleteFunc(older, func(p parley.ContractMessage) bool { return known[p.MessageID] })
	t.posts, t.laid = append(older, t.posts...), false
	if t.ended = len(older) == 0; !t.ended && len(t.parts) > 0 {
		t.anchor = t.inLines(false)
		from, _ := t.extent(t.anchor)
		t.anchorAt = from - t.top
	}
}

// renew takes the newest posts, and keeps the older ones that were read.
func (t *talk) renew(newest []parley.ContractMessage, total int) {
	if len(newest) > 0 {
		i := slices.IndexFunc(
			t.posts,
			func(p parley.ContractMessage) bool { return p.MessageID == newest[0].MessageID },
		)
		if i < 0 {
			t.ended = false // more was said meanwhile than was read
		}
		if i > 0 {
			newest = append(slices.Clone(t.posts[:i]), newest...)
		}
	}

	t.known, t.posts, t.total, t.err, t.laid = true, newest, total, nil, false
}
