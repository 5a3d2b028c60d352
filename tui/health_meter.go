package tui

import (
	"slices"
	"time"

	"parley"
)

const (
	meterSpan  = 5 * time.Second // what one column of a curve stands for
	meterSpans = 240             // how many are kept: 20 minutes
	meterTimes = 1000            // deliveries that the percentiles are of
	meterOpen  = 2000            // messages at least whose deliveries are awaited
)

// meter counts what the stream tells: it costs the daemon nothing, and begins
// with what the stream was begun with.
type meter struct {
	began time.Time
	seq   int64
	spans map[int64]*span
	took  []time.Duration // from accepted to proven, of the newest typed deliveries
	open  map[string]*passage
	order []string // messages in open, the oldest first
	depth []int    // of the queues, as often as was looked
}

// span is what happened within a few seconds.
type span struct {
	accepted, proven int
	slowest          time.Duration
}

// passage is a message on its way.
type passage struct {
	accepted time.Time
	typed    map[string]bool // recipients into whose terminals it is being typed
}

func newMeter() meter {
	return meter{spans: map[int64]*span{}, open: map[string]*passage{}}
}

func spanOf(at time.Time) int64 { return at.UnixNano() / int64(meterSpan) }

// at is the span of a time. There are no more of them than are shown.
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

// take counts events, each once.
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

// advance follows what is typed; what a mailbox gets takes no time.
func (m *meter) advance(e parley.Event) {
	p, to := m.open[e.MessageID], recipientOf(e)
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

// look notes how deep the queues are.
func (m *meter) look(depth int) {
	if m.depth = append(m.depth, depth); len(m.depth) > 2*meterSpans {
		m.depth = slices.Clone(m.depth[meterSpans:])
	}
}

// percentiles of how long the newest deliveries took; of says of how many.
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

// curve is a figure of the last n spans, the newest last.
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

// within counts the deliveries that were proven within the last while.
func (m *meter) within(now time.Time, while time.Duration) int {
	sum := 0
	for _, n := range m.curve(now, int(while/meterSpan), func(s *span) int { return s.proven }) {
		sum += n
	}
	return sum
}

// sparks draw figures a column each, the highest being full. Nothing is a dot,
// and the least that is something is seen.
func sparks(figures []int) string {
	const bars = "▁▂▃▄▅▆▇█"
	top := 1
	for _, n := range figures {
		top = max(top, n)
	}
	line := make([]rune, len(figures))
	for i, n := range figures {
		if line[i] = '·'; n > 0 {
			line[i] = []rune(bars)[min(n*8/top, 8)-min(1, n*8/top)]
		}
	}
	return string(line)
}
