package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
	"parley/internal/sh"
	"parley/plain"
	"parley/tmux"
)

type attachCommand struct{}

func (a attachCommand) declare(c *cli) *cobra.Command {
	return &cobra.Command{
		Use:     "attach NAME",
		Short:   "Attach to an agent's terminal; " + tmux.ReturnKey + " returns",
		Example: "  parley attach coder",
		RunE: func(cmd *cobra.Command, args []string) error {
			if c.at.host != "" && !c.out.json {
				return a.fromAfar(cmd.Context(), &c.program, args[0])
			}
			return a.run(cmd.Context(), c, args)
		},
		ValidArgsFunction: firstAgents(1).by(completer{c}),
	}
}

func (attachCommand) run(ctx context.Context, c *cli, args []string) error {
	res, err := call[parley.AttachInfoResult](ctx, c, "get_attach_info", url.Values{"agent": args})
	if err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}

	if !isTerminal(c.program.in) || !isTerminal(c.out.out) {
		return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
			Suggest("Print its screen with parley screen %s, or run in a terminal: %s",
				res.Name, sh.Line(res.Command))
	}

	user := userTmux{c.at.env}
	attach, err := user.client(user.showing(res))
	if err != nil {
		return err
	}
	if !res.Adopted {
		key := tmux.ReturnKey
		if res.Host == "" {
			key = user.returnKey(ctx, res.Socket)
		}
		fmt.Fprintf(c.out.err, "%s brings you back.\n", key)
	}

	return syscall.Exec(attach.Path, attach.Args, attach.Env)
}

// fromAfar attaches to an agent on another machine, by the parley there.
func (attachCommand) fromAfar(ctx context.Context, p *program, name string) error {
	if !isTerminal(p.in) || !isTerminal(p.out.out) {
		return parley.Errorf(parley.InvalidArgument, "attach needs a terminal").
			Suggest("Print its screen with parley --host %s screen %s", sh.Word(p.out.at.host),
				sh.Word(name))
	}
	there, err := p.out.at.thereOnTerminal(ctx, "attach", name)
	if err != nil {
		return err
	}
	return syscall.Exec(there.Path, there.Args, there.Env)
}

// userTmux is the tmux around this command, which the user runs.
type userTmux struct{ env daemon.Environ }

// around returns the socket of the tmux server around this command, "" if there is
// none.
func (u userTmux) around() string {
	socket, _, _ := strings.Cut(u.env.Get("TMUX"), ",")
	return socket
}

// dir returns the directory of named tmux sockets.
func (u userTmux) dir() string {
	dir := u.env.Get("TMUX_TMPDIR")
	if dir == "" {
		dir = "/tmp"
	}
	return filepath.Join(dir, fmt.Sprintf("tmux-%d", os.Getuid()))
}

// fillBuffer puts a text into the buffer of the tmux around, and where that tmux can, on the clipboard.
func (u userTmux) fillBuffer(ctx context.Context, text string) error {
	load := func(args ...string) error {
		cmd := exec.CommandContext(ctx, "tmux", append([]string{"-N", "-S", u.around(), "load-buffer"}, args...)...)
		cmd.Env, cmd.Stdin = u.env, bytes.NewBufferString(text)
		out, err := cmd.CombinedOutput()
		if words := bytes.TrimSpace(out); err != nil && len(words) > 0 {
			return errors.New(plain.CleanLine(string(words)))
		}
		return err
	}

	if load("-w", "-") == nil { // since tmux 3.2
		return nil
	}
	return load("-")
}

// client returns a tmux client for this terminal. With TMUX in its environment, tmux
// refuses sessions that would mirror themselves endlessly. For another server that cannot
// happen, but tmux may refuse even so: it mistakes this terminal for its own if a pane
// whose program has ended had the same number. So TMUX is removed then.
func (u userTmux) client(argv []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, parley.Errorf(parley.TmuxUnavailable, "%s was not found: %w", argv[0], err).
			Suggest("Install it: agents run in tmux 3.3 or later, and other machines are reached by ssh.")
	}

	cmd := exec.Command(path, argv[1:]...)
	cmd.Env = u.env
	if i := slices.Index(argv, "-S"); i >= 0 && place.RealPath(argv[i+1]) != place.RealPath(u.around()) {
		cmd.Env = slices.DeleteFunc(
			slices.Clone(u.env), func(entry string) bool { return strings.HasPrefix(entry, "TMUX=") },
		)
	}

	return cmd, nil
}

// showing returns the command that shows an agent's terminal, by ssh if it is on another machine. Inside the tmux
// server of the agent, the client switches to it: a session cannot be shown inside itself.
func (u userTmux) showing(res *parley.AttachInfoResult) []string {
	if res.Host != "" {
		return res.Command
	}
	if around := u.around(); res.Adopted && around != "" && place.RealPath(around) == place.RealPath(res.Socket) {
		return []string{res.Command[0], "-S", res.Socket, "switch-client", "-t", res.Pane}
	}
	argv := withUTF8(u.env, res.Command)
	if res.Adopted {
		return argv
	}
	return withColours(u.env, argv)
}

// returnKey returns the key that detaches from an agent's terminal on parley's tmux server
// at socket. It is parley's return key, or tmux's own if that does not reach the server:
// if a tmux around this terminal binds it, or the server does not, such as that of an
// older daemon.
func (u userTmux) returnKey(ctx context.Context, socket string) string {
	around := u.around()
	ours := u.query(ctx, socket, "show-options", "-gv", "prefix", ";", "list-keys", "-T", "root", tmux.ReturnKey)
	prefix, bound, _ := strings.Cut(ours, "\n")
	if strings.Contains(bound, "detach-client") &&
		(around == "" || u.query(ctx, around, "list-keys", "-T", "root", tmux.ReturnKey) == "") {
		return tmux.ReturnKey
	}

	if prefix == "" {
		prefix = "C-b"
	}

	pressed := prefix
	if around != "" && u.query(ctx, around, "show-options", "-gv", "prefix") == prefix {
		pressed += " " + prefix // the outer tmux passes the second one on
	}

	return strings.NewReplacer("C-", "Ctrl-", "M-", "Alt-").Replace(pressed + " d")
}

// query returns the answer of the tmux server at socket, "" if none comes within a
// second. It changes and starts nothing there.
func (u userTmux) query(ctx context.Context, socket string, words ...string) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	ask := exec.CommandContext(ctx, "tmux", append([]string{"-N", "-S", socket}, words...)...)
	ask.Env, ask.WaitDelay = u.env, time.Second/2 // a hung server holds the other end of its client's output
	answer, _ := ask.Output()                     // commands before a refused one have answered
	return strings.TrimSpace(string(answer))
}

// colourFlags returns the flags with which tmux is told that the terminal shows true colours,
// if it says so itself.
func colourFlags(env daemon.Environ) []string {
	if c := env.Get("COLORTERM"); c == "truecolor" || c == "24bit" {
		return []string{"-T", "RGB"}
	}
	return nil
}

// withColours adds the flags to the command that shows a terminal of parley's own server.
func withColours(env daemon.Environ, argv []string) []string {
	return slices.Concat(argv[:1], colourFlags(env), argv[1:])
}

// withUTF8 lets tmux show characters beyond ASCII, unless the locale says that the terminal does not. Over ssh there
// often is no locale.
func withUTF8(env daemon.Environ, argv []string) []string {
	if !usesUTF8(env) {
		return argv
	}
	return slices.Insert(slices.Clone(argv), 1, "-u")
}
