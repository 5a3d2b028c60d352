package agents

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"parley"
	"parley/orchestrator/team"
	"parley/plain"
)

// doingOf returns what a member's program says in its title, "" if that is not for the caller.
func doingOf(ctx context.Context, m *team.Member, a *parley.Agent) string {
	t := m.Terminal()
	if t == nil || !a.State.Live() || !parley.CallerFrom(ctx).Operator {
		return ""
	}
	return doing(t.Title(), a)
}

// titleParts separate what a title says: "TASK - program", "program | TASK".
var titleParts = strings.NewReplacer(" - ", "\n", " | ", "\n", " · ", "\n", " — ", "\n", " > ", "\n")

// titleNoise are words that name a program or its state, and no work.
var titleNoise = []string{"cli", "code", "agent", "session", "new", "ready", "ai"}

const longestDoing = 120

// doing returns what the title of a terminal says of the program's work, as Claude Code's "✳ Fix the parser" does.
// A part with fewer than two words that do not name the program, its directory or its host says nothing.
func doing(title string, a *parley.Agent) string {
	known := append([]string{a.Name, a.Profile, a.Runs, a.Host, filepath.Base(a.Dir)}, titleNoise...)
	var parts []string
	for part := range strings.SplitSeq(titleParts.Replace(plain.CleanLine(title)), "\n") {
		part = strings.TrimLeftFunc(part, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		words := slices.DeleteFunc(strings.Fields(part), func(w string) bool {
			w = strings.TrimFunc(w, func(r rune) bool { return unicode.IsPunct(r) })
			return w == "" || slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, w) })
		})
		first, _, _ := strings.Cut(part, " ")
		if len(words) > 1 && !strings.Contains(first, "@") { // user@host: directory, as shells write it
			parts = append(parts, strings.TrimSpace(part))
		}
	}
	return plain.Truncate(strings.Join(parts, " · "), longestDoing)
}
