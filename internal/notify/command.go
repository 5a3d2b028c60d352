package notify

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley"
)

// command runs a program for each notice.
type command struct {
	argv []string
	dir  string
	env  []string
}

// maxSaid bounds what is kept of a program's errors, in bytes.
const maxSaid = 4 << 10

func (c command) send(ctx context.Context, n parley.Notice) error {
	body, err := json.Marshal(n)
	if err != nil {
		return err
	}

	said := &head{max: maxSaid}
	cmd := exec.CommandContext(ctx, c.argv[0], c.argv[1:]...)
	cmd.Dir, cmd.Env = c.dir, append(slices.Clone(c.env), variables(n)...)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(body), said

	// What it has started ends with it, when its time is over.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second

	switch err := cmd.Run(); {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // a child of it that stays keeps the pipe open
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("not finished within %s", sendTime)
	default:
		return explain(err, said.String())
	}
}

// explain adds the first line that a program wrote to its error.
func explain(err error, said string) error {
	if e, ok := errors.AsType[*exec.Error](err); ok {
		return fmt.Errorf("it cannot be run: %w", e.Err)
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("it cannot be run: %w", e.Err)
	}
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, line)
}

// variables has the notice for programs that read no JSON. Where it has several needs, kind, agent and
// command are those of the most pressing one.
func variables(n parley.Notice) []string {
	first := parley.NoticeNeed{Command: "parley needs"}
	if len(n.Needs) > 0 {
		first = n.Needs[0]
	}

	return []string{
		"PARLEY_NOTICE_TITLE=" + n.Title,
		"PARLEY_NOTICE_TEXT=" + n.Text,
		"PARLEY_NOTICE_KIND=" + string(first.Kind),
		"PARLEY_NOTICE_AGENT=" + first.Agent,
		"PARLEY_NOTICE_COMMAND=" + first.Command,
		"PARLEY_NOTICE_URL=" + n.URL,
	}
}

// head keeps the beginning of what is written to it.
type head struct {
	strings.Builder
	max int
}

func (h *head) Write(p []byte) (int, error) {
	h.Builder.Write(p[:min(len(p), max(0, h.max-h.Len()))])
	return len(p), nil
}
