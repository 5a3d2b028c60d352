package tui

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

const (
	warmEvery = 10 * time.Second // a conversation's temperature is asked for anew
	warmPage  = 20               // conversations in one go
	maxTalks  = 4                // conversations of an agent that are looked at
	coldAfter = 15 * time.Minute // of silence: then it need not be asked
)

// warmth is how hot conversations are, those that somebody looks at.
type warmth struct {
	known  map[string]warm   // by conversation: a thread's id, or two agents' with a comma between
	last   map[string][]said // by agent: the conversations in which it spoke, or was spoken to, last
	asking bool
}

type warm struct {
	state       string
	temperature float64
	asked       time.Time
}

type said struct {
	in string
	at time.Time
}

// warmMsg is how hot some are by now.
type warmMsg struct {
	known map[string]warm
	err   error
}

func newWarmth() warmth { return warmth{known: map[string]warm{}, last: map[string][]said{}} }

// hear notes which conversation an agent is in.
func (h *warmth) hear(e parley.Event, r *row) {
	in := r.threadID
	if in == "" && r.toID != "" && r.fromID != "" {
		in = min(r.fromID, r.toID) + "," + max(r.fromID, r.toID)
	}
	if in == "" {
		return
	}

	for _, id := range []string{r.fromID, r.toID} {
		if id != "" {
			others := slices.DeleteFunc(h.last[id], func(s said) bool { return s.in == in })
			h.last[id] = append(others[max(0, len(others)-maxTalks+1):], said{in, e.Time})
		}
	}
}

// of are the conversations that an agent is in: those that are not silent.
func (h *warmth) of(agent string, now time.Time) (in []string) {
	for _, s := range h.last[agent] {
		if now.Sub(s.at) <= coldAfter {
			in = append(in, s.in)
		}
	}
	return in
}

// hottest is that of the conversations which an agent is in.
func (h *warmth) hottest(agent string, now time.Time) (most warm) {
	for _, in := range h.of(agent, now) {
		if w := h.known[in]; w.words() != "" && w.temperature >= most.temperature {
			most = w
		}
	}
	return most
}

// askWarmth asks how hot conversations are of which that is not known, or known from
// some time ago.
func (d *desk) askWarmth(in []string) tea.Cmd {
	if d.warmth.asking || d.link.lost != nil {
		return nil
	}

	var want []string
	for _, id := range in {
		if w, ok := d.warmth.known[id]; id != "" && len(want) < warmPage && (!ok || d.now.Sub(w.asked) >= warmEvery) {
			want = append(want, id)
		}
	}

	if len(want) == 0 {
		return nil
	}

	d.warmth.asking = true
	now := d.now

	return d.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		msg := warmMsg{known: map[string]warm{}}
		for _, id := range want {
			r := parley.ConversationStateRequest{ThreadID: id}
			if len(id) > idLength {
				r = parley.ConversationStateRequest{With: id}
			}

			msg.known[id] = warm{asked: now}
			res, err := s.GetConversationState(ctx, r)
			if err != nil {
				msg.err = err
				continue
			}

			msg.known[id] = warm{state: safeLine(res.State), temperature: res.Temperature, asked: now}
		}

		return msg
	})
}

// idLength is how long an id is: the name of two agents' conversation is longer.
const idLength = 36

func (d *desk) warmed(msg warmMsg) {
	d.warmth.asking = false
	if msg.err != nil {
		d.daemonGone(msg.err)
	}
	for id, w := range msg.known {
		d.warmth.known[id] = w
	}
}

// warmColumns is how wide a temperature is in a list.
const warmColumns = 10

// words say it in shape and word; of what is cold there is nothing to say.
func (w warm) words() string {
	if w.state == "" || w.state == "cold" {
		return ""
	}
	const bars = "▁▂▃▄▅▆▇█"
	return string([]rune(bars)[clamp(int(w.temperature*8), 0, 7)]) + " " + w.state
}
