package store

import (
	"context"
	"slices"

	"parley"
)

// atCreation is in how many nanoseconds after a thread those join who are in it from the
// beginning: one each.
const atCreation = 100_000

// joinedLate returns the threads that an agent takes part in, but did not from their
// beginning on: posts of them did not come for it.
func (db *database) joinedLate(ctx context.Context, agentID string) ([]string, error) {
	var ids []string
	err := db.read(
		ctx,
		"reading the threads",
		&ids,
		`SELECT t.id FROM participants p CROSS JOIN threads t ON t.id = p.thread_id
		WHERE p.agent_id = ? AND p.left_at = 0 AND p.joined_at >= t.created_at + ?`,
		agentID,
		atCreation,
	)
	return ids, err
}

// readable returns the id of the message that ref names, if it is another's post to a
// thread that an agent takes part in; else "".
func findReadablePost(t *tx, agentID, ref string) (string, error) {
	if len(ref) < parley.ShortID {
		return "", nil
	}

	from, to := idRange(ref)
	var ids []string
	err := t.query(
		&ids,
		`SELECT m.id FROM messages m JOIN participants p ON p.thread_id = m.thread_id AND p.agent_id = ? AND p.left_at = 0
		WHERE m.id >= ? AND m.id < ? AND m.thread_id <> '' AND m.sender_id <> ? ORDER BY m.id LIMIT 2`,
		agentID,
		from,
		to,
		agentID,
	)
	if err != nil || len(ids) != 1 {
		return "", err
	}

	return ids[0], nil
}

// Membership is a change of who takes part in a thread.
type Membership struct {
	ThreadID string
	AgentID  string
	Leave    bool                              // it takes part no more; else it does from now on
	Allow    func(participants []string) error // like a Reach: an error refuses the change
	Post     Post                              // tells of it, to those whom its Reach names
}

// ChangeMembership stores the change and its post, all or nothing. When nothing is to
// be changed it stores nothing, and changed is false.
func (s *Threads) ChangeMembership(ctx context.Context, c Membership) (out Appended, changed bool, err error) {
	err = s.write(ctx, "changing who takes part in the thread", func(t *tx) error {
		out, changed = Appended{}, false
		ids, err := loadParticipants(t, c.ThreadID)
		if err == nil {
			err = c.Allow(ids)
		}
		if err != nil || slices.Contains(ids, c.AgentID) != c.Leave {
			return err
		}

		changed = true
		if c.Leave {
			_, err = t.exec(
				`UPDATE participants SET left_at = ? WHERE thread_id = ? AND agent_id = ?`,
				nanos(t.now),
				c.ThreadID,
				c.AgentID,
			)
		} else {
			err = joinThread(t, c.ThreadID, c.AgentID, 0)
		}

		if err != nil {
			return err
		}

		return appendPost(t, &c.Post, &out)
	})

	return out, changed, err
}

// join makes an agent take part, after those who join at the same moment in a lower
// place. That it did before does no harm.
func joinThread(t *tx, threadID, agentID string, place int) error {
	_, err := t.exec(`INSERT INTO participants (thread_id, agent_id, joined_at) VALUES (?, ?, ?)
		ON CONFLICT (thread_id, agent_id) DO UPDATE SET joined_at = excluded.joined_at, left_at = 0`,
		threadID, agentID, nanos(t.now)+int64(place))
	return err
}

// takingPart is who takes part in a thread, in the order of joining.
const takingPart = `SELECT agent_id FROM participants WHERE thread_id = ? AND left_at = 0 ORDER BY joined_at, agent_id`

func loadParticipants(t *tx, threadID string) ([]string, error) {
	var ids []string
	err := t.query(&ids, takingPart, threadID)
	return ids, err
}
