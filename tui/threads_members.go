package tui

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	tea "charm.land/bubbletea/v2"

	"parley"
)

// membership is a wish to change who takes part in a thread.
type membership struct {
	thread string // its id
	who    []party
	add    bool // or remove
}

// party is who is meant: a name or an id, and the name that is shown.
type party struct{ ref, name string }

// parties are those that are listed in a text.
func (t *team) parties(text string) []party {
	var all []party
	for _, ref := range t.listed(text) {
		p := party{ref: ref, name: safeLine(ref)}
		if a := t.find(ref); a != nil {
			p.name = a.Name
		}
		all = append(all, p)
	}
	return all
}

// make changes the part of each, and says what became of it. What was changed can be
// undone, also when an error came before the others.
func (x membership) make(ctx context.Context, s parley.Service) tea.Msg {
	done := membership{thread: x.thread, add: x.add}
	var said []string
	var failed error
	for _, who := range x.who {
		status, err := x.one(ctx, s, who.ref)
		if err != nil {
			failed = err
			break
		}

		said = append(said, who.name+memberWords(status))
		if status != parley.MemberAlready {
			done.who = append(done.who, who)
		}
	}

	return doneMsg{text: strings.Join(said, ", "), undo: done.back(), err: failed}
}

func (x membership) one(ctx context.Context, s parley.Service, who string) (parley.MembershipStatus, error) {
	var res *parley.MembershipResult
	var err error
	if x.add {
		res, err = s.AddParticipant(ctx, parley.AddParticipantRequest{ThreadID: x.thread, Agent: who})
	} else {
		res, err = s.RemoveParticipant(ctx, parley.RemoveParticipantRequest{ThreadID: x.thread, Agent: who})
	}
	if err != nil {
		return "", err
	}
	return res.Status, nil
}

func memberWords(status parley.MembershipStatus) string {
	switch status {
	case parley.MemberAlready:
		return " takes part already"
	case parley.MemberRemoved, parley.MemberLeft:
		return " is removed"
	}
	return " is added"
}

// back undoes it; nil when there is nothing to be undone.
func (x membership) back() *undo {
	if len(x.who) == 0 {
		return nil
	}

	names := make([]string, len(x.who))
	for i, who := range x.who {
		names[i] = who.name
	}

	words := fit(strings.Join(names, ", "), 40)
	back := membership{thread: x.thread, who: x.who, add: !x.add}
	does := fmt.Sprintf("removes %s again", words)
	if back.add {
		does = fmt.Sprintf("adds %s again", words)
	}

	return &undo{does: does, deed: deed{call: func(ctx context.Context, s parley.Service) (string, error) {
		msg := back.make(ctx, s).(doneMsg)
		return msg.text + ".", msg.err
	}}}
}

// undoOf is what undoes an operation that changed who takes part in a thread; nil for
// all others, and when nothing was changed.
func undoOf(args url.Values, res any) *undo {
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

	return membership{thread: r.Thread.ID, who: []party{{who, safeLine(who)}}, add: add}.back()
}
