package store

import (
	"context"

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
	err = s.write(ctx, "storing the thread", func(t *tx) error {
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
	err := s.read(ctx, "reading the thread", &rows, `SELECT `+threadColumns+` FROM threads t
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

	return th, s.read(ctx, "reading the thread", &th.Participants, selectParticipants, th.ID)
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
	err = s.read(ctx, "counting the threads", &total, `SELECT count(*)`+from, args...)
	if err == nil {
		err = s.read(ctx, "reading the threads", &rows,
			`SELECT `+threadColumns+from+` ORDER BY t.last_message_at DESC, t.id DESC LIMIT ?`, append(args, limit)...)
	}

	list = make([]parley.Thread, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		list[i] = rows[i].thread()
		err = s.read(ctx, "reading the threads", &list[i].Participants, selectParticipants, rows[i].ID)
	}

	return list, total, err
}

// ThreadTitles returns the titles of all threads by their IDs.
func (s *Threads) ThreadTitles(ctx context.Context) (map[string]string, error) {
	var rows []threadRow
	err := s.read(ctx, "reading the threads", &rows, `SELECT t.id, t.title FROM threads t`)
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
	err := s.read(ctx, "reading the thread", &rows, `SELECT `+messageColumns+`
		FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.thread_id = ? AND m.thread_id <> '' AND m.kind = 'thread'
		ORDER BY m.seq DESC LIMIT ?`, threadID, limit)
	return oldestFirst(rows), err
}
