package meter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley"
	"parley/internal/plainfile"
	"parley/orchestrator/team"
	"parley/program/opencode"
	"parley/program/transcript"
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
		if !m.recalled[key] {
			m.recalled[key] = true
			m.noteQuota(key, m.recall(known))
		}
		m.noteQuota(key, t.Limit.Quota())
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

// record is what is known of an agent's sessions in a program's database.
type record struct {
	sessions []string // that the agent has had
	stamp    string   // of the file, and of the sessions, when it was last read
}

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

// maxRead bounds what is read of a transcript at a time, in bytes. Longer lines are passed over: those
// are of tools.
const maxRead = 4 << 20

var errNoTranscript = errors.New("it is no file of the user")

// part is what was read of a transcript at a time.
type part struct {
	records []store.TokenRecord
	edits   []transcript.Edit
	quota   *parley.Quota
	more    bool // there is more
}

// read reads the next part of a transcript, and moves its position.
func read(t *store.Transcript, form *transcript.Format, day func(time.Time) string) (p part, err error) {
	f, info, err := plainfile.Open(t.Path)
	if err != nil {
		return p, err
	}
	defer f.Close()

	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return p, errNoTranscript
	}

	if info.Size() < t.Position { // written anew: what is counted is known by its ids
		t.Position, t.Skipping = 0, false
	}
	content := make([]byte, min(maxRead, info.Size()-t.Position))
	n, err := f.ReadAt(content, t.Position)
	if err != nil && !errors.Is(err, io.EOF) {
		return p, fmt.Errorf("read a transcript: %w", err)
	}

	p.more = t.Position+int64(n) < info.Size()
	lines, used, skipping := split(content[:n], t.Skipping, maxRead)
	t.Position, t.Skipping = t.Position+int64(used), skipping
	p.records, p.edits, p.quota = recordsOf(t, form, lines, day), editsOf(t, form, lines), quotaOf(form, lines)

	return p, nil
}

// split returns the whole lines of a part, and how many bytes are done with. A line that fills the
// part is passed over; skipping says that the part begins, or the rest begins, within such a line.
func split(part []byte, skipping bool, most int) (lines [][]byte, used int, still bool) {
	end := bytes.LastIndexByte(part, '\n')
	switch {
	case end < 0 && (skipping || len(part) >= most):
		return nil, len(part), true
	case end < 0:
		return nil, 0, false
	}

	for line := range bytes.Lines(part[:end+1]) {
		if !skipping {
			lines = append(lines, line)
		}
		skipping = false
	}

	return lines, end + 1, false
}

// recordsOf returns what lines tell of the agent's own responses. It notes in t if a line is not known.
func recordsOf(
	t *store.Transcript, form *transcript.Format, lines [][]byte, day func(time.Time) string,
) (records []store.TokenRecord) {
	state := transcript.State{Model: t.Model, Records: t.Records}
	var read []transcript.Record
	for _, line := range lines {
		rec, err := form.Read(line, &state)
		if err != nil {
			t.Unknown = unknownForm
		}
		if rec != nil {
			read = append(read, *rec)
		}
	}
	t.Model, t.Records = state.Model, state.Records

	return tokenRecords(t, read, day)
}

// tokenRecords returns the agent's own responses, as they are stored.
func tokenRecords(
	t *store.Transcript, read []transcript.Record, day func(time.Time) string,
) (records []store.TokenRecord) {
	for _, rec := range read {
		if !rec.At.Before(t.Since) {
			records = append(records, store.TokenRecord{
				ID: t.Form + "/" + rec.ID, At: rec.At, Day: day(rec.At), Model: rec.Model, Tokens: rec.Tokens,
			})
		}
	}
	return records
}

// editsOf returns what lines tell of the agent's own edits.
func editsOf(t *store.Transcript, form *transcript.Format, lines [][]byte) (edits []transcript.Edit) {
	for _, line := range lines {
		edits = append(edits, since(t, form.EditsIn(line))...)
	}
	return edits
}

// since returns the edits from the agent's own time.
func since(t *store.Transcript, edits []transcript.Edit) []transcript.Edit {
	return slices.DeleteFunc(edits, func(e transcript.Edit) bool { return e.At.Before(t.Since) })
}
