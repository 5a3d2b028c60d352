package team

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"parley"
)

// Thread returns the thread that ref names by its id or the beginning of it, with the names of its
// participants.
func (n *names) Thread(ctx context.Context, ref string) (parley.Thread, error) {
	th, err := n.store.Threads.Thread(ctx, strings.TrimSpace(ref))
	if err != nil {
		return th, err
	}
	return n.FillInThread(th), nil
}

// ReadableThread returns the id of a thread whose posts the member me may read: it takes part in the
// thread, or the caller of ctx is the operator. The error is NOT_A_PARTICIPANT otherwise.
func (n *names) ReadableThread(ctx context.Context, me *Member, ref string) (string, error) {
	th, err := n.store.Threads.Thread(ctx, strings.TrimSpace(ref))
	if err == nil && !parley.CallerFrom(ctx).Operator && !slices.Contains(th.Participants, me.ID) {
		err = NotParticipant(me, th.ID)
	}
	return th.ID, err
}

// NotParticipant returns NOT_A_PARTICIPANT, for what only the participants of a thread may do.
func NotParticipant(m *Member, threadID string) error {
	short := parley.Short(threadID)
	return parley.Errorf(parley.NotAParticipant, "%s does not take part in thread %s", m.Name, short).
		With("thread_id", threadID).
		Suggest("Call join_thread with thread_id %s first, or ask one who takes part to add you; "+
			"list_threads shows who does.", short)
}

// FillInThread adds the names of a thread's creator and participants, and its status.
func (n *names) FillInThread(th parley.Thread) parley.Thread {
	if m := n.ByID(th.CreatorID); m != nil {
		th.Creator = m.Name
	}

	th.ParticipantNames = make([]string, len(th.Participants))
	for i, id := range th.Participants {
		if m := n.ByID(id); m != nil {
			th.ParticipantNames[i] = m.Name
		}
	}

	th.Status = n.StatusOf(true, th.Participants...)

	return th
}

// StatusOf returns the status of a conversation between the agents with these ids, in a thread or
// not.
func (n *names) StatusOf(thread bool, ids ...string) parley.ConversationStatus {
	present := 0
	for _, id := range ids {
		if m := n.ByID(id); m != nil && m.Agent().State != parley.StateTerminated {
			present++
		}
	}
	return parley.StatusOfConversation(thread, len(ids), present)
}

// ThreadLabel returns a thread's short id and title as the headers of its posts show them.
func ThreadLabel(th *parley.Thread) string {
	return fmt.Sprintf(`%s "%s"`, parley.Short(th.ID), parley.ShownTitle(th.Title))
}

// ListNames joins the first ten names, and counts the rest: a notice has to fit the prompt of a
// terminal.
func ListNames(names []string) string {
	const most = 10
	if rest := len(names) - most; rest > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), rest)
	}
	return strings.Join(names, ", ")
}
