package threads

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
	"parley/tui/team"
)

// standingsPage is of how many messages the deliveries are read in one go.
const standingsPage = 20

// postStandings is how far each post of a thread came.
type postStandings struct {
	*room.Shared
	rows   map[string]*team.Row // by message
	asking bool
}

// postStandingsMsg is the deliveries of some posts.
type postStandingsMsg struct{ room.StandingsMsg }

// ask reads the deliveries of posts that are not known.
func (x *postStandings) ask(posts []string) tea.Cmd {
	var ids []string
	for _, id := range posts {
		if x.rows[id] == nil && len(ids) < standingsPage {
			ids = append(ids, id)
		}
	}

	if x.asking || len(ids) == 0 {
		return nil
	}

	x.asking = true

	return x.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg {
		return postStandingsMsg{room.ReadStandings(ctx, s, ids)}
	})
}

func (x *postStandings) take(msg postStandingsMsg) {
	x.asking = false
	if msg.Err != nil && x.Link.Gone(msg.Err) || x.rows == nil {
		return
	}

	for _, id := range msg.IDs {
		if x.rows[id] == nil {
			x.rows[id] = &team.Row{ID: id} // not to be asked for again
		}
	}

	for _, res := range msg.Results {
		if res.Object == nil || x.rows[res.Object.ID] == nil {
			continue
		}

		r := x.rows[res.Object.ID]
		r.Count = len(res.Deliveries)
		for _, d := range res.Deliveries {
			r.Moved(d.RecipientID, d.State, d.ReasonCode)
		}
	}
}
