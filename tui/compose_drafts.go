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

// drafts are those that are not in the box.
type drafts struct {
	kept    map[address]draft
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

// apart gives a draft an address of its own, by its recipients: what was written since is for others.
func (d draft) apart() draft {
	d.to, d.first = address{several: string(d.names)}, d.names
	return d
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

// unsent returns the addresses, in words, for which something is written.
func (c *compose) unsent() []string {
	var labels []string
	for to, d := range c.kept {
		if !c.open || to != c.draft.to {
			labels = append(labels, d.label)
		}
	}
	if c.open && strings.TrimSpace(c.text()) != "" {
		labels = append(labels, c.draft.label)
	}
	for _, d := range c.posting {
		labels = append(labels, d.label)
	}
	slices.Sort(labels)
	return labels
}

// unposted returns the kept drafts that are not in the box, by their labels.
func (c *compose) unposted() []draft {
	var all []draft
	for to, d := range c.kept {
		if !c.open || to != c.draft.to {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b draft) int { return strings.Compare(a.label+a.text, b.label+b.text) })
	return all
}
