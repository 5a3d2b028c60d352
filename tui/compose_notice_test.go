package tui

import (
	"testing"

	"parley"
)

// notified emits a notice of parley, and returns the team.
func notified(to, about string) *fakeService {
	f := newFake()
	f.agent("coder", parley.StateIdle, 0, 0, "")
	f.agent("tester", parley.StateIdle, 0, 0, "")
	asked := f.say(1, "coder", []string{"tester"}, "Which line?", "normal", parley.DeliveryRead)
	if about == "asked" {
		about = asked
	}
	f.say(2, parley.SystemName, []string{to}, "tester has not answered", "normal", parley.DeliveryRead)
	f.events[len(f.events)-2].InReplyTo = about
	f.events[len(f.events)-2].Kind = parley.KindNotice
	return f
}

func TestReplyToANoticeAnswersWhatItIsAbout(t *testing.T) {
	for _, to := range []string{"coder", parley.OperatorName} {
		f := notified(to, "asked")
		s := newScreen(t, f, 120, 30)
		s.shows("tester has not answered", "r replies to coder")
		s.press("r")
		s.shows("Reply to coder about “Which line?”")
		s.enters("The second.")
		if len(f.sent) != 1 || f.sent[0].InReplyTo != f.events[0].MessageID || f.sent[0].To[0] != agentID("coder") {
			t.Errorf("sent %+v, want a reply to coder's message", f.sent)
		}
	}
}

func TestNoticeThatIsAboutNothingHereIsNotRepliedTo(t *testing.T) {
	for about, want := range map[string]string{
		"": "c writes to an agent.", "0badcafe-1111-4111-8111-111111111111": "parley reply 0badcafe",
	} {
		s := newScreen(t, notified(parley.OperatorName, about), 120, 30)
		s.hides("replies to")
		s.press("r")
		s.shows("parley reads no replies", want)
		s.press("c")
		s.hides("To parley")
	}
}

func TestWritingWhereANoticeIsGoesToItsRecipient(t *testing.T) {
	s := newScreen(t, notified("tester", "asked"), 120, 30)
	s.press("c")
	s.shows("To tester")
}

func TestReplyToALetterOfParleyAnswersWhatItIsAbout(t *testing.T) {
	f := notified("coder", "asked")
	f.letters = []parley.InboxMessage{{MessageID: "n1", Sender: parley.SystemName, InReplyTo: f.events[0].MessageID,
		Content: "tester has not answered", Timestamp: noon}}
	f.agents = append(f.agents, parley.AgentStatus{Agent: parley.Agent{ID: operatorID, Name: parley.OperatorName,
		Kind: parley.KindHuman}, Unread: 1})
	s := newScreen(t, f, 120, 30)
	s.press("4")
	s.shows("r replies to coder")
	s.press("enter")
	s.shows("Reply to coder about “Which line?”")
}
