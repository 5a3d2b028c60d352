package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"parley"
	"parley/internal/daemon"
	"parley/internal/place"
)

// serveCommand starts the daemon.
type serveCommand struct {
	foreground bool
	readyFD    int
}

func (s *serveCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Start the daemon (other commands do so when needed)",
		Example: `  parley serve                 # in the background
  parley serve --foreground    # logs here; Ctrl-C ends it, the agents stay`,
	}

	cmd.Flags().BoolVar(&s.foreground, "foreground", false, "stay in this terminal and log to it")
	cmd.Flags().IntVar(&s.readyFD, "ready-fd", 0, "file descriptor to report readiness on")
	_ = cmd.Flags().MarkHidden("ready-fd")
	settings := daemon.SettingFields()
	for _, f := range settings {
		cmd.Flags().Var(&settingFlag{kind: f.Kind()}, strings.ReplaceAll(f.Name, "_", "-"), flagText(f.Description()))
	}

	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		at, err := c.at.place()
		if err != nil {
			return err
		}

		given := map[string]string{}
		var flags []string
		for _, setting := range settings {
			if f := cmd.Flag(strings.ReplaceAll(setting.Name, "_", "-")); f.Changed {
				given[setting.Name] = f.Value.String()
				flags = append(flags, "--"+f.Name+"="+f.Value.String())
			}
		}

		if !s.foreground {
			return s.inBackground(cmd.Context(), c, at, flags)
		}
		return s.run(cmd.Context(), &c.program, at, given)
	}

	return cmd
}

// run is the daemon, in this terminal. given are the settings of the command line.
func (s *serveCommand) run(ctx context.Context, p *program, at place.Place, given map[string]string) error {
	begin := daemon.Begin(at, p.out.at.env, given)
	if err := begin.Apply(); err != nil {
		return err
	}

	return daemon.Serve(ctx, daemon.Options{
		Place:      at,
		Flags:      begin.Flags,
		Env:        begin.Env,
		Ignored:    begin.Ignored,
		Proven:     begin.Proven,
		Executable: p.executable,
		Version:    buildVersion(),
		ReadyFD:    s.readyFD,
		Log:        p.out.err,
		Now:        p.out.now,
		Workspaces: func(ctx context.Context) []parley.KnownWorkspace { return knownHere(ctx, begin.Env) },
	})
}

// settingFlag is the text of a setting on the command line; the daemon parses it.
type settingFlag struct{ text, kind string }

func (f *settingFlag) String() string { return f.text }
func (f *settingFlag) Type() string   { return f.kind }
func (f *settingFlag) Set(text string) error {
	f.text = text
	return nil
}

func (*serveCommand) inBackground(ctx context.Context, c *cli, at place.Place, flags []string) error {
	c.program.consent(at)
	ctx, cancel := context.WithTimeout(ctx, daemon.StartWithin)
	defer cancel()

	if err := c.program.starter().Start(ctx, at, flags...); err != nil {
		return err
	}

	info := daemon.Running(ctx, at)
	if info == nil {
		return parley.Errorf(parley.DaemonUnavailable, "the daemon ended as soon as it was ready").
			Suggest("Look at the last lines of %s.", at.Log())
	}

	c.out.warnOfTrust(at, info)
	if c.out.json {
		return c.out.printJSON(struct {
			parley.Answer
			*daemon.Info
		}{parley.OK, info})
	}

	return c.out.printLine(fmt.Sprintf("The daemon of %s runs (pid %d).", at.Root, info.PID))
}
