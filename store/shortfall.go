package store

import (
	"fmt"
	"parley/store/engine"
	"strings"
	"time"
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
	if acknowledged.Event <= has.Event {
		return nil
	}
	return &Shortfall{
		Events:   acknowledged.Event - has.Event,
		Messages: max(0, acknowledged.Row-has.Row),
	}
}

// continuation is how a repair lets a database that lacks something go on.
type continuation struct {
	after engine.Progress // what was acknowledged: no number up to there is given again
	id    uint64          // of the database, if it does not say
	lacks *Shortfall      // nil for nothing
}
