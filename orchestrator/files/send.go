package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"parley"
	"parley/orchestrator/admission"
	"parley/orchestrator/team"
	"parley/plain"
	"parley/store"
	"parley/store/files"
)

// fileNote describes an incoming file.
type fileNote struct {
	to          *team.Member // nil: nobody is told
	name        string
	description string
	key         string // idempotency key
}

// takeFile stores content and announces it to its recipient. After a failure or a repeated call
// nothing of it is kept.
func (fs *Service) takeFile(
	ctx context.Context, from *team.Member, content io.Reader, described func() (*fileNote, error),
) (_ *parley.TransferFileResult, err error) {
	kept, err := fs.Files.Put(ctx, content)
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
			fs.Log.Warn("remove a file that nobody was told of", "error", dropErr)
		}
	}()

	n, err := described()
	if err != nil {
		return nil, err
	}

	// A repeated call stores nothing.
	asked := store.Call{AgentID: from.ID, Key: n.key, Asked: admission.RequestHash("upload", n.name, kept.SHA256)}
	if _, repeated, err := fs.Store.Idempotency.Called(ctx, asked); err == nil && !repeated {
		stored, err := fs.reserve(ctx, from, kept.Size)
		if err != nil {
			return nil, err
		}
		defer stored()
		if err := fs.share(ctx, kept); err != nil {
			return nil, err
		}
	}

	res, err := fs.announceFile(ctx, from, kept, n)
	if wanted = err == nil && res.fresh; wanted {
		fs.shareAgain(ctx, kept)
	}

	return res.result, err
}

// announced is the result of announcing a file.
type announced struct {
	result *parley.TransferFileResult
	fresh  bool
}

// announceFile makes the recipient's copy and stores the file with its message. Unless the
// file is new, it removes the copy again.
func (fs *Service) announceFile(
	ctx context.Context, from *team.Member, kept *files.Content, n *fileNote,
) (a announced, err error) {
	f := parley.File{
		ID:        team.NewID(),
		Name:      n.name,
		Size:      kept.Size,
		SHA256:    kept.SHA256,
		SenderID:  from.ID,
		CreatedAt: fs.Now(),
	}

	done, err := fs.Files.Begin(f.ID)
	if err != nil {
		return a, err
	}
	defer done()

	path, err := fs.Admission.Copies.Receive(ctx, f, f.ID, n.to)
	if err != nil {
		return a, err
	}
	defer func() {
		if path == "" {
			return
		}
		if err != nil || !a.fresh {
			if withdrawErr := fs.Files.Withdraw(f.ID, f.Name); withdrawErr != nil {
				fs.Log.Warn("remove a copy that nobody was told of", "error", withdrawErr)
			}
		}
	}()

	if n.to == nil {
		return fs.storeUpload(ctx, from, f, path, n.key)
	}
	return fs.sendFile(ctx, from, f, path, n)
}

// storeUpload stores a file that nobody is told of.
func (fs *Service) storeUpload(
	ctx context.Context, from *team.Member, f parley.File, path, key string,
) (a announced, err error) {
	call := store.Call{AgentID: from.ID, Key: key, Made: f.ID, Asked: admission.RequestHash("upload", f.Name, f.SHA256)}
	first, err := fs.Store.Files.CreateFile(ctx, f, call)
	if err != nil {
		return a, err
	}

	if first.Made != f.ID {
		a.result, err = fs.uploadedBefore(ctx, first.Made)
		return a, err
	}

	return announced{fresh: true, result: uploadReceipt(f, path)}, nil
}

// sendFile stores a file and the message that announces it in one transaction.
func (fs *Service) sendFile(
	ctx context.Context, from *team.Member, f parley.File, path string, n *fileNote,
) (a announced, err error) {
	// Asked stays empty: a transfer never repeats an upload.
	if _, _, err := fs.Store.Idempotency.Called(ctx, store.Call{AgentID: from.ID, Key: n.key, Made: f.ID}); err != nil {
		return a, err
	}

	described := map[string]json.RawMessage{}
	if d := plain.Clean(n.description); d != "" {
		described["description"], _ = json.Marshal(d) // a string always encodes
	}
	item, err := admission.Attachment(described, f, path)
	if err != nil {
		return a, err
	}

	stored, err := fs.Admission.Admit(ctx, from, admission.Draft{
		Recipients:  []*team.Member{n.to},
		Key:         n.key,
		File:        &f,
		Description: n.description,
		Message: parley.Message{
			Kind:        parley.KindDirect,
			Type:        parley.TypeInformation,
			Priority:    parley.PriorityNormal,
			Text:        fs.fileText(f, path, n.description),
			Attachments: []json.RawMessage{item},
		},
	})
	if err != nil {
		return a, err
	}

	a.fresh = !stored.Repeated
	a.result, err = fs.transferReceipt(stored)

	return a, err
}

// uploadedBefore builds the receipt of an earlier upload without recipient.
func (fs *Service) uploadedBefore(ctx context.Context, id string) (*parley.TransferFileResult, error) {
	f, err := fs.Store.Files.File(ctx, id, "")
	if err == nil && f.RemovedAt != nil {
		err = admission.FileGone(f).Suggest("Upload it again with another idempotency key.")
	}
	if err != nil {
		return nil, err
	}
	path, err := fs.Admission.Copies.Receive(ctx, f, f.ID)
	return uploadReceipt(f, path), err
}

// uploadReceipt builds the receipt of a file without recipient.
func uploadReceipt(f parley.File, path string) *parley.TransferFileResult {
	return &parley.TransferFileResult{Answer: parley.OK, Filename: f.Name, Timestamp: f.CreatedAt,
		Message:        fmt.Sprintf("File %s is stored", f.Name),
		Data:           parley.FileData{FileID: f.ID, ServerPath: path, Size: f.Size, SHA256: f.SHA256},
		DeliveryStatus: parley.SumUp(nil), Deliveries: []parley.Delivery{}}
}

// fileText is the text of the message that announces a file. The attachment has what does not
// fit.
func (fs *Service) fileText(f parley.File, path, description string) string {
	text := fmt.Sprintf("I sent you the file %s (%d bytes, sha256 %s).", f.Name, f.Size, f.SHA256)
	limit := fs.Settings.MaxText
	where := "\nIt is at " + path
	if path == "" {
		where = "\nGet it with: " + admission.GetFile(f)
	}
	if with := text + where; utf8.RuneCountInString(with) <= limit {
		text = with
	}
	if room := limit - utf8.RuneCountInString(text) - 1; description != "" && room > 1 {
		text += "\n" + plain.Truncate(description, room)
	}
	return plain.Truncate(text, limit)
}

// transferredBefore returns the result of an earlier call with the same idempotency key, or nil
// if there was none.
func (fs *Service) transferredBefore(
	ctx context.Context, from *team.Member, n *fileNote,
) (*parley.TransferFileResult, error) {
	if n.key == "" {
		return nil, nil
	}
	stored, found, err := fs.Store.Idempotency.Repeated(ctx, from.ID, n.key)
	if err != nil || !found {
		return nil, err
	}
	if err := admission.CheckSameFile(&stored.Message, n.to, n.name, n.description, ""); err != nil {
		return nil, err
	}
	fs.Roster.Names.FillInDeliveries(stored.Deliveries)
	return fs.transferReceipt(stored)
}

// transferReceipt builds the receipt of a file from the message that announced it.
func (fs *Service) transferReceipt(stored store.Appended) (*parley.TransferFileResult, error) {
	sent := fs.Admission.Receipt(stored)
	var f struct {
		parley.FileData
		Filename string `json:"filename"`
	}

	err := errors.New("it has no attachment")
	if list := stored.Message.Attachments; len(list) > 0 {
		err = json.Unmarshal(list[0], &f)
	}

	if err != nil || f.FileID == "" {
		return nil, parley.
			Errorf(parley.InvalidArgument, "the idempotency key was used before, for a message without a file").
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

// share stores a content for all hosts.
func (fs *Service) share(ctx context.Context, c *files.Content) error {
	content, err := fs.Files.Content(c.SHA256)
	if err != nil {
		return err
	}
	defer content.Close()
	return fs.Store.Files.ShareContent(ctx, c.SHA256, c.Size, content)
}

// shareAgain stores for all hosts what was removed from there with another file of the same content, before the
// new file was stored. From then on it stays.
func (fs *Service) shareAgain(ctx context.Context, c *files.Content) {
	if err := fs.share(context.WithoutCancel(ctx), c); err != nil {
		fs.Log.Warn("other hosts may not have the content of a file", "sha256", c.SHA256, "error", err)
	}
}
