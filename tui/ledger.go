package tui

import (
	"time"

	"parley"
)

// What one column of an agent's curve covers, and how many there are.
const (
	hourSpan  = 5 * time.Minute
	hourSpans = 12
)

// ledger counts who wrote to whom in the last hour, by the events of the stream.
type ledger struct {
	low, high int64     // the events between are counted
	began     time.Time // the oldest of them
	spans     map[int64]*ledgerSpan
	names     map[string]string // by agent
	work      worklog
	asked     bool
}

// ledgerSpan is what was written within hourSpan.
type ledgerSpan struct {
	of    map[string]int // by agent: messages from it or to it
	pairs map[pair]int
}

// pair is the sender and the recipient of messages; to is "" for several recipients.
type pair struct{ from, to string }

func spanAt(at time.Time) int64 { return at.UnixNano() / int64(hourSpan) }

// take counts an event, once.
func (l *ledger) take(e parley.Event) {
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

// takePast counts the events before those that were counted.
func (l *ledger) takePast(events []parley.Event) {
	low := l.low
	for _, e := range events {
		if e.Seq < low || low == 0 {
			l.count(e)
			l.low, l.high = min(l.low, e.Seq), max(l.high, e.Seq)
		}
	}
}

func (l *ledger) count(e parley.Event) {
	if l.work == nil {
		l.work = worklog{}
	}
	l.work.take(e)
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
		s = &ledgerSpan{of: map[string]int{}, pairs: map[pair]int{}}
		l.spans[n] = s
		for old := range l.spans {
			if old <= n-2*hourSpans {
				delete(l.spans, old)
			}
		}
	}

	l.name(e.SenderID, e.Sender)
	l.name(e.RecipientID, e.Recipient)
	p := pair{from: e.SenderID, to: e.RecipientID}
	if e.ThreadID != "" || e.Type == parley.EventBroadcast || e.RecipientCount > 1 {
		p.to = ""
	}

	s.pairs[p]++
	if s.of[p.from]++; p.to != "" {
		s.of[p.to]++
	}
}

func (l *ledger) name(id, name string) {
	if l.names == nil {
		l.names = map[string]string{}
	}
	if id != "" && l.names[id] == "" {
		l.names[id] = shownName(name, id)
	}
}

// curve returns how many messages an agent wrote and got in each span of the last hour, the newest last.
func (l *ledger) curve(agent string, now time.Time) []int {
	figures, last := make([]int, hourSpans), spanAt(now)
	for i := range figures {
		if s := l.spans[last-int64(hourSpans-1-i)]; s != nil {
			figures[i] = s.of[agent]
		}
	}
	return figures
}

func (l *ledger) sum(agent string, now time.Time) (n int) {
	for _, m := range l.curve(agent, now) {
		n += m
	}
	return n
}

// busiest returns the most messages that an agent had in a span of the last hour.
func (l *ledger) busiest(now time.Time) (most int) {
	for n, s := range l.spans {
		if n > spanAt(now)-hourSpans {
			for _, m := range s.of {
				most = max(most, m)
			}
		}
	}
	return most
}

// pairs counts the messages of the last hour by who wrote to whom.
func (l *ledger) pairs(now time.Time) map[pair]int {
	all := map[pair]int{}
	for n, s := range l.spans {
		if n > spanAt(now)-hourSpans {
			for p, m := range s.pairs {
				all[p] += m
			}
		}
	}
	return all
}

// period says what time the ledger covers.
func (l *ledger) period(now time.Time) string {
	if l.low > 1 && now.Sub(l.began) < (hourSpans-1)*hourSpan {
		return "since " + l.began.In(now.Location()).Format("15:04")
	}
	return "in the last hour"
}
