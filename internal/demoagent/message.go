package demoagent

import (
	"strings"

	"parley"
)

// parsePrompt returns the first message of parley's in a prompt. A prompt without one
// is all text.
func parsePrompt(prompt string) parley.Typed {
	if found := parley.FindTyped(prompt); len(found) > 0 {
		return found[0]
	}
	return parley.Typed{Text: strings.TrimSpace(prompt)}
}

// replyTo returns the agent to answer, "" if the prompt names none. A notice is from
// parley itself, which reads no answers.
func replyTo(m parley.Typed) string {
	switch {
	case m.Kind == parley.KindNotice:
		return ""
	case m.Sender != "":
		return m.Sender
	}
	return m.SenderID
}
