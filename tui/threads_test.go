package tui

import (
	"fmt"
	"testing"
	"time"

	"parley"
	"parley/tui/room"
)

func TestThreadsShowPosts(t *testing.T) {
	f := busyTeam()
	f.letters = append(f.letters, parley.InboxMessage{
		MessageID: f.posts[2].MessageID,
		Sender:    "reviewer",
		ThreadID:  f.threads[0].ID,
		Content:   "Where it begins.",
	})

	s := newScreen(t, f, 140, 40)
	s.shows("3 Threads 1")
	s.press("3")
	s.shows("✉1  ▇ hot     the parser", "you read along, J joins", "── yesterday ──", "── today ──",
		"tester  ‖ 1 held  2h", "coder  ✓✓ 3/3 read  25h")

	if len(f.read) != 0 {
		t.Errorf("marked %q read before it was looked into", f.read)
	}

	s.press("enter")
	if len(f.read) != 1 || f.read[0] != f.posts[2].MessageID {
		t.Errorf("marked %q read, want the one that was unread", f.read)
	}

	s.hides("✉1")
	s.press("esc", "j")
	s.shows("No posts yet.")
}

func TestKeyLineWithoutThreads(t *testing.T) {
	f := busyTeam()
	f.threads = nil

	s := newScreen(t, f, 200, 40)
	s.press("3")
	s.shows("No threads yet", "O new")
	s.hides("enter read", "+ add", "- remove", "J join", "M mute")

	full := newScreen(t, busyTeam(), 200, 40)
	full.press("3")
	full.shows("O new", "+ add", "- remove", "J join", "M mute")
}

func TestThreadFollowsNewPosts(t *testing.T) {
	s, f := newBusyScreen(t, 100, 24)
	s.press("3", "enter")
	say := func(n int, text string) {
		id := f.threads[0].ID
		f.post(n, id, "coder", text, noon, parley.DeliveryQueued, parley.DeliveryQueued)
		f.emit(parley.Event{
			Type:           parley.EventThreadMessage,
			ThreadID:       id,
			MessageID:      f.posts[len(f.posts)-1].MessageID,
			Sender:         "coder",
			RecipientCount: 2,
		})

		s.news()
	}

	say(20, "the first of the new ones")
	s.shows("the first of the new ones", "○ 2 queued")
	f.emit(parley.Event{
		Type:        parley.EventDelivery,
		MessageID:   f.posts[len(f.posts)-1].MessageID,
		RecipientID: agentID("tester"),
		State:       "submitted",
	})

	s.news()
	s.shows("› 1/2 submitted")
	s.press("g")
	s.shows("── yesterday ──")
	for n := range 9 {
		say(30+n, "one more")
	}

	s.shows("── yesterday ──", "G to the newest")
	s.hides("one more")
	s.press("G")
	s.shows("one more")
	say(50, "and the last")
	s.shows("and the last")
}

func TestChangesParticipants(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 30)
	s.press("3", "+")
	s.enters("planner")
	s.shows("coder, reviewer, tester, planner")
	s.press("-")
	s.enters("coder")
	s.shows("reviewer, tester, planner")
	s.hides("coder, reviewer, tester, planner")
	s.press("J")
	s.shows("You joined “the parser's error messages”", "u leaves it.")
	s.hides("you read along")
	s.press("u")
	s.shows("you read along")
	s.did("add 00000001 planner, remove 00000001 coder, join 00000001 operator, remove 00000001 operator")
}

// Both the error and the way back are shown.
func TestPartialChangeBeforeAnErrorIsUndone(t *testing.T) {
	f := busyTeam()
	for _, size := range sizes {
		s := newScreen(t, f, size[0], size[1])
		s.press("3", "+")
		s.enters("planner, ghost, scout")
		s.shows("✗ there is no agent ghost", "planner is added; u removes")
		s.fits("an error")
		s.press("u")
		s.shows("planner is removed.")
		s.press("+")
		s.enters("ghost")
		s.shows("✗ there is no agent ghost")
		s.hides("u removes")
	}
}

func TestChangeOfParticipantsFromThePaletteIsUndone(t *testing.T) {
	s := newScreen(t, busyTeam(), 120, 40)
	for _, c := range []struct{ op, args, offers, undone string }{
		{"add_participant", "planner", "u removes planner again.", "planner is removed."},
		{"remove_participant", "tester", "u adds tester again.", "tester is added."},
		{"join_thread", "", "u removes operator again.", "operator is removed."},
	} {
		s.press("3", ":")
		s.enters(c.op)
		s.enters(c.args)
		s.shows(c.offers)
		s.hides("▸ " + c.op)
		s.press("u")
		s.shows(c.undone)
	}

	s.press(":")
	s.enters("add_participant")
	s.enters("coder")
	s.press("esc", "u")
	s.shows("Nothing to undo.")
}

func TestThreadShowsWhyItCannotBeRead(t *testing.T) {
	s, f := newBusyScreen(t, 120, 30)
	s.press("3")
	posted := func(seq int64) {
		s.send(room.FeedMsg{At: noon,
			Events: []parley.Event{{Seq: seq, Type: parley.EventThreadMessage, MessageID: fmt.Sprint(seq),
				ThreadID: f.threads[0].ID, Sender: "coder"}}})
	}
	f.err = parley.Errorf(parley.Internal, "the database cannot be read")
	posted(90_001)
	s.shows("the database cannot be read")
	f.err = nil
	posted(90_002)
	s.shows("Do it. One commit.")
}

func TestThreadShowsItsTemperature(t *testing.T) {
	s := newScreen(t, busyTeam(), 180, 40)
	s.press("3")
	s.shows("▇ hot", "‖ 1 held, l releases", "you: Do it.")
	s.hides("they said 12 in a minute") // the reasons are behind a key
	s.press("i")
	s.shows("hot, 0.82 of 1", "14 in the last five", "tester → coder: they said 12 in a minute")
	s.press("esc")
	s.press("l", "C", "M")
	s.shows("u undoes it.", "muted, M unmutes")
	s.press("M")
	s.hides("muted, M unmutes")
	s.did("release 00000001, cool 00000001, mute 00000001, unmute 00000001")
}

// The key for undo may come before the answer of what it is to undo.
func TestActionThatIsNotDoneYetIsUndone(t *testing.T) {
	s := newScreen(t, busyTeam(), 180, 40)
	s.press("3", "M")
	s.shows("u undoes it.")

	_, unmute := s.m.Update(keyMsg("M"))
	s.press("u")
	s.did("mute 00000001")
	s.run(unmute, 0)
	s.did("mute 00000001, unmute 00000001, mute 00000001")
}

func TestNeedOfAPostOpensItsThread(t *testing.T) {
	f := busyTeam()
	f.needs = nil
	f.letters = []parley.InboxMessage{
		{MessageID: f.posts[2].MessageID, Sender: "reviewer", ThreadID: f.threads[0].ID, Content: "Where it begins."},
	}

	s := newScreen(t, f, 100, 30)
	s.press("4")
	s.shows("in a thread: Where it begins.", "enter open the thread")
	s.press("enter")
	s.shows("▸3 Threads", "▸ the parser's error messages", "Do it. One commit.")
	if len(f.read) != 1 || f.read[0] != f.posts[2].MessageID {
		t.Errorf("marked %q read, want the post", f.read)
	}
}

func TestPostsInViewAreMarkedRead(t *testing.T) {
	s, f := newBusyScreen(t, 100, 24)
	s.press("3", "enter")
	post := parley.InboxMessage{Sender: "tester", ThreadID: f.threads[0].ID}
	post.MessageID, post.Content = f.posts[3].MessageID, "Then twelve."
	s.comes(post)
	if len(f.read) != 1 {
		t.Errorf("marked %q read, want the post", f.read)
	}

	s.press("g")
	post.MessageID, post.Content = f.posts[4].MessageID, "One commit."
	s.comes(post)
	if len(f.read) != 1 {
		t.Errorf("marked %q read, which are not in sight", f.read)
	}
}

// The list says what was said last, also in threads of which no event has come; each is asked for once.
func TestThreadsShowTheLatestWords(t *testing.T) {
	f := busyTeam()
	other := f.threads[1].ID
	f.post(9, other, "planner", "The plan moves to Monday.", noon.Add(-3*time.Hour), parley.DeliveryRead)
	s := newScreen(t, f, 180, 40)
	s.press("3")
	s.shows("you: Do it.", "planner: The plan")
	f.emit(parley.Event{Type: parley.EventThreadMessage, Time: noon, SenderID: agentID("coder"), Sender: "coder",
		MessageID: "m", ThreadID: other, Thread: "storage", Preview: "No, Tuesday."})
	s.news()
	s.shows("coder: No, Tuesday")
}

func TestPostsBelowTilesAreNotRead(t *testing.T) {
	f := busyTeam()
	f.threads[0].ParticipantNames = append(f.threads[0].ParticipantNames, parley.OperatorName)
	f.letters = nil
	f.agents[len(f.agents)-1].Unread = 0
	s := newScreen(t, f, 120, 40)
	s.press("3", "enter", "t")
	s.shows("Tiles")
	f.read = nil
	f.letters = []parley.InboxMessage{{MessageID: f.posts[3].MessageID, Sender: "tester", ThreadID: f.threads[0].ID,
		Content: "May I delete the branch?", Timestamp: noon}}
	f.agents[len(f.agents)-1].Unread = 1
	s.send(room.TickMsg(noon))
	s.hides("May I delete")
	if len(f.read) > 0 {
		t.Errorf("marked read: %v\n%s", f.read, s.text())
	}
}
