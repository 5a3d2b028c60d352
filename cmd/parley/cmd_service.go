package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/disk"
	"parley/internal/place"
	"parley/internal/sh"
	"parley/plain"
)

func serviceCommand() family {
	return family{
		use:   "service",
		short: "Let systemd or launchd bring the workspace back",
		long: "Write a user unit of systemd, or an agent of launchd on macOS, for this workspace: it starts the " +
			"daemon at your login, or at boot with --linger (systemd), starts it again when it crashes, and runs " +
			"parley up, which brings the agents back. parley down ends it until the next start.",
		example: "  parley service install --linger\n  parley service status\n  parley service remove",
		members: commands{&serviceAct{act: "install"}, &serviceAct{act: "status"}, &serviceAct{act: "remove"}},
	}
}

// serviceAct is one of the commands of the family.
type serviceAct struct {
	act    string
	linger bool
}

// serviceResult is what starts the workspace's daemon.
type serviceResult struct {
	parley.Answer
	Unit      string `json:"unit"`
	Path      string `json:"path"`
	Installed bool   `json:"installed"`
	Active    string `json:"active"`  // in the word of systemctl or launchctl, such as active, inactive or running
	Enabled   string `json:"enabled"` // in the word of systemctl, such as enabled or disabled
	Linger    bool   `json:"linger"`  // whether it runs without a login
}

// supervisor is the system's own way to start a user's programs.
type supervisor interface {
	// install lets it know the file, and start what it says unless a daemon is running.
	install(ctx context.Context, at *serviceResult, running bool) error
	// remove lets it forget the file, which is removed then.
	remove(ctx context.Context, at *serviceResult) error
	// look fills in what it says of the file.
	look(ctx context.Context, at *serviceResult)
}

// serviceOf returns what starts the workspace's daemon on this system.
func serviceOf(at place.Place, env daemon.Environ) (supervisor, *serviceResult) {
	path := daemon.ServiceOf(at.Home, env)
	res := &serviceResult{Answer: parley.OK, Unit: filepath.Base(path), Path: path, Installed: disk.Exists(path)}
	if runtime.GOOS == "darwin" {
		res.Unit = strings.TrimSuffix(res.Unit, ".plist")
		return launchd{}, res
	}
	return systemd{}, res
}

func (s *serviceAct) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: s.act, Example: "  parley service " + s.act}
	switch s.act {
	case "install":
		cmd.Short = "Write the unit, and let it start"
		cmd.Flags().BoolVar(&s.linger, "linger", false, "start it at boot, and not only at your login (loginctl)")
	case "status":
		cmd.Short = "Show whether there is a unit, and whether it runs"
	case "remove":
		cmd.Short = "Remove the unit; the agents that run stay"
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), c) }
	return cmd
}

func (s *serviceAct) run(ctx context.Context, c *cli) error {
	at, err := c.at.place()
	if err != nil {
		return err
	}
	by, res := serviceOf(at, c.at.env)

	switch {
	case s.act == "install":
		err = s.install(ctx, c, at, by, res)
	case s.act == "remove" && res.Installed:
		err = by.remove(ctx, res)
	}
	if err != nil {
		return err
	}

	res.Installed = disk.Exists(res.Path)
	by.look(ctx, res)
	if err := s.offerLinger(ctx, c, by, res); err != nil {
		return err
	}
	if c.out.json {
		return c.out.printJSON(res)
	}
	return s.print(c.out, by, res)
}

func (s *serviceAct) install(ctx context.Context, c *cli, at place.Place, by supervisor, res *serviceResult) error {
	if err := at.Prepare(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(res.Path), 0o700); err != nil {
		return err
	}
	text := unitText(c.program.executable, at.Root, c.at.env)
	if by == (launchd{}) {
		text = plistText(res.Unit, c.program.executable, at.Root, at.Log(), c.at.env)
	}
	if err := os.WriteFile(res.Path, []byte(text), 0o600); err != nil {
		return err
	}
	return by.install(ctx, res, daemon.Running(ctx, at) != nil) // else its place is taken
}

// offerLinger has the unit start at boot where that was said, or is said now.
func (s *serviceAct) offerLinger(ctx context.Context, c *cli, by supervisor, res *serviceResult) error {
	switch {
	case s.act != "install" || res.Linger:
		return nil
	case by != (systemd{}):
		if s.linger {
			return parley.Errorf(parley.InvalidArgument, "launchd starts what is yours at your login, and not before").
				Suggest("The agent is installed. Leave --linger out.")
		}
		return nil
	case !s.linger:
		s.linger = c.program.canAsk() &&
			c.program.agreed("Start it at boot too, before you log in (loginctl enable-linger)? [y/N] ")
	}
	if !s.linger {
		return nil
	}
	_, err := supervise(ctx, "loginctl", "enable-linger")
	res.Linger = err == nil
	return err
}

func (s *serviceAct) print(o *output, by supervisor, res *serviceResult) error {
	if !res.Installed {
		return o.printLine("There is no unit for this workspace: parley service install writes one.")
	}
	if by == (launchd{}) {
		return printRaw(o, fmt.Sprintf("%s is %s; it is %s", res.Unit, res.Active, res.Path))
	}
	words := fmt.Sprintf("%s is %s and %s; it is %s", res.Unit, res.Enabled, res.Active, res.Path)
	if res.Active != "active" {
		words += "\n→ parley down --keep-agents && systemctl --user start " + sh.Word(res.Unit)
	}
	if !res.Linger {
		words += "\n→ It runs while you are logged in; parley service install --linger lets it start at boot."
	}
	return printRaw(o, words)
}

// checkService checks what brings the team back after a reboot.
func (d *doctor) checkService(ctx context.Context) (f findings) {
	by, res := serviceOf(d.at, d.cli.at.env)
	if !res.Installed {
		f.ok("service", "none: after a reboot, %s", byHand)
		return f
	}
	by.look(ctx, res)
	if res.Enabled != "enabled" {
		f.warn("service", "Enable it: parley service install.", "%s is %s", res.Unit, res.Enabled)
		return f
	}
	f.ok("service", "%s is %s and %s", res.Unit, res.Enabled, res.Active)
	return f
}

// byHand says how the team comes back where no service brings it.
const byHand = "parley up brings the agents back; parley service install does that at your login"

// supervise runs a command of systemd or launchd, and returns what it printed.
func supervise(ctx context.Context, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	said := strings.TrimSpace(string(out))
	if err == nil {
		return said, nil
	}

	why := plain.CleanLine(strings.TrimSpace(failed.String()))
	if why == "" {
		why = err.Error()
	}
	return said, parley.Errorf(parley.InvalidArgument, "%s does not work here: %s", argv[0], why).
		Suggest("parley service needs systemd with a user manager, or launchd. " +
			"Without it, run parley up after a reboot.")
}

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
