package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func sendFileCommand(c *cli) *cobra.Command {
	var name, description string
	cmd := &cobra.Command{
		Use:   "send-file RECIPIENT PATH",
		Short: "Send an agent a copy of a file, and a message with its path",
		Example: `  parley send-file reviewer build/report.html
  parley send-file coder trace.log --name trace-before.log --description "of the slow start"`,
		Args: usage(cobra.ExactArgs(2)),
	}

	cmd.Flags().StringVar(&name, "name", "", "file name of the recipient's copy")
	cmd.Flags().StringVar(&description, "description", "", "description for the recipient")
	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		res, err := uploadFile(
			cmd.Context(), c,
			args[1],
			parley.UploadFileRequest{Recipient: args[0], Description: description,
				Filename: cmp.Or(name, filepath.Base(args[1]))},
		)
		if err != nil {
			return err
		}

		if !res.Success {
			return undeliverable(cmd.Context(), c, args[0],
				&parley.SendMessageResult{
					Answer:    res.Answer,
					Message:   res.Message,
					ErrorCode: res.ErrorCode,
					Action:    res.Action,
				},
			)
		}

		sentence := fmt.Sprintf("%s (%s, file %s)", res.Message, size(res.Data.Size), parley.Short(res.Data.FileID))

		return receipt(
			cmd.Context(), c, res, sentence, sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus}, wait(),
		)
	}

	return c.withAgents(cmd, 1)
}

// uploadFile sends a file. This process reads it, with the rights of its user.
func uploadFile(
	ctx context.Context, c *cli, path string, req parley.UploadFileRequest,
) (*parley.TransferFileResult, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.dir, path)
	}

	f, err := openToSend(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()

	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", path, err)
	}

	if !info.Mode().IsRegular() {
		return nil, parley.Errorf(parley.FileRefused, "%s is not a regular file", path).
			Suggest("Send a regular file; pack a directory into an archive first.")
	}

	service, err := c.service(ctx)
	if err != nil {
		return nil, err
	}
	defer service.Close()

	p := newProgress(c, info.Size())
	defer p.end()

	return service.SendFile(ctx, req, io.TeeReader(io.LimitReader(f, info.Size()), p), info.Size())
}

// openToSend opens a regular file. It refuses pipes, which would block.
func openToSend(path string) (*os.File, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, parley.Errorf(parley.FileNotFound, "there is no file %s", path).
			Suggest("Check its name with ls.")
	case err == nil && !info.Mode().IsRegular():
		return nil, parley.Errorf(parley.FileRefused, "%s is not a regular file", path).
			Suggest("Send a regular file; pack a directory into an archive first.")
	}

	f, err := os.Open(path)
	if err != nil {
		return nil, parley.Errorf(parley.FileRefused, "%s cannot be read: %w", path, daemon.PathCause(err)).
			Suggest("Make it readable: chmod u+r.")
	}

	return f, nil
}

func getFileCommand(c *cli) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "get-file ID",
		Short: "Get a file that you received or sent",
		Long: `Writes a copy of a file to the current directory, under its own name, or to where -o
says; -o - is standard output. It does not overwrite an existing file.`,
		Example: `  parley get-file 5f0c21aa
  parley get-file 5f0c21aa -o /tmp/report.html`,
		Args: usage(cobra.ExactArgs(1)),
	}

	cmd.Flags().StringVarP(&output, "output", "o", "", "file or directory to write to; - is standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := c.inUse(cmd.Context()); err != nil {
			return err
		}

		service, err := c.service(cmd.Context())
		if err != nil {
			return err
		}
		defer service.Close()

		if output == "-" {
			_, err := service.Download(cmd.Context(), args[0], c.out, 0)
			return err
		}

		get := func(w io.Writer) (*parley.File, error) { return service.Download(cmd.Context(), args[0], w, 0) }
		f, path, err := saveFile(c, output, get)
		if err != nil {
			return err
		}

		if c.json {
			return c.printJSON(struct {
				parley.Answer
				Path string `json:"path"`
				*parley.File
			}{parley.OK, path, f})
		}

		return c.printLine(fmt.Sprintf("%s (%s)", path, size(f.Size)))
	}

	return cmd
}

// saveFile downloads to a temporary file in the target directory, checks the hash, and
// links it to its name unless that exists.
func saveFile(c *cli,
	output string,
	get func(io.Writer) (*parley.File, error),
) (_ *parley.File, path string, err error) {
	dir := c.dir
	if output != "" {
		if !filepath.IsAbs(output) {
			output = filepath.Join(c.dir, output)
		}

		if info, err := os.Stat(output); err == nil && info.IsDir() {
			dir, output = output, ""
		} else {
			dir = filepath.Dir(output)
		}
	}

	temp, err := os.CreateTemp(dir, ".parley-get-*")
	if err != nil {
		return nil, "", parley.Errorf(parley.InvalidArgument, "cannot write to %s: %w", dir, daemon.PathCause(err)).
			Suggest("Name another place with -o.")
	}

	defer func() { err = errors.Join(err, os.Remove(temp.Name())) }()

	p := newProgress(c, 0)
	sum := sha256.New()
	f, err := get(io.MultiWriter(temp, sum, p))
	p.end()
	if err = errors.Join(err, temp.Close()); err != nil {
		return nil, "", err
	}

	if !isSum(sum, f.SHA256) {
		return nil, "", parley.Errorf(parley.Internal, "the file is not the one that was sent: its SHA-256 differs").
			Suggest("Try again; if the error stays, the file was damaged in the workspace.")
	}

	if output == "" {
		if err := parley.CheckFileName("the file's name", f.Name); err != nil {
			return nil, "", err
		}
		output = filepath.Join(dir, f.Name)
	}

	if err := os.Link(temp.Name(), output); err != nil {
		return nil, "", parley.Errorf(parley.InvalidArgument, "cannot create %s: %w", output, linkCause(err)).
			Suggest("Name another place with -o.")
	}

	return f, output, nil
}

func linkCause(err error) error {
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

func isSum(sum hash.Hash, want string) bool { return hex.EncodeToString(sum.Sum(nil)) == want }

// progress counts the bytes written to it and shows them on a terminal.
type progress struct {
	c       *cli
	total   int64 // 0 when it is not known
	done    int64
	shown   bool
	next    time.Time
	visible bool
}

func newProgress(c *cli, total int64) *progress {
	return &progress{c: c, total: total, next: c.now().Add(progressAfter), visible: !c.json && redraws(c.env, c.err)}
}

func (p *progress) Write(b []byte) (int, error) {
	p.done += int64(len(b))
	if now := p.c.now(); p.visible && now.After(p.next) {
		p.shown, p.next = true, now.Add(progressAfter/5)
		fmt.Fprint(p.c.err, "\r\x1b[K"+p.line())
	}
	return len(b), nil
}

func (p *progress) line() string {
	if p.total <= 0 {
		return size(p.done)
	}
	return fmt.Sprintf("%s of %s, %d %%", size(p.done), size(p.total), 100*p.done/p.total)
}

// end clears the line.
func (p *progress) end() {
	if p.shown {
		fmt.Fprint(p.c.err, "\r\x1b[K")
	}
}
