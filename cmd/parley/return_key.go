package main

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"parley/tmux"
)

// returnKey returns the key that detaches from an agent's terminal on parley's tmux server
// at socket. It is parley's return key, or tmux's own if that does not reach the server:
// if a tmux around this terminal binds it, or the server does not, such as that of an
// older daemon.
func returnKey(ctx context.Context, s *surroundings, socket string) string {
	around := s.tmuxAround()
	ours := queryTmux(ctx, s, socket, "show-options", "-gv", "prefix", ";", "list-keys", "-T", "root", tmux.ReturnKey)
	prefix, bound, _ := strings.Cut(ours, "\n")
	if strings.Contains(bound, "detach-client") &&
		(around == "" || queryTmux(ctx, s, around, "list-keys", "-T", "root", tmux.ReturnKey) == "") {
		return tmux.ReturnKey
	}

	if prefix == "" {
		prefix = "C-b"
	}

	pressed := prefix
	if around != "" && queryTmux(ctx, s, around, "show-options", "-gv", "prefix") == prefix {
		pressed += " " + prefix // the outer tmux passes the second one on
	}

	return strings.NewReplacer("C-", "Ctrl-", "M-", "Alt-").Replace(pressed + " d")
}

// queryTmux returns the answer of the tmux server at socket, "" if none comes within a
// second. It changes and starts nothing there.
func queryTmux(ctx context.Context, s *surroundings, socket string, words ...string) string {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	ask := exec.CommandContext(ctx, "tmux", append([]string{"-N", "-S", socket}, words...)...)
	ask.Env, ask.WaitDelay = s.env, time.Second/2 // a hung server holds the other end of its client's output
	answer, _ := ask.Output()                     // commands before a refused one have answered
	return strings.TrimSpace(string(answer))
}
