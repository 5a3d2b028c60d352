package main

import (
	"context"
	"os/exec"
	"runtime/debug"
	"strings"

	"parley"
	"parley/tui"

	"github.com/spf13/cobra"
)

func tuiCommand(c *cli) *cobra.Command {
	var link screenLink
	cmd := &cobra.Command{
		Use:   "tui",
		Short: "Open the screen (parley without a command does the same)",
		Example: `  parley tui
  parley tui --screen needs
  parley tui --message 5f0c0007`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return openScreen(cmd.Context(), c, link) },
	}
	link.flags(cmd)
	return cmd
}

// screenOrHelp runs parley without a command: the screen on a terminal, else help.
func screenOrHelp(cmd *cobra.Command, c *cli) error {
	if !isTerminal(c.in) || !isTerminal(c.out) {
		return cmd.Help()
	}
	return openScreen(cmd.Context(), c, screenLink{})
}

func openScreen(ctx context.Context, c *cli, link screenLink) error {
	if err := link.check(); err != nil {
		return err
	}

	if !isTerminal(c.in) || !isTerminal(c.out) {
		return parley.Errorf(parley.InvalidArgument, "the screen needs a terminal").
			Suggest("Use parley log -f to see the traffic without one.")
	}

	if c.env.Get("GOGC") == "" {
		debug.SetGCPercent(screenGC)
	}

	at, err := screenPlace(c)
	if err != nil {
		return err
	}

	screen, notify, err := loadScreenSettings(c, at)
	if err != nil {
		return err
	}

	service, err := c.service(ctx)
	if err != nil {
		return err
	}
	defer service.Close()

	to, err := link.target(ctx, service)
	if err != nil {
		return err
	}

	if to == (tui.Target{}) {
		to.Screen = screen.First
	}

	key := screenReturnKey(ctx, c, at)
	o := tui.Options{
		Open:      to,
		Version:   buildVersion(),
		Notify:    notify,
		Still:     screen.ReducedMotion,
		Mouse:     screen.Mouse,
		Theme:     screen.Theme,
		Keys:      screen.Keys,
		Filters:   screen.Filters,
		Service:   service,
		Workspace: screenTitle(c, at),
		Follow:    service.Events,
		Environ:   c.env,
		Now:       c.now,
		ReturnKey: strings.NewReplacer("Ctrl-", "ctrl+", "Alt-", "alt+").Replace(key),
		Attach:    func(name string) (*exec.Cmd, error) { return attachClient(ctx, c, service, name) },
	}

	if c.host == "" {
		o.Programs = func() []tui.Program { return screenPrograms(c) }
		o.Examine = func(ctx context.Context) []tui.Finding { return runDoctor(ctx, c) }
	}
	o.Export = func(ctx context.Context, find *parley.FindMessagesRequest, path string) (int, error) {
		return screenExport(ctx, c, service, find, path)
	}
	if c.tmuxAround() != "" {
		o.Buffer = func(ctx context.Context, text string) error { return fillBuffer(ctx, c, text) }
		o.Beside = func(name string) (*exec.Cmd, error) { return attachInWindow(ctx, c, service, name) }
	}

	return tui.Run(ctx, o, c.in, c.out)
}

// screenGC is the garbage collector's percentage for the screen. The screen keeps little
// compared to what it allocates for drawing: with 200 agents and 100,000 messages, paged
// through, it takes 53 MB, and 61 with Go's default of 100.
const screenGC = 40
