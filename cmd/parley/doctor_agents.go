package main

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"time"

	"parley/internal/daemon"
	"parley/profile"
)

// agentChecks are one for each program that a profile launches by itself.
func (d *doctor) agentChecks() (all []check) {
	for _, name := range d.set.Names() {
		p, err := d.set.Find(name)
		if err != nil || len(p.Command) == 0 || p.Command[0] == "parley" {
			continue
		}
		all = append(all, check{name, patiently, func(ctx context.Context) findings { return d.checkAgent(ctx, p) }})
	}
	return append(all, check{"handover", promptly, d.checkHandover})
}

// checkAgent looks at a profile's program: is it there, which version is it, and
// can it be handed what the profile says.
func (d *doctor) checkAgent(ctx context.Context, p *profile.Profile) (f findings) {
	path, found := d.lookPath(p.Command[0], d.dir)
	if !found {
		f.ok(p.Name, "%s is not installed", p.Command[0])
		return f
	}

	version, err := versionOf(ctx, p, path, d.env.Scrubbed())
	switch {
	case err != nil:
		f.warn(
			p.Name,
			"See what "+path+" "+strings.Join(p.Version, " ")+" says.",
			"%s does not say its version: %v",
			path,
			err,
		)
	case p.Covers(version):
		f.ok(p.Name, "%s (%s); %s", version, path, selfReport(p))
	default:
		f.warn(
			p.Name,
			"Watch its first messages; parley attach shows its terminal, parley.yaml can correct the profile.",
			"%s (%s) is not between the versions that the profile was tried with: %s",
			version,
			path,
			strings.Join(p.Tested, ", "),
		)
	}

	d.checkSettingsDir(&f, p)

	return f
}

// selfReport says where it is known from what a profile's program does.
func selfReport(p *profile.Profile) string {
	switch {
	case len(p.Reports) > 0:
		return "it reports its state"
	case len(p.Titles) > 0:
		return "its terminal's title tells its state"
	}
	return "it does not report its state"
}

// versionOf asks a profile's program, found at path, for its version.
func versionOf(ctx context.Context, p *profile.Profile, path string, env daemon.Environ) (string, error) {
	cmd := exec.CommandContext(ctx, path, p.Version...)
	cmd.Env = env
	cmd.WaitDelay = time.Second // a grandchild may hold its output
	out, err := cmd.Output()
	if version := profile.VersionIn(string(out)); version != "" {
		return version, nil
	}
	if err == nil {
		err = errors.New("it prints none")
	}
	return "", err
}

// strictSettings are the variables that name settings which Gemini CLI and what
// descends of it do not read if others than their owner could replace them.
var strictSettings = []string{"GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"}

func (d *doctor) checkSettingsDir(f *findings, p *profile.Profile) {
	strict := slices.ContainsFunc(strictSettings, func(name string) bool { return p.Handover.Env[name] != "" })
	if !strict || d.at.Launch == "" {
		return
	}

	dir := openAbove(existing(d.at.Launch))
	if dir == "" {
		return
	}

	next := "Set XDG_STATE_HOME to a directory below which only you can write, such as one in your home directory."
	if home := d.env.Get("HOME"); home != "" && (dir == home || strings.HasPrefix(dir, home+"/")) {
		next = "Make it yours alone: chmod go-w " + dir
	}

	f.warn(
		p.Name,
		next,
		"it would start without parley's tools and say nothing: it reads no settings in %s, since others may write %s",
		d.at.Launch,
		dir,
	)
}

// checkHandover looks at what every handover needs: this program, at a path that
// agents can start it from.
func (d *doctor) checkHandover(context.Context) (f findings) {
	switch {
	case d.executable == "" || !isProgram(strings.TrimSuffix(d.executable, " (deleted)")):
		f.bad(
			"handover",
			"Install parley again, and start the daemon again: parley down --keep-agents.",
			"this program is not where it was started from, so agents cannot call it",
		)
	case strings.Contains(d.executable, "/go-build"): // of `go run`
		f.warn("handover", "Install it: make install.", "this program is temporary: %s", d.executable)
	default:
		f.ok("handover", "agents call %s", d.executable)
	}

	return f
}
