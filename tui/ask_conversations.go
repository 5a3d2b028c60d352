package tui

import (
	"context"
	"maps"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// temperaturesMsg is what was read.
type temperaturesMsg struct {
	known map[string]temperature
	err   error
}

// askTemperatures reads those of the named conversations that are unknown or
// too old.
func (d *shared) askTemperatures(in ...string) tea.Cmd {
	t, now := &d.temperatures, d.now
	if t.asking || d.link.lost != nil {
		return nil
	}

	var want []string
	for _, id := range in {
		x, ok := t.known[id]
		if id != "" && len(want) < temperaturePage && (!ok || now.Sub(x.read) >= temperatureAge) {
			want = append(want, id)
		}
	}

	if len(want) == 0 {
		return nil
	}

	t.asking = true

	return d.do.call(func(ctx context.Context, s parley.Service) tea.Msg {
		msg := temperaturesMsg{known: map[string]temperature{}}
		for _, id := range want {
			r := parley.ConversationStateRequest{ThreadID: id}
			if len(id) > idLength {
				r = parley.ConversationStateRequest{With: id}
			}

			res, err := s.GetConversationState(ctx, r)
			if err != nil {
				msg.err, res = err, nil
			}

			msg.known[id] = temperature{state: res, read: now}
		}

		return msg
	})
}

func (d *shared) takeTemperatures(msg temperaturesMsg) {
	d.temperatures.asking = false
	if msg.err != nil {
		d.link.gone(msg.err)
	}
	maps.Copy(d.temperatures.known, msg.known)
}
