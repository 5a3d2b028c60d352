package team

import (
	"slices"
	"time"

	"parley"
	"parley/tui/kit"
)

// What one column of an agent's curve covers, and how many there are.
const (
	HourSpan  = 5 * time.Minute
	HourSpans = 12
)

// Ledger counts who wrote to whom in the last hour, by the events of the stream.
type Ledger struct {
	low, high int64     // the events between are counted
	began     time.Time // the oldest of them
	spans     map[int64]*ledgerSpan
	Names     map[string]string // by agent
	Work      worklog
	Asked     bool
}

// ledgerSpan is what was written within hourSpan.
type ledgerSpan struct {
	of    map[string]int // by agent: messages from it or to it
	pairs map[Pair]int
}

// Pair is the sender and the recipient of messages; to is "" for several recipients.
type Pair struct{ From, To string }

func spanAt(at time.Time) int64 { return at.UnixNano() / int64(HourSpan) }

// Take counts an event, once.
func (l *Ledger) Take(e parley.Event) {
	switch {
	case l.high == 0:
		l.low, l.high = e.Seq, e.Seq
	case e.Seq > l.high:
		l.high = e.Seq
	default:
		return
	}
	l.count(e)
}

// TakePast counts the events before those that were counted.
func (l *Ledger) TakePast(events []parley.Event) {
	low := l.low
	for _, e := range events {
		if e.Seq < low || low == 0 {
			l.count(e)
			l.low, l.high = min(l.low, e.Seq), max(l.high, e.Seq)
		}
	}
}

func (l *Ledger) count(e parley.Event) {
	if l.Work == nil {
		l.Work = worklog{}
	}
	l.Work.take(e)
	if l.began.IsZero() || e.Time.Before(l.began) {
		l.began = e.Time
	}
	if !e.Type.Announces() || e.SenderID == "" || e.Sender == parley.SystemName {
		return
	}

	n := spanAt(e.Time)
	s := l.spans[n]
	if s == nil {
		if l.spans == nil {
			l.spans = map[int64]*ledgerSpan{}
		}
		s = &ledgerSpan{of: map[string]int{}, pairs: map[Pair]int{}}
		l.spans[n] = s
		for old := range l.spans {
			if old <= n-2*HourSpans {
				delete(l.spans, old)
			}
		}
	}

	l.name(e.SenderID, e.Sender)
	l.name(e.RecipientID, e.Recipient)
	p := Pair{From: e.SenderID, To: e.RecipientID}
	if e.ThreadID != "" || e.Type == parley.EventBroadcast || e.RecipientCount > 1 {
		p.To = ""
	}

	s.pairs[p]++
	if s.of[p.From]++; p.To != "" {
		s.of[p.To]++
	}
}

func (l *Ledger) name(id, name string) {
	if l.Names == nil {
		l.Names = map[string]string{}
	}
	if id != "" && l.Names[id] == "" {
		l.Names[id] = kit.ShownName(name, id)
	}
}

// Curve returns how many messages an agent wrote and got in each span of the last hour, the newest last.
func (l *Ledger) Curve(agent string, now time.Time) []int {
	figures, last := make([]int, HourSpans), spanAt(now)
	for i := range figures {
		if s := l.spans[last-int64(HourSpans-1-i)]; s != nil {
			figures[i] = s.of[agent]
		}
	}
	return figures
}

// Sum returns how many messages an agent wrote and got in the last hour.
func (l *Ledger) Sum(agent string, now time.Time) (n int) {
	for _, m := range l.Curve(agent, now) {
		n += m
	}
	return n
}

// Busiest returns the most messages that an agent had in a span of the last hour.
func (l *Ledger) Busiest(now time.Time) (most int) {
	for n, s := range l.spans {
		if n > spanAt(now)-HourSpans {
			for _, m := range s.of {
				most = max(most, m)
			}
		}
	}
	return most
}

// Pairs counts the messages of the last hour by who wrote to whom.
func (l *Ledger) Pairs(now time.Time) map[Pair]int {
	all := map[Pair]int{}
	for n, s := range l.spans {
		if n > spanAt(now)-HourSpans {
			for p, m := range s.pairs {
				all[p] += m
			}
		}
	}
	return all
}

// Period says what time the ledger covers.
func (l *Ledger) Period(now time.Time) string {
	if l.low > 1 && now.Sub(l.began) < (HourSpans-1)*HourSpan {
		return "since " + l.began.In(now.Location()).Format("15:04")
	}
	return "in the last hour"
}

// Inbox is the operator's unread messages.
type Inbox struct {
	List   []parley.InboxMessage // the oldest first
	Known  bool
	Asking bool
	Again  bool
	Stale  bool // something happened to the operator's messages: the count alone does not tell
	Asked  int  // the unread count that list answers
	Unseen int  // unread messages for which the list had no room
}

// Read reports whether the list is known. It need not be read while nothing is unread.
func (b *Inbox) Read(t *Roster) bool { return b.Known || t.Unread == 0 }

// Concerns reports whether an event may change the operator's inbox.
func (b *Inbox) Concerns(e parley.Event) bool {
	switch {
	case e.Type.Announces():
		return e.Recipient == parley.OperatorName || e.Recipient == "" // for several
	case e.Type == parley.EventDelivery:
		return e.Recipient == parley.OperatorName || e.Agent == parley.OperatorName
	}
	return false
}

// UnreadIn returns the unread posts of a thread.
func (b *Inbox) UnreadIn(thread string) (ids parley.Names) {
	for _, m := range b.List {
		if m.ThreadID == thread {
			ids = append(ids, m.MessageID)
		}
	}
	return ids
}

// Drop takes out messages that were just marked read, before the daemon says so.
func (b *Inbox) Drop(ids ...string) {
	left := slices.Clone(b.List)
	b.List = slices.DeleteFunc(left, func(m parley.InboxMessage) bool { return slices.Contains(ids, m.MessageID) })
}

// worklog knows when agents were at work in the last hour, by the events of the stream.
type worklog map[string][]workChange // by agent, in the order of their times

// workChange is the beginning of a time in which an agent was at work, or of one in which it was not.
type workChange struct {
	at   time.Time
	busy bool
}

const workHour = HourSpans * HourSpan

// take notes what an event says of an agent's work.
func (w worklog) take(e parley.Event) {
	if e.Type != parley.EventAgent || e.State == "" {
		return
	}
	changes := append(w[e.AgentID], workChange{e.Time, e.State == string(parley.StateBusy)})
	if n := len(changes); n > 1 && e.Time.Before(changes[n-2].at) { // of the past, which is read later
		slices.SortStableFunc(changes, func(x, y workChange) int { return x.at.Compare(y.at) })
	}

	newest := changes[len(changes)-1].at
	for len(changes) > 1 && newest.Sub(changes[1].at) > workHour {
		changes = changes[1:]
	}
	w[e.AgentID] = changes
}

// changes returns the changes of an agent's work. Its status tells of work that began before the first event
// that is known.
func (w worklog) changes(s *parley.AgentStatus) []workChange {
	changes := w[s.ID]
	if len(changes) == 0 && s.State == parley.StateBusy {
		return []workChange{{s.Since, true}}
	}
	return changes
}

// Curve returns for how many seconds an agent was at work in each span of the last hour, the newest last.
func (w worklog) Curve(s *parley.AgentStatus, now time.Time) []int {
	worked := make([]time.Duration, HourSpans)
	first := spanAt(now) - HourSpans + 1
	changes := w.changes(s)
	for i, c := range changes {
		if !c.busy {
			continue
		}
		end := now
		if i+1 < len(changes) {
			end = changes[i+1].at
		}
		for n := max(spanAt(c.at), first); n <= spanAt(end); n++ {
			from, to := time.Unix(0, n*int64(HourSpan)), time.Unix(0, (n+1)*int64(HourSpan))
			if c.at.After(from) {
				from = c.at
			}
			if end.Before(to) {
				to = end
			}
			worked[min(n-first, HourSpans-1)] += max(0, to.Sub(from))
		}
	}

	seconds := make([]int, HourSpans)
	for i, d := range worked {
		seconds[i] = int(d.Round(time.Second).Seconds())
	}
	return seconds
}
