package demoagent

import (
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// entry is one line of the log: a submitted prompt, an answered dialog, or the hangup of
// a terminal that the agent outlives.
type entry struct {
	Time   time.Time `json:"time"`
	Text   string    `json:"text,omitempty"`
	Dialog string    `json:"dialog,omitempty"` // yes or no
	Hangup bool      `json:"hangup,omitempty"`
}

type logFile struct {
	path string
	now  func() time.Time
}

// add appends a line in one write, so that the lines of several agents do not mix.
func (l logFile) add(e entry) error {
	if l.path == "" {
		return nil
	}

	e.Time = l.now()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}

	f, err := os.OpenFile(l.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("log: %w", err)
	}

	if _, err := f.Write(append(line, '\n')); err != nil {
		f.Close()
		return fmt.Errorf("log: %w", err)
	}

	return f.Close()
}
