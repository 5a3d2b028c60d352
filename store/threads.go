package store

import (
	"context"
	"slices"

	"parley"
)

// Reach says where the deliveries of a thread's post begin, given the ids of those who
// take part when it is stored. An error refuses the post. It is called by the goroutine
// that writes, perhaps more than once, and must wait for nothing.
type Reach func(participants []string) ([]NewDelivery, error)

// CreateThread stores a thread with those who take part in it and its first posts, all
// or nothing. The thread has its id and its times come from the clock. When the call was
// made before nothing is stored, and was says what it made. AGENT_NOT_FOUND when one of
// them is not stored.
func (s *Store) CreateThread(
	ctx context.Context,
	th parley.Thread,
	c Call,
	posts ...Post,
) (out []Appended, was Call, err error) {
	err = s.write(ctx, "storing the thread", func(t *tx) error {
		out = make([]Appended, len(posts))
		var before bool
		var err error
		if was, before, err = t.call(c); before || err != nil {
			out = nil
			return err
		}

		_, err = t.exec(
			`INSERT INTO threads (id, title, creator_id, created_at, last_message_at) VALUES (?, ?, ?, ?, ?)`,
			th.ID,
			th.Title,
			th.CreatorID,
			nanos(t.now),
			nanos(t.now),
		)

		for i := 0; i < len(th.Participants) && err == nil; i++ {
			err = t.join(th.ID, th.Participants[i], i)
		}

		if dangling(err) {
			return parley.Errorf(parley.AgentNotFound, "a participant of the thread is not stored").
				Suggest("See who is there with get_agent_status.")
		}

		for i := 0; i < len(posts) && err == nil; i++ {
			err = t.append(&posts[i], &out[i])
		}

		return err
	})

	return out, was, err
}

// join makes an agent take part, after those who join at the same moment in a lower
// place. That it did before does no harm.
func (t *tx) join(threadID, agentID string, place int) error {
	_, err := t.exec(`INSERT INTO participants (thread_id, agent_id, joined_at) VALUES (?, ?, ?)
		ON CONFLICT (thread_id, agent_id) DO UPDATE SET joined_at = excluded.joined_at, left_at = 0`,
		threadID, agentID, nanos(t.now)+int64(place))
	return err
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
func (s *Store) ChangeMembership(ctx context.Context, c Membership) (out Appended, changed bool, err error) {
	err = s.write(ctx, "changing who takes part in the thread", func(t *tx) error {
		out, changed = Appended{}, false
		ids, err := t.participants(c.ThreadID)
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
			err = t.join(c.ThreadID, c.AgentID, 0)
		}

		if err != nil {
			return err
		}

		return t.append(&c.Post, &out)
	})

	return out, changed, err
}

// takingPart is who takes part in a thread, in the order of joining.
const takingPart = `SELECT agent_id FROM participants WHERE thread_id = ? AND left_at = 0 ORDER BY joined_at, agent_id`

func (t *tx) participants(threadID string) ([]string, error) {
	var ids []string
	err := t.query(&ids, takingPart, threadID)
	return ids, err
}

// address finds to whom a thread's post goes, as the thread is at this moment of the
// transaction: nobody gets a post who was removed before it.
func (t *tx) address(p *Post) error {
	ids, err := t.participants(p.Message.ThreadID)
	if err != nil {
		return err
	}
	if p.Deliveries, err = p.Reach(ids); err != nil {
		return err
	}
	n, err := t.exec(`UPDATE threads SET last_message_at = ? WHERE id = ?`, nanos(t.now), p.Message.ThreadID)
	if err == nil && n == 0 {
		err = noThread(p.Message.ThreadID)
	}
	return err
}

func noThread(ref string) error {
	return parley.Errorf(parley.ThreadNotFound, "there is no thread %q", parley.CleanLine(parley.Truncate(ref, 64))).
		Suggest("list_threads shows the ids.")
}
