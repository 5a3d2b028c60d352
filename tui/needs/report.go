package needs

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/room"
)

// report is what the daemon says that a person is needed for, and the requests for it.
type report struct {
	room   *room.Shared
	asking bool // one request runs at a time
	needs  []parley.Need
	count  int // the daemon's count that needs answer
}

// needsMsg is the daemon's list.
type needsMsg struct {
	list  []parley.Need
	count int // for which it was read
	err   error
}

func readNeeds(count int) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		res, err := op.GetNeeds.Call(ctx, s, parley.GetNeedsRequest{})
		if err != nil {
			return needsMsg{err: err}
		}
		return needsMsg{list: res.Needs, count: count}
	}
}

// ask reads the list while a screen shows it, and else when the daemon counts another number: the
// bar counts matters. read says that it was read before.
func (r *report) ask(read bool) tea.Cmd {
	count := 0
	if r.room.Link.Status != nil {
		count = r.room.Link.Status.Needs
	}
	shown := r.room.At == room.AtNeeds || r.room.At == room.AtAgents && r.room.Team.AnyAsks()
	if r.asking || !shown && r.count == count && (read || count == 0) {
		return nil
	}
	r.asking = true
	return r.room.Do.Call(readNeeds(count))
}

// take takes an answer. After an error the last one stays.
func (r *report) take(msg needsMsg) {
	if r.asking = false; msg.err == nil {
		r.needs, r.count = msg.list, msg.count
		r.room.Team.Asked = map[string]*parley.Dialog{}
		for i := range r.needs {
			if x := &r.needs[i]; x.Dialog != nil {
				r.room.Team.Asked[x.AgentID] = x.Dialog
			}
		}
	}
}

// sees notes what stands on the screen of an agent now, whose options are not known.
func (r *report) sees(agent string, screen []string) {
	for i := range r.needs {
		if x := &r.needs[i]; x.AgentID == agent && x.Kind == parley.NeedDialog {
			x.Screen = screen
		}
	}
}
