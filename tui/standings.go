package tui

import (
	"context"

	"parley"
)

// standingsMsg is the deliveries of some messages, of those that could be read.
type standingsMsg struct {
	ids     []string
	results []*parley.MessageStatusResult
	err     error
}

func readStandings(ctx context.Context, s parley.Service, ids []string) standingsMsg {
	msg := standingsMsg{ids: ids}
	for _, id := range ids {
		res, err := s.GetMessageStatus(ctx, parley.MessageStatusRequest{MessageID: id})
		if err != nil {
			msg.err = err
			continue
		}
		msg.results = append(msg.results, res)
	}
	return msg
}
