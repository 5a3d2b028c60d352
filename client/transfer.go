package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"parley"
)

// Upload stores what r holds in the workspace under a plain file name. The file_id of
// its answer can stand in the attachments of a message.
func (c *Client) Upload(ctx context.Context, name string, r io.Reader) (*parley.TransferFileResult, error) {
	return c.SendFile(ctx, parley.UploadFileRequest{Filename: name}, r, -1)
}

// SendFile uploads what r holds and, if the request names a recipient, sends a message
// about it. size is the number of bytes in r, or -1 if it is unknown. With a size, a
// file that is too large is refused before it is sent. SendFile is not repeated when
// the connection breaks, because r is read only once.
func (c *Client) SendFile(
	ctx context.Context, upload parley.UploadFileRequest, r io.Reader, size int64,
) (*parley.TransferFileResult, error) {
	if err := upload.Validate(); err != nil {
		return nil, err
	}

	head, tail, contentType, err := uploadForm(upload)
	if err != nil {
		return nil, err
	}

	body := io.MultiReader(bytes.NewReader(head), r, bytes.NewReader(tail))
	req, err := c.conn.newRequest(ctx, http.MethodPost, "/api/files", body)
	if err != nil {
		return nil, err
	}
	if size >= 0 {
		req.ContentLength = int64(len(head)) + size + int64(len(tail))
	}

	req.Header.Set("Content-Type", contentType)
	req.Header.Set("Expect", "100-continue") // the daemon checks the head before the file is sent

	resp, err := c.conn.fresh.Do(req)
	if err != nil {
		return nil, c.conn.transferFailed(ctx, "the upload", err)
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, c.conn.transferFailed(ctx, "the upload", err)
	}

	res := new(parley.TransferFileResult)
	if err := c.conn.final(c.conn.decode("the upload", resp.StatusCode, answer, res)); err != nil {
		return nil, err
	}

	return res, nil
}

// uploadForm writes the parts of the form before and after the file.
func uploadForm(upload parley.UploadFileRequest) (head, tail []byte, contentType string, err error) {
	fields := map[string]string{
		"recipient":            upload.Recipient,
		"description":          upload.Description,
		"idempotency_key":      cmp.Or(upload.IdempotencyKey, uuid.NewString()),
		"destination_filename": upload.Filename,
	}

	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range fields {
		if value != "" {
			err = errors.Join(err, w.WriteField(name, value))
		}
	}

	_, fileErr := w.CreateFormFile("file", "file")
	if err = errors.Join(err, fileErr); err != nil {
		return nil, nil, "", fmt.Errorf("write the upload's form: %w", err)
	}

	head = bytes.Clone(b.Bytes())
	b.Reset()
	if err := w.Close(); err != nil {
		return nil, nil, "", fmt.Errorf("write the upload's form: %w", err)
	}

	return head, b.Bytes(), w.FormDataContentType(), nil
}

// Download writes the content of a file, from offset on, and describes the file. The
// daemon gives it to its sender, its recipients and the operator. A broken download
// continues with the number of bytes written so far as offset; if the file has no more,
// only its size is returned.
func (c *Client) Download(ctx context.Context, id string, w io.Writer, offset int64) (*parley.File, error) {
	req, err := c.conn.newRequest(ctx, http.MethodGet, "/api/files/"+url.PathEscape(id), nil)
	if err != nil {
		return nil, err
	}
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}

	resp, err := c.conn.shared.Do(req)
	if err != nil {
		return nil, c.conn.transferFailed(ctx, "the download", err)
	}
	defer resp.Body.Close()

	file, complete, err := c.conn.parseDownload(resp, id, offset)
	if complete || err != nil {
		return file, err
	}

	to := &target{w: w}
	_, err = io.Copy(to, resp.Body)
	switch {
	case to.err != nil:
		return file, fmt.Errorf("write the download: %w", to.err)
	case err != nil:
		return file, c.conn.transferFailed(ctx, "the download", err)
	}

	return file, nil
}

// target is where a download is written. It keeps the error of that apart from those of the connection.
type target struct {
	w   io.Writer
	err error
}

func (t *target) Write(p []byte) (n int, err error) {
	n, t.err = t.w.Write(p)
	return n, t.err
}

// parseDownload reads the head of an answer. complete reports that the file has nothing
// from the offset on; then the body is not to be read.
func (c *conn) parseDownload(resp *http.Response, id string, offset int64) (f *parley.File, complete bool, err error) {
	f = &parley.File{ID: id, Size: resp.ContentLength, SHA256: strings.Trim(resp.Header.Get("ETag"), `"`)}
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil {
		f.Name = params["filename"]
	}

	_, whole, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
	switch {
	case resp.StatusCode == http.StatusOK && offset <= 0:
		return f, false, nil
	case resp.StatusCode == http.StatusPartialContent && offset > 0:
		if f.Size, err = strconv.ParseInt(whole, 10, 64); err != nil {
			return nil, false, c.foreign(resp.StatusCode, nil)
		}
		return f, false, nil
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && whole == strconv.FormatInt(offset, 10):
		f.Size = offset
		return f, true, nil
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return nil, false, parley.Errorf(parley.InvalidArgument,
			"the file has only %s bytes, fewer than %d", whole, offset).
			Suggest("Start again from 0.")
	}

	return nil, false, c.refused(resp)
}

// refused returns the error of an answer that is not a file.
func (c *conn) refused(resp *http.Response) error {
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}

	var result json.RawMessage
	if err := c.final(c.decode("the download", resp.StatusCode, answer, &result)); err != nil {
		return err
	}

	return c.foreign(resp.StatusCode, answer)
}

// transferFailed is the error of a transfer without an answer.
func (c *conn) transferFailed(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}

	failed := c.classify(err)
	if l, ok := errors.AsType[*lost](failed); ok && l.sent {
		return parley.Errorf(parley.DaemonUnavailable,
			"the connection to the daemon broke during %s: %w", what, l.cause).
			Suggest("Try again.")
	}

	return c.final(failed)
}
