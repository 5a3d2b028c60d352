package needs

import (
	"context"
	"encoding/json"
	"fmt"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
)

// SteerAgent does op.SteerAgent. Guidance is delivered like
// every message; only its header differs.
func (ops *Service) SteerAgent(
	ctx context.Context, req parley.SteerAgentRequest,
) (*parley.SendMessageResult, error) {
	from, err := ops.Roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	to, err := ops.Roster.Find(req.Agent)
	if err != nil {
		return nil, err
	}

	if to == from || to.Kind == parley.KindHuman {
		return nil, parley.Errorf(parley.InvalidRecipient, "%s cannot be steered by %s", to.Name, from.Name).
			Suggest("Name another agent; get_agent_status lists them.")
	}

	d, err := guidance(to, req.Kind, req.Text, req.IdempotencyKey)
	if err != nil {
		return nil, err
	}

	stored, err := ops.Admission.Admit(ctx, from, d)
	if err != nil {
		return nil, err
	}
	if err := ops.Admission.Await(ctx, &stored, req.WaitSeconds); err != nil {
		return nil, err
	}

	return ops.Admission.Receipt(stored), nil
}

// guidance returns the draft of a steering message. The kind is one of the kinds of
// parley.Guidance.
func guidance(to *team.Member, kind, text, key string) (admission.Draft, error) {
	data, err := json.Marshal(parley.Guidance{Kind: kind})
	if err != nil {
		return admission.Draft{}, fmt.Errorf("encode the guidance: %w", err)
	}
	return admission.Draft{Recipients: []*team.Member{to}, Key: key, Message: parley.Message{Kind: parley.KindSteering,
		Type: parley.TypeInformation, Priority: parley.PriorityHigh, Text: text, Data: data}}, nil
}
