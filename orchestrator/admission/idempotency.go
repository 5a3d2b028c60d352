package admission

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
)

// checkSameCall returns an error if the idempotency key was used for a different message, because
// the caller would be told that this one was sent. Only the key counts for parley's own
// notices. usual is the deadline of a call that names none.
func (d *Draft) checkSameCall(
	from *team.Member, post *store.Post, stored *store.Appended, usual time.Duration,
) error {
	if from.Kind == parley.KindSystem {
		return nil
	}

	msg, earlier := &post.Message, &stored.Message
	if d.File != nil {
		return CheckSameFile(earlier, d.Recipients[0], d.File.Name, d.Description, d.File.SHA256)
	}

	differs := d.differs(msg, earlier, usual)
	if differs == "" {
		differs = d.otherAddress(msg, earlier, post.Deliveries, stored.Deliveries)
	}
	if differs == "" {
		return nil
	}

	return otherMessage(earlier, differs)
}

// differs returns the name of the first parameter in which two messages differ, recipients
// aside, or "" if they are the same.
func (d *Draft) differs(msg, earlier *parley.Message, usual time.Duration) string {
	switch {
	case msg.Text != earlier.Text:
		return "text"
	case msg.InReplyTo != earlier.InReplyTo:
		return "in_reply_to"
	case msg.ResponseStatus != earlier.ResponseStatus:
		return "status"
	case msg.Type != earlier.Type:
		return "type"
	case msg.Priority != earlier.Priority:
		return "priority"
	case msg.ContextReference != earlier.ContextReference:
		return "context_reference"
	case !bytes.Equal(msg.Data, earlier.Data):
		return "data"
	case !slices.EqualFunc(msg.Attachments, earlier.Attachments, sameAttachment):
		return "attachments"
	case msg.RequiresResponse != earlier.RequiresResponse:
		return "requires_response"
	case msg.RequiresResponse && !d.sameDeadline(earlier, usual):
		return "response_deadline"
	}

	return ""
}

// deadlineSlack is far longer than the time between the two clock readings, one for the
// deadline and one for the message.
const deadlineSlack = time.Minute

// sameDeadline reports whether a stored message has the requested deadline, or the default one
// if none is requested.
func (d *Draft) sameDeadline(earlier *parley.Message, usual time.Duration) bool {
	if d.Deadline != nil {
		return d.Deadline.Equal(*earlier.ResponseDeadline)
	}
	return earlier.Timestamp.Add(usual).Sub(*earlier.ResponseDeadline).Abs() < deadlineSlack
}

// sameAttachment compares attachments without the path of the copy, which the sender does not
// choose, and in one form: the store escapes signs that a sender may write as they are.
func sameAttachment(a, b json.RawMessage) bool {
	return bytes.Equal(a, b) || bytes.Equal(withoutPath(a), withoutPath(b))
}

func withoutPath(item json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil {
		return item
	}
	if members["file_id"] != nil {
		delete(members, "server_path")
	}
	rest, _ := json.Marshal(members) // decoded from JSON above
	return rest
}

// otherAddress returns the name of the parameter in which the recipients of two messages
// differ, or "" if they are the same. An answer goes to the thread or to its author, depending
// on whether the sender takes part in the thread at that time.
func (d *Draft) otherAddress(msg, earlier *parley.Message, now []store.NewDelivery, then []parley.Delivery) string {
	answer := d.Answers != nil
	switch {
	case answer && msg.ThreadID != earlier.ThreadID:
		if first := firstRecipients(then); len(now) > 1 || earlier.ThreadID == "" && len(first) > 1 {
			return "additional_recipients"
		}
	case msg.ThreadID != earlier.ThreadID:
		return "thread_id"
	case msg.ThreadID != "":
	case d.Implicit && msg.Kind != earlier.Kind && msg.Type != parley.TypeRequest:
		// The kind of a request depends on how many agents are capable of it at the time.
		return "to"
	case !d.Implicit && !sameRecipients(now, firstRecipients(then)):
		if answer {
			return "additional_recipients"
		}
		return "to"
	}

	return ""
}

// firstRecipients returns the original recipients, without those that the answer was delegated
// to later.
func firstRecipients(deliveries []parley.Delivery) []string {
	var first []string
	var at time.Time
	for _, d := range deliveries {
		if len(d.Steps) > 0 && (at.IsZero() || d.Steps[0].At.Before(at)) {
			at = d.Steps[0].At
		}
	}

	for _, d := range deliveries {
		if len(d.Steps) == 0 || d.Steps[0].At.Equal(at) {
			first = append(first, d.RecipientID)
		}
	}

	return first
}

// sameRecipients reports whether two messages have the same recipients.
func sameRecipients(deliveries []store.NewDelivery, ids []string) bool {
	return len(deliveries) == len(ids) &&
		!slices.ContainsFunc(deliveries, func(d store.NewDelivery) bool { return !slices.Contains(ids, d.RecipientID) })
}

// otherMessage is the error for a key that was used for another message.
func otherMessage(earlier *parley.Message, differs string) error {
	return parley.Errorf(parley.InvalidArgument,
		"the idempotency key was used before, for message %s, which is another one: this was not sent",
		parley.Short(earlier.ID)).
		With("parameter", "idempotency_key").
		With("message_id", earlier.ID).
		With("differs", differs).
		Suggest("Use another key for each message; the same key only repeats the same call.")
}

// CheckSameFile returns an error if the idempotency key was used for another file, or for a
// message without one. sha256 is empty if the file has not been read yet.
func CheckSameFile(earlier *parley.Message, to *team.Member, name, description, sha256 string) error {
	var f struct {
		parley.FileData
		Filename    string `json:"filename"`
		Description string `json:"description"`
	}

	if len(earlier.Attachments) > 0 && json.Unmarshal(earlier.Attachments[0], &f) != nil {
		f.FileID = ""
	}

	switch {
	case f.FileID == "":
		return otherMessage(earlier, "file")
	case f.Filename != name:
		return otherMessage(earlier, "filename")
	case f.Description != plain.Clean(description):
		return otherMessage(earlier, "description")
	case sha256 != "" && f.SHA256 != sha256:
		return otherMessage(earlier, "content")
	case to == nil || !slices.Contains(earlier.Recipients, to.ID):
		return otherMessage(earlier, "recipient")
	}

	return nil
}

// RequestHash returns a hash of a call's parameters.
func RequestHash(what ...any) string {
	b, _ := json.Marshal(what) // strings and lists of strings always encode
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
