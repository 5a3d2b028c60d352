package main

import (
	"context"
	"fmt"
	"strings"

	"parley"
	"parley/internal/daemon"

	"github.com/spf13/cobra"
)

func serveCommand(c *cli) *cobra.Command {
	var foreground bool
	var readyFD int
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the daemon (other commands do so when needed)",
		Example: `  parley serve                 # in the background
  parley serve --foreground    # logs here; Ctrl-C ends it, the agents stay`,
		Args: usage(cobra.NoArgs),
	}

	cmd.Flags().BoolVar(&foreground, "foreground", false, "stay in this terminal and log to it")
	cmd.Flags().IntVar(&readyFD, "ready-fd", 0, "file descriptor to report readiness on")
	_ = cmd.Flags().MarkHidden("ready-fd")
	settings := daemon.SettingFields()
	for _, s := range settings {
		cmd.Flags().Var(&settingFlag{kind: s.Kind()}, strings.ReplaceAll(s.Name, "_", "-"), flagText(s.Description()))
	}

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.place()
		if err != nil {
			return err
		}

		given := map[string]string{}
		var flags []string
		for _, s := range settings {
			if f := cmd.Flag(strings.ReplaceAll(s.Name, "_", "-")); f.Changed {
				given[s.Name] = f.Value.String()
				flags = append(flags, "--"+f.Name+"="+f.Value.String())
			}
		}

		if !foreground {
			return serveInBackground(cmd.Context(), c, at, flags)
		}

		begin := daemon.Begin(at, c.env, given)
		if err := begin.Apply(); err != nil {
			return err
		}

		return daemon.Serve(cmd.Context(), daemon.Options{
			Place:      at,
			Flags:      begin.Flags,
			Env:        begin.Env,
			Ignored:    begin.Ignored,
			Proven:     begin.Proven,
			Executable: c.executable,
			Version:    buildVersion(),
			ReadyFD:    readyFD,
			Log:        c.err,
			Now:        c.now,
			Workspaces: func(ctx context.Context) []parley.KnownWorkspace { return knownHere(ctx, begin.Env) },
		})
	}

	return cmd
}

// settingFlag is the text of a setting on the command line; the daemon parses it.
type settingFlag struct{ text, kind string }

func (f *settingFlag) String() string { return f.text }
func (f *settingFlag) Type() string   { return f.kind }
func (f *settingFlag) Set(text string) error {
	f.text = text
	return nil
}

func serveInBackground(ctx context.Context, c *cli, at daemon.Place, flags []string) error {
	c.consent(at)
	ctx, cancel := context.WithTimeout(ctx, daemon.StartWithin)
	defer cancel()

	if err := c.starter().Start(ctx, at, flags...); err != nil {
		return err
	}

	info := daemon.Running(ctx, at)
	if info == nil {
		return parley.Errorf(parley.DaemonUnavailable, "the daemon ended as soon as it was ready").
			Suggest("Look at the last lines of %s.", at.Log())
	}

	c.warnOfTrust(at, info)
	if c.json {
		return c.printJSON(struct {
			parley.Answer
			*daemon.Info
		}{parley.OK, info})
	}

	return c.printLine(fmt.Sprintf("The daemon of %s runs (pid %d).", at.Root, info.PID))
}
