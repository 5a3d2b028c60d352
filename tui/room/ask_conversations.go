package room

import (
	"context"
	"maps"
	"reflect"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/team"
)

// TemperaturesMsg is what was read.
type TemperaturesMsg struct {
	known map[string]team.Temperature
	err   error
}

// AskTemperatures reads those of the named conversations that are unknown or
// too old.
func (d *Shared) AskTemperatures(in ...string) tea.Cmd {
	t, now := &d.Temperatures, d.Now
	if t.Asking || d.Link.Lost != nil {
		return nil
	}

	var want []string
	for _, id := range in {
		if id != "" && len(want) < team.TemperaturePage && t.Due(id, now) {
			want = append(want, id)
		}
	}

	if len(want) == 0 {
		return nil
	}

	t.Asking = true

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		msg := TemperaturesMsg{known: map[string]team.Temperature{}}
		for _, id := range want {
			r := parley.ConversationStateRequest{ThreadID: id}
			if len(id) > team.IdLength {
				r = parley.ConversationStateRequest{With: id}
			}

			res, err := op.GetConversationState.Call(ctx, s, r)
			if err != nil {
				msg.err, res = err, nil
			}

			msg.known[id] = team.Temperature{State: res, Read: now}
		}

		return msg
	})
}

// TakeTemperatures takes what was read of conversations, and reports whether that changes what is shown.
func (d *Shared) TakeTemperatures(msg TemperaturesMsg) (changed bool) {
	d.Temperatures.Asking = false
	if msg.err != nil {
		d.Link.Gone(msg.err)
		changed = true
	}
	for in, x := range msg.known {
		changed = changed || !reflect.DeepEqual(x.State, d.Temperatures.Known[in].State)
	}
	maps.Copy(d.Temperatures.Known, msg.known)
	return changed
}
