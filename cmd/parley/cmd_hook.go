package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/orchestrator/terminal"
)

// An agent program may wait for its hooks, so all together takes no longer than
// hookTime. The program hands over its input at once, and the daemon answers within
// some milliseconds: where one of them does not, the report goes on without it, to
// the spool at last.
const (
	hookRead = 150 * time.Millisecond
	hookCall = 200 * time.Millisecond
	hookTime = 250 * time.Millisecond
)

func hookCommand(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "hook [EVENT] [JSON]",
		Short: "Report what an agent program does; for the hooks of launched agents",
		Long: `Tells the daemon what a launched agent's program says of itself. The profile has the
program call it as a hook. It reads what the program hands to hooks, as JSON on its
standard input or as its last argument, and takes from it what happened and which
messages stand in the prompt; nothing else of it is kept.

It prints nothing, always succeeds, and ends within 300 ms. While the daemon is away
the report waits in the workspace. Outside of an agent it does nothing.`,
		Example: `  parley hook < event.json
  parley hook idle-again`,
		Hidden:             true,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			runHook(cmd.Context(), c, args)
			return nil
		},
	}
}

// runHook reports, if it can within its time.
func runHook(ctx context.Context, c *cli, args []string) {
	key := c.env.Get("PARLEY_KEY")
	if key == "" {
		return
	}

	// Whatever a program hands over must not make its hook fail.
	defer func() { _ = recover() }()

	ctx, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()

	started := c.now()
	report, ok := readReport(args, func() []byte { return readHookInput(ctx, c) })

	at, err := c.place()
	if !ok || err != nil {
		return
	}

	report.At = &started
	if reportState(ctx, c, at, key, report) {
		return
	}

	// There is nobody who could be told that it could not be kept either.
	_ = terminal.Spool(ctx, at.Spool(), key, report)
}

// reportState tells the daemon. It is not done when no daemon has answered.
func reportState(ctx context.Context, c *cli, at daemon.Place, key string, report parley.ReportStateRequest) (done bool) {
	info, err := daemon.ReadInfo(at)
	if err != nil {
		return false
	}
	ctx, cancel := context.WithDeadline(ctx, report.At.Add(hookCall))
	defer cancel()
	_, err = client.New(client.Options{Socket: info.Socket, Key: key}).ReportState(ctx, report)
	refused, typed := errors.AsType[*parley.Error](err)
	return err == nil || typed && refused.Code != parley.DaemonUnavailable
}

// maxHookInput is how much of its input a hook keeps, in bytes: tools hand over what
// they read and wrote.
const maxHookInput = 8 << 20

// readHookInput reads the standard input to its end, unless it is a terminal or time is up.
func readHookInput(ctx context.Context, c *cli) []byte {
	if info, err := c.in.Stat(); err != nil || info.Mode()&os.ModeCharDevice != 0 {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, hookRead)
	defer cancel()

	read := make(chan []byte, 1)
	go func() { // ends with the process
		b, _ := io.ReadAll(io.LimitReader(c.in, maxHookInput))
		_, _ = io.Copy(io.Discard, c.in) // who writes is not to be cut off
		read <- b
	}()

	select {
	case b := <-read:
		return b
	case <-ctx.Done():
		return nil
	}
}

// qualifiers are what says more of an event, by its name, in the programs' own words.
var qualifiers = map[string]string{
	"Notification": "notification_type",
	"SessionStart": "source",
	"SessionEnd":   "reason",
	"PreCompact":   "trigger",
	"PostCompact":  "trigger",
	"StopFailure":  "error",
}

// readReport makes a report of a hook's arguments and of what else it was handed. The
// event is the argument's, or else the one that the JSON names. It is not ok when
// there is none.
func readReport(args []string, input func() []byte) (parley.ReportStateRequest, bool) {
	var r parley.ReportStateRequest
	var given []byte
	for _, arg := range args {
		if strings.HasPrefix(arg, "{") {
			given = []byte(arg)
		} else if r.Event == "" {
			r.Event = arg
		}
	}

	if given == nil {
		given = input()
	}

	var said payload
	_ = json.Unmarshal(given, &said) // what is no JSON says nothing
	if r.Event == "" {
		r.Event = said.text("hook_event_name", "type")
	}

	r.MessageIDs = messagesIn(said.prompts()...)
	if more := said.text(qualifiers[r.Event]); more != "" {
		r.Event += ":" + more
	}
	if said.text("agent_id") != "" {
		r.Event = "subagent:" + r.Event
	}

	r.Event = parley.Truncate(parley.CleanLine(r.Event), 100)
	r.Detail = parley.Truncate(parley.CleanLine(said.text("message", "tool_name")), 200)

	return r, r.Event != ""
}

// payload is what a program hands to its hooks. The programs differ, and so may
// their versions: what has another type than expected counts as absent.
type payload map[string]json.RawMessage

// readText returns the first of the members that is a text, "" if none is.
func (p payload) text(names ...string) string {
	for _, name := range names {
		var text string
		if json.Unmarshal(p[name], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

// prompts are what the program was given to work upon.
func (p payload) prompts() []string {
	var inputs []string
	_ = json.Unmarshal(p["input-messages"], &inputs)
	return append(inputs, p.text("prompt"))
}

// maxMessages bounds the messages that a report names; it keeps the newest, at the end.
const maxMessages = 50

// messagesIn returns the ids of the messages that parley typed into prompts, each once.
func messagesIn(prompts ...string) []string {
	var ids []string
	for _, prompt := range prompts {
		for _, m := range parley.FindTyped(prompt) {
			if m.ID != "" && !slices.Contains(ids, m.ID) {
				ids = append(ids, m.ID)
			}
		}
	}
	return ids[max(0, len(ids)-maxMessages):]
}
