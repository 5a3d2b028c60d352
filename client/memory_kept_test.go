package client_test

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"parley"
)

func (m *memory) ListFiles(_ context.Context, r parley.ListFilesRequest) (*parley.ListFilesResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	res := &parley.ListFilesResult{Answer: parley.OK, Files: []parley.KeptFile{}, FreeBytes: memoryLimit}
	for i := len(m.files) - 1; i >= 0; i-- {
		f := m.files[i]
		if f.RemovedAt != nil {
			continue
		}

		res.TotalCount++
		res.ContentBytes += f.Size
		if len(res.Files) < r.Limit {
			sender, err := m.find(f.SenderID)
			if err != nil {
				return nil, err
			}

			res.Files = append(
				res.Files,
				parley.KeptFile{File: f.File, Sender: sender.Name, Messages: len(m.carriers(f.ID))},
			)
		}
	}

	return res, nil
}

// carriers are the messages with a file.
func (m *memory) carriers(id string) (list []*letter) {
	for _, l := range m.messages {
		if len(l.Attachments) > 0 && strings.Contains(string(l.Attachments[0]), id) {
			list = append(list, l)
		}
	}
	return list
}

func (m *memory) RemoveFiles(_ context.Context, r parley.RemoveFilesRequest) (*parley.RemoveFilesResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()

	var gone []*stored
	for _, ref := range r.FileIDs {
		before := len(gone)
		for _, f := range m.files {
			if strings.HasPrefix(f.ID, ref) && f.RemovedAt == nil {
				gone = append(gone, f)
			}
		}

		if len(gone) == before {
			return nil, parley.Errorf(parley.FileNotFound, "there is no such file").Suggest("list_files shows them.")
		}
	}

	res := &parley.RemoveFilesResult{Answer: parley.OK, Removed: []parley.File{}, Message: "No file was removed"}
	now := time.Now()
	for _, f := range gone {
		f.RemovedAt, f.content = &now, nil
		res.Removed, res.Message = append(res.Removed, f.File), "File "+f.Name+" was removed"
		for _, l := range m.carriers(f.ID) {
			item, err := json.Marshal(map[string]any{"file_id": f.ID, "filename": f.Name, "removed_at": now})
			if err != nil {
				return nil, err
			}
			l.Attachments[0] = item
		}
	}

	return res, nil
}
