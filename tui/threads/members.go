package threads

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
	"parley/plain"
	"parley/tui/kit"
	"parley/tui/room"
	"parley/tui/team"
)

// membership is a change of a thread's participants.
type membership struct {
	thread string // its id
	who    []party
	add    bool // else remove
}

// party is a participant: a name or an id, and the name that is shown.
type party struct{ ref, name string }

// partiesOf parses a list of names.
func partiesOf(t *team.Roster, text string) []party {
	var all []party
	for _, ref := range t.Participants(text) {
		p := party{ref: ref, name: kit.SafeLine(ref)}
		if a := t.Find(ref); a != nil {
			p.name = a.Name
		}
		all = append(all, p)
	}
	return all
}

// make changes one participant after the other. What was changed can be undone,
// also when an error came before the others.
func (x membership) make(ctx context.Context, s parley.Service) tea.Msg {
	done := membership{thread: x.thread, add: x.add}
	var words []string
	var failed error
	for _, who := range x.who {
		status, err := x.change(ctx, s, who.ref)
		if err != nil {
			failed = err
			break
		}

		words = append(words, who.name+memberWords(status))
		if status != parley.MemberAlready {
			done.who = append(done.who, who)
		}
	}

	return room.DoneMsg{Text: strings.Join(words, ", "), Undo: done.back(), Err: failed}
}

func (x membership) change(ctx context.Context, s parley.Service, who string) (parley.MembershipStatus, error) {
	var res *parley.MembershipResult
	var err error
	if x.add {
		res, err = op.AddParticipant.Call(ctx, s, parley.AddParticipantRequest{ThreadID: x.thread, Agent: who})
	} else {
		res, err = op.RemoveParticipant.Call(ctx, s, parley.RemoveParticipantRequest{ThreadID: x.thread, Agent: who})
	}
	if err != nil {
		return "", err
	}
	return res.Status, nil
}

func memberWords(status parley.MembershipStatus) string {
	switch status {
	case parley.MemberAlready:
		return " is already in it"
	case parley.MemberRemoved, parley.MemberLeft:
		return " is removed"
	}
	return " is added"
}

// back returns what undoes the change, or nil if there is nothing to undo.
func (x membership) back() *room.Undo {
	if len(x.who) == 0 {
		return nil
	}

	names := make([]string, len(x.who))
	for i, who := range x.who {
		names[i] = who.name
	}

	words := kit.Fit(strings.Join(names, ", "), 40)
	back := membership{thread: x.thread, who: x.who, add: !x.add}
	does := fmt.Sprintf("removes %s again", words)
	if back.add {
		does = fmt.Sprintf("adds %s again", words)
	}

	return &room.Undo{Does: does, Action: room.Action{Do: func(ctx context.Context, s parley.Service) (string, error) {
		msg := back.make(ctx, s).(room.DoneMsg)
		return msg.Text + ".", msg.Err
	}}}
}

// UndoOf returns what undoes an operation that changed a thread's participants. It
// is nil for other operations, and if nothing was changed.
func UndoOf(args url.Values, res any) *room.Undo {
	r, ok := res.(*parley.MembershipResult)
	if !ok {
		return nil
	}

	who := ""
	switch r.Status {
	case parley.MemberAdded:
		who = args.Get("agent_id_to_add")
	case parley.MemberJoined:
		who = parley.OperatorName
	case parley.MemberRemoved, parley.MemberLeft:
		who = args.Get("agent_id_to_remove")
	default:
		return nil
	}

	add := r.Status == parley.MemberAdded || r.Status == parley.MemberJoined

	return membership{thread: r.Thread.ID, who: []party{{who, kit.SafeLine(who)}}, add: add}.back()
}

// wordsPage is how many threads are asked in one go for what was said last in them.
const wordsPage = 20

// latestMsg is what was said last, by thread.
type latestMsg map[string]string

// latestWords ask for what was said last in the threads in view, each once: later words come with the events.
type latestWords struct {
	asked  map[string]bool
	asking bool
}

// ask reads what is not known of some threads.
func (l *latestWords) ask(d *room.Shared, in []parley.Thread) tea.Cmd {
	var want []string
	for i := range in {
		id := in[i].ID
		if d.LastWords.Get(id) == "" && !l.asked[id] && len(want) < wordsPage {
			want = append(want, id)
		}
	}
	if l.asking || len(want) == 0 || d.Link.Lost != nil {
		return nil
	}

	if l.asking = true; l.asked == nil {
		l.asked = map[string]bool{}
	}
	for _, id := range want {
		l.asked[id] = true
	}

	return d.Do.Call(func(ctx context.Context, s parley.Service) tea.Msg { return readLatest(ctx, s, want) })
}

func readLatest(ctx context.Context, s parley.Service, threads []string) latestMsg {
	keep, words := false, latestMsg{}
	for _, id := range threads {
		r := parley.GetMessagesRequest{ThreadID: id, SortOrder: "newest_first", Limit: 1, MarkRead: &keep}
		if res, err := op.GetMessages.Call(ctx, s, r); err == nil && len(res.Messages) > 0 {
			m := res.Messages[0]
			words[id] = team.WordsOf(kit.ShownName(m.SenderName, m.SenderAgentID),
				plain.Truncate(m.Content.Text, parley.PreviewLength))
		}
	}
	return words
}

// take keeps what was read, unless an event has brought newer words.
func (l *latestWords) take(d *room.Shared, msg latestMsg) {
	l.asking = false
	for id, words := range msg {
		d.LastWords.Set(id, words, 0)
	}
}

// reasonWords say why an agent is to answer, or to stay silent. A reason of a newer daemon is shown as it is.
var reasonWords = map[string]string{
	"mentioned-by-ai":         "another agent mentioned it",
	"direct-question":         "it was asked",
	"conversation-concluded":  "the conversation has ended",
	"just-spoke-wait-turn":    "it spoke last",
	"dominating-conversation": "it has written most of what was said last",
	"humans-disengaged":       "no person has written for a while",
	"turn-taking-probability": "it is its turn",
	"no-compelling-reason":    "nothing called for its answer",
	"human-message":           "a person wrote",
	"protocol-off":            "nothing is held here",
	"muted":                   "you muted the conversation",
	"cooled":                  "you cooled the conversation",
	"chain-budget":            "too many messages have followed from one another",
	"pair-budget":             "the two have exchanged too many messages",
	"cycle-budget":            "the same agents have passed messages around too often",
}

// reasons says how hot a conversation is, who is expected to answer and why, and what is held.
func reasons(res *parley.ConversationStateResult) []string {
	c := &res.Counts
	lines := []string{
		fmt.Sprintf("%s, %.2f of 1", kit.CodeWords(res.State), res.Temperature),
		fmt.Sprintf("%s in the last minute, %d in the last five, %d of them questions",
			kit.Plural(c.LastMinute, "message"), c.FiveMinutes, c.Questions),
	}

	if len(res.Decisions) > 0 {
		lines = append(lines, "", "Who is expected to answer")
	}
	for _, d := range res.Decisions {
		does := "stays silent"
		if d.ShouldRespond {
			does = "may answer"
		}
		why := cmp.Or(reasonWords[d.Reason], kit.CodeWords(d.Reason))
		lines = append(lines, fmt.Sprintf("  %s %s: %s", kit.ShownName(d.Agent, d.AgentID), does, why))
	}

	if len(res.Held) > 0 {
		lines = append(lines, "", fmt.Sprintf("Held: %d. l releases what is held.", len(res.Held)))
	}
	for _, h := range res.Held {
		from, to := kit.ShownName(h.Sender, ""), kit.ShownName(h.Recipient, "")
		lines = append(lines, fmt.Sprintf("  %s → %s: %s", from, to, kit.SafeLine(h.Text)))
		if h.Preview != "" {
			lines = append(lines, "    “"+kit.SafeLine(h.Preview)+"”")
		}
	}

	return lines
}
