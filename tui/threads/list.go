package threads

import (
	"slices"

	"parley"
	"parley/tui/kit"
	"parley/tui/team"
)

// threadList is the threads that are known, and the marker on one of those that the filter lets pass.
type threadList struct {
	all    []parley.Thread
	list   []parley.Thread // those of all that the filter lets pass
	total  int             // threads that there are
	Sel    string          // a thread's id
	top    int
	height int
}

// Count returns how many threads are known.
func (l *threadList) Count() int { return len(l.all) }

// sift lists the threads that a filter lets pass.
func (l *threadList) sift(f *kit.Filter, last *team.LastWords) {
	l.list = l.list[:0]
	for i := range l.all {
		x := &l.all[i]
		if f.Matches(kit.SafeLine(x.Title), append(names(x), x.ID, last.Get(x.ID))...) {
			l.list = append(l.list, *x)
		}
	}
	f.Counted(len(l.list), len(l.all))

	if l.selected() == nil && len(l.list) > 0 {
		l.Sel = l.list[0].ID
	}
}

func (l *threadList) index() int {
	return max(0, slices.IndexFunc(l.list, func(x parley.Thread) bool { return x.ID == l.Sel }))
}

// selected returns the thread under the marker, or nil.
func (l *threadList) selected() *parley.Thread {
	for i := range l.list {
		if l.list[i].ID == l.Sel {
			return &l.list[i]
		}
	}
	return nil
}

// none reports that no thread is under the marker.
func (l *threadList) none() bool { return l.selected() == nil }

// move moves the marker.
func (l *threadList) move(by kit.Motion) {
	if len(l.list) > 0 {
		l.Sel = l.list[kit.Clamp(l.index()+by.Lines(l.height), 0, len(l.list)-1)].ID
	}
}

// scroll brings the thread under the marker into sight, in a list of some lines.
func (l *threadList) scroll(height int) {
	l.height = height
	l.top = kit.Window(l.top, l.index(), len(l.list), height)
}

// inView returns the threads that are drawn.
func (l *threadList) inView() []parley.Thread {
	return l.list[kit.Clamp(l.top, 0, len(l.list)):kit.Clamp(l.top+l.height, 0, len(l.list))]
}

// takesPart reports whether the operator takes part in a thread.
func takesPart(x *parley.Thread) bool {
	return slices.Contains(x.ParticipantNames, parley.OperatorName)
}

// names returns a thread's participants; the operator is "you".
func names(x *parley.Thread) []string {
	var all []string
	for i, name := range x.ParticipantNames {
		id := ""
		if i < len(x.Participants) {
			id = x.Participants[i]
		}
		all = append(all, kit.ShownName(name, id))
	}
	return all
}
