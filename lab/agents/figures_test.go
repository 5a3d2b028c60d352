package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// figures count the results of deliveries at random.
type figures struct {
	Deliveries  int `json:"deliveries"`
	Lost        int `json:"lost"` // did not arrive, without a warning by parley
	Twice       int `json:"twice"`
	Mangled     int `json:"mangled"`
	Answered    int `json:"answered"` // dialogs
	Unseen      int `json:"unseen"`   // dialogs that parley did not see
	Touched     int `json:"touched"`  // drafts
	Wrong       int `json:"wrong"`    // verdicts: called submitted without arriving, or the other way round
	Unconfirmed int `json:"unconfirmed"`
	Absent      int `json:"absent"` // of these, those that did not arrive
	Stuck       int `json:"stuck"`  // scenes that did not come to rest

	waits
}

// waits are the times of messages to the program at rest.
type waits struct {
	Begun     millis `json:"begun,omitempty"`     // from acceptance until parley begins to type
	Typed     millis `json:"typed,omitempty"`     // from the beginning of typing until it is proven
	Reached   millis `json:"reached,omitempty"`   // from the beginning of typing until the model has it
	Submitted millis `json:"submitted,omitempty"` // from acceptance until it is proven
	Started   millis `json:"started,omitempty"`   // from acceptance until the model has it
}

// doorFigures are those of deliveries through a program's own door. Its figures at rest are typed.
type doorFigures struct {
	figures
	Always millis `json:"always,omitempty"` // through the door, at rest: from acceptance until the model has it
	Draft  millis `json:"draft,omitempty"`  // the same, while a draft stands
	Urgent millis `json:"urgent,omitempty"` // the same, into a turn that runs
}

// add adds the figures of another run.
func (f *figures) add(g figures) {
	f.Deliveries += g.Deliveries
	f.Lost += g.Lost
	f.Twice += g.Twice
	f.Mangled += g.Mangled
	f.Answered += g.Answered
	f.Unseen += g.Unseen
	f.Touched += g.Touched
	f.Wrong += g.Wrong
	f.Unconfirmed += g.Unconfirmed
	f.Absent += g.Absent
	f.Stuck += g.Stuck
	f.Begun = append(f.Begun, g.Begun...)
	f.Typed = append(f.Typed, g.Typed...)
	f.Reached = append(f.Reached, g.Reached...)
	f.Submitted = append(f.Submitted, g.Submitted...)
	f.Started = append(f.Started, g.Started...)
}

// millis are times that are kept in milliseconds.
type millis []time.Duration

// MarshalJSON implements json.Marshaler.
func (m millis) MarshalJSON() ([]byte, error) {
	ms := make([]int64, 0, len(m))
	for _, d := range m {
		ms = append(ms, d.Milliseconds())
	}
	return json.Marshal(ms)
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *millis) UnmarshalJSON(b []byte) error {
	var ms []int64
	err := json.Unmarshal(b, &ms)
	*m = nil
	for _, n := range ms {
		*m = append(*m, time.Duration(n)*time.Millisecond)
	}
	return err
}

// String is the median and the 95th percentile.
func (m millis) String() string {
	if len(m) == 0 {
		return "none"
	}
	sorted := slices.Sorted(slices.Values(m))
	at := func(percent int) string {
		return sorted[(len(sorted)-1)*percent/100].Round(10 * time.Millisecond).String()
	}
	return at(50) + " / " + at(95)
}

// counts are the figures that are counted, in the order of the page.
var counts = []struct {
	name  string
	value func(figures) string
}{
	{"deliveries", func(f figures) string { return fmt.Sprint(f.Deliveries) }},
	{"lost", func(f figures) string { return fmt.Sprint(f.Lost) }},
	{"twice", func(f figures) string { return fmt.Sprint(f.Twice) }},
	{"mangled", func(f figures) string { return fmt.Sprint(f.Mangled) }},
	{"dialogs answered", func(f figures) string { return fmt.Sprint(f.Answered) }},
	{"not seen", func(f figures) string { return fmt.Sprint(f.Unseen) }},
	{"drafts touched", func(f figures) string { return fmt.Sprint(f.Touched) }},
	{"wrong verdicts", func(f figures) string { return fmt.Sprint(f.Wrong) }},
	{
		"unconfirmed; of these never came",
		func(f figures) string { return fmt.Sprintf("%d; %d", f.Unconfirmed, f.Absent) },
	},
	{"scenes without an end", func(f figures) string { return fmt.Sprint(f.Stuck) }},
}

// countNames are the names of counts.
func countNames() (names []string) {
	for _, c := range counts {
		names = append(names, c.name)
	}
	return names
}

// row joins cells to a row of Markdown.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
