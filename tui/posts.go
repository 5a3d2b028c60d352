package tui

import (
	"slices"

	"parley"
)

// ids are the posts that are drawn, the oldest first.
func (t *talk) ids() []string {
	var ids []string
	for _, id := range t.of {
		if id != "" && (len(ids) == 0 || ids[len(ids)-1] != id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// extent are the lines of a post, from its first to behind its last; both 0 when it is
// not there.
func (t *talk) extent(id string) (from, to int) {
	if from = slices.Index(t.of, id); from < 0 || id == "" {
		return 0, 0
	}
	for to = from; to < len(t.of) && t.of[to] == id; to++ {
	}
	return from, to
}

// move moves the marker from post to post, and through a long one line by line. Who
// arrives at the end stays there as more is said.
func (t *talk) move(by motion) {
	ids := t.ids()
	at := slices.Index(ids, t.sel)
	switch from, to := t.extent(t.sel); {
	case len(ids) == 0:
		return
	case by == toTop:
		t.sel, t.top = ids[0], 0
	case by == toBottom:
		t.sel, t.top = ids[len(ids)-1], all
	case by == lineDown && to > t.top+t.height && to-from > t.height:
		t.top++
	case by == lineUp && from < t.top && to-from > t.height:
		t.top--
	case by == lineUp || by == lineDown:
		t.sel = ids[clamp(at+by.lines(1), 0, len(ids)-1)]
		from, to = t.extent(t.sel)
		if by == lineUp && to-from > t.height {
			t.top = to - t.height // it is read from its end
		} else {
			t.top = min(max(t.top, to-t.height), from)
		}
		if t.sel == ids[0] {
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
	shown := slices.DeleteFunc(slices.Clone(t.of[clamp(t.top, 0, len(t.of)):clamp(t.top+t.height, 0, len(t.of))]), func(id string) bool { return id == "" })
	switch {
	case len(shown) == 0:
		return t.sel
	case last:
		return shown[len(shown)-1]
	}
	return shown[0]
}

// click puts the marker on the post at a line of those in view.
func (t *talk) click(line int) {
	if i := t.top + line; i >= 0 && i < len(t.of) && t.of[i] != "" {
		t.sel = t.of[i]
		t.scroll(0)
	}
}

// selected is the post under the marker, nil if there is none.
func (t *talk) selected() *parley.ContractMessage {
	i := slices.IndexFunc(t.posts, func(p parley.ContractMessage) bool { return p.MessageID == t.sel })
	if i < 0 {
		return nil
	}
	return &t.posts[i]
}

// prepend puts older posts in front; what is in view stays there.
func (t *talk) prepend(older []parley.ContractMessage, total int) {
	t.total = total
	known := map[string]bool{}
	for i := range t.posts {
		known[t.posts[i].MessageID] = true
	}
	older = slices.DeleteFunc(older, func(p parley.ContractMessage) bool { return known[p.MessageID] })
	t.posts = append(older, t.posts...)
	if t.ended = len(older) == 0; !t.ended && len(t.of) > 0 {
		t.anchor = t.inLines(false)
		from, _ := t.extent(t.anchor)
		t.anchorAt = from - t.top
	}
}

// renew takes the newest posts, and keeps the older ones that were read.
func (t *talk) renew(newest []parley.ContractMessage, total int) {
	if len(newest) > 0 {
		i := slices.IndexFunc(t.posts, func(p parley.ContractMessage) bool { return p.MessageID == newest[0].MessageID })
		if i < 0 {
			t.ended = false // more was said meanwhile than was read
		}
		if i > 0 {
			newest = append(slices.Clone(t.posts[:i]), newest...)
		}
	}
	t.known, t.posts, t.total, t.err = true, newest, total, nil
}
