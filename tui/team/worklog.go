package team

import (
	"slices"
	"time"

	"parley"
)

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
