package store

import (
	"context"

	"parley"
)

const threadColumns = `t.id, t.title, t.creator_id, t.created_at, t.last_message_at`

// threadRow is a row of threads.
type threadRow struct {
	ID            string
	Title         string
	CreatorID     string
	CreatedAt     int64 `gorm:"autoCreateTime:false"`
	LastMessageAt int64
}

var newThreadColumns = columns[threadRow]{
	{"id", func(r *threadRow) any { return r.ID }},
	{"title", func(r *threadRow) any { return r.Title }},
	{"creator_id", func(r *threadRow) any { return r.CreatorID }},
	{"created_at", func(r *threadRow) any { return r.CreatedAt }},
	{"last_message_at", func(r *threadRow) any { return r.LastMessageAt }},
}

func (r *threadRow) thread() parley.Thread {
	return parley.Thread{ID: r.ID, Title: r.Title, CreatorID: r.CreatorID, Participants: []string{},
		CreatedAt: instant(r.CreatedAt), LastMessageAt: instant(r.LastMessageAt)}
}

// Thread returns a thread and the ids of those who take part. ref is its id, or the
// first eight or more characters of it. THREAD_NOT_FOUND when no thread, or more than
// one, begins like that.
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
		return parley.Thread{}, parley.Errorf(parley.ThreadNotFound, "more than one thread begins with %q", parley.CleanLine(ref)).
			Suggest("Give more characters of the id.")
	}

	th := rows[0].thread()

	return th, s.read(ctx, "reading the thread", &th.Participants, takingPart, th.ID)
}

// List returns threads with those who take part, the last active first, and how
// many there are in all. With an agent's id only those in which it takes part.
func (s *Threads) List(ctx context.Context, agentID string, limit int) (list []parley.Thread, total int, err error) {
	from, args := ` FROM threads t`, []any{}
	if agentID != "" {
		from, args = from+` WHERE EXISTS (SELECT 1 FROM participants p WHERE p.thread_id = t.id AND p.agent_id = ? AND p.left_at = 0)`, append(
			args,
			agentID,
		)
	}

	var rows []threadRow
	err = s.read(ctx, "counting the threads", &total, `SELECT count(*)`+from, args...)
	if err == nil {
		err = s.read(
			ctx,
			"reading the threads",
			&rows,
			`SELECT `+threadColumns+from+` ORDER BY t.last_message_at DESC, t.id DESC LIMIT ?`,
			append(args, limit)...)
	}

	list = make([]parley.Thread, len(rows))
	for i := 0; i < len(rows) && err == nil; i++ {
		list[i] = rows[i].thread()
		err = s.read(ctx, "reading the threads", &list[i].Participants, takingPart, rows[i].ID)
	}

	return list, total, err
}

// ThreadTitles returns the titles of all threads by their ids.
func (s *Threads) ThreadTitles(ctx context.Context) (map[string]string, error) {
	var rows []threadRow
	err := s.read(ctx, "reading the threads", &rows, `SELECT t.id, t.title FROM threads t`)
	titles := make(map[string]string, len(rows))
	for _, r := range rows {
		titles[r.ID] = r.Title
	}
	return titles, err
}

// posts are the messages of a thread, with their delivery to one agent: empty where it
// got none, because the post is its own or from before it joined.
const posts = ` FROM messages m LEFT JOIN deliveries d ON d.message_seq = m.seq AND d.recipient_id = ?`

// threadPage is Inbox for a query that names a thread: all its posts. What was not
// delivered to the agent counts as read.
func (s *Inbox) threadPage(ctx context.Context, q InboxQuery) (InboxPage, error) {
	var page InboxPage
	where, args := q.conditions(` WHERE m.thread_id = ? AND m.thread_id <> ''`, []any{q.RecipientID, q.ThreadID})
	const unread = ` AND d.state IS NOT NULL AND d.read_at IS NULL`

	err := s.read(ctx, "counting the thread", &page.Total, `SELECT count(*)`+posts+where, args...)
	if err == nil {
		err = s.read(ctx, "counting the thread", &page.Unread, `SELECT count(*)`+posts+where+unread, args...)
	}
	if err != nil {
		return InboxPage{}, err
	}
	if q.UnreadOnly {
		where += unread
	}

	if q.Before != "" {
		before, err := s.seqOf(ctx, "reading the thread", q.Before,
			` FROM messages m WHERE m.thread_id = ? AND m.thread_id <> ''`, q.ThreadID)
		if err != nil {
			return InboxPage{}, err
		}
		where, args = where+` AND m.seq < ?`, append(args, before)
	}

	order := ` ORDER BY m.seq DESC LIMIT ?`
	if q.OldestFirst {
		order = ` ORDER BY m.seq LIMIT ?`
	}

	var rows []postRow
	err = s.read(
		ctx,
		"reading the thread",
		&rows,
		`SELECT `+messageColumns+`, coalesce(d.state, '') AS state, coalesce(d.reason, '') AS reason, coalesce(d.reason_code, '') AS reason_code, d.read_at
		`+posts+` JOIN agents s ON s.id = m.sender_id`+where+order,
		append(args, q.Limit)...)

	for i := range rows {
		page.Items = append(page.Items, rows[i].item(q.RecipientID))
	}

	return page, err
}

// postRow is a post as one agent has it.
type postRow struct {
	Message    messageRow `gorm:"embedded"`
	State      string
	Reason     string
	ReasonCode string
	ReadAt     *int64
}

func (r *postRow) item(agentID string) InboxItem {
	m := r.Message.message()
	return InboxItem{Message: m, Read: r.State == "" || r.ReadAt != nil, Delivery: parley.Delivery{MessageID: m.ID,
		RecipientID: agentID, ConversationID: m.ThreadID, State: parley.DeliveryState(r.State), Reason: r.Reason,
		ReasonCode: parley.ReasonCode(r.ReasonCode)}}
}

// Posts returns a thread's latest posts, oldest first, but for parley's own.
func (s *Threads) Posts(ctx context.Context, threadID string, limit int) ([]parley.Message, error) {
	var rows []messageRow
	err := s.read(
		ctx,
		"reading the thread",
		&rows,
		`SELECT `+messageColumns+` FROM messages m JOIN agents s ON s.id = m.sender_id
		WHERE m.thread_id = ? AND m.thread_id <> '' AND m.kind = 'thread' ORDER BY m.seq DESC LIMIT ?`,
		threadID,
		limit,
	)

	list := make([]parley.Message, len(rows))
	for i := range rows {
		list[len(rows)-1-i] = rows[i].message()
	}

	return list, err
}
