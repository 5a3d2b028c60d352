package store

import (
	"fmt"
	"strings"
	"time"

	"parley/store/engine"
)

// Shortfall says that a database lacks what parley had acknowledged.
type Shortfall struct {
	Events   int64     `json:"events"`
	Messages int64     `json:"messages"`
	Tables   []string  `json:"tables,omitempty"` // of which rows could not be read
	Since    time.Time `json:"since"`            // when it was noticed
}

// Words says what is missing, such as "20 messages".
func (s *Shortfall) Words() string {
	switch {
	case s.Messages > 0:
		return number(s.Messages, "message")
	case s.Events > 0:
		return number(s.Events, "event")
	}
	if len(s.Tables) == 0 {
		return "changes"
	}
	return "rows of the tables " + strings.Join(s.Tables, ", ")
}

// number returns "1 message" or "2 messages".
func number(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// missing returns what a database at one point lacks of what was acknowledged, nil for nothing.
func missing(acknowledged, has engine.Progress) *Shortfall {
	return shortfallOf(engine.LossOf(acknowledged, has))
}

// shortfallOf returns what a loss means, nil for none.
func shortfallOf(l *engine.Loss) *Shortfall {
	if l == nil {
		return nil
	}
	return &Shortfall{Events: l.Events, Messages: l.Rows, Tables: l.Tables, Since: l.Since}
}
