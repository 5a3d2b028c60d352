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

// again refuses a message whose idempotency key stands for another one: its sender
// would be told that it was sent. parley's own notices are known by their key alone.
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

// differs names the parameter in which two messages are not the same, whoever they are
// for; "" if there is none.
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

// deadlineSlack is far more than passes between the reading of the clock for a deadline
// and for the message itself.
const deadlineSlack = time.Minute

// sameDeadline reports whether a message has the deadline that its sender asks for, or
// the usual one when it asks for none.
func (a *admission) sameDeadline(asked *time.Time, was *parley.Message) bool {
	if asked != nil {
		return asked.Equal(*was.ResponseDeadline)
	}
	return was.Timestamp.Add(a.settings.ResponseDeadline).Sub(*was.ResponseDeadline).Abs() < deadlineSlack
}

// sameAttachment compares what a sender says: where the copy of a file is, is not its own
// to say.
func sameAttachment(is, was json.RawMessage) bool {
	return bytes.Equal(is, was) || bytes.Equal(withoutPath(is), withoutPath(was))
}

func withoutPath(item json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(item, &members) != nil || members["file_id"] == nil {
		return item
	}
	delete(members, "server_path")
	rest, _ := json.Marshal(members) // it was just read from JSON
	return rest
}

// otherAddress names the parameter that says for whom two messages are, if it is not
// the same. An answer goes to the thread or past it, as its sender takes part.
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
	case d.whoever && is.Kind != was.Kind && is.Type != parley.TypeRequest: // a request goes to as many as are capable today
		return "to"
	case !d.whoever && !sameRecipients(now, firstRecipients(then)):
		if answer {
			return "additional_recipients"
		}
		return "to"
	}

	return ""
}

// firstRecipients are those whom a message was sent to, without those to whom the answer
// was delegated since.
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

// sameRecipients reports whether two messages are for the same agents.
func sameRecipients(is []store.NewDelivery, was []string) bool {
	return len(is) == len(was) &&
		!slices.ContainsFunc(is, func(d store.NewDelivery) bool { return !slices.Contains(was, d.RecipientID) })
}

func otherMessage(was *parley.Message, differs string) error {
	return parley.Errorf(parley.InvalidArgument, "the idempotency key was used before, for message %s, which is another one: this was not sent", parley.Short(was.ID)).
		With("parameter", "idempotency_key").
		With("message_id", was.ID).
		With("differs", differs).
		Suggest("Use another key for each message; the same key only repeats the same call.")
}

// fileAgain refuses a file whose idempotency key stands for another one, or for a
// message without. sha256 is empty while it has not been read.
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
