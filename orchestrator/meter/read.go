package meter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"parley/internal/plainfile"
	"parley/program/transcript"
	"parley/store"
)

// maxRead bounds what is read of a transcript at a time, in bytes. Longer lines are passed over: those
// are of tools.
const maxRead = 4 << 20

var errNoTranscript = errors.New("it is no file of the user")

// part is what was read of a transcript at a time.
type part struct {
	records []store.TokenRecord
	edits   []transcript.Edit
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
	p.records, p.edits = recordsOf(t, form, lines, day), editsOf(t, form, lines)

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
