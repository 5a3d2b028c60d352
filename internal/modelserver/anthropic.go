package modelserver

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

// anthropic speaks Anthropic's messages API.
type anthropic struct{}

// parts is the content of a message: a text, or a list of parts.
type parts []part

type part struct {
	Type    string `json:"type"`
	Text    string `json:"text"`
	Content parts  `json:"content"` // of a tool's result
}

func (p *parts) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*p = parts{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(b, (*[]part)(p))
}

func (p parts) join() (text string) {
	for _, part := range p {
		text += part.Text + "\n"
	}
	return text
}

// meanwhile matches Claude Code's wrapping of a text that was submitted while a tool ran.
var meanwhile = regexp.MustCompile(`(?s)while you were working:\n(.*?)\n\n(?:IMPORTANT:|This is how Claude Code)`)

func (anthropic) read(_ *http.Request, body []byte) (turn, error) {
	var req struct {
		System   parts `json:"system"`
		Messages []struct {
			Role    string `json:"role"`
			Content parts  `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}

	if err := json.Unmarshal(body, &req); err != nil {
		return turn{}, err
	}

	t := turn{system: req.System.join()}
	for _, m := range req.Messages {
		if m.Role == "assistant" {
			t.texts, t.results = nil, nil
		}

		for _, p := range m.Content {
			if p.Type == "tool_result" {
				t.results = append(t.results, p.Content.join())
			}

			if m.Role == "system" || strings.HasPrefix(p.Text, "<system-reminder>") {
				t.texts = append(t.texts, hooked(p.Text)...)
			}
			added := meanwhile.FindAllStringSubmatch(p.Text, -1)
			for _, sent := range added {
				t.texts = append(t.texts, sent[1])
			}

			if text, ok := userText(p.Text); ok && len(added) == 0 && m.Role == "user" && p.Type == "text" {
				t.texts = append(t.texts, text)
			}
		}
	}

	for _, offered := range req.Tools {
		t.tools = append(t.tools, tool{name: offered.Name})
	}

	return t, nil
}

func (a anthropic) say(w *stream, pieces []string) {
	a.message(w, "end_turn", object{"type": "text", "text": ""}, func() bool {
		return w.speak(pieces, func(piece string) { a.delta(w, object{"type": "text_delta", "text": piece}) })
	})
}

func (a anthropic) call(w *stream, t tool, arguments string) {
	block := object{"type": "tool_use", "id": w.id("toolu"), "name": t.name, "input": object{}}
	a.message(w, "tool_use", block, func() bool {
		a.delta(w, object{"type": "input_json_delta", "partial_json": arguments})
		return true
	})
}

func (anthropic) delta(w *stream, delta object) {
	w.event("content_block_delta", object{"index": 0, "delta": delta})
}

func (anthropic) message(w *stream, reason string, block object, content func() bool) {
	w.event("message_start", object{"message": object{
		"id": w.id("msg"), "type": "message", "role": "assistant", "model": "scripted", "content": []any{},
		"stop_reason": nil, "stop_sequence": nil, "usage": w.anthropicUse(),
	}})
	w.event("content_block_start", object{"index": 0, "content_block": block})
	if !content() {
		return
	}

	w.event("content_block_stop", object{"index": 0})
	delta := object{"stop_reason": reason, "stop_sequence": nil}
	w.event("message_delta", object{"delta": delta, "usage": w.anthropicUse()})
	w.event("message_stop", object{})
}

func (anthropic) failure(status int, message string) object {
	kind := "api_error"
	switch status {
	case http.StatusBadRequest:
		kind = "invalid_request_error"
	case http.StatusUnauthorized:
		kind = "authentication_error"
	case http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case 529: // defined by Anthropic
		kind = "overloaded_error"
	}
	return object{"type": "error", "error": object{"type": kind, "message": message}}
}
