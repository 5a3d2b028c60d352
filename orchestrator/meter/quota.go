package meter

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"parley"
	"parley/internal/plainfile"
	"parley/orchestrator/team"
	"parley/program/transcript"
	"parley/store"
)

// quotaTail is how much of the end of a transcript is read for what an earlier daemon was told of a quota, in bytes.
const quotaTail = 256 << 10

// Quota returns what is used of the account of a member's program, nil if that is not known.
func (m *Meter) Quota(member *team.Member) *parley.Quota {
	t := member.Terminal()
	if t == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	known := m.accounts[member.ID]
	if known.program != t.Profile.Name {
		return nil // another program went on with its work
	}
	return m.quotas[known].Since(m.opts.Now())
}

// account is what has a quota: a program, as it is signed in in a directory.
type account struct{ program, dir string }

// accountOf returns the account of the program that writes a transcript. It is not ok if its directory is not known.
func accountOf(t *team.Terminal, path string) (account, bool) {
	files := t.Profile.Kept.Files
	if files == "" {
		return account{}, false
	}
	for range strings.Count(files, "/") + 1 {
		path = filepath.Dir(path)
	}
	return account{t.Profile.Name, path}, true
}

// noteQuota notes what a transcript, or the screen of the program that writes it, told last of its account's quota.
// What the provider said later counts, whichever agent it was told.
func (m *Meter) noteQuota(key source, told *parley.Quota) {
	member := m.opts.Roster.ByID(key.agentID)
	if told == nil || member == nil || member.Terminal() == nil {
		return
	}
	of, ok := accountOf(member.Terminal(), key.path)
	if !ok {
		return
	}

	m.mu.Lock()
	defer m.mu.Unlock()
	m.accounts[key.agentID] = of
	if known := m.quotas[of]; known == nil || !told.At.Before(known.At) {
		q := *told
		q.Account = fmt.Sprint(of.program, " ", of.dir)
		m.quotas[of] = &q
	}
}

// recall reads what the end of a transcript told before this daemon.
func (m *Meter) recall(t *store.Transcript) *parley.Quota {
	form := m.opts.Forms(t.Form)
	if t.Position == 0 || form == nil || len(form.Quotas.Windows) == 0 {
		return nil
	}
	f, _, err := plainfile.Open(t.Path)
	if err != nil {
		return nil // the look that follows says so
	}
	defer f.Close()

	from := max(0, t.Position-quotaTail)
	tail := make([]byte, t.Position-from)
	n, err := f.ReadAt(tail, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	var lines [][]byte
	for line := range bytes.Lines(tail[:n]) {
		lines = append(lines, line) // the first may be half of one, which is none
	}
	return quotaOf(form, lines)
}

// quotaOf returns what lines tell last of a quota, nil if nothing.
func quotaOf(form *transcript.Format, lines [][]byte) (last *parley.Quota) {
	for _, line := range lines {
		if q := form.QuotaIn(line); q != nil {
			last = q
		}
	}
	return last
}
