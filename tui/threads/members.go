package threads

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
	"parley/op"
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
