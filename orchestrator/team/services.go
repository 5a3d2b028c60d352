package team

import (
	"path/filepath"
	"slices"
	"strings"

	"parley/tmux"
)

// schedulers run what any program of the user has asked for, later. A person never sits at their terminals.
var schedulers = []string{
	"at", "atd", "atrun", "anacron", "batch", "cron", "crond", "dcron", "fcron", "incrond", "tsp", "pueued",
}

// services run what others ask for, or take in processes that have lost their parents. So what runs below one
// may come from an agent, however old the service is.
var services = slices.Concat(schedulers, []string{
	"init", "launchd", "systemd", "(sd-pam)", "upstart", "openrc", "supervise-daemon", "runit", "runsv", "runsvdir",
	"s6-svscan", "s6-supervise", "supervisord", "monit", "dinit", "procd",
	"tini", "dumb-init", "docker-init", "catatonit", "conmon", "containerd-shim", "containerd-shim-runc-v2",
	"dbus-daemon", "dbus-broker", "dbus-broker-launch", "dbus-broker-lau", "gnome-shell", "gnome-session-binary",
	"gnome-session-b", "plasmashell", "kdeinit5", "kded5", "kded6",
	"tmux", "tmux: server", "screen", "SCREEN", "dtach", "abduco", "zellij", "mosh-server",
	"sshd", "sshd-session", "dropbear", "inetd", "xinetd", "emacs", "watchman",
})

// logins are the services by which a person comes from another machine.
var logins = []string{"sshd", "sshd-session", "dropbear"}

// recorders make a terminal for a command. Without one above it, no person types there.
var recorders = []string{"script", "expect", "unbuffer", "ttyrec", "asciinema"}

// hosts run a program whose own name is their first argument.
var hosts = []string{"python", "perl", "ruby", "busybox", "toybox", "tclsh"}

// runs reports whether a process runs one of the programs, by the name that the system shows and by its
// command line. A program may write over both.
func runs(p tmux.Process, programs []string) bool {
	names := []string{p.Name}
	if len(p.Args) > 0 {
		first := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(p.Args[0]), "-"), ":")
		names = append(names, first)
		isHost := slices.ContainsFunc(hosts, func(host string) bool { return strings.HasPrefix(first, host) })
		if isHost && len(p.Args) > 1 {
			names = append(names, filepath.Base(p.Args[1]))
		}
		if word, _, ok := strings.Cut(first, ":"); ok { // "sshd: user@notty"
			names = append(names, word)
		}
	}

	return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(programs, name) })
}

// jobUnits are the units in which systemd runs the jobs of schedulers.
var jobUnits = []string{
	"atd.service", "anacron.service", "cron.service", "crond.service", "cronie.service", "fcron.service",
}

// isJob reports whether a control group is that of a scheduler's job, or of what `systemd-run` runs under the
// name that it gives. Such a process stays in the group, whatever became of its parents.
func isJob(unit string) bool {
	return slices.ContainsFunc(strings.Split(unit, "/"), func(name string) bool {
		return slices.Contains(jobUnits, name) || strings.HasPrefix(name, "run-")
	})
}

// servesModel reports whether a process is the bridge between a model and the daemon, `parley mcp`.
func servesModel(p tmux.Process) bool {
	if len(p.Args) < 2 || filepath.Base(p.Args[0]) != "parley" {
		return false
	}
	for i, arg := range p.Args[1:] {
		if !strings.HasPrefix(arg, "-") && p.Args[i] != "--workspace" && p.Args[i] != "--host" {
			return arg == "mcp"
		}
	}
	return false
}
