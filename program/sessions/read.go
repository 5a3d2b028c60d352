package sessions

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"parley"
	"parley/internal/plainfile"
	"parley/plain"
	"parley/program/opencode"
	"parley/program/transcript"
	"parley/program/typed"
)

// What is read, in bytes. Longer lines are of tools.
const (
	maxLine  = 4 << 20
	maxWhole = 32 << 20
	maxHead  = 4 << 20 // for what was said first
	maxAbout = 1 << 20
)

// maxFirst bounds what is shown of a text, in characters.
const maxFirst = 200

var errNotOurs = errors.New("it is no file of the user")

// turns calls take for what was said, in its order, until that is not ok or limit bytes were read. It returns the
// facts that were met.
func (e *entry) turns(
	ctx context.Context, limit int64, take func(transcript.Turn, *transcript.Facts) bool,
) (facts transcript.Facts, err error) {
	return e.turnsWith(ctx, nil, limit, take)
}

// turnsWith is turns for the lines alone that have a word, in any case.
func (e *entry) turnsWith(
	ctx context.Context, word []byte, limit int64, take func(transcript.Turn, *transcript.Facts) bool,
) (facts transcript.Facts, err error) {
	if e.row != nil {
		facts = transcript.Facts{ID: e.row.ID, Dir: e.row.Dir}
		err = opencode.Turns(ctx, e.path, e.row.ID, func(t transcript.Turn) bool { return take(t, &facts) })
		return facts, err
	}

	f, info, err := plainfile.Open(e.path)
	if err != nil {
		return facts, err
	}
	defer f.Close()
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Getuid() {
		return facts, errNotOurs
	}

	k := e.from.kept
	if k.ID == "" {
		facts.ID = e.id
	}
	err = e.lines(ctx, io.LimitReader(f, limit), func(line []byte) bool {
		if len(word) > 0 && !bytes.Contains(line, word) && !bytes.Contains(bytes.ToLower(line), word) {
			return true
		}
		for _, turn := range k.Take(line, &facts) {
			if !take(turn, &facts) {
				return false
			}
		}
		return true
	})
	e.about(&facts)

	return facts, err
}

// lines calls take for each line of a transcript that is not too long, until that is not ok.
func (e *entry) lines(ctx context.Context, r io.Reader, take func([]byte) bool) error {
	if e.from.kept.Whole {
		all, err := io.ReadAll(io.LimitReader(r, maxWhole))
		if err == nil {
			take(all)
		}
		return err
	}

	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for whole := true; ctx.Err() == nil; {
		part, err := in.ReadSlice('\n')
		whole = whole && len(line)+len(part) <= maxLine
		if whole && (len(line) > 0 || err != nil) {
			line, part = append(line, part...), nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if whole && len(line) == 0 {
			line = part
		}
		if whole && len(line) > 0 && !take(line) {
			return nil
		}
		if err != nil {
			return nil //nolint:nilerr // what was read counts
		}
		line, whole = nil, true
	}
	return ctx.Err()
}

// about reads the facts that the transcript does not tell.
func (e *entry) about(f *transcript.Facts) {
	if e.from.kept.About == "" {
		return
	}
	name := strings.ReplaceAll(e.from.kept.About, "{id}", e.id)
	if content, err := plainfile.Read(filepath.Join(filepath.Dir(e.path), name), maxAbout); err == nil {
		e.from.kept.TakeAbout(content, f)
	}
}

// heads are what the heads of conversations told, by their keys. Few are kept: those that were shown.
type heads struct {
	mu  sync.Mutex
	all map[string]head
}

type head struct {
	at    time.Time
	size  int64
	facts transcript.Facts
	first string
}

const maxHeads = 1000

// describe returns a conversation with what its head tells.
func (a *Archive) describe(ctx context.Context, e *entry) parley.KeptSession {
	a.heads.mu.Lock()
	h, ok := a.heads.all[e.key()]
	a.heads.mu.Unlock()

	if !ok || !h.at.Equal(e.at) || h.size != e.size {
		h = e.head(ctx)
		a.heads.mu.Lock()
		if len(a.heads.all) >= maxHeads || a.heads.all == nil {
			a.heads.all = map[string]head{}
		}
		a.heads.all[e.key()] = h
		a.heads.mu.Unlock()
	}

	branch := plain.CleanLine(h.facts.Branch)
	if branch == "HEAD" { // as git names what is none
		branch = ""
	}
	return parley.KeptSession{
		ID: cmp.Or(h.facts.ID, e.id), Program: e.from.program.Name, Dir: plain.CleanLine(h.facts.Dir),
		Branch: branch, First: h.first, LastActive: e.at.UTC(), Size: e.size,
	}
}

// head reads what a person said first, and the facts.
func (e *entry) head(ctx context.Context) head {
	h := head{at: e.at, size: e.size}
	limit := int64(maxHead)
	if e.from.kept.Whole {
		limit = maxWhole
	}
	// What cannot be read has no words, and is not listed.
	h.facts, _ = e.turns(ctx, limit, func(t transcript.Turn, _ *transcript.Facts) bool {
		if t.Person {
			h.first = plain.Truncate(plain.CleanLine(shown(t.Text)), maxFirst)
		}
		return h.first == ""
	})
	return h
}

// sealWritten matches what could be the seal of a terminal.
var sealWritten = regexp.MustCompile(`\b` + plain.SealWord + `\s+[a-z0-9]{4,}`)

// shown returns a text without what parley wrote around it: headers and footers, which have the seals of terminals.
func shown(text string) string {
	if strings.Contains(text, "]:") { // as each header ends
		if typed := typed.Find(text); len(typed) > 0 {
			var texts []string
			for _, t := range typed {
				texts = append(texts, t.Text)
			}
			text = strings.Join(texts, "\n")
		}
	}
	if !strings.Contains(text, plain.SealWord) {
		return text
	}
	return sealWritten.ReplaceAllString(text, plain.SealWord+" …")
}

// splitWords returns the words of a text, in lower case. What has no spaces between words is split into characters.
func splitWords(text string) (words []string) {
	for _, word := range strings.FieldsFunc(spaced(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	}) {
		words = append(words, strings.ToLower(word))
	}
	return words
}

// spaced puts spaces around the characters of scripts that have none between words.
func spaced(text string) string {
	dense := func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
	if !strings.ContainsFunc(text, dense) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if dense(r) {
			b.WriteString(" " + string(r) + " ")
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// excerptTime bounds how long conversations are searched for where the words stand.
const excerptTime = 60 * time.Millisecond

// excerpts adds to conversations where one of the words stands.
func (a *Archive) excerpts(ctx context.Context, all []entry, found []parley.KeptSession, words []string) {
	ctx, cancel := context.WithTimeout(ctx, excerptTime)
	defer cancel()

	at := 0
	for i := range all {
		if at == len(found) || ctx.Err() != nil {
			return
		}
		e, s := &all[i], &found[at]
		is := e.from.program.Name == s.Program && strings.HasPrefix(s.ID, e.id) && e.at.Equal(s.LastActive)
		if !is {
			continue
		}
		at++
		// What is not found is not shown.
		_, _ = e.turnsWith(ctx, []byte(words[0]), maxLine, func(t transcript.Turn, _ *transcript.Facts) bool {
			s.Found = excerpt(shown(t.Text), words[0])
			return s.Found == ""
		})
	}
}

// maxFound bounds an excerpt, in characters before and behind a word.
const maxFound = 60

// excerpt returns the text around a word, "" if it is not there.
func excerpt(text, word string) string {
	runes, lower := []rune(plain.CleanLine(text)), []rune(nil)
	for _, r := range runes {
		lower = append(lower, unicode.ToLower(r))
	}
	found := strings.Index(string(lower), word)
	if found < 0 {
		return ""
	}

	at := len([]rune(string(lower)[:found]))
	from, to := max(0, at-maxFound), min(len(runes), at+maxFound)
	cut := strings.TrimSpace(string(runes[from:to]))
	if from > 0 {
		cut = "…" + cut
	}
	if to < len(runes) {
		cut += "…"
	}
	return cut
}
