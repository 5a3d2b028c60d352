package health

import (
	"slices"
	"time"

	"parley"
	"parley/tui/team"
)

const (
	meterSpan  = 5 * time.Second // that one column of a curve covers
	meterSpans = 240             // that are kept at least: 20 minutes
	meterTimes = 1000            // deliveries that the percentiles cover
	meterOpen  = 2000            // messages at least whose deliveries are awaited
)

// meter counts the events of the stream, which costs the daemon nothing. Its
// figures begin with the first event that the screen read.
type meter struct {
	began time.Time
	seq   int64
	spans map[int64]*span
	took  []time.Duration // from accepted to proven, of the newest typed deliveries
	open  map[string]*passage
	order []string // messages in open, the oldest first
	depth []int    // of the queues, at each look
}

// span counts what happened within meterSpan.
type span struct {
	accepted, proven int
	slowest          time.Duration
}

// passage is a message whose deliveries are under way.
type passage struct {
	accepted time.Time
	typed    map[string]bool // recipients into whose terminals it is being typed
}

func newMeter() meter {
	return meter{spans: map[int64]*span{}, open: map[string]*passage{}}
}

func spanOf(at time.Time) int64 { return at.UnixNano() / int64(meterSpan) }

// at returns the span of a time. It drops spans that are no longer shown.
func (m *meter) at(at time.Time) *span {
	n := spanOf(at)
	s := m.spans[n]
	if s == nil {
		s = &span{}
		m.spans[n] = s
		if len(m.spans) > 2*meterSpans {
			for old := range m.spans {
				if old < n-meterSpans {
					delete(m.spans, old)
				}
			}
		}
	}

	return s
}

// take counts events, each of them once.
func (m *meter) take(events []parley.Event) {
	for _, e := range events {
		if e.Seq <= m.seq {
			continue
		}

		m.seq = e.Seq
		if m.began.IsZero() {
			m.began = e.Time
		}

		switch {
		case e.Type.Announces():
			m.accept(e)
		case e.Type == parley.EventDelivery:
			m.advance(e)
		}
	}
}

func (m *meter) accept(e parley.Event) {
	m.at(e.Time).accepted++
	m.open[e.MessageID] = &passage{accepted: e.Time, typed: map[string]bool{}}
	if m.order = append(m.order, e.MessageID); len(m.order) > 2*meterOpen {
		for _, id := range m.order[:meterOpen] {
			delete(m.open, id)
		}
		m.order = slices.Clone(m.order[meterOpen:])
	}
}

// advance times deliveries that are typed. Those to a mailbox take no time.
func (m *meter) advance(e parley.Event) {
	p, to := m.open[e.MessageID], team.RecipientOf(e)
	if p == nil {
		return
	}

	switch s := parley.DeliveryState(e.State); {
	case s == parley.DeliveryTyping:
		p.typed[to] = true
	case s.Delivered() && p.typed[to]:
		delete(p.typed, to)
		took := e.Time.Sub(p.accepted)
		at := m.at(e.Time)
		at.proven++
		at.slowest = max(at.slowest, took)
		if m.took = append(m.took, took); len(m.took) > 2*meterTimes {
			m.took = slices.Clone(m.took[meterTimes:])
		}
	}
}

// look records how deep the queues are.
func (m *meter) look(depth int) {
	if m.depth = append(m.depth, depth); len(m.depth) > 2*meterSpans {
		m.depth = slices.Clone(m.depth[meterSpans:])
	}
}

// percentiles returns how long the newest deliveries took, and how many there are.
func (m *meter) percentiles(which ...int) (times []time.Duration, of int) {
	sorted := slices.Sorted(slices.Values(m.took[max(0, len(m.took)-meterTimes):]))
	if len(sorted) == 0 {
		return nil, 0
	}
	for _, p := range which {
		times = append(times, sorted[(len(sorted)-1)*p/100])
	}
	return times, len(sorted)
}

// curve returns a figure of the last n spans, the newest last.
func (m *meter) curve(now time.Time, n int, of func(*span) int) []int {
	last := spanOf(now)
	figures := make([]int, n)
	for i := range figures {
		if s := m.spans[last-int64(n-1-i)]; s != nil {
			figures[i] = of(s)
		}
	}
	return figures
}

// within counts the deliveries that were proven in the last while.
func (m *meter) within(now time.Time, while time.Duration) int {
	sum := 0
	for _, n := range m.curve(now, int(while/meterSpan), func(s *span) int { return s.proven }) {
		sum += n
	}
	return sum
}
