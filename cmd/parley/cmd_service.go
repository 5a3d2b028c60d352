package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/daemon"
	"parley/internal/disk"

	"github.com/spf13/cobra"
)

func serviceCommand() family {
	return family{
		use:   "service",
		short: "Let systemd bring the workspace back",
		long: "Write a user unit of systemd for this workspace: it starts the daemon at your login, or at boot with " +
			"--linger, starts it again when it crashes, and runs parley up, which brings the agents back. " +
			"parley down ends it until the next start.",
		example: "  parley service install --linger\n  parley service status\n  parley service remove",
		members: commands{&serviceAct{act: "install"}, &serviceAct{act: "status"}, &serviceAct{act: "remove"}},
	}
}

// serviceAct is one of the commands of the family.
type serviceAct struct {
	act    string
	linger bool
}

// serviceResult is the workspace's unit.
type serviceResult struct {
	parley.Answer
	Unit      string `json:"unit"`
	Path      string `json:"path"`
	Installed bool   `json:"installed"`
	Active    string `json:"active"`  // in the word of systemctl, such as active or inactive
	Enabled   string `json:"enabled"` // in the word of systemctl, such as enabled or disabled
	Linger    bool   `json:"linger"`  // whether it runs without a login
}

func (s *serviceAct) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{Use: s.act, Args: usage(cobra.NoArgs), Example: "  parley service " + s.act}
	switch s.act {
	case "install":
		cmd.Short = "Write the unit, and let it start"
		cmd.Flags().BoolVar(&s.linger, "linger", false, "start it at boot, and not only at your login (loginctl)")
	case "status":
		cmd.Short = "Show whether there is a unit, and whether it runs"
	case "remove":
		cmd.Short = "Remove the unit; the daemon and the agents that run stay"
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), c) }
	return cmd
}

func (s *serviceAct) run(ctx context.Context, c *cli) error {
	at, err := c.place()
	if err != nil {
		return err
	}
	path := daemon.UnitOf(at, c.env)
	res := &serviceResult{Answer: parley.OK, Unit: filepath.Base(path), Path: path}

	switch s.act {
	case "install":
		err = s.install(ctx, c, at, res)
	case "remove":
		err = s.remove(ctx, res)
	}
	if err != nil {
		return err
	}

	res.Installed = disk.Exists(res.Path)
	res.Active, _ = systemd(ctx, "systemctl", "--user", "is-active", res.Unit) // the word comes with a failure too
	res.Enabled, _ = systemd(ctx, "systemctl", "--user", "is-enabled", res.Unit)
	linger, _ := systemd(ctx, "loginctl", "show-user", "--property=Linger", "--value", fmt.Sprint(os.Getuid()))
	res.Linger = linger == "yes"
	if c.json {
		return c.printJSON(res)
	}
	return s.print(&c.output, res)
}

func (s *serviceAct) install(ctx context.Context, c *cli, at daemon.Place, res *serviceResult) error {
	if err := at.Prepare(); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(res.Path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(res.Path, []byte(unitText(c.executable, at.Root, c.env)), 0o600); err != nil {
		return err
	}

	calls := [][]string{{"systemctl", "--user", "daemon-reload"}, {"systemctl", "--user", "enable", res.Unit}}
	if s.linger {
		calls = append(calls, []string{"loginctl", "enable-linger"})
	}
	if daemon.Running(ctx, at) == nil { // else its place is taken
		calls = append(calls, []string{"systemctl", "--user", "start", res.Unit})
	}
	for _, argv := range calls {
		if _, err := systemd(ctx, argv...); err != nil {
			return err
		}
	}
	return nil
}

func (s *serviceAct) remove(ctx context.Context, res *serviceResult) error {
	if !disk.Exists(res.Path) {
		return nil
	}
	if _, err := systemd(ctx, "systemctl", "--user", "disable", res.Unit); err != nil {
		return err
	}
	if err := os.Remove(res.Path); err != nil {
		return err
	}
	_, err := systemd(ctx, "systemctl", "--user", "daemon-reload")
	return err
}

func (s *serviceAct) print(o *output, res *serviceResult) error {
	if !res.Installed {
		return o.printLine("There is no unit for this workspace: parley service install writes one.")
	}
	words := fmt.Sprintf("%s is %s and %s; it is %s", res.Unit, res.Enabled, res.Active, res.Path)
	if res.Active != "active" {
		words += "\n→ parley down --keep-agents && systemctl --user start " + parley.ShellWord(res.Unit)
	}
	if !res.Linger {
		words += "\n→ It runs while you are logged in; parley service install --linger lets it start at boot."
	}
	return printRaw(o, words)
}

// unitText returns the unit of a workspace. What the daemon leaves running, such as tmux and the agents, outlives it,
// and a daemon that was ended in good order stays ended.
func unitText(executable, root string, env daemon.Environ) string {
	var vars strings.Builder
	for _, name := range []string{"PATH", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		if value := env.Get(name); value != "" {
			fmt.Fprintf(&vars, "Environment=%s\n", unitWord(name+"="+value))
		}
	}

	exe, dir := unitArgument(executable), unitArgument(root)
	return "[Unit]\nDescription=parley in " + strings.ReplaceAll(parley.CleanLine(root), "%", "%%") + "\n\n" +
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

// systemd runs a command of systemd, and returns what it printed.
func systemd(ctx context.Context, argv ...string) (string, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	said := strings.TrimSpace(string(out))
	if err == nil {
		return said, nil
	}

	why := parley.CleanLine(strings.TrimSpace(failed.String()))
	if why == "" {
		why = err.Error()
	}
	return said, parley.Errorf(parley.InvalidArgument, "%s does not work here: %s", argv[0], why).
		Suggest("parley service needs systemd with a user manager. Without it, run parley up after a reboot.")
}
