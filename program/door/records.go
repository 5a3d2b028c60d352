package door

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// records are kept in the agent's private directory of what goes in, before it does: after a crash they say under
// which id a program has a letter. They go with the launch.
type records struct{ dir string }

// record is how one letter goes in.
type record struct {
	ID      string `json:"id"`      // that the program knows the letter by
	Session string `json:"session"` // into which it goes
}

// note returns the record of a letter, and makes it if there is none.
func (rs records) note(l Letter, fresh func() record) (record, error) {
	r, _, err := rs.of(l)
	if err != nil || r.ID != "" {
		return r, err
	}

	r = fresh()
	text, err := json.Marshal(r)
	if err != nil {
		return r, err
	}

	return r, writePrivate(rs.path(), messageTail(l.ID), text)
}

// around records a letter while it is handed over, and after that unless nothing was.
func (rs records) around(l Letter, r record, handOver func() error) error {
	before, _, err := rs.of(l)
	if err == nil {
		_, err = rs.note(l, func() record { return r })
	}
	if err != nil {
		return closed("note that a message goes in: %w", err)
	}

	err = handOver()
	if errors.Is(err, ErrClosed) && before.ID == "" {
		err = errors.Join(err, rs.forget(l))
	}
	return err
}

// of returns the record of a letter and when it was made. Without one it is empty.
func (rs records) of(l Letter) (r record, at time.Time, err error) {
	name := filepath.Join(rs.path(), messageTail(l.ID))
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return r, at, nil
	}

	var text []byte
	if err == nil {
		text, err = os.ReadFile(name)
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, at, fmt.Errorf("read how a message went in: %w", err)
	}

	return r, info.ModTime(), nil
}

// forget removes the record of a letter that the program does not have any more.
func (rs records) forget(l Letter) error {
	return os.Remove(filepath.Join(rs.path(), messageTail(l.ID)))
}

func (rs records) path() string { return filepath.Join(rs.dir, "given") }
