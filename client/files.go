package client

import (
	"bytes"
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

	"parley"
)

// TransferFile sends a copy of a file of this machine. Over the network, where the
// daemon cannot read it, use SendFile. Without an idempotency key it gets one here.
func (c *Client) TransferFile(ctx context.Context, r parley.TransferFileRequest) (*parley.TransferFileResult, error) {
	r.IdempotencyKey = keyOr(r.IdempotencyKey)
	return call[parley.TransferFileResult](ctx, c, "transfer_file", r)
}

// Upload stores what r holds in the workspace under a plain file name. The file_id of
// its answer can stand in the attachments of a message.
func (c *Client) Upload(ctx context.Context, name string, r io.Reader) (*parley.TransferFileResult, error) {
	return c.SendFile(ctx, parley.UploadFileRequest{Filename: name}, r, -1)
}

// SendFile uploads what r holds and, if the request names a recipient, tells it with a
// message. size is how many bytes r holds, or -1: with it, what is too large is
// refused before it is sent. It is not repeated when the connection breaks, since r
// is read only once.
func (c *Client) SendFile(
	ctx context.Context,
	req parley.UploadFileRequest,
	r io.Reader,
	size int64,
) (*parley.TransferFileResult, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}

	head, tail, kind, err := form(req)
	if err != nil {
		return nil, err
	}

	httpReq, err := c.fileRequest(
		ctx,
		http.MethodPost,
		"",
		io.MultiReader(bytes.NewReader(head), r, bytes.NewReader(tail)),
	)
	if err != nil {
		return nil, err
	}
	if size >= 0 {
		httpReq.ContentLength = int64(len(head)) + size + int64(len(tail))
	}

	httpReq.Header.Set("Content-Type", kind)

	// The daemon looks at the head before the file is sent.
	httpReq.Header.Set("Expect", "100-continue")

	resp, err := c.fresh.Do(httpReq)
	if err != nil {
		return nil, c.fileFailure(ctx, "the upload", err)
	}
	defer resp.Body.Close()

	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, c.fileFailure(ctx, "the upload", err)
	}

	res := new(parley.TransferFileResult)
	if err := c.settled(c.read("the upload", resp.StatusCode, answer, res)); err != nil {
		return nil, err
	}

	return res, nil
}

// form writes what stands before and after the file.
func form(req parley.UploadFileRequest) (head, tail []byte, kind string, err error) {
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, value := range map[string]string{"recipient": req.Recipient, "description": req.Description,
		"idempotency_key": keyOr(req.IdempotencyKey), "destination_filename": req.Filename} {
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

// Download writes what a file holds, from offset on, and says what file it is. The
// daemon gives it to its sender, to those for whom a message with it came, and to the
// operator. A download that broke goes on with the number of bytes written so far; when
// that was all of it, only the size is said.
func (c *Client) Download(ctx context.Context, id string, w io.Writer, offset int64) (*parley.File, error) {
	req, err := c.fileRequest(ctx, http.MethodGet, "/"+url.PathEscape(id), nil)
	if err != nil {
		return nil, err
	}
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
	}

	resp, err := c.shared.Do(req)
	if err != nil {
		return nil, c.fileFailure(ctx, "the download", err)
	}
	defer resp.Body.Close()

	f, err := c.described(resp, id, offset)
	if f == nil || err != nil {
		return f, err
	}
	if _, err := io.Copy(w, resp.Body); err != nil {
		return f, c.fileFailure(ctx, "the download", err)
	}

	return f, nil
}

// described reads of what file an answer is. Where the file has nothing from the
// offset on, the body is not to be read.
func (c *Client) described(resp *http.Response, id string, offset int64) (*parley.File, error) {
	f := &parley.File{ID: id, Size: resp.ContentLength, SHA256: strings.Trim(resp.Header.Get("ETag"), `"`)}
	if _, params, err := mime.ParseMediaType(resp.Header.Get("Content-Disposition")); err == nil {
		f.Name = params["filename"]
	}

	_, whole, _ := strings.Cut(resp.Header.Get("Content-Range"), "/")
	switch {
	case resp.StatusCode == http.StatusOK && offset <= 0:
		return f, nil
	case resp.StatusCode == http.StatusPartialContent && offset > 0:
		size, err := strconv.ParseInt(whole, 10, 64)
		if err != nil {
			return nil, c.foreign(resp.StatusCode, nil)
		}
		f.Size = size
		return f, nil
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		if whole == strconv.FormatInt(offset, 10) { // all of it was there already
			f.Size = offset
			resp.Body.Close()
			resp.Body = http.NoBody
			return f, nil
		}
		return nil, parley.Errorf(parley.InvalidArgument, "the file has only %s bytes, fewer than %d", whole, offset).
			Suggest("Begin anew, from 0.")
	}

	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}

	var refused json.RawMessage
	if err := c.settled(c.read("the download", resp.StatusCode, answer, &refused)); err != nil {
		return nil, err
	}

	return nil, c.foreign(resp.StatusCode, answer)
}

func (c *Client) fileRequest(ctx context.Context, method, path string, body io.Reader) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.base+"/api/files"+path, body)
	if err != nil {
		return nil, fmt.Errorf("address the daemon at %q: %w", c.where, err)
	}
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	return req, nil
}

// fileFailure tells what became of a transfer that got no answer.
func (c *Client) fileFailure(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", what, context.Cause(ctx))
	}
	failed := c.classify(err)
	if l, ok := errors.AsType[*lost](failed); ok && l.sent {
		return parley.Errorf(parley.DaemonUnavailable, "the connection to the daemon broke during %s: %w", what, l.cause).
			Suggest("Try again.")
	}
	return c.settled(failed)
}

// settled is the error of a call that is not made again.
func (c *Client) settled(err error) error {
	if l, ok := errors.AsType[*lost](err); ok {
		return c.unavailable(l)
	}
	return err
}
