package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"parley"
)

// address is where a draft goes. Each address has its own draft, so that words
// meant for one never show up before another.
type address struct {
	everyone bool
	agent    string // id
	thread   string // id
	replyTo  string // message id
	steer    bool   // as guidance
	several  string // names, of agents that were selected
}

// draft is a message that is not sent yet.
type draft struct {
	to    address
	label string // the address in words
	names line   // the recipients as they are written; "" where they cannot be chosen
	first line   // names as they were at first
	prio  parley.Priority
	due   time.Duration // an answer is required within it; 0 for none
	text  string
	key   string // idempotency key, which makes sending again harmless
	sent  string // the content that was last sent with key
}

func newDraft(to address, names string) draft {
	return draft{to: to, names: line(names), first: line(names), prio: parley.PriorityNormal}
}

// content is everything that makes one sending the same as another.
func (d draft) content() string {
	return fmt.Sprint(d.names, "\x00", d.prio, "\x00", d.due, "\x00", d.text)
}

func (d draft) blank() bool { return strings.TrimSpace(d.text) == "" }

// formal reports whether priority and answer can be chosen.
func (d draft) formal() bool { return !d.to.steer }

// named reports whether the recipients can be chosen.
func (d draft) named() bool { return d.first != "" || d.to == (address{}) }

// apart gives a draft an address of its own, by its recipients: what was written since is for others.
func (d draft) apart() draft {
	d.to, d.first = address{several: string(d.names)}, d.names
	return d
}

// drafts are those that are not in the box.
type drafts struct {
	kept    map[address]draft
	boxed   *address         // of the one in the box; nil while that is closed
	posting map[string]draft // those on their way, by their keys
}

func newDrafts() drafts {
	return drafts{kept: map[address]draft{}, posting: map[string]draft{}}
}

// keep keeps a draft, or forgets its address if it is blank.
func (k *drafts) keep(d draft) {
	if d.blank() {
		delete(k.kept, d.to)
		return
	}
	k.kept[d.to] = d
}

// forget throws a draft away.
func (k *drafts) forget(to address) { delete(k.kept, to) }

// restore keeps a draft that was not sent. What was written for its address meanwhile follows it.
func (k *drafts) restore(d draft) {
	newer, ok := k.kept[d.to]
	switch {
	case !ok || newer.blank():
	case newer.names != d.names:
		k.restore(d.apart())
		return
	default:
		d.text = strings.TrimRight(d.text, "\n") + "\n" + newer.text
	}
	k.kept[d.to] = d
}

// priorities and dues are the values that their keys cycle through.
var (
	priorities = []parley.Priority{
		parley.PriorityNormal,
		parley.PriorityHigh,
		parley.PriorityUrgent,
		parley.PriorityLow,
	}
	dues = []time.Duration{0, 10 * time.Minute, 30 * time.Minute, time.Hour, 4 * time.Hour, 24 * time.Hour}
)

// unposted returns the kept drafts that are not in the box, by their labels.
func (k *drafts) unposted() []draft {
	var all []draft
	for to, d := range k.kept {
		if k.boxed == nil || to != *k.boxed {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b draft) int { return strings.Compare(a.label+a.text, b.label+b.text) })
	return all
}

// sentMsg is the receipt of a draft.
type sentMsg struct {
	draft      draft
	id         string
	deliveries []parley.Delivery
	err        error
}
