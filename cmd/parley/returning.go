package main

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"parley/tmux"
)

// returnKey is how a person leaves an agent's terminal on parley's tmux server at
// socket, as it must be pressed in this terminal. That is tmux's own key where the other
// does not come through: a tmux of the person's own around this terminal takes it for
// itself, or the server is an older daemon's, or does not tell.
func returnKey(ctx context.Context, c *cli, socket string) string {
	around := c.tmuxAround()
	ours := queryTmux(ctx, c, socket, "show-options", "-gv", "prefix", ";", "list-keys", "-T", "root", tmux.ReturnKey)
	prefix, bound, _ := strings.Cut(ours, "\n")
	if strings.Contains(bound, "detach-client") &&
		(around == "" || queryTmux(ctx, c, around, "list-keys", "-T", "root", tmux.ReturnKey) == "") {
		return tmux.ReturnKey
	}

	if prefix == "" {
		prefix = "C-b"
	}

	pressed := prefix
	if around != "" && queryTmux(ctx, c, around, "show-options", "-gv", "prefix") == prefix {
		pressed += " " + prefix // theirs passes the second on
	}

	return strings.NewReplacer("C-", "Ctrl-", "M-", "Alt-").Replace(pressed + " d")
}

// queryTmux is what the server at socket answers, "" if nothing within a second. It
// changes and starts nothing there.
func queryTmux(ctx context.Context, c *cli, socket string, words ...string) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	ask := exec.CommandContext(ctx, "tmux", append([]string{"-N", "-S", socket}, words...)...)
	ask.Env, ask.WaitDelay = c.env, time.Second/2 // a hung server holds the other end of its client's output
	answer, _ := ask.Output()                     // what was said before something was refused counts
	return strings.TrimSpace(string(answer))
}
