package messages

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// urgencies maps the urgency of an update to the priority of its message and whether it
// requires a response.
var urgencies = map[string]struct {
	priority parley.Priority
	required bool
}{
	"info":            {parley.PriorityNormal, false},
	"attention":       {parley.PriorityHigh, false},
	"action_required": {parley.PriorityHigh, true},
	"critical":        {parley.PriorityUrgent, false},
}

// assistance is what agents ask of all who can help, and what they tell them.
type assistance struct {
	admission *admission.Admission
	roster    *team.Roster
	now       func() time.Time
}

func (as *assistance) BroadcastUpdate(
	ctx context.Context, req parley.BroadcastUpdateRequest,
) (*parley.BroadcastUpdateResult, error) {
	from, err := as.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	urgency := urgencies[cmp.Or(req.Urgency, "info")]
	due, err := as.admission.Due(urgency.required, nil)
	if err != nil {
		return nil, err
	}

	data, err := json.Marshal(struct {
		UpdateType string               `json:"update_type"`
		Content    parley.UpdateContent `json:"content"`
		Urgency    string               `json:"urgency"`
	}{req.UpdateType, req.Content, cmp.Or(req.Urgency, "info")})
	if err != nil {
		return nil, fmt.Errorf("encode the update: %w", err)
	}

	stored, err := as.admission.Admit(ctx, from, admission.Draft{
		Recipients: as.admission.Addressees.Everyone(from),
		Implicit:   true,
		Key:        req.IdempotencyKey,
		Message: parley.Message{
			Kind:             parley.KindBroadcast,
			Type:             parley.TypeInformation,
			Priority:         urgency.priority,
			Text:             updateText(&req),
			Data:             data,
			RequiresResponse: due != nil,
			ResponseDeadline: due,
		},
	})
	if err != nil {
		return nil, err
	}

	res := &parley.BroadcastUpdateResult{
		Answer:         parley.OK,
		BroadcastID:    stored.Message.ID,
		Recipients:     []string{},
		Timestamp:      stored.Message.Timestamp,
		DeliveryStatus: parley.SumUp(stored.Deliveries),
	}
	for _, d := range stored.Deliveries {
		res.Recipients = append(res.Recipients, d.RecipientID)
	}

	return res, nil
}

// updateText formats an update as terminals show it.
func updateText(req *parley.BroadcastUpdateRequest) string {
	text := fmt.Sprintf("update (%s): %s", req.UpdateType, plain.CleanLine(req.Content.Summary))
	text += labelled("", req.Content.Details) + labelled("Impact: ", req.Content.Impact)
	if req.Content.ActionRequired {
		text += "\nAction is required."
	}
	return text
}

// labelled returns text on a line of its own behind label, or "" if text is blank.
func labelled(label, text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return "\n" + label + text
}

func (as *assistance) RequestAssistance(
	ctx context.Context, req parley.RequestAssistanceRequest,
) (*parley.RequestAssistanceResult, error) {
	from, err := as.roster.Caller(ctx)
	if err != nil {
		return nil, err
	}

	to, everyone, err := as.helpers(from, &req)
	if err != nil {
		return nil, err
	}

	due, err := as.due(ctx, from, &req)
	if err != nil {
		return nil, err
	}

	kind, responder := parley.KindBroadcast, (*team.Member)(nil)
	if len(to) == 1 && !everyone {
		kind, responder = parley.KindDirect, admission.OnlyResponder(to[0])
	}

	d := admission.Draft{
		Recipients: to,
		Implicit:   everyone || len(req.TargetAgents) == 0,
		Key:        req.IdempotencyKey,
		Deadline:   req.RequestDetails.Deadline,
		Message: parley.Message{
			Kind:             kind,
			Type:             parley.TypeRequest,
			Priority:         cmp.Or(req.RequestDetails.Priority, parley.PriorityNormal),
			Text:             assistanceText(&req),
			RequiresResponse: true,
			ResponseDeadline: due,
		},
	}

	// A responder answers with a message, as everyone does. If its model fails, it still owes
	// the answer.
	send := func(d admission.Draft) (store.Appended, error) { return as.admission.Admit(ctx, from, d) }
	stored, _, err := as.admission.Answered(ctx, responder, false, d, send)
	if err != nil && parley.ErrorCode(err) != parley.ModelUnavailable {
		return nil, err
	}

	return &parley.RequestAssistanceResult{
		Answer:              parley.OK,
		RequestID:           stored.Message.ID,
		Timestamp:           stored.Message.Timestamp,
		PotentialResponders: as.rankHelpers(to, req.RequiredCapabilities),
		BroadcastSent:       everyone,
		DeliveryStatus:      parley.SumUp(stored.Deliveries),
		ResponseDeadline:    stored.Message.ResponseDeadline,
	}, nil
}

// due returns the deadline of a request for assistance.
func (as *assistance) due(
	ctx context.Context, from *team.Member, req *parley.RequestAssistanceRequest,
) (*time.Time, error) {
	deadline := req.RequestDetails.Deadline
	due, err := as.admission.Due(true, deadline)
	if err == nil {
		return due, nil
	}

	err = parley.AsError(err).With("parameter", "request_details.deadline")
	return as.admission.DueBefore(ctx, from, req.IdempotencyKey, deadline, err)
}

// helpers returns the agents to ask: the targets if any are named, else the agents with a
// required capability, else everyone.
func (as *assistance) helpers(
	from *team.Member, req *parley.RequestAssistanceRequest,
) (to []*team.Member, everyone bool, err error) {
	if len(req.TargetAgents) > 0 {
		to, err = as.admission.Addressees.Recipients(from, req.TargetAgents)
		return to, admission.IsEveryone(req.TargetAgents), err
	}

	all := as.admission.Addressees.Everyone(from)
	if len(req.RequiredCapabilities) == 0 {
		return all, true, nil
	}

	for _, m := range all {
		if capabilityMatch(req.RequiredCapabilities, m.Agent().Capabilities) > 0 {
			to = append(to, m)
		}
	}

	if len(to) == 0 {
		return all, true, nil
	}

	return to, false, nil
}

// rankHelpers lists members by how well they match the required capabilities, then by
// availability, best first.
func (as *assistance) rankHelpers(members []*team.Member, required []string) []parley.PotentialHelp {
	readiness := []parley.Availability{parley.Available, parley.Busy, parley.Unavailable}
	list := make([]parley.PotentialHelp, 0, len(members))
	now := as.now()
	for _, m := range members {
		a := m.Agent()
		list = append(list, parley.PotentialHelp{AgentID: m.ID, Agent: m.Name, Role: a.Role,
			CapabilityMatch: capabilityMatch(required, a.Capabilities), Availability: a.AvailabilityAt(now)})
	}

	slices.SortStableFunc(list, func(a, b parley.PotentialHelp) int {
		return cmp.Or(cmp.Compare(b.CapabilityMatch, a.CapabilityMatch),
			slices.Index(readiness, a.Availability)-slices.Index(readiness, b.Availability))
	})

	return list
}

// capabilityMatch returns the share, from 0 to 1, of the required capabilities that an agent
// has. Case does not matter, and a capability that only shares a word counts half. If nothing
// is required the result is 1.
func capabilityMatch(required, has []string) float64 {
	if len(required) == 0 {
		return 1
	}

	sum := 0.0
	for _, r := range required {
		best := 0.0
		for _, h := range has {
			switch {
			case strings.EqualFold(plain.CleanLine(r), h):
				best = 1
			case best == 0 && shareWord(r, h):
				best = 0.5
			}
		}

		sum += best
	}

	return sum / float64(len(required))
}

// wordStem is the number of characters that a prefix needs to match a longer word. Shorter
// prefixes match too many unrelated words.
const wordStem = 4

// shareWord reports whether a word of one string equals, or is a prefix of, a word of the
// other, as in "test" and "unit testing".
func shareWord(a, b string) bool {
	begins := func(word, stem string) bool {
		return word == stem || utf8.RuneCountInString(stem) >= wordStem && strings.HasPrefix(word, stem)
	}

	words := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(s),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '+' && r != '#' })
	}

	for _, x := range words(a) {
		for _, y := range words(b) {
			if begins(x, y) || begins(y, x) {
				return true
			}
		}
	}

	return false
}

// assistanceText formats a request for assistance as terminals show it.
func assistanceText(req *parley.RequestAssistanceRequest) string {
	text := fmt.Sprintf("request for %s: %s", req.AssistanceType, strings.TrimSpace(req.RequestDetails.Description))
	text += labelled("Context: ", req.RequestDetails.Context)
	return text + labelled("Needed: ", strings.Join(plain.CleanLines(req.RequiredCapabilities), ", "))
}
