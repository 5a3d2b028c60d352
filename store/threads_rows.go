package store

import (
	"parley"
	"parley/plain"
	"parley/store/engine"
)

// address makes the deliveries of a thread's post, for the participants at this moment
// of the transaction: an agent that was removed earlier does not get it.
func (p posting) address() error {
	ids, err := threadsIn{p.tx}.participants(p.Message.ThreadID)
	if err != nil {
		return err
	}
	if p.Deliveries, err = p.Reach(ids); err != nil {
		return err
	}

	n, err := p.Exec(`UPDATE threads SET last_message_at = ? WHERE id = ?`, nanos(p.Now), p.Message.ThreadID)
	if err == nil && n == 0 {
		err = noThread(p.Message.ThreadID)
	}

	return err
}

func noThread(ref string) error {
	return parley.Errorf(parley.ThreadNotFound, "there is no thread %q", plain.CleanLine(plain.Truncate(ref, 64))).
		Suggest("list_threads shows the IDs.")
}

// threadRow is a row of threads.
type threadRow struct {
	ID            string
	Title         string
	CreatorID     string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	LastMessageAt int64
}

var threadsTable = engine.Table[threadRow]{
	Name:  "threads",
	Key:   []string{"id"},
	Grows: true,
	Columns: engine.Columns[threadRow]{
		{"id", func(r *threadRow) any { return r.ID }},
		{"title", func(r *threadRow) any { return r.Title }},
		{"creator_id", func(r *threadRow) any { return r.CreatorID }},
		{"created_at", func(r *threadRow) any { return r.CreatedAt }},
		{"last_message_at", func(r *threadRow) any { return r.LastMessageAt }},
	},
}

const threadColumns = `t.id, t.title, t.creator_id, t.created_at, t.last_message_at`

func (r *threadRow) thread() parley.Thread {
	return parley.Thread{
		ID:            r.ID,
		Title:         r.Title,
		CreatorID:     r.CreatorID,
		Participants:  []string{},
		CreatedAt:     instant(r.CreatedAt),
		LastMessageAt: instant(r.LastMessageAt),
	}
}

// Threads keeps threads and their participants.
type Threads struct{ *database }

func (t threadsIn) participants(threadID string) ([]string, error) {
	var ids []string
	err := t.Query(&ids, selectParticipants, threadID)
	return ids, err
}

// selectParticipants returns the participants of a thread in the order of joining.
const selectParticipants = `SELECT agent_id FROM participants
	WHERE thread_id = ? AND left_at = 0 ORDER BY joined_at, agent_id`
