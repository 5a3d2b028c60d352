package orchestrator

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"parley"
	"parley/orchestrator/team"
	"parley/store"
)

// sameCall returns an error if the idempotency key was used for a different message, because
// the caller would be told that this one was sent. Only the key counts for parley's own
// notices.
func (a *admission) again(d *draft, from *team.Member, post *store.Post, stored *store.Appended) error {
	if from.Kind == parley.KindSystem {
		return nil
	}

	is, was := &post.Message, &stored.Message
	if d.file != nil {
		return fileAgain(was, d.recipients[0], d.file.Name, d.description, d.file.SHA256)
	}

	differs := a.differs(d, is, was)
	if differs == "" {
		differs = d.otherAddress(is, was, post.Deliveries, stored.Deliveries)
	}
	if differs == "" {
		return nil
	}

	return otherMessage(was, differs)
}

// differs returns the name of the first parameter in which two messages differ, recipients
// aside, or "" if they are the same.
func (a *admission) differs(d *draft, is, was *parley.Message) string {
	switch {
	case is.Text != was.Text:
		return "text"
	case is.InReplyTo != was.InReplyTo:
		return "in_reply_to"
	case is.ResponseStatus != was.ResponseStatus:
		return "status"
	case is.Type != was.Type:
		return "type"
	case is.Priority != was.Priority:
		return "priority"
	case is.ContextReference != was.ContextReference:
		return "context_reference"
	case !bytes.Equal(is.Data, was.Data):
		return "data"
	case !slices.EqualFunc(is.Attachments, was.Attachments, sameAttachment):
		return "attachments"
	case is.RequiresResponse != was.RequiresResponse:
		return "requires_response"
	case is.RequiresResponse && !a.sameDeadline(d.deadline, was):
		return "response_deadline"
	}

	return ""
}

// deadlineSlack is far longer than the time between the two clock readings, one for the
// deadline and one for the message.
const deadlineSlack = time.Minute

// sameDeadline reports whether a stored message has the requested deadline, or the default one
// if none is requested.
func (a *admission) sameDeadline(asked *time.Time, was *parley.Message) bool {
	if asked != nil {
		return asked.Equal(*was.ResponseDeadline)
	}
	return was.Timestamp.Add(a.settings.ResponseDeadline).Sub(*was.ResponseDeadline).Abs() < deadlineSlack
}

// sameAttachment compares attachments without the path of the copy, which the sender does not
// choose.
func sameAttachment(is, was json.RawMessage) bool {
	return bytes.Equal(is, was) || bytes.Equal(withoutPath(is), withoutPath(was))
}

func withoutPath(item json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil || members["file_id"] == nil {
		return item
	}
	delete(members, "server_path")
	rest, _ := json.Marshal(members) // decoded from JSON above
	return rest
}

// otherAddress returns the name of the parameter in which the recipients of two messages
// differ, or "" if they are the same. An answer goes to the thread or to its author, depending
// on whether the sender takes part in the thread at that time.
func (d *draft) otherAddress(is, was *parley.Message, now []store.NewDelivery, then []parley.Delivery) string {
	answer := d.answers != nil
	switch {
	case answer && is.ThreadID != was.ThreadID:
		if first := firstRecipients(then); len(now) > 1 || was.ThreadID == "" && len(first) > 1 {
			return "additional_recipients"
		}
	case is.ThreadID != was.ThreadID:
		return "thread_id"
	case is.ThreadID != "":
	case d.whoever && is.Kind != was.Kind && is.Type != parley.TypeRequest:
		// The kind of a request depends on how many agents are capable of it at the time.
		return "to"
	case !d.whoever && !sameRecipients(now, firstRecipients(then)):
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
func sameRecipients(is []store.NewDelivery, was []string) bool {
	return len(is) == len(was) &&
		!slices.ContainsFunc(is, func(d store.NewDelivery) bool { return !slices.Contains(was, d.RecipientID) })
}

// otherMessage is the error for a key that was used for another message.
func otherMessage(was *parley.Message, differs string) error {
	return parley.Errorf(parley.InvalidArgument, "the idempotency key was used before, for message %s, which is another one: this was not sent", parley.Short(was.ID)).
		With("parameter", "idempotency_key").
		With("message_id", was.ID).
		With("differs", differs).
		Suggest("Use another key for each message; the same key only repeats the same call.")
}

// sameFile returns an error if the idempotency key was used for another file, or for a message
// without one. sha256 is empty if the file has not been read yet.
func fileAgain(was *parley.Message, to *team.Member, name, description, sha256 string) error {
	var f struct {
		parley.FileData
		Filename    string `json:"filename"`
		Description string `json:"description"`
	}

	if len(was.Attachments) > 0 && json.Unmarshal(was.Attachments[0], &f) != nil {
		f.FileID = ""
	}

	switch {
	case f.FileID == "":
		return otherMessage(was, "file")
	case f.Filename != name:
		return otherMessage(was, "filename")
	case f.Description != parley.Clean(description):
		return otherMessage(was, "description")
	case sha256 != "" && f.SHA256 != sha256:
		return otherMessage(was, "content")
	case to == nil || !slices.Contains(was.Recipients, to.ID):
		return otherMessage(was, "recipient")
	}

	return nil
}
