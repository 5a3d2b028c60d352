package store

import (
	"context"

	"parley"
)

// Threads keeps threads and who takes part in them.
type Threads struct{ *database }

// Reach says where the deliveries of a thread's post begin, given the ids of those who
// take part when it is stored. An error refuses the post. It is called by the goroutine
// that writes, perhaps more than once, and must wait for nothing.
type Reach func(participants []string) ([]NewDelivery, error)

// CreateThread stores a thread with those who take part in it and its first posts, all
// or nothing. The thread has its id and its times come from the clock. When the call was
// made before nothing is stored, and was says what it made. AGENT_NOT_FOUND when one of
// them is not stored.
func (s *Threads) CreateThread(
	ctx context.Context,
	th parley.Thread,
	c Call,
	posts ...Post,
) (out []Appended, was Call, err error) {
	err = s.write(ctx, "storing the thread", func(t *tx) error {
		out = make([]Appended, len(posts))
		var before bool
		var err error
		if was, before, err = recordCall(t, c); before || err != nil {
			out = nil
			return err
		}

		now := nanos(t.now)
		row := threadRow{ID: th.ID, Title: th.Title, CreatorID: th.CreatorID, CreatedAt: now, LastMessageAt: now}
		err = insert(t, "threads", newThreadColumns, row)
		for i := 0; i < len(th.Participants) && err == nil; i++ {
			err = joinThread(t, th.ID, th.Participants[i], i)
		}

		if dangling(err) {
			return parley.Errorf(parley.AgentNotFound, "a participant of the thread is not stored").
				Suggest("See who is there with get_agent_status.")
		}

		for i := 0; i < len(posts) && err == nil; i++ {
			err = appendPost(t, &posts[i], &out[i])
		}

		return err
	})

	return out, was, err
}

// address finds to whom a thread's post goes, as the thread is at this moment of the
// transaction: nobody gets a post who was removed before it.
func addressPost(t *tx, p *Post) error {
	ids, err := loadParticipants(t, p.Message.ThreadID)
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
