package main

import (
	"context"
	"os/exec"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/client"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/setting"
	"parley/op"
	"parley/tmux"
	"parley/tui"
)

// screens are the screens of workspaces, with what this program can do for them.
type screens struct{ cli *cli }

// screenGC is the garbage collector's percentage for the screen. The screen keeps little
// compared to what it allocates for drawing: with 200 agents and 100,000 messages, paged
// through, it takes 53 MB, and 61 with Go's default of 100.
const screenGC = 40

// open shows one screen after the other, as the person goes from workspace to workspace. Where the
// next cannot be shown, the one before is shown again, with the reason.
func (c screens) open(ctx context.Context, link screenLink) error {
	if err := link.check(); err != nil {
		return err
	}
	if !link.plain && (!isTerminal(c.cli.program.in) || !isTerminal(c.cli.out.out)) {
		return parley.Errorf(parley.InvalidArgument, "the screen needs a terminal").
			Suggest("Use parley log -f to see the traffic without one, or parley tui --plain.")
	}
	if c.cli.at.env.Get("GOGC") == "" {
		debug.SetGCPercent(screenGC)
	}

	var before screens // that has been shown; nil for none
	var problem error
	for at := c; ; {
		next, err := at.one(ctx, link, problem)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && before.cli == nil:
			return err
		case err != nil:
			at, before, problem = before, screens{}, err
			continue
		case next == "":
			return nil
		}
		before, at, link, problem = at, c.elsewhere(next), screenLink{}, nil
	}
}

// orHelp runs parley without a command: the screen on a terminal, else help.
func (c screens) orHelp(cmd *cobra.Command) error {
	if !isTerminal(c.cli.program.in) || !isTerminal(c.cli.out.out) {
		return cmd.Help()
	}
	return c.open(cmd.Context(), screenLink{})
}

// one shows the screen of one workspace, and returns the name of the one to be shown next; "" for
// none. A problem is told first.
func (c screens) one(ctx context.Context, link screenLink, problem error) (next string, err error) {
	at, err := c.shownPlace()
	if err != nil {
		return "", err
	}

	screen, notify, err := c.cli.at.screenSettings(at)
	if err != nil {
		return "", err
	}

	service, err := c.cli.service(ctx)
	if err != nil {
		return "", err
	}
	defer service.Close()

	if link.plain || screen.Plain || wordsOnly(c.cli.at.env) {
		p := &plainScreen{cli: c.cli, service: service}
		return "", p.run(ctx, c.title(at), firstOf(link, screen.First))
	}

	to, err := link.target(ctx, service)
	if err != nil {
		return "", err
	}

	if to == (tui.Target{}) {
		to.Screen = screen.First
	}

	key := c.returnKey(ctx, at)
	o := tui.Options{
		Open:      to,
		Problem:   problem,
		Tip:       link.tip,
		Version:   buildVersion(),
		Notify:    notify,
		Filters:   screen.Filters,
		Service:   service,
		Workspace: c.title(at),
		Follow:    service.Events,
		Environ:   c.cli.at.env,
		Now:       c.cli.out.now,
		ReturnKey: strings.NewReplacer("Ctrl-", "ctrl+", "Alt-", "alt+").Replace(key),
		Style: tui.Style{
			Still: screen.ReducedMotion,
			Mouse: screen.Mouse,
			Look:  screen.Look(),
			Theme: screen.Theme,
			Keys:  screen.Keys,
		},
		Surroundings: c.around(ctx, service, at),
	}

	return tui.Run(ctx, o, c.cli.program.in, c.cli.out.out)
}

// around returns what the screen can do by this program.
func (c screens) around(ctx context.Context, service *client.Client, at place.Place) tui.Surroundings {
	around := tui.Surroundings{
		Attach:     func(name string) (*exec.Cmd, error) { return c.attach(ctx, service, name) },
		Workspaces: func(ctx context.Context) ([]tui.Workspace, error) { return c.workspaces(ctx, at) },
		Export: func(ctx context.Context, what tui.Exported, path string) (int, error) {
			return c.export(ctx, service, what, path)
		},
	}

	if c.cli.at.host == "" {
		around.Programs = func() []tui.Program { return c.programs() }
		around.Examine = func(ctx context.Context) []tui.Finding { return c.examine(ctx) }
	}
	if user := (userTmux{c.cli.at.env}); user.around() != "" {
		around.Buffer = user.fillBuffer
		around.Beside = func(name string) (*exec.Cmd, error) { return c.attachBeside(ctx, service, name) }
	}

	return around
}

// shownPlace returns the place that the screen shows; none if it is on another machine.
func (c screens) shownPlace() (place.Place, error) {
	if c.cli.at.host != "" {
		return place.Place{}, nil
	}
	return c.cli.at.place()
}

// title names the workspace at the top of the screen.
func (c screens) title(at place.Place) string {
	h, err := c.cli.at.hostOf()
	switch {
	case c.cli.at.host == "" || err != nil:
		return at.Root
	case h.Workspace == "":
		return h.Address
	}
	return path.Base(h.Workspace) + " on " + path.Base(h.Address)
}

// returnKey returns the key that leads back from an attached terminal.
func (c screens) returnKey(ctx context.Context, at place.Place) string {
	if c.cli.at.host != "" {
		return tmux.ReturnKey
	}
	return userTmux{c.cli.at.env}.returnKey(ctx, at.TmuxSocket())
}

// attachBeside shows a terminal in a new window of the user's own tmux: a client cannot
// move from one server to another, but it can run inside one. The window closes when the
// client leaves.
func (c screens) attachBeside(ctx context.Context, service *client.Client, name string) (*exec.Cmd, error) {
	attach, err := c.attach(ctx, service, name)
	if err != nil || slices.Contains(attach.Args, "switch-client") {
		return attach, err
	}
	argv := append([]string{"new-window", "-n", name, "--", "env", "-u", "TMUX", attach.Path}, attach.Args[1:]...)
	cmd := exec.Command("tmux", argv...)
	cmd.Env = c.cli.at.env
	return cmd, nil
}

// attachWithin is longer than the daemon waits for tmux, so that the daemon's error
// arrives.
const attachWithin = 15 * time.Second

// attach returns what shows an agent's terminal in place of the screen.
func (c screens) attach(ctx context.Context, service *client.Client, name string) (*exec.Cmd, error) {
	if c.cli.at.host != "" {
		return c.cli.at.thereOnTerminal(ctx, "attach", name)
	}
	ctx, cancel := context.WithTimeout(ctx, attachWithin)
	defer cancel()
	res, err := op.GetAttachInfo.Call(ctx, service, parley.AttachInfoRequest{Agent: name})
	if err != nil {
		return nil, err
	}
	user := userTmux{c.cli.at.env}
	return user.client(user.showing(res))
}

type tuiCommand struct{ link screenLink }

func (t *tuiCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tui",
		Short: "Open the screen (parley without a command does the same)",
		Example: `  parley tui
  parley tui --screen needs
  parley tui --message 5f0c0007
  parley tui --plain    # in words, for a screen reader`,
		RunE: func(cmd *cobra.Command, _ []string) error { return screens{c}.open(cmd.Context(), t.link) },
	}
	t.link.flags(cmd)
	return cmd
}

// screenSettings returns the settings of the screen. It ignores an invalid
// parley.yaml, which the daemon reports: one may look at the screen even so.
func (s *surroundings) screenSettings(at place.Place) (daemon.ScreenSettings, tui.Notify, error) {
	screen := daemon.ScreenSettings{}
	if s.host == "" {
		if t, err := daemon.Load(at, s.env); err == nil {
			screen = t.Screen
		}
	}
	setting.Fill(&screen)
	if err := screen.Override(s.env); err != nil {
		return screen, tui.Notify{}, err
	}
	n, err := screen.Notification("the screen")
	return screen, n, err
}

// programs returns the profiles, those that were tried first, and whether their programs are
// installed here.
func (c screens) programs() []tui.Program {
	at, err := c.cli.at.place()
	if err != nil {
		return nil
	}
	t, err := daemon.Load(at, c.cli.at.env)
	if err != nil {
		return nil
	}
	set, err := t.ProfileSet()
	if err != nil {
		return nil
	}

	var all []tui.Program
	for _, p := range set.Launchable() {
		_, err := exec.LookPath(p.Command[0])
		all = append(all, tui.Program{Name: p.Name, Command: p.Command, Installed: err == nil})
	}
	return all
}

// examine returns the findings of parley doctor.
func (c screens) examine(ctx context.Context) []tui.Finding {
	d := &doctor{cli: c.cli}
	var all []tui.Finding
	for _, f := range examine(ctx, d.checks(), func([]string) {}) {
		all = append(all, tui.Finding{
			Check:  f.Check,
			Detail: f.Detail,
			Action: f.Action,
			Bad:    f.Level == problem,
			Well:   f.Level == fine,
		})
	}

	return all
}

// elsewhere returns the caller in another workspace, which is a directory here, or a host. A key in the
// environment belongs to the workspace that the caller began in.
func (c screens) elsewhere(name string) screens {
	there := newCLI(c.cli.program)
	there.at.host, there.at.workspace = name, ""
	if path.IsAbs(name) {
		there.at.host, there.at.workspace = "", name
	}
	if place, err := c.shownPlace(); err == nil && c.isShown(place, name) {
		return c
	}
	there.at.env = append(slices.Clone(c.cli.at.env), "PARLEY_KEY=")

	return screens{there}
}

func (c screens) isShown(at place.Place, name string) bool {
	if c.cli.at.host == "" {
		return name == at.Root
	}
	h, err := c.cli.at.hostOf()
	return err == nil && h.String() == name
}

// workspaces returns the workspaces of the user, those that need the person first.
func (c screens) workspaces(ctx context.Context, at place.Place) ([]tui.Workspace, error) {
	lines, err := survey{c.cli.out}.everywhere(ctx)
	if err != nil {
		return nil, err
	}

	var all []tui.Workspace
	for _, l := range lines {
		all = append(all, tui.Workspace{
			Name:   l.Workspace,
			Shown:  home(c.cli.at.env, l.Workspace),
			State:  l.agents(),
			Needs:  l.needs(),
			Grave:  l.Problem != "",
			Opened: c.isShown(at, l.Workspace),
		})
	}

	return all, nil
}
