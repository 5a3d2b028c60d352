package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"parley"
	"parley/internal/sh"
	"parley/plain"
	"parley/program/profile"
)

// standing is a running agent with what is only known of its process and its terminal.
type standing struct {
	parley.Agent
	env           []string // of its process; nil if the system does not show it
	width, height int
}

type wanted struct {
	parley.LaunchAgentRequest
	profile *profile.Profile
	stored  string // the profile's name, as it is stored
	argv    []string
	dir     string
}

// differences lists how a running agent differs from what it is to be.
func differences(have standing, want wanted) []parley.Change {
	all := []parley.Change{}
	note := func(means parley.Means, what, now, then string) {
		if now != then {
			all = append(all, parley.Change{What: what, Now: now, Then: then, Means: means})
		}
	}

	oldCommand, oldModel := splitModel(have.Command, want.profile.ModelFlag)
	newCommand, newModel := splitModel(want.argv, want.profile.ModelFlag)
	note(parley.ByRestart, "profile", have.Profile, want.stored)
	note(parley.ByRestart, "command", words(oldCommand), words(newCommand))
	note(parley.ByRestart, "model", oldModel, newModel)
	note(parley.ByRestart, "dir", have.Dir, want.dir)
	note(parley.ByRestart, "size", sizeOf(have.width, have.height), sizeOf(want.Width, want.Height))
	all = append(all, envDifferences(have, want)...)

	if parley.HashPrompt(want.Prompt) != have.PromptHash && want.Prompt != "" {
		then := plain.Truncate(plain.CleanLine(want.Prompt), parley.PreviewLength)
		all = append(all, parley.Change{What: "prompt", Then: then, Means: parley.ByMessage})
	}

	spec := parley.CleanSpec(want.AgentSpec)
	then := parley.SpecFields(&spec)
	for i, now := range parley.SpecFields(&have.AgentSpec) {
		note(now.Means, now.Name, now.Text(), then[i].Text())
	}
	if !have.Sandboxed() && !spec.Sandboxed() { // whether it stays out where all others go into one
		note(parley.InPlace, "sandbox", keptOut(have.AgentSpec), keptOut(spec))
	}
	note(parley.InPlace, "resume", yesNo(!have.NoResume), yesNo(!want.NoResume))

	return all
}

// envDifferences lists the variables that the process does not have as they are wanted. Variables that
// parley sets itself do not count.
func envDifferences(have standing, want wanted) []parley.Change {
	own := map[string]string{}
	for _, name := range want.OwnEnv {
		own[name] = want.Env[name]
	}

	var all []parley.Change
	for _, kv := range environment(environList(own), nil) {
		name, _, _ := strings.Cut(kv, "=")
		if have.env == nil || slices.Contains(have.env, kv) || want.profile.Handover.Sets(name) {
			continue
		}
		all = append(all, parley.Change{What: "env " + name, Then: "another value", Means: parley.ByRestart})
	}

	for _, name := range have.OwnEnv {
		if _, still := own[name]; !still {
			all = append(all, parley.Change{What: "env " + name, Then: "not set", Means: parley.ByRestart})
		}
	}

	return all
}

// splitModel takes the model that parley has added to a command off its end.
func splitModel(argv []string, flag string) (command []string, model string) {
	if n := len(argv); flag != "" && n > 2 && argv[n-2] == flag {
		return argv[:n-2], argv[n-1]
	}
	return argv, ""
}

func words(argv []string) string { return plain.CleanLine(sh.Line(argv)) }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func keptOut(s parley.AgentSpec) string {
	if s.Sandbox == nil {
		return ""
	}
	return "kept out"
}

func sizeOf(width, height int) string {
	if cmp.Or(width, height) == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", width, height)
}

// restarts reports whether one of the changes starts the program again.
func restarts(changes []parley.Change) bool { return has(changes, parley.ByRestart) }

func has(changes []parley.Change, means parley.Means) bool {
	return slices.ContainsFunc(changes, func(c parley.Change) bool { return c.Means == means })
}
