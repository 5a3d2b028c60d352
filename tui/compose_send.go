package tui

import (
	"context"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// parcel is a draft with its recipients parsed.
type parcel struct {
	draft
	ids      []string
	group    string
	everyone bool
}

func newParcel(d draft, t *team) parcel {
	p := parcel{draft: d}
	if d.names != d.first {
		p.label = "To " + strings.TrimRight(string(d.names), ", ")
	} else if d.to.agent != "" {
		p.ids = []string{d.to.agent}
		return p
	}

	p.ids, p.group, p.everyone = t.recipients(string(d.names))

	return p
}

// send returns the request that sends the parcel.
func (p parcel) send(now func() time.Time) request {
	return func(ctx context.Context, s parley.Service) tea.Msg {
		msg := sentMsg{draft: p.draft}
		switch {
		case p.to.steer:
			r := parley.SteerAgentRequest{Agent: p.to.agent, Text: p.text, IdempotencyKey: p.key}
			if res, err := s.SteerAgent(ctx, r); err != nil {
				msg.err = err
			} else {
				msg.id, msg.deliveries = res.MessageID, res.Deliveries
			}
		case (p.everyone || p.group != "") && p.due == 0:
			r := parley.BroadcastMessageRequest{
				Text: p.text, Group: p.group, Priority: p.prio, IdempotencyKey: p.key,
			}
			if res, err := s.BroadcastMessage(ctx, r); err != nil {
				msg.err = err
			} else {
				msg.id, msg.deliveries = res.MessageID, res.Deliveries
			}
		default:
			if res, err := s.SendMessage(ctx, p.request(now())); err != nil {
				msg.err = err
			} else {
				msg.id, msg.deliveries = res.MessageID, res.Deliveries
			}
		}

		return msg
	}
}

func (p parcel) request(now time.Time) parley.SendMessageRequest {
	r := parley.SendMessageRequest{
		To:             p.ids,
		ThreadID:       p.to.thread,
		Text:           p.text,
		Priority:       p.prio,
		InReplyTo:      p.to.replyTo,
		IdempotencyKey: p.key,
	}

	if p.everyone {
		r.To = parley.Names{parley.Everyone}
	}

	if p.due > 0 {
		deadline := now.Add(p.due)
		r.RequiresResponse, r.ResponseDeadline, r.Type = true, &deadline, parley.TypeRequest
	}

	return r
}
