package store

import (
	"context"
	"slices"

	"parley"
	"parley/plain"
	"parley/store/engine"
)

// CreateThread stores a thread with its participants and its first posts, all or nothing.
// The thread must have an ID; its times come from the clock. If the call was made before,
// it stores nothing and returns the earlier call. AGENT_NOT_FOUND when a participant is
// not stored.
func (s *Threads) CreateThread(
	ctx context.Context, th parley.Thread, c Call, posts ...Post,
) (out []Appended, made Call, err error) {
	err = s.db.write(ctx, "storing the thread", func(t *tx) error {
		out = make([]Appended, len(posts))
		var found bool
		var err error
		if made, found, err = recordCall(t, c); found || err != nil {
			out = nil
			return err
		}

		now := nanos(t.Now)
		row := threadRow{ID: th.ID, Title: th.Title, CreatorID: th.CreatorID, CreatedAt: now, LastMessageAt: now}
		err = threadsTable.Insert(t, row)
		for i := 0; i < len(th.Participants) && err == nil; i++ {
			err = threadsIn{t}.join(th.ID, th.Participants[i], i)
		}

		if engine.Dangling(err) {
			return parley.Errorf(parley.AgentNotFound, "a participant of the thread is not stored").
				Suggest("get_agent_status lists the agents.")
		}

		for i := 0; i < len(posts) && err == nil; i++ {
			err = posting{t, &posts[i], &out[i]}.append()
		}

		return err
	})

	return out, made, err
}

// Thread returns a thread with the IDs of its participants. ref is its ID, or the first
// eight or more characters of it. THREAD_NOT_FOUND when no thread, or more than one, begins
// with ref.
func (s *Threads) Thread(ctx context.Context, ref string) (parley.Thread, error) {
	if len(ref) < parley.ShortID {
		return parley.Thread{}, noThread(ref)
	}

	from, to := idRange(ref)
	var rows []threadRow
	err := s.db.read(ctx, "reading the thread", &rows, `SELECT `+threadColumns+` FROM threads t
		WHERE t.id >= ? AND t.id < ? ORDER BY t.id LIMIT 2`, from, to)
	switch {
	case err != nil:
		return parley.Thread{}, err
	case len(rows) == 0:
		return parley.Thread{}, noThread(ref)
	case len(rows) > 1 && rows[0].ID != from:
		return parley.Thread{}, parley.Errorf(parley.ThreadNotFound, "more than one thread begins with %q",
			plain.CleanLine(ref)).Suggest("Give more characters of the ID.")
	}

	th := rows[0].thread()

	return th, s.db.read(ctx, "reading the thread", &th.Participants, selectParticipants, th.ID)
}

// List returns at most limit threads with their participants, the last active first, and
// the number of all. With an agent's ID it returns only the threads of that agent.
func (s *Threads) List(ctx context.Context, agentID string, limit int) (list []parley.Thread, total int, err error) {
	from, args := ` FROM threads t`, []any{}
	if agentID != "" {
		from += ` WHERE EXISTS
			(SELECT 1 FROM participants p WHERE p.thread_id = t.id AND p.agent_id = ? AND p.left_at = 0)`
		args = append(args, agentID)
	}

	var rows []threadRow
	err = s.db.read(ctx, "counting the threads", &total, `SELECT count(*)`+from, args...)
	if err == nil {
		err = s.db.read(ctx, "reading the threads", &rows,
			`SELECT `+threadColumns+from+` ORDER BY t.last_message_at DESC, t.id DESC LIMIT ?`, append(args, limit)...)
	}

	list = make([]parley.Thread, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		list[i] = rows[i].thread()
		err = s.db.read(ctx, "reading the threads", &list[i].Participants, selectParticipants, rows[i].ID)
	}

	return list, total, err
}

// ThreadTitles returns the titles of all threads by their IDs.
func (s *Threads) ThreadTitles(ctx context.Context) (map[string]string, error) {
	var rows []threadRow
	err := s.db.read(ctx, "reading the threads", &rows, `SELECT t.id, t.title FROM threads t`)
	titles := make(map[string]string, len(rows))
	for _, r := range rows {
		titles[r.ID] = r.Title
	}
	return titles, err
}

// Posts returns at most limit of a thread's latest posts, the oldest first, without
// parley's own.
func (s *Threads) Posts(ctx context.Context, threadID string, limit int) ([]parley.Message, error) {
	var rows []messageRow
	err := s.db.read(ctx, "reading the thread", &rows, `SELECT `+messageColumns+`
		FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.thread_id = ? AND m.thread_id <> '' AND m.kind = 'thread'
		ORDER BY m.seq DESC LIMIT ?`, threadID, limit)
	return oldestFirst(rows), err
}

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

	n, err := p.tx.Exec(`UPDATE threads SET last_message_at = ? WHERE id = ?`, nanos(p.tx.Now), p.Message.ThreadID)
	if err == nil && n == 0 {
		err = noThread(p.Message.ThreadID)
	}

	return err
}

func noThread(ref string) error {
	return parley.Errorf(parley.ThreadNotFound, "there is no thread %q", plain.CleanLine(plain.Truncate(ref, 64))).
		Suggest("list_threads shows the IDs.")
}

type threadRow struct {
	ID            string
	Title         string
	CreatorID     string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	LastMessageAt int64
}

var threadsTable = engine.Table[threadRow]{
	Name:    "threads",
	Key:     []string{"id"},
	Grows:   true,
	Columns: engine.ColumnsOf[threadRow](butFor()),
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
type Threads struct{ db *database }

func (t threadsIn) participants(threadID string) ([]string, error) {
	var ids []string
	err := t.tx.Query(&ids, selectParticipants, threadID)
	return ids, err
}

// selectParticipants returns the participants of a thread in the order of joining.
const selectParticipants = `SELECT agent_id FROM participants
	WHERE thread_id = ? AND left_at = 0 ORDER BY joined_at, agent_id`

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
	err := t.tx.Query(&ids, `SELECT m.id FROM messages m
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
	err = s.db.write(ctx, "changing the participants of the thread", func(t *tx) error {
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
	_, err := t.tx.Exec(`INSERT INTO participants (thread_id, agent_id, joined_at) VALUES (?, ?, ?)
		ON CONFLICT (thread_id, agent_id) DO UPDATE SET joined_at = excluded.joined_at, left_at = 0`,
		threadID, agentID, nanos(t.tx.Now)+int64(place))
	return err
}
