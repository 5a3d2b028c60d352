package orchestrator

import (
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
	"parley/tmux/tmuxtest"
)

func TestMessageThatAnAgentFetchedIsNotTyped(t *testing.T) {
	t.Parallel()
	for name, fetch := range map[string]func(te *testTeam) (got int, err error){
		"get_messages": func(te *testTeam) (int, error) {
			req := parley.GetMessagesRequest{Filters: &parley.MessageFilters{Senders: []string{"operator"}}}
			if err := req.Validate(); err != nil {
				return 0, err
			}
			res, err := op.GetMessages.Call(te.caller("coder"), te, req)
			if err != nil {
				return 0, err
			}
			return len(res.Messages), nil
		},
		"check_inbox": func(te *testTeam) (int, error) {
			res, err := op.CheckInbox.Call(te.caller("coder"), te, parley.CheckInboxRequest{})
			if err != nil {
				return 0, err
			}
			return len(res.Messages), nil
		},
		"check_new_messages": func(te *testTeam) (int, error) {
			res, err := op.CheckNewMessages.Call(te.caller("coder"), te, parley.CheckNewMessagesRequest{})
			return len(res.Messages), err
		},
		"search_messages": func(te *testTeam) (int, error) {
			res, err := op.SearchMessages.Call(te.caller("coder"), te,
				parley.SearchMessagesRequest{Query: "meanwhile", Limit: 5})
			return len(res.Messages), err
		},
		"get_conversation_history": func(te *testTeam) (int, error) {
			res, err := op.GetConversationHistory.Call(te.caller("coder"), te, parley.HistoryRequest{With: "operator"})
			return len(res.Messages), err
		},
		"get_message_status": func(te *testTeam) (int, error) {
			all, err := op.FindMessages.Call(te.caller("operator"), te, parley.FindMessagesRequest{Query: "meanwhile"})
			if err != nil {
				return 0, err
			}
			_, err = op.GetMessageStatus.Call(te.caller("coder"), te,
				parley.MessageStatusRequest{MessageID: all.Messages[0].MessageID})
			return len(all.Messages), err
		},
		"whois": func(te *testTeam) (int, error) {
			all, err := op.FindMessages.Call(te.caller("operator"), te, parley.FindMessagesRequest{Query: "meanwhile"})
			if err != nil {
				return 0, err
			}
			_, err = op.Whois.Call(te.caller("coder"), te, parley.WhoisRequest{MessageID: all.Messages[0].MessageID})
			return len(all.Messages), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, tmuxtest.Agent{})
			s.show("working")
			s.inState("coder", parley.StateBusy)
			first := s.send("coder", "fetched meanwhile")
			if got, err := fetch(s.testTeam); got != 1 || err != nil {
				t.Fatalf("the agent got %d messages, %v", got, err)
			}

			d := s.reach(first, parley.DeliverySubmitted)
			if last := d.Steps[len(d.Steps)-1]; last.Code != parley.ProofFetched ||
				!strings.Contains(last.Evidence, name) {
				t.Errorf("the proof is %+v", last)
			}
			if d.ReadAt != nil {
				t.Error("it counts as read")
			}

			s.show("")
			s.reach(s.send("coder", "typed"), parley.DeliveryRead)
			if got := tmuxtest.WaitMessages(t, s.log, 1); len(got) != 1 || !strings.Contains(got[0].Text, "typed") {
				t.Errorf("the agent was typed %+v, want the second message alone", got)
			}
		})
	}
}

// What was sent while an agent was stopped is in its inbox when it is back. Once it has fetched that, nobody
// is told that it was lost, and a retry does not type it too.
func TestAFailedMessageThatAnAgentFetchedHasArrived(t *testing.T) {
	t.Parallel()
	te := newTeam(t)
	te.launch("coder", "framed", tmuxtest.Agent{})
	te.stop("coder")
	id := te.send("coder", "before you were back")
	te.reach(id, parley.DeliveryFailed)

	log := te.launch("coder", "framed", tmuxtest.Agent{})
	res := must.Have(op.CheckInbox.Call(te.caller("coder"), te, parley.CheckInboxRequest{}))(t)
	if len(res.Messages) != 1 || res.Messages[0].MessageID != id {
		t.Fatalf("its inbox has %+v", res.Messages)
	}

	d := te.reach(id, parley.DeliverySubmitted)
	if last := d.Steps[len(d.Steps)-1]; last.Code != parley.ProofFetched || d.ReadAt != nil {
		t.Errorf("the proof is %+v, read at %v", last, d.ReadAt)
	}
	_, err := op.RetryDelivery.Call(te.operator(), te, parley.RetryDeliveryRequest{MessageID: id})
	if parley.ErrorCode(err) != parley.AlreadyDelivered {
		t.Errorf("a retry gave %v", err)
	}
	te.wantMessages(log, 0)
}
