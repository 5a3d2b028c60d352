package store

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

// withResponder returns a store with agents, the last of which is a responder.
func withResponder(t *testing.T, count int) (s *Store, responder string) {
	t.Helper()
	s = openTest(t)
	addAgents(t, s, count)
	a := testAgent(count - 1)
	a.Kind, a.Approval = parley.KindResponder, parley.ApprovalGiven
	a.Responder = &parley.Responder{AutoRespond: true, ResponderConfig: parley.ResponderConfig{ModelID: "scripted"}}
	must.Do(t, s.Responders.SetResponder(t.Context(), a))
	return s, a.ID
}

// askResponder stores a question and, unless answer is "", its answer within the call.
func askResponder(t *testing.T, s *Store, from, responder int, question, answer string) (asked, answered Appended) {
	t.Helper()
	p := post(from, responder)
	p.Message.Text, p.Deliveries[0].State = question, parley.DeliverySubmitted
	asked = send(t, s, p)
	if answer == "" {
		return asked, Appended{}
	}
	r := post(responder, from)
	r.Message.Text, r.Message.InReplyTo, r.Deliveries[0].State = answer, asked.Message.ID, parley.DeliveryRead
	r.Answers = &Answering{MessageID: asked.Message.ID}
	r.Forgets = question == parley.CommandReset
	return asked, send(t, s, r)
}

func TestDecisionsAreKeptWithTheirDeliveries(t *testing.T) {
	s, dm := withResponder(t, 3)
	thread := openThread(t, s, 1, 2)
	decided := parley.ConversationDecision{
		AgentID:       dm,
		Agent:         agentName(2),
		ShouldRespond: true,
		Reason:        "mentioned-by-ai",
		Confidence:    0.95,
		Factors:       &parley.ConversationFactors{MentionedByAI: true, RelevanceScore: 0.5},
	}

	p := threadPost(thread, 0)
	p.Reach = func([]string) ([]NewDelivery, error) {
		return []NewDelivery{
			{RecipientID: agentID(1), State: parley.DeliverySubmitted},
			{RecipientID: dm, State: parley.DeliverySubmitted, Decision: &decided},
		}, nil
	}

	id := send(t, s, p).Message.ID
	by, err := s.Responders.Decisions(t.Context(), id)
	if d := cmp.Diff(map[string]parley.ConversationDecision{dm: decided}, by); d != "" || err != nil {
		t.Errorf("%v: %s", err, d)
	}

	items, err := s.Responders.NotAnswered(t.Context())
	if err != nil || len(items) != 1 || cmp.Diff(&decided, items[0].Delivery.Decision) != "" {
		t.Errorf("not answered are %+v, %v", items, err)
	}
}

func TestReplyWithinCallIsNoTurn(t *testing.T) {
	s, _ := withResponder(t, 2)
	asked, _ := askResponder(t, s, 0, 1, "q", "a")
	_, err := s.Messages.Append(
		t.Context(),
		Post{Message: parley.Message{ID: "5f0c21aa-0000-4000-8000-000000000001", Kind: parley.KindDirect,
			SenderID: agentID(1), ChainID: "c", Text: "in the call"}, Event: parley.EventDirectMessage,
			Deliveries: []NewDelivery{{RecipientID: agentID(0), State: parley.DeliveryRead}}},
	)

	must.Do(t, err)
	later := post(1, 0)
	later.Message.ChainID = "c"
	send(t, s, later)

	turns, err := s.Conversations.Turns(t.Context(), asked.Message.Timestamp.Add(-time.Hour), 100)
	if err != nil || len(turns) != 1 || turns[0].MessageID != later.Message.ID {
		t.Errorf("turns are %+v, %v", turns, err)
	}
}
