package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/daemon"
	"parley/plain"
)

// comparison is the JSON of an agent that runs already.
type comparison struct {
	parley.UpdateAgentResult
	State   parley.AgentState `json:"state"`
	Already bool              `json:"runs_already"`
}

// printCompared reports an agent that already runs, how it differs from the file, and what was or
// would be done about it.
func (u *upRun) printCompared(s upStep, res *parley.UpdateAgentResult) error {
	if u.cli.out.json {
		return u.cli.out.printJSON(comparison{*res, s.there.State, true})
	}

	name := u.cli.out.paint(bold, res.Name)
	switch {
	case len(res.Changes) == 0:
		return u.cli.out.printLine(name + " is already running.")
	case res.Changed:
		name += " is changed:"
	default:
		name += " is already running, and differs from the file:"
	}

	lines := []string{name}
	for _, ch := range res.Changes {
		lines = append(lines, "  "+changeWords(ch))
	}
	if !res.Changed {
		lines = append(lines, u.cli.out.paint(faint, "  → ")+applyWords(res))
	}

	return u.cli.out.printLine(strings.Join(lines, "\n"))
}

func changeWords(ch parley.Change) string {
	words := ch.What + ": "
	switch {
	case ch.Now != "" && ch.Then != "":
		words += ch.Now + " → " + ch.Then
	case ch.Then != "":
		words += ch.Then
	default:
		words += "no longer " + ch.Now
	}
	return words
}

// applyWords says what --apply would do.
func applyWords(res *parley.UpdateAgentResult) string {
	command := "parley up --apply " + res.Name
	var does string
	for _, ch := range res.Changes {
		switch {
		case ch.Means == parley.ByRestart && res.LosesConversation:
			does = "restarts it with a new conversation"
			command = "parley up --apply --fresh " + res.Name
		case ch.Means == parley.ByRestart:
			does = "restarts it with its conversation"
		case ch.Means == parley.ByMessage && does == "":
			does = "sends it the prompt"
		}
	}
	if does == "" {
		does = "changes it while it runs"
	}
	return command + " " + does
}

// printWouldLaunch reports an agent that parley up would launch.
func (u *upRun) printWouldLaunch(s upStep) error {
	resumes := s.there != nil && s.there.Session.Begun() && !u.fresh && !s.there.NoResume
	on := ""
	if s.wanted != nil && s.wanted.Host != u.here {
		on = s.wanted.Host
	}
	if u.cli.out.json {
		return u.cli.out.printJSON(struct {
			parley.Answer
			Name         string `json:"name"`
			Host         string `json:"host,omitempty"`
			Launches     bool   `json:"would_launch"`
			Conversation bool   `json:"would_resume"`
		}{parley.OK, s.name, on, true, resumes})
	}

	words := u.cli.out.paint(bold, s.name) + " would be launched"
	if on != "" {
		words += " on " + on
	}
	if resumes {
		words += " with its conversation"
	}
	return u.cli.out.printLine(words + ".")
}

// printFinished reports an agent whose work was finished, and which is therefore left out.
func (u *upRun) printFinished(s upStep) error {
	if u.cli.out.json {
		return u.cli.out.printJSON(struct {
			parley.Answer
			Name     string `json:"name"`
			Finished bool   `json:"finished"`
		}{parley.OK, s.name, true})
	}
	return u.cli.out.printLine(fmt.Sprintf(
		"%s is stopped, and its worktree was removed; parley up %s starts it on a new branch.",
		u.cli.out.paint(bold, s.name), s.name))
}

// warnOfDir says on standard error that an agent runs where its conversation is, and not where the file says.
func (u *upRun) warnOfDir(name, has, wants string) {
	u.cli.out.warned.print(u.cli.out,
		"%s runs in %s, where its conversation is; the file says %s\n  %s %s",
		name, plain.CleanLine(has), plain.CleanLine(wants),
		u.cli.out.paintFor(u.cli.out.err, faint, "→"),
		"To begin a new conversation there: parley up --apply --fresh "+name)
}

type upRun struct {
	cli      *cli
	launches launches
	upOptions
	team     *daemon.Team
	base     string // what the file's paths are relative to
	here     string // the name of this machine, if the file places agents
	steps    []upStep
	launched []*parley.LaunchAgentResult
}

// upStep is what parley up does about one agent.
type upStep struct {
	name    string
	wanted  *daemon.Agent // as the file has it; nil if it does not
	running bool
	there   *parley.AgentStatus // nil if it was never launched

	finished bool // it was stopped, its worktree is gone, and this run does not name it
}

// dirOf returns a directory of the file as an absolute path.
func dirOf(dir, base string) string {
	if filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(base, dir)
}
