package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/uuid"

	"parley"
)

// stored is a file of the memory's.
type stored struct {
	parley.File
	content []byte
	seenBy  []string
}

const memoryLimit = 1 << 20

func (m *memory) TransferFile(ctx context.Context, r parley.TransferFileRequest) (*parley.TransferFileResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	if l, err := m.repeated(parley.CallerFrom(ctx).ID, r.IdempotencyKey, r); err != nil {
		return nil, err
	} else if l != nil {
		return told(l), nil
	}

	if r.Recipient == parley.Everyone {
		return nil, parley.Errorf(parley.InvalidRecipient, "a file goes to one agent").Suggest("Name one.")
	}

	to, err := m.recipients(parley.CallerFrom(ctx).ID, []string{r.Recipient})
	if err != nil {
		return nil, err
	}

	content, err := os.ReadFile(r.SourcePath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, parley.Errorf(parley.FileNotFound, "there is no such file").Suggest("Look with ls.")
	}
	if err != nil {
		return nil, parley.Errorf(parley.FileRefused, "it cannot be read: %w", err).Suggest("Send another.")
	}

	name := r.DestinationFilename
	if name == "" {
		name = filepath.Base(r.SourcePath)
	}

	return m.keep(ctx, name, r.Description, r.IdempotencyKey, content, to)
}

func (m *memory) keep(
	ctx context.Context,
	name, description, key string,
	content []byte,
	to []*parley.Agent,
) (*parley.TransferFileResult, error) {
	c := parley.CallerFrom(ctx)
	sum := sha256.Sum256(content)
	f := &stored{
		File: parley.File{
			ID:        uuid.NewString(),
			Name:      name,
			Size:      int64(len(content)),
			SHA256:    hex.EncodeToString(sum[:]),
			SenderID:  c.ID,
			CreatedAt: time.Now(),
		},
		content: content,
		seenBy:  []string{c.ID},
	}

	m.files = append(m.files, f)
	attached := map[string]any{
		"file_id":     f.ID,
		"filename":    name,
		"size":        f.Size,
		"sha256":      f.SHA256,
		"server_path": "/files/" + name,
	}

	text := "the file " + name + ", " + "12 bytes, " + f.SHA256 + ", is at /files/" + name + "\n" + description
	if description != "" {
		attached["description"] = description
	}

	item, err := json.Marshal(attached)
	if err != nil {
		return nil, err
	}

	if to == nil {
		l := &letter{Message: parley.Message{Attachments: []json.RawMessage{item}}}
		res := told(l)
		res.MessageID = ""
		return res, nil
	}

	l, err := m.admit(
		&letter{
			key: key,
			Message: parley.Message{
				Kind:        parley.KindDirect,
				Type:        parley.TypeInformation,
				Priority:    parley.PriorityNormal,
				SenderID:    c.ID,
				Sender:      c.Name,
				Text:        text,
				Attachments: []json.RawMessage{item},
			},
		},
		to,
	)
	if err != nil {
		return nil, err
	}

	f.seenBy = append(f.seenBy, l.Recipients...)

	return told(l), nil
}

func told(l *letter) *parley.TransferFileResult {
	var f struct {
		parley.FileData
		Filename string `json:"filename"`
	}

	_ = json.Unmarshal(l.Attachments[0], &f)
	res := &parley.TransferFileResult{
		Answer:         parley.OK,
		Filename:       f.Filename,
		MessageID:      l.ID,
		Timestamp:      l.Timestamp,
		Message:        "File " + f.Filename + " is stored",
		Data:           f.FileData,
		DeliveryStatus: parley.SumUp(l.copies()),
		Deliveries:     l.copies(),
	}

	if len(l.deliveries) > 0 {
		res.Message = "File " + f.Filename + " sent to " + l.deliveries[0].Recipient
	}

	return res
}

func (m *memory) FileLimit() int64 { return memoryLimit }

func (m *memory) UploadFile(
	ctx context.Context,
	content io.Reader,
	described func() (parley.UploadFileRequest, error),
) (*parley.TransferFileResult, error) {
	b, err := io.ReadAll(io.LimitReader(content, memoryLimit+1))
	if err != nil {
		return nil, err
	}
	if len(b) > memoryLimit {
		return nil, parley.Errorf(parley.FileRefused, "it is too large").Suggest("Send less.")
	}

	r, err := described()
	if err != nil {
		return nil, err
	}

	m.mu.Lock()
	defer m.mu.Unlock()

	var to []*parley.Agent
	if r.Recipient != "" {
		if to, err = m.recipients(parley.CallerFrom(ctx).ID, []string{r.Recipient}); err != nil {
			return nil, err
		}
	}

	return answered(m, parley.CallerFrom(ctx).ID, r.IdempotencyKey, struct {
		parley.UploadFileRequest
		Content []byte
	}{r, b}, func() (*parley.TransferFileResult, error) {
		return m.keep(ctx, r.Filename, r.Description, r.IdempotencyKey, b, to)
	})
}

type closing struct{ *bytes.Reader }

func (closing) Close() error { return nil }

func (m *memory) OpenFile(ctx context.Context, id string) (*parley.File, io.ReadSeekCloser, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, f := range m.files {
		for _, seer := range f.seenBy {
			if c := parley.CallerFrom(ctx); f.ID == id && (c.Operator || c.ID == seer) {
				return &f.File, closing{bytes.NewReader(f.content)}, nil
			}
		}
	}
	return nil, nil, parley.Errorf(parley.FileNotFound, "there is no file %q of yours", id).
		Suggest("Look at the message.")
}
