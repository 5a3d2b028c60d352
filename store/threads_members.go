package store

import (
	"context"
	"slices"

	"parley"
	"parley/store/engine"
)

// foundingTime bounds, in nanoseconds after a thread's creation, the times at which its
// founding members join: each joins one nanosecond after the last.
const foundingTime = 100_000

// joinedLate returns the IDs of the threads that an agent joined after their creation, and
// of which it therefore did not get all posts. By a clock that is behind it joined before that.
func (db *database) joinedLate(ctx context.Context, agentID string) ([]string, error) {
	var ids []string
	err := db.read(ctx, "reading the threads", &ids, `SELECT t.id
		FROM participants p CROSS JOIN threads t
		WHERE t.id = p.thread_id AND p.agent_id = ? AND p.left_at = 0
			AND (p.joined_at >= t.created_at + ? OR p.joined_at < t.created_at)`, agentID, foundingTime)
	return ids, err
}

// findReadablePost returns the ID of the message that ref names, if it is another agent's
// post to a thread of this agent, and "" otherwise.
func (t threadsIn) findReadablePost(agentID, ref string) (string, error) {
	if len(ref) < parley.ShortID {
		return "", nil
	}

	from, to := idRange(ref)
	var ids []string
	err := t.Query(&ids, `SELECT m.id FROM messages m
		JOIN participants p ON p.thread_id = m.thread_id AND p.agent_id = ? AND p.left_at = 0
		WHERE m.id >= ? AND m.id < ? AND m.thread_id <> '' AND m.sender_id <> ?
		ORDER BY m.id LIMIT 2`, agentID, from, to, agentID)
	if err != nil || len(ids) != 1 {
		return "", err
	}

	return ids[0], nil
}

// participantsTable has the agents of threads.
var participantsTable = engine.Table[struct{}]{
	Name: "participants", Key: []string{"thread_id", "agent_id"}, Grows: true,
}

// Membership is a change of a thread's participants.
type Membership struct {
	ThreadID string
	AgentID  string
	Leave    bool                              // the agent leaves; otherwise it joins
	Allow    func(participants []string) error // called like a Reach; an error refuses the change
	Post     Post                              // the notice of the change
}

// ChangeMembership stores the change and its post, all or nothing. When the agent is in
// the thread, or out of it, already, it stores nothing and changed is false.
func (s *Threads) ChangeMembership(ctx context.Context, c Membership) (out Appended, changed bool, err error) {
	err = s.write(ctx, "changing the participants of the thread", func(t *tx) error {
		out, changed = Appended{}, false
		ids, err := threadsIn{t}.participants(c.ThreadID)
		if err == nil {
			err = c.Allow(ids)
		}
		if err != nil || slices.Contains(ids, c.AgentID) != c.Leave {
			return err
		}

		changed = true
		if c.Leave {
			_, err = t.Exec(`UPDATE participants SET left_at = ? WHERE thread_id = ? AND agent_id = ?`,
				nanos(t.Now), c.ThreadID, c.AgentID)
		} else {
			err = threadsIn{t}.join(c.ThreadID, c.AgentID, 0)
		}

		if err != nil {
			return err
		}

		return posting{t, &c.Post, &out}.append()
	})

	return out, changed, err
}

// join makes an agent a participant, also one that was in the thread before. place
// orders the agents that join in the same transaction.
func (t threadsIn) join(threadID, agentID string, place int) error {
	_, err := t.Exec(`INSERT INTO participants (thread_id, agent_id, joined_at) VALUES (?, ?, ?)
		ON CONFLICT (thread_id, agent_id) DO UPDATE SET joined_at = excluded.joined_at, left_at = 0`,
		threadID, agentID, nanos(t.Now)+int64(place))
	return err
}
