package client

import (
	"context"

	"parley"
)

// files is parley.FileService, with uploads and downloads.
type files struct{ conn *conn }

// TransferFile sends a copy of a file of this machine, once, as SendMessage does. Over
// the network, where the daemon cannot read the file, use SendFile.
func (f files) TransferFile(ctx context.Context, r parley.TransferFileRequest) (*parley.TransferFileResult, error) {
	return call[parley.TransferFileResult](ctx, f.conn, "transfer_file", r)
}

// ListFiles lists the stored files.
func (f files) ListFiles(ctx context.Context, r parley.ListFilesRequest) (*parley.ListFilesResult, error) {
	return call[parley.ListFilesResult](ctx, f.conn, "list_files", r)
}

// RemoveFiles deletes files, by their ids or by their age.
func (f files) RemoveFiles(ctx context.Context, r parley.RemoveFilesRequest) (*parley.RemoveFilesResult, error) {
	return call[parley.RemoveFilesResult](ctx, f.conn, "remove_files", r)
}
