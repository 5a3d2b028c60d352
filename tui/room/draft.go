package room

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
	"parley/tui/kit"
)

// Address is where a draft goes. Each address has its own draft, so that words
// meant for one never show up before another.
type Address struct {
	Everyone bool
	Agent    string // id
	Thread   string // id
	ReplyTo  string // message id
	Steer    bool   // as guidance
	Review   bool   // with comments on what the agent has changed
	Several  string // names, of agents that were selected
}

// Draft is a message that is not sent yet.
type Draft struct {
	To    Address
	Label string   // the address in words
	Names kit.Line // the recipients as they are written; "" where they cannot be chosen
	First kit.Line // names as they were at first
	Prio  parley.Priority
	Due   time.Duration // an answer is required within it; 0 for none
	Text  string
	Key   string // idempotency key, which makes sending again harmless
	Sent  string // the content that was last sent with key
}

// NewDraft returns an empty draft for an address, with the names of its recipients.
func NewDraft(to Address, names string) Draft {
	return Draft{To: to, Names: kit.Line(names), First: kit.Line(names), Prio: parley.PriorityNormal}
}

// Content is everything that makes one sending the same as another.
func (d Draft) Content() string {
	return fmt.Sprint(d.Names, "\x00", d.Prio, "\x00", d.Due, "\x00", d.Text)
}

// Blank reports whether nothing is written.
func (d Draft) Blank() bool { return strings.TrimSpace(d.Text) == "" }

// Formal reports whether priority and answer can be chosen.
func (d Draft) Formal() bool { return !d.To.Steer }

// Named reports whether the recipients can be chosen.
func (d Draft) Named() bool { return d.First != "" || d.To == (Address{}) }

// Apart gives a draft an address of its own, by its recipients: what was written since is for others.
func (d Draft) Apart() Draft {
	d.To, d.First = Address{Several: string(d.Names)}, d.Names
	return d
}

// drafts are those that are not in the box.
type drafts struct {
	Kept    map[Address]Draft
	Boxed   *Address         // of the one in the box; nil while that is closed
	Posting map[string]Draft // those on their way, by their keys
}

func newDrafts() drafts {
	return drafts{Kept: map[Address]Draft{}, Posting: map[string]Draft{}}
}

// Keep keeps a draft, or forgets its address if it is blank.
func (k *drafts) Keep(d Draft) {
	if d.Blank() {
		delete(k.Kept, d.To)
		return
	}
	k.Kept[d.To] = d
}

// Forget throws a draft away.
func (k *drafts) Forget(to Address) { delete(k.Kept, to) }

// Restore keeps a draft that was not sent. What was written for its address meanwhile follows it.
func (k *drafts) Restore(d Draft) {
	newer, ok := k.Kept[d.To]
	switch {
	case !ok || newer.Blank():
	case newer.Names != d.Names:
		k.Restore(d.Apart())
		return
	default:
		d.Text = strings.TrimRight(d.Text, "\n") + "\n" + newer.Text
	}
	k.Kept[d.To] = d
}

// priorities and dues are the values that their keys cycle through.
var (
	Priorities = []parley.Priority{
		parley.PriorityNormal,
		parley.PriorityHigh,
		parley.PriorityUrgent,
		parley.PriorityLow,
	}
	Dues = []time.Duration{0, 10 * time.Minute, 30 * time.Minute, time.Hour, 4 * time.Hour, 24 * time.Hour}
)

// Unposted returns the kept drafts that are not in the box, by their labels.
func (k *drafts) Unposted() []Draft {
	var all []Draft
	for to, d := range k.Kept {
		if k.Boxed == nil || to != *k.Boxed {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b Draft) int { return strings.Compare(a.Label+a.Text, b.Label+b.Text) })
	return all
}

// SentMsg is the receipt of a draft.
type SentMsg struct {
	Draft      Draft
	ID         string
	Deliveries []parley.Delivery
	Err        error
}
