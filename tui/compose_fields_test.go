package tui

import (
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/tui/room"
)

func TestWritesToSeveralWithPriorityAndADeadline(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("w")
	s.typed("co")
	s.press("tab")
	s.typed("rev")
	s.press("tab", "enter")
	s.shows("to coder, reviewer, ")
	s.press("ctrl+p", "ctrl+p", "ctrl+r")
	s.shows("priority urgent", "answer within 10m ^r")
	s.enters("who takes it?")
	if len(f.sent) != 1 {
		t.Fatalf("sent %+v, want one", f.sent)
	}

	got := f.sent[0]
	if got, want := strings.Join(got.To, " "), agentID("coder")+" "+agentID("reviewer"); got != want {
		t.Errorf("sent to %s, want %s", got, want)
	}
	if got.Priority != parley.PriorityUrgent || got.Type != parley.TypeRequest || !got.RequiresResponse ||
		!got.ResponseDeadline.Equal(noon.Add(10*time.Minute)) {
		t.Errorf("sent %+v", got)
	}

	s.shows("Sent to coder, reviewer: ")
}

func TestRecipientsAreParsed(t *testing.T) {
	for _, c := range []struct {
		names    string
		due      bool
		sent, to string // to one by one
		cast     string // the group of a broadcast
	}{
		{names: "ALL", cast: "everyone"},
		{names: "coder, all", cast: "everyone"},
		{names: "ALL", due: true, to: "ALL"},
		{names: "@builders", cast: "builders"},
		{names: "@builders", due: true, to: "@builders"},
		{names: "@builders scout", to: "@builders " + agentID("scout")},
		{names: "Coder", to: agentID("coder")},
		{names: "nobody", to: "nobody"},
	} {
		s, f := newBusyScreen(t, 120, 40)
		s.press("w")
		s.enters(c.names)
		if c.due {
			s.press("ctrl+r")
		}

		s.enters("hi")
		got, cast := "", ""
		for _, r := range f.sent {
			got = strings.Join(r.To, " ")
		}

		for _, r := range f.casts {
			if cast = r.Group; cast == "" {
				cast = "everyone"
			}
		}

		if got != c.to || cast != c.cast {
			t.Errorf("%q: sent to %q and broadcast to %q, want %q and %q", c.names, got, cast, c.to, c.cast)
		}
	}
}

func TestEditorReturnsTheDraft(t *testing.T) {
	s := newScreen(t, busyTeam(), 100, 30)
	s.press("b")
	s.typed("half")
	s.press("ctrl+o")
	if got, want := s.box(), "half edited"; got != want {
		t.Errorf("the draft is %q, want %q", got, want)
	}

	s.editor = errors.New("exit status 1")
	s.press("ctrl+o")
	s.shows("the editor failed: exit status 1; the draft is unchanged")
	if got, want := s.box(), "half edited"; got != want {
		t.Errorf("after a failed editor the draft is %q, want %q", got, want)
	}
}

func TestDraftSurvivesErrorsAndResizes(t *testing.T) {
	s, f := newBusyScreen(t, 120, 40)
	s.press("w")
	s.enters("coder")
	s.press("ctrl+p")
	s.typed("precious")
	s.blind = true
	f.err = gone
	s.send(room.FeedMsg{Err: gone, At: noon})
	s.press("enter")
	s.shows("no daemon runs here", "precious", "priority high")
	for _, size := range [][2]int{{20, 5}, {60, 20}, {300, 80}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
	}

	s.press("esc", "5", "w")
	s.shows("precious", "to coder", "priority high")
	f.err = nil
	s.press("enter", "enter")
	if len(f.sent) == 0 || f.sent[len(f.sent)-1].Text != "precious" {
		t.Errorf("sent %+v", f.sent)
	}
}

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
