package transcript

import (
	"bytes"
	"strings"
	"time"
)

// Prompt is a text that a session of a program was given.
type Prompt struct {
	Session string // the program's own id of it
	Text    string
	At      time.Time
}

// PromptIn returns the prompt that one line of a transcript says the program was given. It is not ok if the
// line is none, or of a form whose prompts are not read. The session is left to the caller.
func PromptIn(form string, line []byte) (p Prompt, ok bool) {
	if form != "codex" || !bytes.Contains(line, []byte(`"UserMessage"`)) {
		return p, false
	}

	var l struct {
		Timestamp time.Time `json:"timestamp"`
		Payload   struct {
			Type string `json:"type"`
			Item struct {
				Type    string `json:"type"`
				Content []struct {
					Type string `json:"type"`
					Text string `json:"text"`
				} `json:"content"`
			} `json:"item"`
		} `json:"payload"`
	}
	if decode(line, &l) != nil || l.Payload.Type != "item_completed" || l.Payload.Item.Type != "UserMessage" {
		return p, false
	}

	var texts []string
	for _, c := range l.Payload.Item.Content {
		if c.Type == "text" {
			texts = append(texts, c.Text)
		}
	}

	return Prompt{Text: strings.Join(texts, "\n"), At: l.Timestamp}, len(texts) > 0
}
