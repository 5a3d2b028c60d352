package meter

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"parley/program/opencode"
	"parley/program/transcript"
	"parley/store"
)

// record is what is known of an agent's sessions in a program's database.
type record struct {
	sessions []string // that the agent has had
	stamp    string   // of the file, and of the sessions, when it was last read
}

// record returns the record of a source.
func (m *Meter) record(key source) *record {
	if m.records[key] == nil {
		m.records[key] = &record{}
	}
	return m.records[key]
}

// note adds a session.
func (r *record) note(id string) {
	if !slices.Contains(r.sessions, id) {
		r.sessions = append(r.sessions, id)
	}
}

// readPart reads the next part of a transcript.
func (m *Meter) readPart(ctx context.Context, t *store.Transcript) (part, error) {
	form := m.opts.Forms(t.Form)
	switch {
	case form == nil: // of a profile that the workspace no longer has
		return part{}, transcript.ErrUnknown
	case form.Kind == transcript.Lines:
		return read(t, form, dayOf)
	}
	return m.record(source{t.AgentID, t.Path}).read(ctx, t)
}

// read reads what is new of the agent's sessions in opencode's database. Without a session, nothing is
// known of the agent. The position moves when all sessions were read: it is one for all of them.
func (r *record) read(ctx context.Context, t *store.Transcript) (p part, err error) {
	if len(r.sessions) == 0 {
		return p, fs.ErrNotExist
	}
	stamp := r.stampOf(t.Path)
	if stamp == r.stamp {
		return p, nil
	}

	reached := t.Position
	for _, session := range r.sessions {
		responses, position, err := opencode.Responses(ctx, t.Path, session, t.Position)
		if err != nil {
			return part{}, err
		}
		edits, err := opencode.Edits(ctx, t.Path, session, t.Position)
		if err != nil {
			return part{}, err
		}

		reached = max(reached, position)
		p.records = append(p.records, tokenRecords(t, responses, dayOf)...)
		p.edits = append(p.edits, since(t, edits)...)
	}
	t.Position, r.stamp = reached, stamp

	return p, nil
}

// stampOf changes when something may have been written to a database.
func (r *record) stampOf(path string) (stamp string) {
	for _, file := range []string{path, path + "-wal"} {
		if info, err := os.Stat(file); err == nil {
			stamp += fmt.Sprint(info.ModTime().UnixNano(), " ", info.Size(), " ")
		}
	}
	return stamp + fmt.Sprint(r.sessions)
}
