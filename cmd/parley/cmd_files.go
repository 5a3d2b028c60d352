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
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/place"
)

// sendFileCommand sends an agent a copy of a file.
type sendFileCommand struct{ name, description string }

func (s *sendFileCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "send-file RECIPIENT PATH",
		Short: "Send an agent a copy of a file, and a message with its path",
		Example: `  parley send-file reviewer build/report.html
  parley send-file coder trace.log --name trace-before.log --description "of the slow start"`,
	}

	cmd.Flags().StringVar(&s.name, "name", "", "file name of the recipient's copy")
	cmd.Flags().StringVar(&s.description, "description", "", "description for the recipient")
	wait := addWait(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return s.run(cmd.Context(), receipts{c}, args[0], args[1], wait())
	}
	cmd.ValidArgsFunction = firstAgents(1).by(completer{c})

	return cmd
}

func (s *sendFileCommand) run(ctx context.Context, r receipts, to, path string, wait time.Duration) error {
	res, err := s.upload(ctx, r.cli, path, parley.UploadFileRequest{
		Recipient:   to,
		Description: s.description,
		Filename:    cmp.Or(s.name, filepath.Base(path)),
	})
	if err != nil {
		return err
	}

	if !res.Success {
		return r.undeliverable(ctx, to, &parley.SendMessageResult{
			Answer:    res.Answer,
			Message:   res.Message,
			ErrorCode: res.ErrorCode,
			Action:    res.Action,
		})
	}

	sentence := fmt.Sprintf("%s (%s, file %s)", res.Message, size(res.Data.Size), parley.Short(res.Data.FileID))
	return r.print(ctx, res, sentence, sent{res.MessageID, &res.Deliveries, &res.DeliveryStatus}, wait)
}

// upload sends a file. This process reads it, with the rights of its user.
func (*sendFileCommand) upload(
	ctx context.Context, c *cli, path string, req parley.UploadFileRequest,
) (*parley.TransferFileResult, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.at.dir, path)
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

	p := c.out.newProgress(info.Size())
	defer p.clear()

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
		return nil, parley.Errorf(parley.FileRefused, "%s cannot be read: %w", path, place.PathCause(err)).
			Suggest("Make it readable: chmod u+r.")
	}

	return f, nil
}

// getFileCommand writes a copy of a file.
type getFileCommand struct{ output string }

func (g *getFileCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "get-file ID",
		Short: "Get a file that you received or sent",
		Long: `Writes a copy of a file to the current directory, under its own name, or to where -o
says; -o - is standard output. It does not overwrite an existing file.`,
		Example: `  parley get-file 5f0c21aa
  parley get-file 5f0c21aa -o /tmp/report.html`,
	}

	cmd.Flags().StringVarP(&g.output, "output", "o", "", "file or directory to write to; - is standard output")
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return g.run(cmd.Context(), c, args[0]) }

	return cmd
}

func (g *getFileCommand) run(ctx context.Context, c *cli, id string) error {
	if err := c.inUse(ctx); err != nil {
		return err
	}

	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	if g.output == "-" {
		_, err := service.Download(ctx, id, c.out.out, 0)
		return err
	}

	get := func(w io.Writer) (*parley.File, error) { return service.Download(ctx, id, w, 0) }
	f, path, err := g.save(c.out, get)
	if err != nil {
		return err
	}

	if c.out.json {
		return c.out.printJSON(struct {
			parley.Answer
			Path string `json:"path"`
			*parley.File
		}{parley.OK, path, f})
	}

	return c.out.printLine(fmt.Sprintf("%s (%s)", path, size(f.Size)))
}

// save downloads to a temporary file in the target directory, checks the hash, and
// links it to its name unless that exists.
func (g *getFileCommand) save(
	o *output, get func(io.Writer) (*parley.File, error),
) (_ *parley.File, path string, err error) {
	dir, output := o.at.dir, g.output
	if output != "" {
		if !filepath.IsAbs(output) {
			output = filepath.Join(o.at.dir, output)
		}

		if info, err := os.Stat(output); err == nil && info.IsDir() {
			dir, output = output, ""
		} else {
			dir = filepath.Dir(output)
		}
	}

	temp, err := os.CreateTemp(dir, ".parley-get-*")
	if err != nil {
		return nil, "", parley.Errorf(parley.InvalidArgument, "cannot write to %s: %w", dir, place.PathCause(err)).
			Suggest("Name another place with -o.")
	}

	defer func() { err = errors.Join(err, os.Remove(temp.Name())) }()

	p := o.newProgress(0)
	sum := sha256.New()
	f, err := get(io.MultiWriter(temp, sum, p))
	p.clear()
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
	*passing
	now   func() time.Time
	total int64 // 0 when it is not known
	done  int64
	next  time.Time
}

func (o *output) newProgress(total int64) *progress {
	return &progress{passing: o.passing(), now: o.now, total: total, next: o.now().Add(progressAfter)}
}

func (p *progress) Write(b []byte) (int, error) {
	p.done += int64(len(b))
	if now := p.now(); now.After(p.next) {
		p.next = now.Add(progressAfter / 5)
		p.show("%s", p.line())
	}
	return len(b), nil
}

func (p *progress) line() string {
	if p.total <= 0 {
		return size(p.done)
	}
	return fmt.Sprintf("%s of %s, %d %%", size(p.done), size(p.total), 100*p.done/p.total)
}

type filesCommand struct{}

func (f filesCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.ListFilesResult]{
		op:    "list_files",
		use:   "files",
		short: "List stored files and the space they take, and delete them",
		example: `  parley files
  parley files --limit 1000 --json`,
		args:  noSuchCommand,
		flags: []string{"limit"},
		print: f.print,
	}.declare(c)

	cmd.AddCommand(commands{removeFilesCommand, pruneFilesCommand{}}.declare(c)...)

	return cmd
}

var removeFilesCommand = operation[parley.RemoveFilesResult]{
	op:      "remove_files",
	use:     "rm ID…",
	short:   "Delete files, with their recipients' copies",
	example: "  parley files rm 5f0c21aa",
	print:   printRemoved,
	fill:    func(args []string, to url.Values) error { to["file_ids"] = args; return nil },
}

type pruneFilesCommand struct{}

func (pruneFilesCommand) declare(c *cli) *cobra.Command {
	cmd := operation[parley.RemoveFilesResult]{
		op:      "remove_files",
		use:     "prune --older-than DAYS",
		short:   "Delete files older than so many days, and their copies",
		example: "  parley files prune --older-than 30",
		flags:   []string{"older_than_days=older-than"},
		print:   printRemoved,
	}.declare(c)

	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error {
		if !cmd.Flags().Changed("older-than") {
			return misused(cmd, errors.New("parley files prune takes --older-than DAYS"))
		}
		return nil
	}

	return cmd
}

func printRemoved(o *output, res *parley.RemoveFilesResult) error {
	var bytes int64
	for _, f := range res.Removed {
		bytes += f.Size
	}
	return o.printLine(fmt.Sprintf("%s (%s).", res.Message, size(bytes)))
}

func (filesCommand) print(o *output, res *parley.ListFilesResult) error {
	if res.TotalCount == 0 {
		return o.printLine("No files are stored.")
	}

	t := table{fits: []fit{whole, inner, whole, prose, whole, spare, whole}}
	for _, f := range res.Files {
		t.add(parley.Short(f.ID), o.paint(bold, f.Name), size(f.Size), "from "+f.Sender,
			f.CreatedAt.Local().Format(time.DateTime), "sha256 "+f.SHA256[:12]+"…", count(f.Messages, "message"))
	}

	t.print(o)

	return o.printLine(fmt.Sprintf("%s, %s; their recipients' copies %s; %s free.", count(res.TotalCount, "file"),
		size(res.ContentBytes), size(res.CopyBytes), size(res.FreeBytes)))
}
