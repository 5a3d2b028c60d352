package demoagent

import (
	"regexp"
	"strings"
)

// message is a prompt as its header and footer describe it.
type message struct {
	sender, id string // the sender's name and the message's short id, from the footer
	from       string // the sender's short id, from the header
	broadcast  bool
	text       string
}

var (
	headerForm = regexp.MustCompile(`(?m)^\[AGENT ([0-9a-f]{8}) (?:TO AGENT [0-9a-f]{8}|(BROADCAST))\]: ?`)
	footerForm = regexp.MustCompile(`\((?:(\pL[\pL\pN_-]*) · )?msg ([0-9a-f]{8})(?: · [^()]*)?\)\s*$`)
)

// readMessage reads a prompt. One without a header is all text.
func readMessage(prompt string) message {
	m := message{text: prompt}
	if h := headerForm.FindStringSubmatchIndex(prompt); h != nil {
		m.from, m.broadcast, m.text = prompt[h[2]:h[3]], h[4] >= 0, prompt[h[1]:]
		if f := footerForm.FindStringSubmatch(m.text); f != nil {
			m.sender, m.id = f[1], f[2]
			m.text = strings.TrimSuffix(m.text, f[0])
		}
	}
	m.text = strings.TrimSpace(m.text)
	return m
}

// answerTo is whom a reply goes to, "" if the prompt does not say.
func (m message) answerTo() string {
	if m.sender != "" {
		return m.sender
	}
	return m.from
}
