package tmux

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Known returns the known faults of this version, one sentence each: measured, or
// fixed upstream in the version after.
func (v Version) Known() (facts []string) {
	if !v.AtLeast(3, 4) {
		facts = append(facts,
			"a paste into a pane whose program has ended crashes its server; parley guards against that")
	}

	if !v.AtLeast(3, 6) {
		facts = append(facts, "it can miss the end of a program; parley notices that a little later")
	}

	if !v.AtLeast(3, 8) {
		facts = append(facts, "its server never frees the memory of if-shell; parley does not use it to type")
	}

	if v.leaksCaptures() {
		facts = append(facts,
			"its server never frees the memory of a printed screen; parley reads screens through a buffer")
	}

	if v.AtLeast(3, 6) && !v.AtLeast(3, 8) {
		facts = append(facts,
			"respawn-pane can crash its server while a control client lags; parley does not use it")
	}

	return facts
}

// Recommended reports whether v has no known fault that could affect an agent.
func (v Version) Recommended() bool { return v.AtLeast(3, 6) }

// Inspection describes a running server.
type Inspection struct {
	PID     int
	Version Version  // of the server, which may be older than the binary
	Altered []string // options of parley's that somebody changed since, as "NAME is VALUE"

	// Memory is how many bytes the server holds, 0 if that is unknown. History is how many
	// of them are the lines that scrolled off its panes.
	Memory, History int64
}

// Inspect asks parley's own server at the socket path for its state, without
// attaching to it or starting one. It fails with ErrNoServer if none runs there, and
// with ctx's cause if the server does not answer. env is the daemon's environment.
func Inspect(ctx context.Context, binary, path string, env []string) (Inspection, error) {
	argv := []string{"-N", "-S", path, "display-message", "-p", "#{pid} #{version}" + historyFormat}
	var names, want []string
	for _, setting := range settings(env) {
		words := strings.Fields(setting) // set-option FLAG NAME VALUE
		argv = append(argv, ";", "show-options", words[1]+"v", words[2])
		names, want = append(names, words[2]), append(want, words[3])
	}

	cmd := exec.CommandContext(ctx, binary, argv...)
	cmd.Env = withoutTmux(env)
	cmd.WaitDelay = 500 * time.Millisecond // a hung server holds the other end of its client's output

	out, err := cmd.Output()
	if err != nil {
		return Inspection{}, inspectError(ctx, err)
	}

	lines := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	if len(lines) != len(want)+1 {
		return Inspection{}, fmt.Errorf("tmux described itself as %q", out)
	}

	words := strings.Fields(lines[0])
	if len(words) < 2 || number(words[0]) == 0 {
		return Inspection{}, fmt.Errorf("tmux described itself as %q", lines[0])
	}

	i := Inspection{PID: number(words[0]), Version: parseVersion(words[1])}
	for _, pane := range words[2:] {
		i.History += int64(number(pane))
	}
	i.Memory, _ = memory(i.PID)

	for n, got := range lines[1:] {
		if got != want[n] {
			i.Altered = append(i.Altered, names[n]+" is "+got)
		}
	}

	return i, nil
}

// historyFormat expands to the bytes of history of each pane, with a space before each.
const historyFormat = "#{S:#{W:#{P: #{history_bytes}}}}"

func inspectError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("ask the tmux server: %w", context.Cause(ctx))
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrNotInstalled, err)
	}
	text := strings.TrimSpace(string(exit.Stderr))
	if known := classify(text); known != nil {
		return fmt.Errorf("%w: %s", known, text)
	}
	return &CommandError{Text: text}
}
