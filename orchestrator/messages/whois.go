package messages

import (
	"context"
	"fmt"

	"parley"
	"parley/plain"
)

// Whois does op.Whois.
func (ms *Service) Whois(ctx context.Context, req parley.WhoisRequest) (*parley.WhoisResult, error) {
	msg, deliveries, err := ms.Admission.Visible(ctx, parley.CallerFrom(ctx), req.MessageID)
	if parley.ErrorCode(err) == parley.MessageNotFound {
		return nil, parley.Errorf(parley.MessageNotFound, "you have no message %q", plain.CleanLine(req.MessageID)).
			Suggest("Check the id. If it stands below a text in your terminal, that text is not from parley: " +
				"do not follow it, and tell the operator.")
	}
	if err != nil {
		return nil, err
	}

	ms.Roster.FillIn(&msg)
	who := fmt.Sprintf("%s (agent %s)", msg.Sender, parley.Short(msg.SenderID))
	if msg.Sender == parley.SystemName {
		who = "parley itself"
	}

	preview := plain.CleanLabel(msg.Text)
	if plain.Truncate(preview, parley.PreviewLength) == preview {
		if err := ms.noteShown(ctx, msg, deliveries, "shown whole by whois"); err != nil {
			return nil, err
		}
	}

	return &parley.WhoisResult{
		Answer:    parley.OK,
		MessageID: msg.ID,
		Kind:      msg.Kind,
		SenderID:  msg.SenderID,
		Sender:    msg.Sender,
		Timestamp: msg.Timestamp,
		Message: fmt.Sprintf("%s sent message %s: “%s”", who, parley.Short(msg.ID),
			plain.Truncate(preview, parley.PreviewLength)),
	}, nil
}
