package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// drawsALot leaves a test out of a short run: make check makes one under the race
// detector, which takes five times as long, and nothing runs at once in such a test.
func drawsALot(tb testing.TB) {
	tb.Helper()
	if testing.Short() {
		tb.Skip("draws a lot, one after the other")
	}
}

func TestShowsTrafficAndAgents(t *testing.T) {
	s := newScreen(t, busyTeam(), 131, 30)
	s.shows(
		"storefront",
		"1 for you",
		"? 1 unconfirmed",
		"‖ 1 held",
		"○ 4 pending",
		"● 2 idle",
		"coder → tester",
		"○‖··· held",
		"○›✓✓· 3/3 read",
		"○›··· 3/4 submitted",
		"○✗··· 1 failed",
		"!! urgent build is red",
		"reviewer → you",
	)

	s.hides("operator")
	s.press("2")
	s.shows(
		"◐ coder",
		"2 unread · 1 queued",
		"held: the pane is in copy mode",
		"claude/opus",
		"1 overdue · 1 owed",
		"→ scout: please check",
	)
}

func TestTeachesWhenThereIsNothing(t *testing.T) {
	s := newScreen(t, newFake(), 80, 24)
	s.shows("No agents yet. Start one:  parley launch coder -- claude", "No messages yet.")
}

func TestDeliveryEventsMoveTheRow(t *testing.T) {
	f := newFake()
	id := f.say(1, "coder", []string{"tester", "reviewer"}, "hello", "normal", parley.DeliveryQueued)
	s := newScreen(t, f, 120, 30)
	s.shows("○···· 2 queued")
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, AgentID: idOf("tester"), State: "submitted"})
	s.news()
	s.shows("○›··· 1/2 submitted")
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, AgentID: idOf("reviewer"), State: "unconfirmed"})
	s.news()
	s.shows("○›?·· 1 unconfirmed")
}

func TestOldEventsChangeNothing(t *testing.T) {
	f := newFake()
	id := f.say(1, "coder", []string{"tester"}, "hello", "normal", parley.DeliveryQueued)
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, AgentID: idOf("tester"), State: "submitted"})
	s := newScreen(t, f, 120, 30)
	before := s.text()
	s.send(feedMsg{events: f.events[:2], at: noon})
	if got := s.text(); got != before {
		t.Errorf("events that were seen before changed the screen:\n%s", got)
	}
}

func TestForgetsTheOldestRows(t *testing.T) {
	tr := newRecord()
	tr.resize(10)
	tr.follow = false
	for i := range maxRows + 1 {
		tr.add(
			[]parley.Event{
				{
					Seq:       int64(i + 1),
					Type:      parley.EventDirectMessage,
					MessageID: fmt.Sprint(i),
					Sender:    "a",
					Recipient: "b",
				},
			},
		)
	}

	if got, want := len(tr.rows), maxRows+1-dropRows; got != want || len(tr.byID) != want {
		t.Errorf("got %d rows and %d ids, want %d", got, len(tr.byID), want)
	}
	if got, want := tr.sel.id, fmt.Sprint(dropRows); got != want {
		t.Errorf("the marker stands on %s, want the oldest that is kept, %s", got, want)
	}
}

func TestThreadPostsAreTraffic(t *testing.T) {
	tr := newRecord()
	tr.resize(10)
	for i, typ := range []parley.EventType{parley.EventThreadCreated, parley.EventThreadMessage, parley.EventThreadUpdated} {
		tr.add(
			[]parley.Event{
				{
					Seq:            int64(i + 1),
					Type:           typ,
					MessageID:      fmt.Sprint(i),
					Sender:         "a",
					ThreadID:       "t",
					Thread:         "the parser",
					RecipientCount: 1 - i%2,
				},
			},
		)
	}

	if len(tr.rows) != 3 || tr.rows[1].to != "#the parser" {
		t.Fatalf("the rows are %+v", tr.rows)
	}
	if got := tr.rows[1].words(); got != "0/0 read" {
		t.Errorf("a post that nobody gets is %q", got)
	}
}

func TestFollowsUntilTheMarkerMoves(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 30)
	s.shows("following")
	s.press("k")
	marked := s.m.traffic.sel
	f.say(20, "coder", []string{"tester"}, "one more", "normal", parley.DeliveryQueued)
	s.news()
	if s.m.traffic.sel != marked {
		t.Error("news took the marker away")
	}

	s.shows("1 new below, f follows")
	s.press("G")
	if got, want := s.m.traffic.sel.text, "one more"; got != want {
		t.Errorf("G went to %q, want %q", got, want)
	}

	s.shows("following")
}

func TestFilterNarrowsAsItIsTyped(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	s.press("/")
	s.typed("held coder")
	s.shows("looking into it now", "1 of 10 match")
	s.hides("Plan for today")
	s.press("enter")
	s.shows("1 of 10 match")
	s.press("esc")
	s.shows("Plan for today")
	s.press("/")
	s.typed("no such thing")
	s.shows("No message matches")
}

func TestDetailShowsTheLadderAndIsKeptUpToDate(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 40)
	s.press("k", "k", "k", "k", "k", "enter")
	s.shows(
		"Message 5f0c0005",
		"tester: held, the pane is in copy mode",
		"11:48:55.120 +120ms  held",
		"pane_in_mode is 1",
	)

	id := s.m.traffic.detail.id
	f.messages[id].Deliveries[0].State = parley.DeliverySubmitted
	f.messages[id].Deliveries[0].Reason = ""
	f.emit(parley.Event{Type: parley.EventDelivery, MessageID: id, AgentID: idOf("tester"), State: "submitted"})
	s.news()
	s.shows("tester: submitted")
	s.press("k")
	s.shows("Message 5f0c0004")
}

func TestDetailOfAnUnknownMessageSaysWhatToDo(t *testing.T) {
	f := newFake()
	f.emit(
		parley.Event{
			Type:      parley.EventDirectMessage,
			MessageID: "deadbeef-1",
			Sender:    "a",
			Recipient: "b",
			Preview:   "x",
			Time:      noon,
		},
	)

	s := newScreen(t, f, 120, 40)
	s.press("enter")
	s.shows("✗ no message deadbeef", "Look at the list again.")
}

func TestOpeningMarksTheOperatorsMailRead(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 40)
	s.press("k", "k", "k", "enter")
	if got, want := strings.Join(f.read, " "), s.m.traffic.detail.id; got != want {
		t.Errorf("marked read: %q, want %q", got, want)
	}
	f.read = nil
	s.press("k", "k")
	if len(f.read) > 0 {
		t.Errorf("marked read, though not the operator's: %q", f.read)
	}
}

func TestWritesToWhomTheMarkerMeans(t *testing.T) {
	for _, c := range []struct {
		name string
		keys []string
		to   string
	}{
		{"the agent", []string{"2", "j", "j", "c"}, agentID("reviewer")},
		{"the sender of a message", []string{"k", "k", "k", "k", "c"}, agentID("scout")},
		{"the recipient of one's own", []string{"k", "k", "c"}, agentID("reviewer")},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := busyTeam()
			s := newScreen(t, f, 120, 40)
			s.press(c.keys...)
			s.typed("hello")
			s.press("ctrl+j")
			s.typed("there")
			s.press("enter")
			if len(f.sent) != 1 || f.sent[0].To[0] != c.to || f.sent[0].Text != "hello\nthere" ||
				f.sent[0].InReplyTo != "" {
				t.Errorf("sent %+v, want one to %s", f.sent, c.to)
			}
		})
	}
}

func TestReplyNamesTheMessage(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 40)
	s.press("k", "k", "k", "r")
	s.shows("Reply to reviewer about “Shall I approve")
	id := s.m.traffic.sel.id
	s.typed("no")
	s.press("enter")
	if len(f.sent) != 1 || f.sent[0].InReplyTo != id || f.sent[0].To[0] != agentID("reviewer") {
		t.Errorf("sent %+v, want a reply to %s", f.sent, id)
	}
}

func TestReceiptFollowsTheDelivery(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 40)
	s.press("b")
	s.typed("build is green")
	s.press("enter")
	if len(f.casts) != 1 {
		t.Fatalf("broadcasts: %+v, want one", f.casts)
	}

	s.shows("Sent to all agents: ○ 7 queued")
	s.hides("▸ To all agents")
	s.news()
	f.emit(
		parley.Event{
			Type:      parley.EventDelivery,
			MessageID: s.m.status.receipt.id,
			AgentID:   idOf("coder"),
			State:     "submitted",
		},
	)

	s.news()
	s.shows("Sent to all agents: › 1/7 submitted")
}

func TestFailedSendKeepsTheDraftAndItsKey(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 120, 40)
	f.err = parley.Errorf(parley.MessageTooLong, "the text has 2,001 characters").Suggest("Say it in 2,000.")
	s.choose("coder")
	s.press("c")
	s.typed("please rebase")
	s.press("enter")
	s.shows("the text has 2,001 characters", "Say it in 2,000.", "please rebase")
	s.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	s.shows("please rebase", "Say it in 2,000.")
	s.press("enter")
	s.typed(" now")
	f.err = nil
	s.press("enter")
	var keys []string
	for _, r := range f.sent {
		keys = append(keys, r.IdempotencyKey)
	}

	if got, want := strings.Join(keys, " "), "key-1 key-1 key-2"; got != want {
		t.Errorf("keys %q, want %q: the same for the same text, another for another", got, want)
	}

	s.shows("Sent to coder: ✓ submitted")
	s.press("c")
	if got := s.m.compose.text(); got != "" {
		t.Errorf("what was sent is still in the box: %q", got)
	}
}

func TestEachAddressKeepsItsOwnDraft(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.choose("coder")
	s.press("c")
	s.typed("for coder only")
	s.press("esc")
	s.shows("The draft is kept.")
	s.press("b")
	s.hides("for coder only")
	s.press("esc", "c")
	s.shows("for coder only")
}

func TestQuitAsksOnceWhenSomethingIsUnsent(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.press("b")
	s.typed("half a tho")
	s.press("esc", "q")
	if s.quit {
		t.Fatal("left at once")
	}

	s.shows("Not sent: to all agents. The same key again leaves it behind.")
	s.press("j", "q")
	if s.quit {
		t.Error("left without asking, though another key came between")
	}

	s.press("q")
	if !s.quit {
		t.Error("did not leave when told twice")
	}
}

func TestLostDaemonIsShownUntilItIsBack(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 80, 24)
	s.press("b")
	s.typed("draft")
	s.blind = true
	s.send(feedMsg{err: gone, at: noon})
	s.shows("daemon gone, reconnecting…", "draft", "Plan for today")
	s.send(agentsMsg{soon: true, asked: noon, err: gone})
	s.shows("daemon gone, reconnecting…")
	f.say(30, "coder", []string{"tester"}, "back again", "normal", parley.DeliveryQueued)
	s.send(agentsMsg{soon: true, asked: noon, agents: f.agents, workspace: &parley.WorkspaceStatusResult{}})
	s.hides("daemon gone")
	s.news()
	s.shows("back again", "draft")
}

func TestAnErrorThatWaitingDoesNotMendIsShown(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	s.send(
		feedMsg{err: parley.Errorf(parley.Unauthenticated, "this key is not known").Suggest("Log in again."), at: noon},
	)
	s.shows("✗ this key is not known → Log in again.")
	s.hides("daemon gone")
}

func TestHungDaemonCountsAsGone(t *testing.T) {
	f := busyTeam()
	s := newScreen(t, f, 80, 24)
	s.blind = true
	s.send(agentsMsg{err: fmt.Errorf("get_agent_status: %w", errDeadline)})
	s.shows("daemon gone")
}

func TestAttachGoesToTheTerminalThatIsMeant(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.shows("a attaches to tester, ctrl+b d returns")
	s.press("a")           // from a broadcast: its sender
	s.press("k", "a")      // from a direct message: who got it
	s.press("k", "k", "a") // to the operator: who sent it
	s.choose("coder")
	s.press("enter")
	if got, want := strings.Join(s.attached, " "), "tester scout reviewer coder"; got != want {
		t.Errorf("attached to %q, want %q", got, want)
	}
	s.shows("Back from coder.")
}

// The key that comes back is parley's: in a tmux of the person's own it does nothing.
func TestAttachTellsNoKeyForAdoptedAgents(t *testing.T) {
	f := busyTeam()
	f.agents[0].Socket = "/tmp/theirs"
	s := newScreen(t, f, 120, 40, func(o *Options) { o.ReturnKey = "F12" })
	s.choose("coder")
	s.shows("a attaches to coder · c writes to coder")
	s.hides("F12")
	s.send(besideMsg{name: "coder"})
	s.shows("coder is in a window of its own.")
	s.choose("tester")
	s.shows("a attaches to tester, F12 returns")
}

func TestAttachSaysWhyItCannot(t *testing.T) {
	f := busyTeam()
	f.agents[0].Kind = parley.KindMailbox
	s := newScreen(t, f, 120, 40, func(o *Options) {
		o.Attach = func(string) (*exec.Cmd, error) {
			return nil, parley.Errorf(parley.TmuxUnavailable, "its tmux server is gone").Suggest("Restart it.")
		}
	})

	s.choose("coder")
	s.press("a")
	s.shows("coder has no terminal")
	s.press("j", "a")
	s.shows("✗ its tmux server is gone → Restart it.")
	s.send(returnedMsg{name: "coder", err: errors.New("no sessions")})
	s.shows("the terminal of coder could not be shown: no sessions", "parley restart coder")
}

func TestForeignTextIsShownSafely(t *testing.T) {
	f := newFake()
	evil := "a\x1b]0;title\x07b\u202ec\u200dd\ufe0fe\x9bf\rg\u0000h \U000e0041i Z" + strings.Repeat("\u0301", 40)
	id := f.say(1, "coder", []string{"tester"}, evil, "normal", parley.DeliveryHeld)
	f.messages[id].Deliveries[0].Reason, f.messages[id].Object.ContextReference = evil, evil
	f.events[0].Sender, f.events[0].Preview = evil, evil
	f.agent("x", parley.AgentState(evil), 0, 0, evil)
	s := newScreen(t, f, 140, 40)
	s.press("enter")
	for _, r := range s.text() {
		if r != '\n' && (r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || invisible(r) || r >= 0x202a && r <= 0x202e) {
			t.Errorf("the screen holds %U", r)
		}
	}

	s.fits("evil text")
	s.shows("a]0;titlebcdef")
}

func TestTiersKeepTheirPlaceNearTheEdge(t *testing.T) {
	s := newScreen(t, busyTeam(), 80, 24)
	s.press("enter")
	for _, c := range []struct {
		width int
		wide  bool
	}{{100, false}, {131, false}, {132, true}, {128, true}, {126, true}, {125, false}, {131, false}, {300, true}, {60, false}} {
		s.send(tea.WindowSizeMsg{Width: c.width, Height: 24})
		if got := strings.Contains(s.text(), "│"); got != c.wide {
			t.Errorf("at %d columns side by side is %v, want %v", c.width, got, c.wide)
		}
	}
}

func TestSmallWindowAsksKindly(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	s.press("b")
	s.typed("a draft")
	s.send(tea.WindowSizeMsg{Width: 40, Height: 10})
	s.shows("parley needs 60×20", "quits.")
	s.typed("xyz")
	s.send(tea.WindowSizeMsg{Width: 60, Height: 20})
	s.shows("a draftxyz")
	for _, size := range [][2]int{{1, 1}, {2, 3}, {5, 2}, {59, 20}, {60, 19}, {0, 0}} {
		s.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		if size[0] > 0 {
			s.fits(fmt.Sprint(size))
		}
	}

	s.press("ctrl+c")
	if s.quit {
		t.Error("ctrl+c left a draft behind without asking")
	}
	if s.press("ctrl+c"); !s.quit {
		t.Error("the second ctrl+c did not leave")
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	in, keys := io.Pipe()
	defer keys.Close()

	f := busyTeam()
	asked := make(chan struct{})
	o := f.options()
	o.Follow = func(ctx context.Context, after int64) iter.Seq2[parley.Event, error] {
		close(asked)
		return f.follow(ctx, after)
	}

	go func() { <-asked; cancel() }()
	if err := Run(ctx, o, in, io.Discard); !errors.Is(err, context.Canceled) {
		t.Errorf("Run returned %v, want %v", err, context.Canceled)
	}
}
