package orchestrator

import (
	"bytes"
	"encoding/json"
	"slices"

	"parley"
	"parley/store"
)

// again refuses a message whose idempotency key stands for another one: its sender
// would be told that it was sent. parley's own notices are known by their key alone.
func (d *draft) again(from *member, post *store.Post, stored *store.Appended) error {
	if from.kind == parley.KindSystem {
		return nil
	}
	is, was := &post.Message, &stored.Message
	if d.file != nil {
		return fileAgain(was, d.recipients[0], d.file.Name, d.file.SHA256)
	}
	differs := ""
	switch {
	case is.Text != was.Text:
		differs = "text"
	case is.InReplyTo != was.InReplyTo:
		differs = "in_reply_to"
	case is.ResponseStatus != was.ResponseStatus:
		differs = "status"
	case !bytes.Equal(is.Data, was.Data):
		differs = "data"
	case is.InReplyTo != "": // a reply goes to the thread or past it, as its sender takes part
	case is.ThreadID != was.ThreadID:
		differs = "thread_id"
	case d.whoever && is.Kind != was.Kind && is.Type != parley.TypeRequest: // a request goes to as many as are capable today
		differs = "to"
	case is.ThreadID == "" && !d.whoever && !sameRecipients(post.Deliveries, was.Recipients):
		differs = "to"
	}
	if differs == "" {
		return nil
	}
	return otherMessage(was, differs)
}

// sameRecipients reports whether all for whom a message is got it. Others may have got
// it since: those to whom the answer was delegated.
func sameRecipients(is []store.NewDelivery, was []string) bool {
	return !slices.ContainsFunc(is, func(d store.NewDelivery) bool { return !slices.Contains(was, d.RecipientID) })
}

func otherMessage(was *parley.Message, differs string) error {
	return parley.Errorf(parley.InvalidArgument, "the idempotency key was used before, for message %s, which is another one: this was not sent", parley.Short(was.ID)).
		With("parameter", "idempotency_key").With("message_id", was.ID).With("differs", differs).
		Suggest("Use another key for each message; the same key only repeats the same call.")
}

// fileAgain refuses a file whose idempotency key stands for another one, or for a
// message without. sha256 is empty while it has not been read.
func fileAgain(was *parley.Message, to *member, name, sha256 string) error {
	var f struct {
		parley.FileData
		Filename string `json:"filename"`
	}
	if len(was.Attachments) > 0 && json.Unmarshal(was.Attachments[0], &f) != nil {
		f.FileID = ""
	}
	switch {
	case f.FileID == "":
		return otherMessage(was, "file")
	case f.Filename != name:
		return otherMessage(was, "filename")
	case sha256 != "" && f.SHA256 != sha256:
		return otherMessage(was, "content")
	case !slices.Contains(was.Recipients, to.id):
		return otherMessage(was, "recipient")
	}
	return nil
}
