package door

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// Call is a hook of a program that waits for what it may print: a door that stands open for a moment. Safe for
// concurrent use.
type Call struct {
	moment    Moment
	dir, file string // of its records, and what the program writes of its turns
	kind      string
	taken     chan Letter
	passed    chan struct{}
	pass      sync.Once
	over      <-chan struct{}
}

// Moment is where a hook stands, and what becomes of a text there.
type Moment struct {
	AtEnd  bool                   // of a turn, which goes on with the letter; else it is for what goes into the turn
	Marks  bool                   // the program tells its model that the text is not from its user
	Alters func(text string) bool // whether the program changes a text on its way in
}

// Hooks are what an agent's hooks were given, and may be given.
type Hooks struct {
	Dir string // of the agent, which outlasts a launch: a transcript does, too
	// Holds tells of each kind of hook whether a line of a transcript holds what it gave; nil: only the program's
	// reports tell that.
	Holds map[string]func(line []byte) bool

	mu   sync.Mutex
	read map[string]*transcripts // by kind
}

// NewCall opens a door for a hook of a kind that waits until over is closed. dir is that of Hooks, and file what
// its program writes of its turns; "": nothing that parley reads.
func NewCall(dir, kind, file string, at Moment, over <-chan struct{}) *Call {
	return &Call{
		moment: at, dir: dir, file: file, kind: kind, over: over,
		taken: make(chan Letter), passed: make(chan struct{}),
	}
}

// Moment returns where the hook stands.
func (c *Call) Moment() Moment { return c.moment }

// Give hands a letter to the hook. It is ErrNotNow if that has gone on.
func (c *Call) Give(ctx context.Context, l Letter) error {
	r := hooked{Kind: c.kind, File: c.file}
	if info, err := os.Stat(c.file); err == nil {
		r.From = info.Size()
	}
	if err := c.keep(l, r); err != nil {
		return notNow("note that a message goes in: %w", err)
	}

	var gone error
	select {
	case c.taken <- l:
		return nil
	case <-c.over:
		gone = notNow("its hook has gone on")
	case <-ctx.Done():
		gone = notNow("%w", ctx.Err())
	}
	return errors.Join(gone, os.Remove(filepath.Join(c.dir, messageTail(l.ID))))
}

// Ask implements Door. What the hook took is asked for at Hooks.
func (*Call) Ask(context.Context, Letter) (Answer, error) { return Answer{Fate: Unknown}, nil }

// Withdraw implements Door.
func (*Call) Withdraw(context.Context, Letter) (back bool, err error) { return false, nil }

// Taken returns where the hook gets its letter.
func (c *Call) Taken() <-chan Letter { return c.taken }

// Pass says that there is nothing for the hook.
func (c *Call) Pass() { c.pass.Do(func() { close(c.passed) }) }

// Passed is closed when there is nothing for the hook.
func (c *Call) Passed() <-chan struct{} { return c.passed }

// Ask tells what has become of a letter that a hook took. It is not ours if none did.
func (h *Hooks) Ask(l Letter) (answer Answer, ours bool, err error) {
	var r hooked
	text, err := os.ReadFile(filepath.Join(h.Dir, messageTail(l.ID)))
	if errors.Is(err, fs.ErrNotExist) {
		return answer, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}

	silent := Answer{Unknown, "a hook of its program took it, and nothing says that a turn holds it"}
	holds := h.Holds[r.Kind]
	if err != nil || holds == nil || r.File == "" {
		return silent, true, err
	}
	ts := h.of(r, holds)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	fate, err := ts.find(r.File, r.From, l)
	switch {
	case fate == Read:
		return Answer{Read, "its transcript has it as what a hook gave"}, true, nil
	case errors.Is(err, fs.ErrNotExist): // the program writes it later
		return silent, true, nil
	}
	return silent, true, err
}

// of returns what is read of transcripts for a kind of hook.
func (h *Hooks) of(r hooked, holds func([]byte) bool) *transcripts {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.read == nil {
		h.read = map[string]*transcripts{}
	}
	if h.read[r.Kind] == nil {
		h.read[r.Kind] = &transcripts{tells: func(line []byte, l Letter) Fate {
			if bytes.Contains(line, []byte(l.Mark)) && holds(line) {
				return Read
			}
			return Unknown
		}}
	}
	return h.read[r.Kind]
}

// hooked is how a letter went through a hook. It is written before that takes it.
type hooked struct {
	Kind string `json:"kind"`
	File string `json:"file"` // in which its program writes what its turns were given
	From int64  `json:"from"` // the size of that, in bytes, before
}

// mostHooked is how many letters are remembered that hooks of an agent took: many more than can be under way.
const mostHooked = 200

// keep records a letter, and forgets the oldest.
func (c *Call) keep(l Letter, r hooked) error {
	text, err := json.Marshal(r)
	if err == nil {
		err = writePrivate(c.dir, messageTail(l.ID), text)
	}
	if err != nil {
		return err
	}

	files, err := os.ReadDir(c.dir)
	if len(files) <= mostHooked || err != nil {
		return err
	}
	oldest := slices.MinFunc(files, func(a, b os.DirEntry) int { return cmp.Compare(written(a), written(b)) })
	return os.Remove(filepath.Join(c.dir, oldest.Name()))
}

// written returns when a file was written, in nanoseconds; 0 if it is gone.
func written(e os.DirEntry) int64 {
	info, err := e.Info()
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}
