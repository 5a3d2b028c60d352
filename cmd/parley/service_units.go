package main

import (
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"strings"

	"parley/internal/daemon"
	"parley/plain"
)

// launchd starts agents of the user on macOS. Not tried there.
type launchd struct{}

// domain is where launchd keeps the agents of a user who is logged in.
func (launchd) domain() string { return fmt.Sprintf("gui/%d", os.Getuid()) }

// install leaves the file to the next login where a daemon is running: a second one would start again and again.
func (l launchd) install(ctx context.Context, at *serviceResult, running bool) error {
	if running {
		return nil
	}
	if at.Active = l.state(ctx, at); at.Active != notLoaded { // as an earlier file has it
		if _, err := supervise(ctx, "launchctl", "bootout", l.domain()+"/"+at.Unit); err != nil {
			return err
		}
	}
	_, err := supervise(ctx, "launchctl", "bootstrap", l.domain(), at.Path)
	return err
}

// remove ends the daemon, if launchd started it. The agents stay.
func (l launchd) remove(ctx context.Context, at *serviceResult) error {
	if err := os.Remove(at.Path); err != nil {
		return err
	}
	if l.state(ctx, at) == notLoaded {
		return nil
	}
	_, err := supervise(ctx, "launchctl", "bootout", l.domain()+"/"+at.Unit)
	return err
}

func (l launchd) look(ctx context.Context, at *serviceResult) {
	at.Active, at.Enabled = l.state(ctx, at), "disabled"
	if at.Installed {
		at.Enabled = "enabled" // the next login loads each file in the directory
	}
}

// notLoaded is the state of an agent that launchd does not know.
const notLoaded = "not loaded"

// state returns what launchd says of the agent, such as running.
func (l launchd) state(ctx context.Context, at *serviceResult) string {
	said, err := supervise(ctx, "launchctl", "print", l.domain()+"/"+at.Unit)
	if err != nil {
		return notLoaded
	}
	for line := range strings.Lines(said) {
		if state, ok := strings.CutPrefix(strings.TrimSpace(line), "state = "); ok {
			return state
		}
	}
	return "loaded"
}

// plistText returns the property list of a workspace's agent, as launchd.plist(5) has it. A daemon that was ended in
// good order stays ended, and what it leaves running, such as tmux and the agents, outlives it.
func plistText(label, executable, root, log string, env daemon.Environ) string {
	var b strings.Builder
	line := func(format string, words ...any) {
		for i, w := range words {
			var escaped strings.Builder
			_ = xml.EscapeText(&escaped, fmt.Append(nil, w)) // a Builder does not fail
			words[i] = escaped.String()
		}
		fmt.Fprintf(&b, format+"\n", words...)
	}

	line(`<?xml version="1.0" encoding="UTF-8"?>`)
	line(`<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">`)
	line(`<plist version="1.0"><dict>`)
	line("<key>Label</key><string>%s</string>", label)
	line("<key>ProgramArguments</key><array>")
	for _, word := range []string{"/bin/sh", "-c", serveAndBringBack, executable, root} {
		line("<string>%s</string>", word)
	}
	line("</array>")
	line("<key>EnvironmentVariables</key><dict>")
	for _, name := range serviceVariables {
		if value := env.Get(name); value != "" {
			line("<key>%s</key><string>%s</string>", name, value)
		}
	}
	line("</dict>")
	line("<key>RunAtLoad</key><true/>")
	line("<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>")
	line("<key>AbandonProcessGroup</key><true/>")
	line("<key>StandardErrorPath</key><string>%s</string>", log)
	line("</dict></plist>")
	return b.String()
}

// serveAndBringBack is a daemon's start, and that of its agents once it answers.
const serveAndBringBack = `(n=300; until "$0" status --workspace "$1" >/dev/null 2>&1; do ` +
	`n=$((n-1)); [ $n -gt 0 ] || exit; sleep 1; done; exec "$0" up --workspace "$1" >/dev/null 2>&1) & exec "$0" serve --foreground --workspace "$1"`

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
