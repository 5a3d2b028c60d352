package main

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"parley"
	"parley/internal/daemon"
	"parley/op"
	"parley/tmux"
)

type layoutCommand struct{}

func (l layoutCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:   "layout [NAME…]",
		Short: "Show several agents side by side",
		Long: `Shows the terminals of several agents as tiles in this one: those named, or all that run.
F8 and F9 go from tile to tile, and ` + tmux.ReturnKey + ` returns from all of them.`,
		Example: `  parley layout
  parley layout coder reviewer`,
		RunE:              func(cmd *cobra.Command, args []string) error { return l.run(cmd.Context(), c, args) },
		ValidArgsFunction: firstAgents(-1).by(completer{c}),
	}
}

func (l layoutCommand) run(ctx context.Context, c *cli, names []string) error {
	tiles, err := l.tiles(ctx, c, names)
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(tiles)
	}

	if !isTerminal(c.program.in) || !isTerminal(c.out.out) {
		return parley.Errorf(parley.InvalidArgument, "layout needs a terminal").
			Suggest("Run it in a terminal.")
	}

	return l.fillTerminal(c.out, tiles)
}

// tile is one part of a layout.
type tile struct {
	Name    string   `json:"name"`
	Command []string `json:"command"` // shows the agent's terminal
}

// tiles returns the tiles of the named agents, or of all that have a terminal.
func (layoutCommand) tiles(ctx context.Context, c *cli, names []string) ([]tile, error) {
	service, err := c.service(ctx)
	if err != nil {
		return nil, err
	}
	defer service.Close()

	if len(names) == 0 {
		res, err := op.GetAgentStatus.Call(ctx, service, parley.AgentStatusRequest{})
		if err != nil {
			return nil, err
		}
		for _, a := range res.Agents {
			if a.Kind == parley.KindTerminal && a.State.Live() && !a.Adopted() {
				names = append(names, a.Name)
			}
		}
	}
	if len(names) == 0 {
		return nil, parley.Errorf(parley.InvalidArgument, "no agent runs").
			Suggest("Start one: parley launch coder -- claude")
	}

	var tiles []tile
	for _, name := range names {
		res, err := op.GetAttachInfo.Call(ctx, service, parley.AttachInfoRequest{Agent: name})
		if err != nil {
			return nil, err
		}

		show := userTmux{c.at.env}.showing(res)
		if slices.Contains(show, "switch-client") {
			return nil, parley.Errorf(parley.InvalidArgument, "%s is in this tmux, which a tile cannot show", res.Name).
				Suggest("Leave it out, or go there: parley attach %s", res.Name)
		}
		tiles = append(tiles, tile{res.Name, append([]string{"env", "-u", "TMUX"}, show...)})
	}

	return tiles, nil
}

// checkRoom refuses more tiles than tmux can make in a terminal: each must be large enough to be split.
func checkRoom(tiles, width, height int) error {
	const least = 3
	rows, columns := 1, 1 // as tmux arranges them
	for rows*columns < tiles {
		if rows++; rows*columns < tiles {
			columns++
		}
	}
	if width/columns >= least && height/rows >= least {
		return nil
	}
	return parley.Errorf(parley.InvalidArgument, "%d terminals do not fit into %d×%d cells", tiles, width, height).
		Suggest("Name fewer agents, or make the terminal larger.")
}

// fillTerminal shows the tiles in this terminal. It replaces this process.
func (l layoutCommand) fillTerminal(o *output, tiles []tile) error {
	if width, height, err := term.GetSize(int(o.out.Fd())); err == nil {
		if err := checkRoom(len(tiles), width, height); err != nil {
			return err
		}
	}

	argv, err := l.argv(o.at.env, tiles)
	if err != nil {
		return err
	}
	env := slices.DeleteFunc(
		slices.Clone(o.at.env), func(entry string) bool { return strings.HasPrefix(entry, "TMUX=") },
	)
	return syscall.Exec(argv[0], argv, env)
}

// argv returns the command that shows the tiles, by a tmux server for layouts alone.
func (layoutCommand) argv(env daemon.Environ, tiles []tile) ([]string, error) {
	path, err := exec.LookPath("tmux")
	if err != nil {
		return nil, parley.Errorf(parley.TmuxUnavailable, "tmux was not found: %w", err).
			Suggest("Install tmux 3.3 or later.")
	}
	argv := append(withUTF8(env, []string{path, "-L", layoutServer, "-f", "/dev/null"}), colourFlags(env)...)
	return append(argv, layoutCommands(tiles)...), nil
}

// layoutServer is the socket name of the tmux server of layouts.
const layoutServer = "parley-layout"

// layoutCommands returns the words of one tmux command line that opens the tiles in the
// terminal in which it runs. The server has no prefix key, so that all keys but those for
// moving reach the agents' own tmux, and each session ends when nobody sees it.
func layoutCommands(tiles []tile) []string {
	words := append([]string{"new-session"}, tiles[0].Command...)
	for _, command := range []string{
		"set-option -s escape-time 0",
		"set-option -s focus-events on",
		"set-option -s set-clipboard on",
		"set-option -s extended-keys on",
		"set-option -s terminal-features[90] *:extkeys",
		"set-option -g mouse on",
		"set-option -g prefix None",
		"set-option -g status off",
		"set-option -g destroy-unattached on",
		"bind-key -n " + tmux.ReturnKey + " detach-client",
		"bind-key -n F9 select-pane -t :.+",
		"bind-key -n F8 select-pane -t :.-",
		"unbind-key -n MouseDown3Pane",
		"unbind-key -n M-MouseDown3Pane",
	} {
		words = append(append(words, ";"), strings.Fields(command)...)
	}

	for _, t := range tiles[1:] {
		words = append(append(words, ";", "split-window"), t.Command...)
		words = append(words, ";", "select-layout", "tiled")
	}

	return append(words, ";", "select-pane", "-t", ":.0")
}
