package store

import (
	"context"
	"slices"
	"strings"

	"parley"
	"parley/plain"
)

// Messages stores messages and finds them again.
type Messages struct{ *database }

// Message returns a message with all its deliveries and their steps. ref is its ID, or
// the first eight or more characters of it. MESSAGE_NOT_FOUND when no message, or more
// than one, begins with ref.
func (s *Messages) Message(ctx context.Context, ref string) (m parley.Message, ds []parley.Delivery, err error) {
	if len(ref) < parley.ShortID {
		return m, nil, noMessage(ref)
	}

	from, to := idRange(ref)
	var rows []messageRow
	err = s.read(ctx, "reading the message", &rows, `SELECT `+messageColumns+` FROM messages m
		JOIN agents s ON s.id = m.sender_id WHERE m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 2`, from, to)
	if err != nil {
		return m, nil, err
	}

	row, err := only(rows, ref)
	if err != nil {
		return m, nil, err
	}

	m, ds, err = withDeliveries(s.reading(ctx), &row)
	if err != nil {
		return parley.Message{}, nil, s.fail("reading the message", err)
	}

	return m, ds, nil
}

// seqOf returns the number of the one message that ref names, among those that from
// selects. from must end in a condition on messages m. MESSAGE_NOT_FOUND.
func (db *database) seqOf(ctx context.Context, doing, ref, from string, args ...any) (int64, error) {
	if len(ref) < parley.ShortID {
		return 0, noMessage(ref)
	}

	first, after := idRange(ref)
	var found []int64
	err := db.read(ctx, doing, &found, `SELECT m.seq`+from+` AND m.id >= ? AND m.id < ? ORDER BY m.id LIMIT 2`,
		append(slices.Clone(args), first, after)...)
	if err != nil {
		return 0, err
	}

	return only(found, ref)
}

// only returns the one element of what was found for ref. MESSAGE_NOT_FOUND when there is
// none, or more than one.
func only[T any](found []T, ref string) (T, error) {
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return *new(T), noMessage(ref)
	}

	return *new(T), parley.Errorf(parley.MessageNotFound,
		"more than one message begins with %q", plain.CleanLine(ref)).
		Suggest("Give more characters of the ID.")
}

// withDeliveries returns a message with its recipients, and its deliveries.
func withDeliveries(db querier, r *messageRow) (parley.Message, []parley.Delivery, error) {
	var rows []deliveryRow
	err := db.Query(&rows, `SELECT `+deliveryColumns+` FROM deliveries d JOIN messages m ON m.seq = d.message_seq
		JOIN agents r ON r.id = d.recipient_id WHERE d.message_seq = ? ORDER BY lower(r.name)`, r.Seq)

	m, deliveries := r.message(), make([]parley.Delivery, len(rows))
	m.Recipients = make([]string, len(rows))
	for i := range rows {
		deliveries[i] = rows[i].delivery()
		m.Recipients[i] = rows[i].RecipientID
	}

	return m, deliveries, err
}

// idRange returns the bounds of the IDs that begin with a prefix, so that an index finds
// them: IDs consist of hexadecimal digits and dashes, which all sort before g.
func idRange(prefix string) (from, to string) {
	prefix = strings.ToLower(prefix)
	return prefix, prefix + "g"
}
