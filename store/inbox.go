package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"parley"
)

// read answers a query from a connection that cannot write. The driver does not
// stop a query whose context has ended, so every query here is bounded.
func (s *Store) read(ctx context.Context, doing string, dest any, sql string, args ...any) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.reader.WithContext(ctx).Raw(sql, args...).Scan(dest).Error; err != nil {
		return s.fail(doing, err)
	}
	return nil
}

// idRange is what finds ids by their beginning in an index of them: ids are
// hexadecimal digits and dashes, and all of these sort before g.
func idRange(prefix string) (from, to string) {
	prefix = strings.ToLower(prefix)
	return prefix, prefix + "g"
}

// Message returns a message with all its deliveries and their steps. ref is its
// id, or the first eight or more characters of it. MESSAGE_NOT_FOUND when no
// message, or more than one, begins like that.
func (s *Store) Message(ctx context.Context, ref string) (parley.Message, []parley.Delivery, error) {
	none := func(err error) (parley.Message, []parley.Delivery, error) { return parley.Message{}, nil, err }
	if len(ref) < parley.ShortID {
		return none(noMessage(ref))
	}

	from, to := idRange(ref)
	var rows []messageRow
	err := s.read(ctx, "reading the message", &rows, `SELECT `+messageColumns+` FROM messages m
		JOIN agents s ON s.id = m.sender_id WHERE m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 2`, from, to)
	if err != nil {
		return none(err)
	}

	row, err := only(rows, ref)
	if err != nil {
		return none(err)
	}

	m, deliveries, err := whole(s.reader.WithContext(ctx), &row)
	if err != nil {
		return none(s.fail("reading the message", err))
	}

	return m, deliveries, nil
}

// only returns what was found of the one message that ref names.
func only[T any](found []T, ref string) (T, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return *new(T), noMessage(ref)
	}
	return *new(T), parley.Errorf(parley.MessageNotFound, "more than one message begins with %q", parley.CleanLine(ref)).
		Suggest("Give more characters of the id.")
}

// whole completes a message with its deliveries.
func whole(db *gorm.DB, r *messageRow) (parley.Message, []parley.Delivery, error) {
	var rows []deliveryRow
	err := db.Raw(`SELECT `+deliveryColumns+` FROM deliveries d JOIN messages m ON m.seq = d.message_seq
		JOIN agents r ON r.id = d.recipient_id WHERE d.message_seq = ? ORDER BY lower(r.name)`, r.Seq).Scan(&rows).Error
	m, deliveries := r.message(), make([]parley.Delivery, len(rows))
	m.Recipients = make([]string, len(rows))
	for i := range rows {
		deliveries[i] = rows[i].delivery()
		m.Recipients[i] = rows[i].RecipientID
	}
	return m, deliveries, err
}

// InboxQuery asks for what came for one agent.
type InboxQuery struct {
	RecipientID string
	ThreadID    string // not empty: all posts of this thread, delivered to the agent or not
	Limit       int
	OldestFirst bool // else newest first
	UnreadOnly  bool

	Senders          []string // ids; empty for all
	Types            []parley.MessageType
	Priority         parley.Priority
	Since            time.Time // later than this
	Before           string    // of a thread: only before this post, by its id or the beginning of it; counts are of all
	ContextReference string
}

// InboxItem is a message and its delivery, without steps.
type InboxItem struct {
	Message  parley.Message // without recipients
	Delivery parley.Delivery
	Read     bool
	Archived bool // its recipient has answered or ignored it
}

// InboxPage is what came. The counts are of all that the query's filters let
// through, read ones included even when only unread ones are listed.
type InboxPage struct {
	Items  []InboxItem
	Total  int
	Unread int
}

// Inbox lists messages for an agent, whatever became of their delivery to its
// terminal, and marks none.
func (s *Store) Inbox(ctx context.Context, q InboxQuery) (InboxPage, error) {
	if q.ThreadID != "" {
		return s.threadPage(ctx, q)
	}

	var page InboxPage
	where, args := q.conditions(q.mine())
	const from = ` FROM deliveries d JOIN messages m ON m.seq = d.message_seq`
	const unread = ` AND d.read_at IS NULL`
	var err error
	if len(args) == 1 {
		page.Total, page.Unread, err = s.countInbox(ctx, q.RecipientID)
	} else if err = s.read(ctx, "counting the inbox", &page.Total, `SELECT count(*)`+from+where, args...); err == nil {
		err = s.read(ctx, "counting the inbox", &page.Unread, `SELECT count(*)`+from+where+unread, args...)
	}

	if err != nil {
		return InboxPage{}, err
	}
	if q.UnreadOnly {
		where += unread
	}

	page.Items, err = s.items(ctx, where, q.OldestFirst, q.Limit, args...)

	return page, err
}

// mine is the condition upon the recipient. Where senders are named it also says where
// to look for what they sent, which is found there without reading all that came: in
// their conversations with the recipient, and among what they did not send directly.
func (q *InboxQuery) mine() (where string, args []any) {
	where, args = ` WHERE d.recipient_id = ?`, []any{q.RecipientID}
	if len(q.Senders) == 0 {
		return where, args
	}
	conversations := make([]string, len(q.Senders))
	for i, id := range q.Senders {
		conversations[i] = parley.ConversationID(id, q.RecipientID)
	}
	return where + ` AND d.message_seq IN (
		SELECT c.message_seq FROM deliveries c WHERE c.conversation_id IN ? AND (c.kind = 'direct' OR c.kind = 'steering') AND +c.recipient_id = ?
		UNION ALL SELECT o.seq FROM messages o WHERE o.sender_id IN ? AND o.kind <> 'direct')`,
		append(args, conversations, q.RecipientID, q.Senders)
}

// conditions adds the query's, which are all of the message.
func (q *InboxQuery) conditions(where string, args []any) (string, []any) {
	and := func(condition string, arg any) {
		where, args = where+` AND `+condition, append(args, arg)
	}

	if len(q.Senders) > 0 {
		and(`m.sender_id IN ?`, q.Senders)
	}

	if len(q.Types) > 0 {
		types := make([]string, len(q.Types))
		for i, t := range q.Types {
			types[i] = string(t)
		}
		and(`m.type IN ?`, types)
	}

	if q.Priority != "" {
		and(`m.priority = ?`, string(q.Priority))
	}
	if !q.Since.IsZero() {
		and(`m.accepted_at > ?`, nanos(q.Since))
	}
	if q.ContextReference != "" {
		and(`m.context_reference = ?`, q.ContextReference)
	}

	return where, args
}

// items lists deliveries with their messages.
func (s *Store) items(
	ctx context.Context,
	where string,
	oldestFirst bool,
	limit int,
	args ...any,
) ([]InboxItem, error) {
	order := ` ORDER BY d.message_seq DESC LIMIT ?`
	if oldestFirst {
		order = ` ORDER BY d.message_seq LIMIT ?`
	}

	var rows []itemRow
	err := s.read(ctx, "reading messages", &rows, `SELECT `+messageColumns+`, `+deliveryColumns+`
		FROM deliveries d CROSS JOIN messages m ON m.seq = d.message_seq
		JOIN agents s ON s.id = m.sender_id JOIN agents r ON r.id = d.recipient_id`+where+order, append(args, limit)...)

	items := make([]InboxItem, len(rows))
	for i := range rows {
		r := &rows[i]
		items[i] = InboxItem{
			Message:  r.Message.message(),
			Delivery: r.Delivery.delivery(),
			Read:     r.Delivery.ReadAt != nil,
			Archived: r.Delivery.Archived || r.Delivery.AnsweredAt != 0,
		}

		items[i].Delivery.Steps = nil
	}

	return items, err
}

// HistoryQuery asks for what two agents said to each other.
type HistoryQuery struct {
	A, B   string // ids, in either order
	Limit  int
	Before string // only before this message of theirs, by its id or the beginning of it; may be empty
}

// HistoryPage is the newest page of a conversation, oldest first within it.
type HistoryPage struct {
	Items   []InboxItem
	HasMore bool // there are older ones
	Total   int  // of the whole conversation

	First, Last time.Time // of its messages; zero when there is none
}

// History returns what two agents said to each other and to nobody else, guidance too. MESSAGE_NOT_FOUND when
// Before is not one of them.
func (s *Store) History(ctx context.Context, q HistoryQuery) (HistoryPage, error) {
	where, args := ` WHERE d.conversation_id = ? AND (d.kind = 'direct' OR d.kind = 'steering')`, []any{
		parley.ConversationID(q.A, q.B),
	}

	var page HistoryPage
	if err := s.read(ctx, "counting the conversation", &page.Total, `SELECT count(*) FROM deliveries d`+where, args...); err != nil {
		return HistoryPage{}, err
	}
	if err := s.extent(ctx, &page, where, args); err != nil {
		return HistoryPage{}, err
	}

	if q.Before != "" {
		before, err := s.within(ctx, q.Before, where, args)
		if err != nil {
			return HistoryPage{}, err
		}
		where, args = where+` AND d.message_seq < ?`, append(args, before)
	}

	items, err := s.items(ctx, where, false, q.Limit+1, args...)
	if err != nil {
		return HistoryPage{}, err
	}
	if len(items) > q.Limit {
		items, page.HasMore = items[:q.Limit], true
	}

	slices.Reverse(items)
	page.Items = items

	return page, nil
}

// extent finds when a conversation began and when it was last continued.
func (s *Store) extent(ctx context.Context, page *HistoryPage, where string, args []any) error {
	if page.Total == 0 {
		return nil
	}
	const end = `SELECT m.accepted_at FROM deliveries d JOIN messages m ON m.seq = d.message_seq`
	var first, last int64
	err := s.read(ctx, "reading the conversation", &first, end+where+` ORDER BY d.message_seq LIMIT 1`, args...)
	if err == nil {
		err = s.read(ctx, "reading the conversation", &last, end+where+` ORDER BY d.message_seq DESC LIMIT 1`, args...)
	}
	page.First, page.Last = instant(first), instant(last)
	return err
}

// within returns the number of the message that ref names in a conversation.
func (s *Store) within(ctx context.Context, ref, where string, args []any) (int64, error) {
	if len(ref) < parley.ShortID {
		return 0, noMessage(ref)
	}
	from, to := idRange(ref)
	var found []int64
	err := s.read(ctx, "reading the conversation", &found, `SELECT d.message_seq FROM deliveries d
		JOIN messages m ON m.seq = d.message_seq`+where+` AND m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 2`, append(slices.Clone(args), from, to)...)
	if err != nil {
		return 0, err
	}
	return only(found, ref)
}
