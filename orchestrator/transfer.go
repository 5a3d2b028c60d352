package orchestrator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"parley"
	"parley/files"
	"parley/orchestrator/team"
	"parley/store"
)

// fileNote is what is known of a file that comes in.
type fileNote struct {
	to          *team.Member // who is told; nil for nobody
	name        string
	description string
	key         string // idempotency
}

// takeFile stores what content holds and tells its recipient. A failure, or a call
// that was made before, leaves nothing of it.
func (o *Orchestrator) takeFile(
	ctx context.Context,
	from *team.Member,
	content io.Reader,
	described func() (*fileNote, error),
) (_ *parley.TransferFileResult, err error) {
	kept, err := o.files.Put(ctx, content)
	if err != nil {
		return nil, err
	}

	wanted := false
	defer func() {
		if wanted {
			kept.Keep()
			return
		}

		if dropErr := kept.Drop(); dropErr != nil {
			o.log.Warn("remove a file that nobody was told of", "error", dropErr)
		}
	}()

	n, err := described()
	if err != nil {
		return nil, err
	}

	res, err := o.announceFile(ctx, from, kept, n)
	wanted = err == nil && res.fresh

	return res.result, err
}

// announced is the answer, and whether the file is a new one.
type announced struct {
	result *parley.TransferFileResult
	fresh  bool
}

// announceFile makes the recipient's copy, and stores the file and its notice in one
// step.
func (o *Orchestrator) announceFile(
	ctx context.Context,
	from *team.Member,
	kept *files.Content,
	n *fileNote,
) (a announced, err error) {
	f := parley.File{
		ID:        team.NewID(),
		Name:      n.name,
		Size:      kept.Size,
		SHA256:    kept.SHA256,
		SenderID:  from.ID,
		CreatedAt: o.now(),
	}

	done, err := o.files.Begin(f.ID)
	if err != nil {
		return a, err
	}
	defer done()

	path, err := o.files.Receive(f.SHA256, f.ID, f.Name)
	if err != nil {
		return a, err
	}
	defer func() {
		if err != nil || !a.fresh {
			if withdrawErr := o.files.Withdraw(f.ID, f.Name); withdrawErr != nil {
				o.log.Warn("remove a copy that nobody was told of", "error", withdrawErr)
			}
		}
	}()

	call := store.Call{AgentID: from.ID, Key: n.key, Made: f.ID, Asked: requestHash("upload", f.Name, f.SHA256)}
	if n.to == nil {
		was, err := o.store.CreateFile(ctx, f, call)
		if err != nil {
			return a, err
		}

		if was.Made != f.ID {
			a.result, err = o.uploadedBefore(ctx, was.Made)
			return a, err
		}

		return announced{fresh: true, result: uploaded(f, path)}, nil
	}

	call.Asked = "" // no upload of before is this one
	if _, _, err := o.store.Called(ctx, call); err != nil {
		return a, err
	}

	described := map[string]json.RawMessage{}
	if d := parley.Clean(n.description); d != "" {
		described["description"], _ = json.Marshal(d) // a string
	}

	item, err := attachment(described, f, path)
	if err != nil {
		return a, err
	}

	stored, err := o.admit(
		ctx,
		from,
		draft{recipients: []*team.Member{n.to}, key: n.key, file: &f, description: n.description, message: parley.Message{
			Kind: parley.KindDirect, Type: parley.TypeInformation, Priority: parley.PriorityNormal,
			Text: o.fileText(f, path, n.description), Attachments: []json.RawMessage{item}}},
	)
	if err != nil {
		return a, err
	}

	a.fresh = !stored.Repeated
	a.result, err = o.transferred(stored)

	return a, err
}

// uploadedBefore writes the receipt of a file that nobody was told of, again.
func (o *Orchestrator) uploadedBefore(ctx context.Context, id string) (*parley.TransferFileResult, error) {
	f, err := o.store.File(ctx, id, "")
	if err != nil {
		return nil, err
	}
	path, err := o.files.Receive(f.SHA256, f.ID, f.Name)
	return uploaded(f, path), err
}

// uploaded writes the receipt of a file that nobody is told of.
func uploaded(f parley.File, path string) *parley.TransferFileResult {
	return &parley.TransferFileResult{Answer: parley.OK, Filename: f.Name, Timestamp: f.CreatedAt,
		Message:        fmt.Sprintf("File %s is stored", f.Name),
		Data:           parley.FileData{FileID: f.ID, ServerPath: path, Size: f.Size, SHA256: f.SHA256},
		DeliveryStatus: parley.SumUp(nil), Deliveries: []parley.Delivery{}}
}

// fileText tells the recipient of a file. What does not fit stands in the attachment.
func (o *Orchestrator) fileText(f parley.File, path, description string) string {
	text := fmt.Sprintf("I sent you the file %s (%d bytes, sha256 %s).", f.Name, f.Size, f.SHA256)
	limit := o.opts.Settings.MaxText
	if with := text + "\nIt is at " + path; utf8.RuneCountInString(with) <= limit {
		text = with
	}
	if room := limit - utf8.RuneCountInString(text) - 1; description != "" && room > 1 {
		text += "\n" + parley.Truncate(description, room)
	}
	return parley.Truncate(text, limit)
}

// transferredBefore returns the answer to a call that was made before with its key,
// nil when it is new.
func (o *Orchestrator) transferredBefore(
	ctx context.Context,
	from *team.Member,
	n *fileNote,
) (*parley.TransferFileResult, error) {
	if n.key == "" {
		return nil, nil
	}
	stored, found, err := o.store.Repeated(ctx, from.ID, n.key)
	if err != nil || !found {
		return nil, err
	}
	if err := fileAgain(&stored.Message, n.to, n.name, n.description, ""); err != nil {
		return nil, err
	}
	o.roster.FillInDeliveries(stored.Deliveries)
	return o.transferred(stored)
}

// transferred writes the receipt of a file from its notice.
func (o *Orchestrator) transferred(stored store.Appended) (*parley.TransferFileResult, error) {
	sent := o.sent(stored)
	var f struct {
		parley.FileData
		Filename string `json:"filename"`
	}

	err := errors.New("it has no attachment")
	if list := stored.Message.Attachments; len(list) > 0 {
		err = json.Unmarshal(list[0], &f)
	}

	if err != nil || f.FileID == "" {
		return nil, parley.Errorf(parley.InvalidArgument, "the idempotency key was used before, for a message without a file").
			With("parameter", "idempotency_key").
			Suggest("Use another key for each message and file.")
	}

	res := &parley.TransferFileResult{
		Answer:         sent.Answer,
		Filename:       f.Filename,
		MessageID:      sent.MessageID,
		Timestamp:      sent.Timestamp,
		Message:        sent.Message,
		Data:           f.FileData,
		DeliveryStatus: sent.DeliveryStatus,
		Deliveries:     sent.Deliveries,
		ErrorCode:      sent.ErrorCode,
		Action:         sent.Action,
	}
	if res.Success {
		res.Message = fmt.Sprintf("File %s sent to %s", f.Filename, sent.Deliveries[0].Recipient)
	}

	return res, nil
}
