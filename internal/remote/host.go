// Package remote reaches the daemon of another machine through the user's own ssh.
package remote

import (
	"context"
	"os/exec"
	"strings"
	"time"

	"parley"
	"parley/plain"
)

// Host is a workspace of another machine.
type Host struct {
	Address   string   // as ssh takes it: an alias, user@machine, or ssh://user@machine:port
	Workspace string   // the directory there, from the user's home; "" for the home itself
	Env       []string // of ssh
	Passive   bool     // ssh asks nothing, and no daemon is started there
	Control   string   // where connections to the machine are shared, a path with %C; "" if ssh decides alone
}

// Parse reads ADDRESS or ADDRESS:DIR, as scp does. It fails with INVALID_ARGUMENT.
func Parse(text string) (Host, error) {
	var h Host
	if strings.HasPrefix(text, "ssh://") {
		h.Address = text // a port may follow its colon, but no directory
	} else {
		h.Address, h.Workspace, _ = strings.Cut(text, ":")
	}

	if h.Address == "" || strings.HasPrefix(h.Address, "-") || strings.ContainsAny(h.Address, " \t\n'\"") {
		return Host{}, parley.Errorf(parley.InvalidArgument, "%q names no machine", plain.CleanLine(text)).
			Suggest("Give it as you give it to ssh, with the directory of the workspace: box:src/api, or " +
				"you@box:src/api.")
	}

	return h, nil
}

// String returns the host as Parse takes it.
func (h Host) String() string {
	if h.Workspace == "" {
		return h.Address
	}
	return h.Address + ":" + h.Workspace
}

// Command returns a run of parley on the machine, in the workspace. With a terminal, the program
// there has this one. ctx ends only the preparations, and not the run.
func (h Host) Command(ctx context.Context, terminal bool, args ...string) *exec.Cmd {
	options := []string{"-T"}
	if terminal {
		options = []string{"-t"}
	}
	if h.Passive {
		options = append(options, "-o", "BatchMode=yes")
	}
	options = append(options, h.sharing(ctx)...)

	if h.Workspace != "" {
		args = append([]string{"--workspace", h.Workspace}, args...)
	}
	cmd := exec.Command("ssh", append(options, "--", h.Address, shellLine(args))...)
	cmd.Env = h.Env
	return cmd
}

// settingsTime bounds how long ssh may take to print a machine's settings: a `Match exec` in them runs
// a command of the user's, which may hang. outputTime is how long that command may keep the output open
// when ssh has ended.
const (
	settingsTime = 5 * time.Second
	outputTime   = 500 * time.Millisecond
)

// sharing returns the options by which connections to one machine share a login. A user who has
// set that up for this machine keeps it. Without the settings, nothing is shared.
func (h Host) sharing(ctx context.Context) []string {
	if h.Control == "" {
		return nil
	}

	ctx, cancel := context.WithTimeout(ctx, settingsTime)
	defer cancel()
	show := exec.CommandContext(ctx, "ssh", "-G", "--", h.Address)
	show.Env, show.WaitDelay = h.Env, outputTime
	settings, err := show.Output()
	for line := range strings.Lines(string(settings)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name == "controlpath" && value != "none" {
			return nil
		}
	}
	if err != nil {
		return nil
	}

	return []string{"-o", "ControlMaster=auto", "-o", "ControlPath=" + h.Control, "-o", "ControlPersist=60"}
}

// shellLine returns the command line of parley for the shell of the other machine, which may be any.
// A shell without a login often lacks the directories into which people install programs.
func shellLine(args []string) string {
	const script = `PATH="$PATH:$HOME/.local/bin:$HOME/go/bin:/usr/local/bin:/opt/homebrew/bin"; exec parley "$@"`
	words := []string{"sh", "-c", quote(script), "parley"}
	for _, arg := range args {
		words = append(words, quote(arg))
	}
	return strings.Join(words, " ")
}

func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
