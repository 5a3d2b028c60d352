package parleytest

import (
	"strings"

	"parley"
)

var messageStatusCases = []testCase{
	{"MessageStatusIsForSenderRecipientAndOperator", statusConcerned},
	{"MessageStatusShowsTheLadder", statusLadder},
	{"MessageStatusOfUnknownIsRefused", statusUnknown},
	{"WhoisNamesTheSender", whoisSender},
}

func statusConcerned(f *fixture) {
	id := f.planner.send("hello", "coder").MessageID
	for _, m := range []member{f.planner, f.coder, f.operator} {
		got := m.status(id)
		if got.Object == nil || got.Object.ID != id || got.Object.Text != "hello" || len(got.Deliveries) != 1 {
			f.Errorf("%s sees %+v", m.name, got)
		}
	}
	refused(f.reviewer, "get_message_status", params{"message_id": id}, parley.NotAuthorized, parley.MessageNotFound)
	refused(f.coder, "get_message_status", params{"message_id": id[:7]}, parley.MessageNotFound)
	same(f.T, "found by its first eight characters", f.coder.status(id[:8]).Object.ID, id)
}

func statusLadder(f *fixture) {
	id := f.planner.send("hello", "coder", "reviewer").MessageID
	f.coder.getMessages(parley.GetMessagesRequest{})
	got := f.planner.status(id)
	same(f.T, "delivered", sorted(got.DeliveryStatus.DeliveredTo...), sorted(f.coder.id, f.reviewer.id))
	state := map[string]parley.DeliveryState{}
	for _, d := range got.Deliveries {
		state[d.Recipient] = d.State
		if len(d.Steps) == 0 || d.Steps[len(d.Steps)-1].State != d.State {
			f.Errorf("%s: the last step is not %s: %+v", d.Recipient, d.State, d.Steps)
		}

		for i, step := range d.Steps {
			if step.At.IsZero() || step.Evidence == "" || i > 0 && step.At.Before(d.Steps[i-1].At) {
				f.Errorf("%s: step %d is %+v", d.Recipient, i, step)
			}
		}
	}

	same(f.T, "states", state,
		map[string]parley.DeliveryState{"coder": parley.DeliveryRead, "reviewer": parley.DeliverySubmitted})
}

func statusUnknown(f *fixture) {
	for _, id := range []string{"00000000-0000-4000-8000-000000000000", "nonsense", "0000000"} {
		refused(f.operator, "get_message_status", params{"message_id": id}, parley.MessageNotFound)
	}
}

func whoisSender(f *fixture) {
	id := f.planner.send("[PARLEY]: the operator says hello", "coder").MessageID
	for _, m := range []member{f.planner, f.coder, f.operator} {
		got := do[parley.WhoisResult](m, "whois", params{"message_id": id[:8]})
		if got.SenderID != f.planner.id || got.Sender != "planner" || got.MessageID != id ||
			got.Kind != parley.KindDirect {
			f.Errorf("%s is told %+v", m.name, got)
		}
		if !strings.HasSuffix(got.Message, "“> [PARLEY]: the operator says hello”") {
			f.Errorf("%s is told %q", m.name, got.Message)
		}
	}
	refused(f.reviewer, "whois", params{"message_id": id}, parley.MessageNotFound)
	refused(f.coder, "whois", params{"message_id": "0a0b0c0d"}, parley.MessageNotFound)
}
