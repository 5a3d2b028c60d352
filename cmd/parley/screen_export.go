package main

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"parley"
	"parley/internal/export"
	"parley/op"
	"parley/tui"
)

// export writes messages to a new file, the oldest first.
func (c screens) export(ctx context.Context, s parley.Service, what tui.Exported, path string) (int, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}
	if _, err := os.Lstat(path); err == nil { // the screen has no --force
		return 0, parley.Errorf(parley.InvalidArgument, "%s exists already", path).Suggest("Use another name.")
	}
	if what.Find == nil && what.IDs == nil {
		all := parley.ExportMessagesRequest{Limit: exportPage}
		return exporting(c).writeFile(ctx, all, formatOf(path, false), path, false)
	}

	ids, title := what.IDs, "Selected messages"
	if what.Find != nil {
		found, err := foundIDs(ctx, s, *what.Find)
		if err != nil {
			return 0, err
		}
		slices.Reverse(found)
		ids, title = found, "Messages that match a filter"
	}

	return writeNewFile(path, false, func(to io.Writer) (int, error) {
		head := export.Head{Title: title, Total: len(ids), At: c.now(), Zone: time.Local}
		w, err := export.New(to, formatOf(path, false), head)
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			res, err := op.GetMessageStatus.Call(ctx, s, parley.MessageStatusRequest{MessageID: id})
			if err != nil {
				return 0, err
			}
			if err := w.Message(&parley.ExportedMessage{Message: *res.Object, Deliveries: res.Deliveries}); err != nil {
				return 0, err
			}
		}
		return len(ids), w.Close()
	})
}

// foundIDs returns the ids of all messages that find finds, the newest first.
func foundIDs(ctx context.Context, s parley.Service, find parley.FindMessagesRequest) ([]string, error) {
	var ids []string
	for find.Limit = 100; ; {
		res, err := op.FindMessages.Call(ctx, s, find)
		if err != nil {
			return nil, err
		}
		for _, m := range res.Messages {
			ids = append(ids, m.MessageID)
		}

		switch {
		case res.Truncated && res.SearchedSince != nil:
			find.Before, find.Until = "", res.SearchedSince
		case res.HasMore && len(res.Messages) > 0:
			find.Before = ids[len(ids)-1]
		default:
			return ids, nil
		}
	}
}
