package main

import (
	"bytes"
	"context"
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
func serviceOf(at daemon.Place, env daemon.Environ) (supervisor, *serviceResult) {
	path := daemon.ServiceOf(at.Home, env)
	res := &serviceResult{Answer: parley.OK, Unit: filepath.Base(path), Path: path, Installed: disk.Exists(path)}
	if runtime.GOOS == "darwin" {
		res.Unit = strings.TrimSuffix(res.Unit, ".plist")
		return launchd{}, res
	}
	return systemd{}, res
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

func (s *serviceAct) install(ctx context.Context, c *cli, at daemon.Place, by supervisor, res *serviceResult) error {
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
const byHand = "parley up brings the agents back; parley service install lets that happen by itself"

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
