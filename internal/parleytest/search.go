package parleytest

import (
	"strings"
	"time"

	"parley"
)

var searchCases = []testCase{
	{"SearchFindsNewestFirst", searchFinds},
	{"SearchShowsTheCallersOwn", searchOwn},
	{"SearchNarrows", searchNarrows},
	{"SearchTakesAnyText", searchTyped},
	{"FindTellsWhatMessagesAre", findTells},
}

func searchFinds(f *fixture) {
	sent := f.planner.send("please Rebase the branch", "coder")
	f.planner.send("the build is red", "coder")
	f.coder.send("rebase done, branch is green", "planner")
	got := f.coder.search("rebase BRANCH")
	same(f.T, "found", foundTexts(got), []string{"rebase done, branch is green", "please Rebase the branch"})
	same(f.T, "has_more and truncated", [2]bool{got.HasMore, got.Truncated}, [2]bool{false, false})
	m := got.Messages[1]
	same(f.T, "message_id", m.MessageID, sent.MessageID)
	same(f.T, "conversation_id", m.ConversationID, sent.ConversationID)
	same(f.T, "recipients", m.RecipientIDs, []string{f.coder.id})
	same(f.T, "recipient_count", m.RecipientCount, 1)
	same(f.T, "snippet", m.Snippet, "please Rebase the branch")
	same(f.T, "sender", [2]string{m.SenderAgentID, m.SenderName}, [2]string{f.planner.id, "planner"})
	same(f.T, "read_status of what came, and of what was sent", [2]bool{m.ReadStatus, got.Messages[0].ReadStatus},
		[2]bool{false, true})

	got = f.coder.search("rebase", params{"limit": 1})
	same(f.T, "found under a limit", foundTexts(got), []string{"rebase done, branch is green"})
	same(f.T, "has_more", got.HasMore, true)
	same(f.T, "unread, which search does not mark", len(f.coder.inbox()), 2)
}

func findTells(f *fixture) {
	f.planner.send("please rebase", "coder")
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "a word to all"})
	find := func(r parley.FindMessagesRequest) []parley.FoundMessage {
		return do[parley.SearchMessagesResult](f.operator, "find_messages", r).Messages
	}

	got := find(parley.FindMessagesRequest{Query: "plea", Begun: true, Agents: parley.Names{"coder"}})
	same(f.T, "found", len(got), 1)
	same(f.T, "recipients", got[0].Recipients, []string{"coder"})
	same(f.T, "kind", got[0].Kind, parley.KindDirect)
	deliveries := 0
	for _, n := range got[0].States {
		deliveries += n
	}
	same(f.T, "deliveries", deliveries, 1)

	same(f.T, "broadcasts", len(find(parley.FindMessagesRequest{Types: []string{"broadcast"}})), 1)
	same(f.T, "failed ones", len(find(parley.FindMessagesRequest{States: []string{"failed"}})), 0)
	refused(f.operator, "find_messages", params{"states": "lost"}, parley.InvalidArgument)
	refused(f.operator, "find_messages", params{}, parley.InvalidArgument)
	refused(f.operator, "find_messages", params{"from": "nobody"}, parley.AgentNotFound)
}

func searchOwn(f *fixture) {
	f.planner.send("secret word for coder", "coder")
	f.planner.broadcast(parley.BroadcastMessageRequest{Text: "no secret at all"})
	for _, c := range []struct {
		who  member
		want int
	}{{f.planner, 2}, {f.coder, 2}, {f.reviewer, 1}, {f.operator, 2}} {
		same(f.T, "what "+c.who.name+" finds", len(c.who.search("secret").Messages), c.want)
	}

	// A text cannot make itself visible with the id of somebody.
	for _, mark := range []string{"", "r", "s"} {
		f.planner.send("spelled "+mark+strings.ReplaceAll(f.reviewer.id, "-", ""), "coder")
	}

	same(f.T, "what the reviewer finds", len(f.reviewer.search("spelled").Messages), 0)
}

func searchNarrows(f *fixture) {
	f.planner.send("topic one", "coder")
	f.planner.send("topic two", "reviewer")
	f.coder.send("topic three", "planner", "reviewer")
	all := f.operator.search("topic").Messages
	same(f.T, "all", len(all), 3)
	for _, c := range []struct {
		args params
		want []string
	}{
		{params{"from": "planner"}, []string{"topic two", "topic one"}},
		{params{"to": "reviewer"}, []string{"topic three", "topic two"}},
		{params{"from": f.planner.id[:8], "to": "reviewer"}, []string{"topic two"}},
		{params{"since": all[1].Timestamp}, []string{"topic three"}},
		{params{"until": all[1].Timestamp}, []string{"topic two", "topic one"}},
		{params{"since": time.Now().Add(time.Hour)}, []string{}},
		{params{"until": time.Now().Add(-time.Hour)}, []string{}},
	} {
		same(f.T, "found", foundTexts(f.operator.search("topic", c.args)), c.want)
	}

	refused(f.planner, "search_messages", params{"query": "topic", "from": "nobody"}, parley.AgentNotFound)
	refused(f.planner, "search_messages",
		params{"query": "topic", "since": time.Now(), "until": time.Now().Add(-time.Hour)}, parley.InvalidArgument)

	for _, limit := range []int{0, 101} {
		refused(f.planner, "search_messages", params{"query": "topic", "limit": limit}, parley.InvalidArgument)
	}
}

func searchTyped(f *fixture) {
	f.planner.send("the build is red", "coder")
	same(f.T, "the phrase", len(f.coder.search(`"build is red"`).Messages), 1)
	same(f.T, "no phrase", len(f.coder.search(`"build red"`).Messages), 0)
	for _, query := range []string{
		`"`, `build"`, `build AND`, `NOT build`, `text:build`, `build*`, `^build`, `NEAR(build red)`,
		`{words}: build`, `-build`, `(build`, `build)`, `'; DROP TABLE messages`, "build\x00red", `\build`,
		`"" build`, "build OR OR", "+",
	} {
		if _, err := invoke(f.coder, "search_messages", params{"query": query}); err != nil &&
			parley.ErrorCode(err) != parley.InvalidArgument {
			f.Errorf("%q: got %v", query, err)
		}
	}

	for _, query := range []string{"", "  ", `"`, "+", strings.Repeat("x", 201)} {
		refused(f.coder, "search_messages", params{"query": query}, parley.InvalidArgument)
	}
}
