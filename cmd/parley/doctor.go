package main

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"parley/internal/daemon"
	"parley/program/profile"
)

// doctorCommand checks the installation and the workspace.
type doctorCommand struct{ repair, asIs bool }

func (k *doctorCommand) declare(c *cli) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check parley's installation and this workspace",
		Long: `Checks tmux, the agent programs, and the workspace's files, database, daemon and ports,
and tells what to do about each finding. It changes nothing and does not start a daemon.
The exit status is 1 if there is a problem, else 0; warnings do not count.

With --repair it first puts back a database that was removed while parley ran, and replaces
one that is damaged, older than it was, or missing by what can be read of it and of the newest
good copy. For that it ends the daemon; the agents stay. What was there is kept. With --as-is
too, it uses no copy: it goes on with what is there, for example an older copy that you have
put in its place.`,
		Example: "  parley doctor\n  parley doctor --json\n  parley doctor --repair\n  parley doctor --repair --as-is",
		RunE: func(cmd *cobra.Command, _ []string) error {
			d := &doctor{cli: c}
			if k.repair {
				var err error
				if d.repaired, err = (repair{c, k.asIs}).run(cmd.Context()); err != nil {
					return err
				}
			}
			found := examine(cmd.Context(), d.checks(), d.progress())
			if err := d.report(found); err != nil {
				return err
			}
			if count := problems(found); count > 0 {
				return exitCode(1)
			}

			return nil
		},
	}
	cmd.Flags().BoolVar(&k.repair, "repair", false, "put back a database that was removed, replace a damaged one")
	cmd.Flags().BoolVar(&k.asIs, "as-is", false, "with --repair: go on with the database that is there, without a copy")

	return cmd
}

// atOnce bounds the checks that run at the same time: some start other programs.
const atOnce = 4

// checks returns the checks for this directory. Without a workspace, these are the ones
// that need none.
func (d *doctor) checks() []check {
	var f findings
	if !d.find(&f) {
		return append([]check{{"workspace", promptly, told(f)}, {"tmux", promptly, checkTmux}}, d.agentChecks()...)
	}

	inTmux, stored := tmuxChecks{d.at, d.cli.at.env}, storageChecks{d.at, ""}
	if d.team != nil {
		stored.url = d.team.Settings.Database
	}
	all := []check{
		{"workspace", promptly, told(f)},
		{"tmux", promptly, checkTmux},
		{"tmux server", promptly, inTmux.checkServer},
		{"sandbox", promptly, checkSandbox},
		{"files", promptly, stored.checkFiles},
		{"daemon", promptly, d.checkDaemon},
		{"port", promptly, d.checkPort},
		{"service", promptly, d.checkService},
		{"database", thoroughly, stored.checkDatabase},
		{"disk", promptly, stored.checkDisk},
		{"space", promptly, stored.checkSpace},
		{"responders", patiently, d.checkResponders},
		{"notify", promptly, d.checkNotify},
		{"profiles", promptly, d.checkProfiles},
	}

	return append(all, d.agentChecks()...)
}

// find loads the workspace's parley.yaml and profiles. It reports whether there is a
// workspace.
func (d *doctor) find(f *findings) bool {
	var err error
	d.set, err = profile.Builtin()
	if err != nil {
		f.fail("parley", err)
	}

	if d.at, err = d.cli.at.place(); err != nil {
		f.fail("workspace", err)
		return false
	}

	if d.at.InUse() {
		f.ok("workspace", "%s; its state is in %s", d.at.Root, d.at.Home)
	} else {
		f.ok("workspace", "none yet in %s; parley launch or parley up makes one", d.at.Root)
	}
	if d.team, err = daemon.Load(d.at, d.cli.at.env); err != nil {
		f.fail("parley.yaml", err)
		return true
	}

	if err := d.team.Settings.Override(d.cli.at.env); err != nil {
		f.fail("parley.yaml", err)
	}

	set, err := d.team.ProfileSet()
	if err != nil {
		f.fail("parley.yaml", err)
		return true
	}

	for _, e := range d.team.LeftOut {
		f.warn("parley.yaml", e.Action, "%s; until then it is left out", e.Message)
	}

	d.set = set
	d.checkTeam(f)

	return true
}

// checkTeam checks that the programs of parley.yaml's agents exist, of those that run on this machine.
func (d *doctor) checkTeam(f *findings) {
	if words := d.team.WithheldWords(); words != "" {
		f.warn("parley.yaml", "Run parley trust: it shows what the file runs, opens, sends and deletes, and asks.",
			"%s", words)
	}

	here, err := d.team.Settings.HostName()
	if err != nil {
		f.fail("parley.yaml", err)
	}

	before := len(*f)
	for _, m := range d.team.Agents {
		if m.Host != "" && m.Host != here {
			continue
		}

		p, err := d.set.Find(cmp.Or(m.Profile, profile.Default))
		if err != nil {
			f.fail("parley.yaml", err)
			continue
		}

		command := m.Command
		if len(command) == 0 {
			command = p.Command
		}

		if len(command) == 0 {
			f.bad("parley.yaml", "Give it a command, or a profile that has one.",
				"agent %s has no program to run", m.Name)
		} else if _, ok := lookPath(d.cli.at.env, command[0], filepath.Join(d.at.Root, m.Dir)); !ok &&
			command[0] != "parley" {
			f.bad("parley.yaml", "Install it, or correct its command.",
				"the program of agent %s, %s, was not found", m.Name, command[0])
		}
	}

	if len(*f) == before && len(d.team.Agents) > 0 {
		f.ok("parley.yaml", "%s", count(len(d.team.Agents), "agent"))
	}
}

// examine runs the checks, atOnce at a time, and returns their findings in order. A check
// that exceeds its time is abandoned, since this program is about to end. progress gets
// the names of the unfinished checks every second.
func examine(ctx context.Context, checks []check, progress func(left []string)) []finding {
	done := make([]chan findings, len(checks))
	room := make(chan struct{}, atOnce)
	for i, c := range checks {
		done[i] = make(chan findings, 1)
		go func() {
			room <- struct{}{}
			defer func() { <-room }()
			done[i] <- c.examine(ctx)
		}()
	}

	var mu sync.Mutex
	left := make([]string, 0, len(checks))
	for _, c := range checks {
		left = append(left, c.name)
	}

	stop := every(time.Second, func() {
		mu.Lock()
		defer mu.Unlock()
		progress(slices.Clone(left))
	})

	var all []finding
	for i := range checks {
		all = append(all, <-done[i]...)
		mu.Lock()
		left = left[1:]
		mu.Unlock()
	}

	stop()
	progress(nil)

	return all
}

// progress shows the unfinished checks on a terminal and clears the line at the end.
func (d *doctor) progress() func(left []string) {
	line := d.cli.out.passing()
	return func(left []string) {
		if len(left) == 0 {
			line.clear()
			return
		}
		line.show("checking %s…", strings.Join(left[:min(len(left), 4)], ", "))
	}
}
