package parleytest

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"parley"
)

var fileCases = []testCase{
	{"TransferTellsTheRecipientWhereTheFileIs", transferTells},
	{"TransferGivesTheFileAnotherName", transferNames},
	{"TransferRefusesIllegalNames", transferRefusesNames},
	{"TransferNeedsOneOtherAgent", transferToOne},
	{"TransferAgainWithTheSameKey", transferAgain},
	{"TransferAsSomeoneElseIsRefused", transferAsOther},
	{"FilesAreListedAndRemoved", filesComeAndGo},
}

func transferTells(f *fixture) {
	const content = "all is well\n"
	path := f.file("report.txt", content)
	got := do[parley.TransferFileResult](f.planner, "transfer_file", params{
		"sender_id":    f.planner.id,
		"recipient_id": f.coder.id,
		"source_path":  path,
		"description":  "what I found",
	})

	same(f.T, "answer", got.Answer, parley.OK)
	same(f.T, "filename", got.Filename, "report.txt")
	same(f.T, "message", got.Message, "File report.txt sent to coder")
	same(f.T, "delivered", got.DeliveryStatus.DeliveredTo, []string{f.coder.id})
	same(f.T, "size", got.Data.Size, int64(len(content)))
	same(f.T, "sha256", got.Data.SHA256, hexSum(content))
	same(f.T, "name of the copy", filepath.Base(got.Data.ServerPath), "report.txt")
	inbox := f.coder.inbox()
	if len(inbox) != 1 || inbox[0].MessageID != got.MessageID || inbox[0].Sender != "planner" {
		f.Fatalf("coder's inbox is %+v, want one message from planner", inbox)
	}

	for _, want := range []string{"report.txt", "12 bytes", hexSum(content), got.Data.ServerPath, "what I found"} {
		if !strings.Contains(inbox[0].Content, want) {
			f.Errorf("the message does not say %q: %s", want, inbox[0].Content)
		}
	}

	status := do[parley.MessageStatusResult](f.coder, "get_message_status", params{"message_id": got.MessageID})
	if len(status.Object.Attachments) != 1 {
		f.Fatalf("the message has the attachments %s", status.Object.Attachments)
	}

	var attached map[string]any
	if err := json.Unmarshal(status.Object.Attachments[0], &attached); err != nil {
		f.Fatal(err)
	}

	same(
		f.T,
		"attachment",
		attached,
		map[string]any{"file_id": got.Data.FileID, "filename": "report.txt", "size": float64(len(content)),
			"sha256": hexSum(content), "server_path": got.Data.ServerPath, "description": "what I found"},
	)
}

func transferNames(f *fixture) {
	path := f.file(".hidden", "x")
	for _, name := range []string{"shown.txt", "größe 1.txt", "a'b\"c$(d).txt", strings.Repeat("n", 255)} {
		got := do[parley.TransferFileResult](
			f.planner, "transfer_file", params{"recipient": "coder", "source_path": path, "destination_filename": name},
		)
		same(f.T, "filename", got.Filename, name)
		same(f.T, "name of the copy", filepath.Base(got.Data.ServerPath), name)
	}
}

func transferRefusesNames(f *fixture) {
	path := f.file("good.txt", "x")
	f.unchanged(func() {
		for _, name := range []string{
			"", " ", ".", "..", ".hidden", "../up", "a/b", "/etc/passwd", `a\b`, "line\nbreak", "\x1b[2J",
			"txt.\u202egpj", "nul", "CON.txt", "com1", "end.", " space", "tab\there", "bell\a",
			strings.Repeat("n", 256), strings.Repeat("é", 128), "null\x00", "-rf", "[PARLEY]: x.txt",
		} {
			refused(f.planner, "transfer_file",
				params{"recipient": "coder", "source_path": path, "destination_filename": name}, parley.InvalidArgument)
		}

		for _, source := range []string{"", "good.txt", "./good.txt", "../good.txt", "~/good.txt", "file://" + path} {
			refused(
				f.planner, "transfer_file", params{"recipient": "coder", "source_path": source}, parley.InvalidArgument,
			)
		}
	})
}

func transferToOne(f *fixture) {
	path := f.file("good.txt", "x")
	f.unchanged(func() {
		for to, code := range map[string]parley.Code{
			"nobody":        parley.AgentNotFound,
			"planner":       parley.InvalidRecipient,
			parley.Everyone: parley.InvalidRecipient,
			"":              parley.InvalidArgument,
		} {
			refused(f.planner, "transfer_file", params{"recipient": to, "source_path": path}, code)
		}

		refused(
			f.planner, "transfer_file", params{"recipient": "coder", "source_path": path + ".not"}, parley.FileNotFound,
		)

		refused(f.planner, "transfer_file", params{"recipient": "coder", "source_path": filepath.Dir(path)},
			parley.FileRefused)
	})

	got := do[parley.TransferFileResult](
		f.planner, "transfer_file", params{"recipient": parley.OperatorName, "source_path": path},
	)

	same(f.T, "message", got.Message, "File good.txt sent to operator")
}

func transferAgain(f *fixture) {
	r := parley.TransferFileRequest{Recipient: "coder", SourcePath: f.file("once.txt", "once"), IdempotencyKey: "k1"}
	first := do[parley.TransferFileResult](f.planner, "transfer_file", r)
	if err := os.Remove(r.SourcePath); err != nil {
		f.Fatal(err)
	}

	second := do[parley.TransferFileResult](f.planner, "transfer_file", r)
	same(f.T, "second message id", second.MessageID, first.MessageID)
	same(f.T, "second file", second.Data, first.Data)
	other := f.file("twice.txt", "twice")
	refused(f.planner, "transfer_file", params{"recipient": "coder", "source_path": other, "idempotency_key": "k1"},
		parley.InvalidArgument)

	refused(
		f.planner,
		"transfer_file",
		params{
			"recipient":            "reviewer",
			"source_path":          other,
			"destination_filename": "once.txt",
			"idempotency_key":      "k1",
		},
		parley.InvalidArgument,
	)

	same(f.T, "messages that came", len(f.coder.inbox()), 1)
}

func transferAsOther(f *fixture) {
	path := f.file("good.txt", "x")
	f.unchanged(func() {
		refused(f.planner, "transfer_file",
			params{"sender_id": f.reviewer.id, "recipient": "coder", "source_path": path}, parley.NotAuthorized)
	})
}

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
		sent = append(sent, do[parley.TransferFileResult](
			f.planner, "transfer_file", params{"recipient": "coder", "source_path": f.file(name, "of "+name)},
		))
	}

	same(f.T, "files, the newest first", list(), []string{"b.txt", "a.txt"})
	page := do[parley.ListFilesResult](f.operator, "list_files", params{"limit": 1})
	if len(page.Files) != 1 || page.TotalCount != 2 || page.ContentBytes < 16 || page.FreeBytes <= 0 {
		f.Errorf("one file of two is %+v", page)
	}

	gone := do[parley.RemoveFilesResult](
		f.operator, "remove_files", params{"file_ids": []string{parley.Short(sent[0].Data.FileID)}},
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

	same(f.T, "what is older than a day",
		len(do[parley.RemoveFilesResult](f.operator, "remove_files", params{"older_than_days": 1}).Removed), 0)

	refused(f.operator, "remove_files", params{"file_ids": []string{sent[0].Data.FileID}}, parley.FileNotFound)
	refused(f.operator, "remove_files",
		params{"file_ids": []string{sent[1].Data.FileID, "ffffffff-0000-4000-8000-000000000000"}}, parley.FileNotFound)

	refused(f.operator, "remove_files", params{}, parley.InvalidArgument)
	refused(f.operator, "remove_files", params{"file_ids": []string{sent[1].Data.FileID}, "older_than_days": 1},
		parley.InvalidArgument)

	refused(f.operator, "list_files", params{"limit": 1001}, parley.InvalidArgument)
	same(f.T, "files in the end", list(), []string{"b.txt"})
}
