package main

import "strings"

// entry is a line of the agent's log.
type entry struct {
	Text   string `json:"text"`
	Dialog string `json:"dialog"`
}

// sent is one message, and what its sender was told.
type sent struct {
	text string
	says verdict
}

// counts says what became of messages.
type counts struct {
	Sent, Exact, Lost, Wrong, Twice, Merged int
	Answered, DraftSent, Shell, Stopped     int

	Doubted, Open int // of which unknown or failed was said, and that ended on no rung
}

func (c *counts) add(d counts) {
	c.Sent += d.Sent
	c.Exact += d.Exact
	c.Lost += d.Lost
	c.Wrong += d.Wrong
	c.Twice += d.Twice
	c.Merged += d.Merged
	c.Answered += d.Answered
	c.DraftSent += d.DraftSent
	c.Shell += d.Shell
	c.Stopped += d.Stopped
	c.Doubted += d.Doubted
	c.Open += d.Open
}

// draft is what the person has typed and not sent.
const draft = "half a thought"

// judge counts what became of messages that went out together, from what the agent logged meanwhile.
// A message is merged if its prompt has the draft or another message in it; one that is lost or merged
// although it was said to have arrived is wrong.
func judge(messages []sent, logged []entry) (c counts) {
	for _, e := range logged {
		if e.Dialog == "yes" { // the person says no
			c.Answered++
		}
		if strings.Contains(e.Text, draft) {
			c.DraftSent++
		}
	}

	for _, m := range messages {
		c.Sent++
		times, merged := 0, false
		for _, e := range logged {
			if n := strings.Count(e.Text, m.text); n > 0 {
				times += n
				merged = merged || strings.Contains(e.Text, draft) || holdsAnother(e.Text, m, messages)
			}
		}

		switch {
		case times == 0:
			c.Lost++
		case times > 1:
			c.Twice++
		case merged:
			c.Merged++
		default:
			c.Exact++
		}
		switch {
		case m.says == not:
			c.Doubted++
		case m.says == waits:
			c.Open++
		case times == 0 || merged:
			c.Wrong++
		}
	}

	return c
}

func holdsAnother(text string, m sent, messages []sent) bool {
	for _, other := range messages {
		if other.text != m.text && strings.Contains(text, other.text) {
			return true
		}
	}
	return false
}
