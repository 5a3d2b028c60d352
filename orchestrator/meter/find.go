package meter

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"parley/orchestrator/team"
	"parley/store"
	"parley/tmux"
)

// find notes the transcripts that the program of a member writes now.
func (m *Meter) find(member *team.Member, now time.Time) {
	t := member.Terminal()
	if t == nil || t.Profile.Transcript.Name == "" {
		return
	}

	since := t.Started
	if since.IsZero() { // launched by an earlier daemon, which did not see this transcript
		since = m.began
	}
	for _, path := range paths(member, t) {
		key := source{member.ID, path}
		known, ok := m.sources[key]
		if !ok {
			known = &store.Transcript{AgentID: member.ID, Path: path, Form: t.Profile.Transcript.Name, Since: since}
			m.sources[key] = known
		}
		known.SeenAt = now
		if id := member.Agent().Session.ID; t.Profile.Session.ByMessage && id != "" {
			m.record(key).note(id)
		}
	}
}

// paths returns the transcripts of a terminal's program: the one that it reported, or holds open, and
// those of its subagents.
func paths(member *team.Member, t *team.Terminal) (all []string) {
	if path := member.Reports.Transcript(); path != "" {
		all = append(all, path)
	}
	if t.Profile.TranscriptOpen != "" {
		all = append(all, openFiles(t.PID, t.Profile.IsTranscript)...)
	}

	for _, path := range all {
		base, isLines := strings.CutSuffix(path, ".jsonl")
		if !isLines || strings.ContainsAny(base, `*?[\`) {
			continue
		}
		for _, below := range []string{"/subagents/*.jsonl", "/subagents/*/*.jsonl"} {
			more, _ := filepath.Glob(base + below) // the pattern is sound
			all = append(all, more...)
		}
	}

	return all
}

// openFiles returns the files that a process or its descendants write, those that are wanted and each once.
func openFiles(pid int, wanted func(path string) bool) (all []string) {
	pids, _ := tmux.Descendants(pid)
	for _, pid := range append(pids, pid) {
		for _, path := range tmux.OpenFiles(pid) {
			if wanted(path) && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	return all
}
