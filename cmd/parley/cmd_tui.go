package main

import (
	"context"
	"os/exec"
	"strings"

	"parley/client"
	"parley/internal/daemon"
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
  parley tui --message 5f0c0007
  parley tui --plain    # in words, for a screen reader`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return openScreens(cmd.Context(), c, link) },
	}
	link.flags(cmd)
	return cmd
}

// screenOrHelp runs parley without a command: the screen on a terminal, else help.
func screenOrHelp(cmd *cobra.Command, c *cli) error {
	if !isTerminal(c.in) || !isTerminal(c.out) {
		return cmd.Help()
	}
	return openScreens(cmd.Context(), c, screenLink{})
}

// openScreen shows the screen of one workspace, and returns the name of the one to be shown next; "" for
// none. A problem is told first.
func openScreen(ctx context.Context, c *cli, link screenLink, problem error) (next string, err error) {
	at, err := screenPlace(c)
	if err != nil {
		return "", err
	}

	screen, notify, err := loadScreenSettings(&c.surroundings, at)
	if err != nil {
		return "", err
	}

	service, err := c.service(ctx)
	if err != nil {
		return "", err
	}
	defer service.Close()

	if link.plain || screen.Plain || wordsOnly(c.env) {
		p := &plainScreen{cli: c, service: service}
		return "", p.run(ctx, screenTitle(c, at), firstOf(link, screen.First))
	}

	to, err := link.target(ctx, service)
	if err != nil {
		return "", err
	}

	if to == (tui.Target{}) {
		to.Screen = screen.First
	}

	key := screenReturnKey(ctx, &c.surroundings, at)
	o := tui.Options{
		Open:      to,
		Problem:   problem,
		Version:   buildVersion(),
		Notify:    notify,
		Filters:   screen.Filters,
		Service:   service,
		Workspace: screenTitle(c, at),
		Follow:    service.Events,
		Environ:   c.env,
		Now:       c.now,
		ReturnKey: strings.NewReplacer("Ctrl-", "ctrl+", "Alt-", "alt+").Replace(key),
		Style: tui.Style{
			Still: screen.ReducedMotion,
			Mouse: screen.Mouse,
			Look:  screen.Look(),
			Theme: screen.Theme,
			Keys:  screen.Keys,
		},
		Surroundings: screenSurroundings(ctx, c, service, at),
	}

	return tui.Run(ctx, o, c.in, c.out)
}

// screenSurroundings returns what the screen can do by this program.
func screenSurroundings(ctx context.Context, c *cli, service *client.Client, at daemon.Place) tui.Surroundings {
	around := tui.Surroundings{
		Attach:     func(name string) (*exec.Cmd, error) { return attachClient(ctx, c, service, name) },
		Workspaces: func(ctx context.Context) ([]tui.Workspace, error) { return screenWorkspaces(ctx, c, at) },
		Export: func(ctx context.Context, what tui.Exported, path string) (int, error) {
			return screenExport(ctx, c, service, what, path)
		},
	}

	if c.host == "" {
		around.Programs = func() []tui.Program { return screenPrograms(c) }
		around.Examine = func(ctx context.Context) []tui.Finding { return runDoctor(ctx, c) }
	}
	if c.tmuxAround() != "" {
		around.Buffer = func(ctx context.Context, text string) error { return fillBuffer(ctx, &c.surroundings, text) }
		around.Beside = func(name string) (*exec.Cmd, error) { return attachInWindow(ctx, c, service, name) }
	}

	return around
}
