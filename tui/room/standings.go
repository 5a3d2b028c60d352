package room

import (
	"context"

	"parley"
	"parley/op"
)

// StandingsMsg is the deliveries of some messages, of those that could be read.
type StandingsMsg struct {
	IDs     []string
	Results []*parley.MessageStatusResult
	Err     error
}

// ReadStandings reads the deliveries of messages.
func ReadStandings(ctx context.Context, s parley.Service, ids []string) StandingsMsg {
	msg := StandingsMsg{IDs: ids}
	for _, id := range ids {
		res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.Err = err
			continue
		}
		msg.Results = append(msg.Results, res)
	}
	return msg
}
