package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"parley/internal/daemon"
	"parley/plain"
)

// systemd starts units of the user.
type systemd struct{}

func (systemd) install(ctx context.Context, at *serviceResult, running bool) error {
	calls := [][]string{{"daemon-reload"}, {"enable", at.Unit}}
	if !running {
		calls = append(calls, []string{"start", at.Unit})
	}
	for _, argv := range calls {
		if _, err := supervise(ctx, append([]string{"systemctl", "--user"}, argv...)...); err != nil {
			return err
		}
	}
	return nil
}

func (systemd) remove(ctx context.Context, at *serviceResult) error {
	if _, err := supervise(ctx, "systemctl", "--user", "disable", at.Unit); err != nil {
		return err
	}
	if err := os.Remove(at.Path); err != nil {
		return err
	}
	_, err := supervise(ctx, "systemctl", "--user", "daemon-reload")
	return err
}

func (systemd) look(ctx context.Context, at *serviceResult) {
	at.Active, _ = supervise(ctx, "systemctl", "--user", "is-active", at.Unit) // the word comes with a failure too
	at.Enabled, _ = supervise(ctx, "systemctl", "--user", "is-enabled", at.Unit)
	linger, _ := supervise(ctx, "loginctl", "show-user", "--property=Linger", "--value", fmt.Sprint(os.Getuid()))
	at.Linger = linger == "yes"
}

// serviceVariables name what a daemon needs of the environment in which the service was installed.
var serviceVariables = []string{"PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME"}

// unitText returns the unit of a workspace. What the daemon leaves running, such as tmux and the agents, outlives it,
// and a daemon that was ended in good order stays ended.
func unitText(executable, root string, env daemon.Environ) string {
	var vars strings.Builder
	for _, name := range serviceVariables {
		if value := env.Get(name); value != "" {
			fmt.Fprintf(&vars, "Environment=%s\n", unitWord(name+"="+value))
		}
	}

	exe, dir := unitArgument(executable), unitArgument(root)
	return "[Unit]\nDescription=parley in " + strings.ReplaceAll(plain.CleanLine(root), "%", "%%") + "\n\n" +
		"[Service]\n" + vars.String() +
		"ExecStart=" + exe + " serve --foreground --workspace " + dir + "\n" +
		"ExecStartPost=-/bin/sh -c '" + bringBack + "' " + exe + " " + dir + "\n" +
		"TimeoutStartSec=5min\nRestart=on-failure\nRestartSec=5\nKillMode=process\n\n" +
		"[Install]\nWantedBy=default.target\n"
}

// bringBack waits for the daemon, whose place parley up would take otherwise, and brings the agents back.
const bringBack = `until "$$0" status --workspace "$$1" >/dev/null 2>&1; do sleep 0.2; done; ` +
	`exec "$$0" up --workspace "$$1"`

// unitWord quotes a word as systemd.syntax(7) has it.
func unitWord(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(word) + `"`
}

// unitArgument quotes a word of a command line, in which variables are filled in too.
func unitArgument(word string) string { return strings.ReplaceAll(unitWord(word), "$", "$$") }
