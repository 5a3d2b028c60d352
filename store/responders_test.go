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

func TestUsageSumsCallsUpByAgent(t *testing.T) {
	s, dm := withResponder(t, 2)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	asked, _ := askResponder(t, s, 0, 1, "q", "")
	call := func(i int, reason parley.ModelReason, u parley.Usage) ModelCall {
		return ModelCall{
			CallerID: agentID(0),
			ModelCall: parley.ModelCall{AgentID: dm, MessageID: asked.Message.ID, Model: "scripted",
				At: at.Add(time.Duration(i) * time.Minute), Reason: reason, Usage: u},
		}
	}

	must.Do(t,
		s.Responders.Unanswered(t.Context(),
			call(0, parley.ModelQuota, parley.Usage{Requests: 3, Latency: time.Second}), "quota"))

	must.Do(t, s.Responders.Unanswered(
		t.Context(),
		call(1, parley.ModelSlow,
			parley.Usage{Requests: 1, InputTokens: 5, Latency: 2 * time.Second, Unmeasured: true}),
		"slow",
	))

	r := post(1, 0)
	answer := call(2, "", parley.Usage{Requests: 1, InputTokens: 10, OutputTokens: 3, Latency: 500 * time.Millisecond})
	answer.ReplyID = r.Message.ID
	r.Answers, r.Call = &Answering{MessageID: asked.Message.ID}, &answer
	send(t, s, r)

	agents, calls, err := s.Responders.Usage(t.Context(), UsageQuery{Calls: 2})
	must.Do(t, err)
	want := []parley.AgentUsage{
		{
			AgentID:  dm,
			Agent:    agentName(1),
			Failures: map[string]int{"quota": 1, "slow_answer": 1},
			LastCall: at.Add(2 * time.Minute),
			Spent: parley.Spent{
				Calls:        3,
				Answered:     1,
				Failed:       2,
				InputTokens:  15,
				OutputTokens: 3,
				Requests:     5,
				LatencyMS:    3500,
				Unmeasured:   1,
			},
		},
	}

	if d := cmp.Diff(want, agents); d != "" {
		t.Error(d)
	}

	if len(calls) != 2 || calls[0].ReplyID != r.Message.ID || calls[1].Reason != parley.ModelSlow ||
		calls[0].Caller != agentName(0) {
		t.Errorf("the last calls are %+v", calls)
	}

	agents, calls, err = s.Responders.Usage(t.Context(), UsageQuery{Since: at.Add(time.Minute), AgentID: dm, Calls: 10})
	if err != nil || len(agents) != 1 || agents[0].Calls != 1 || len(calls) != 1 {
		t.Errorf("since the second: %+v, %+v, %v", agents, calls, err)
	}
	if agents, _, err = s.Responders.Usage(t.Context(), UsageQuery{AgentID: agentID(0)}); err != nil ||
		len(agents) != 0 {
		t.Errorf("of another: %+v, %v", agents, err)
	}
}

func TestUnansweredRecordsWhy(t *testing.T) {
	s, dm := withResponder(t, 2)
	call := func(id string) ModelCall {
		return ModelCall{
			CallerID:  agentID(0),
			ModelCall: parley.ModelCall{AgentID: dm, MessageID: id, Model: "scripted", Reason: parley.ModelSlow},
		}
	}

	left, _ := askResponder(t, s, 0, 1, "q", "")
	must.Do(t, s.Responders.Unanswered(t.Context(), call(left.Message.ID), "slow"))
	d, _ := ladder(t, s, left.Message.ID)
	if d.State != parley.DeliverySubmitted || d.Reason != "slow" || len(d.Steps) != 2 {
		t.Errorf("the delivery is %+v", d)
	}

	done, _ := askResponder(t, s, 0, 1, "q2", "a2")
	must.Do(t, s.Responders.Unanswered(t.Context(), call(done.Message.ID), "slow"))
	if d, _ := ladder(t, s, done.Message.ID); d.State != parley.DeliveryAnswered || d.Reason != "" {
		t.Errorf("what was answered is %+v", d)
	}

	items, err := s.Responders.NotAnswered(t.Context())
	if err != nil || len(items) != 1 || items[0].Message.ID != left.Message.ID {
		t.Errorf("not answered are %+v, %v", items, err)
	}
	if c, err := s.Responders.LastCall(t.Context(), done.Message.ID); err != nil || c == nil ||
		c.Reason != parley.ModelSlow {
		t.Errorf("the last call is %+v, %v", c, err)
	}
}
