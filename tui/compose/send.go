package compose

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/tui/room"
	"parley/tui/team"
)

// parcel is a draft with its recipients parsed.
type parcel struct {
	room.Draft
	ids      []string
	group    string
	everyone bool
}

func newParcel(d room.Draft, t *team.Roster) parcel {
	p := parcel{Draft: d}
	if d.Names != d.First {
		p.Label = "To " + strings.TrimRight(string(d.Names), ", ")
	} else if d.To.Agent != "" {
		p.ids = []string{d.To.Agent}
		return p
	}

	p.ids, p.group, p.everyone = t.Recipients(string(d.Names))

	return p
}

// send returns the request that sends the parcel.
func (p parcel) send(now func() time.Time) room.Request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := room.SentMsg{Draft: p.Draft}
		switch {
		case p.To.Steer:
			r := parley.SteerAgentRequest{Agent: p.To.Agent, Text: p.Text, IdempotencyKey: p.Key}
			if res, err := op.SteerAgent.Call(ctx, s, r); err != nil {
				msg.Err = err
			} else {
				msg.ID, msg.Deliveries = res.MessageID, res.Deliveries
			}
		case (p.everyone || p.group != "") && p.Due == 0:
			r := parley.BroadcastMessageRequest{
				Text: p.Text, Group: p.group, Priority: p.Prio, IdempotencyKey: p.Key,
			}
			if res, err := op.BroadcastMessage.Call(ctx, s, r); err != nil {
				msg.Err = err
			} else {
				msg.ID, msg.Deliveries = res.MessageID, res.Deliveries
			}
		default:
			if res, err := op.SendMessage.Call(ctx, s, p.request(now())); err != nil {
				msg.Err = err
			} else {
				msg.ID, msg.Deliveries = res.MessageID, res.Deliveries
			}
		}

		return msg
	}
}

func (p parcel) request(now time.Time) parley.SendMessageRequest {
	r := parley.SendMessageRequest{
		To:             p.ids,
		ThreadID:       p.To.Thread,
		Text:           p.Text,
		Priority:       p.Prio,
		InReplyTo:      p.To.ReplyTo,
		IdempotencyKey: p.Key,
	}

	if p.everyone {
		r.To = parley.Names{parley.Everyone}
	}

	if p.Due > 0 {
		deadline := now.Add(p.Due)
		r.RequiresResponse, r.ResponseDeadline, r.Type = true, &deadline, parley.TypeRequest
	}

	return r
}
