package parleytest

import (
	"encoding/json"

	"parley"
)

// filesComeAndGo is what the operator does with files.
func filesComeAndGo(f *fixture) {
	list := func() []string {
		f.Helper()
		names := []string{}
		for _, kept := range do[parley.ListFilesResult](f.operator, "list_files", nil).Files {
			if kept.Sender != "planner" || kept.Messages != 1 || kept.RemovedAt != nil || len(kept.SHA256) != 64 {
				f.Errorf("a file is listed as %+v", kept)
			}
			names = append(names, kept.Name)
		}

		return names
	}

	same(f.T, "files before", list(), []string{})
	var sent []*parley.TransferFileResult
	for _, name := range []string{"a.txt", "b.txt"} {
		sent = append(
			sent,
			do[parley.TransferFileResult](
				f.planner,
				"transfer_file",
				params{"recipient": "coder", "source_path": f.file(name, "of "+name)},
			),
		)
	}

	same(f.T, "files, the newest first", list(), []string{"b.txt", "a.txt"})
	page := do[parley.ListFilesResult](f.operator, "list_files", params{"limit": 1})
	if len(page.Files) != 1 || page.TotalCount != 2 || page.ContentBytes < 16 || page.FreeBytes <= 0 {
		f.Errorf("one file of two is %+v", page)
	}

	gone := do[parley.RemoveFilesResult](
		f.operator,
		"remove_files",
		params{"file_ids": []string{parley.Short(sent[0].Data.FileID)}},
	)
	if len(gone.Removed) != 1 || gone.Removed[0].Name != "a.txt" || gone.Removed[0].RemovedAt == nil ||
		gone.Message != "File a.txt was removed" {
		f.Errorf("remove_files gave %+v", gone)
	}

	same(f.T, "files afterwards", list(), []string{"b.txt"})
	status := do[parley.MessageStatusResult](f.coder, "get_message_status", params{"message_id": sent[0].MessageID})
	var attached map[string]any
	if err := json.Unmarshal(status.Object.Attachments[0], &attached); err != nil {
		f.Fatal(err)
	}
	if attached["removed_at"] == nil || attached["server_path"] != nil || attached["file_id"] != sent[0].Data.FileID {
		f.Errorf("the message of a removed file has the attachment %v", attached)
	}

	same(
		f.T,
		"what is older than a day",
		len(do[parley.RemoveFilesResult](f.operator, "remove_files", params{"older_than_days": 1}).Removed),
		0,
	)

	refused(f.operator, "remove_files", params{"file_ids": []string{sent[0].Data.FileID}}, parley.FileNotFound)
	refused(
		f.operator,
		"remove_files",
		params{"file_ids": []string{sent[1].Data.FileID, "ffffffff-0000-4000-8000-000000000000"}},
		parley.FileNotFound,
	)

	refused(f.operator, "remove_files", params{}, parley.InvalidArgument)
	refused(
		f.operator,
		"remove_files",
		params{"file_ids": []string{sent[1].Data.FileID}, "older_than_days": 1},
		parley.InvalidArgument,
	)

	refused(f.operator, "list_files", params{"limit": 1001}, parley.InvalidArgument)
	refused(f.planner, "list_files", nil, parley.NotAuthorized)
	refused(f.planner, "remove_files", params{"file_ids": []string{sent[1].Data.FileID}}, parley.NotAuthorized)
	same(f.T, "files in the end", list(), []string{"b.txt"})
}
