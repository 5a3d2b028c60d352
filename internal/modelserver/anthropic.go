package modelserver

import "encoding/json"

// anthropic is the messages API.
type anthropic struct{}

// parts is a content: a text, or a list of parts.
type parts []part

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
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

func (anthropic) read(body []byte) (turn, error) {
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
			t.texts = nil
		}
		for _, p := range m.Content {
			if text, ok := userText(p.Text); ok && m.Role == "user" && p.Type == "text" {
				t.texts = append(t.texts, text)
			}
		}
	}
	for _, offered := range req.Tools {
		t.tools = append(t.tools, tool{name: offered.Name})
	}
	return t, nil
}

func (a anthropic) say(w *stream, text string) {
	a.message(w, "end_turn", object{"type": "text", "text": ""}, object{"type": "text_delta", "text": text})
}

func (a anthropic) call(w *stream, t tool, arguments string) {
	a.message(w, "tool_use", object{"type": "tool_use", "id": w.id("toolu"), "name": t.name, "input": object{}},
		object{"type": "input_json_delta", "partial_json": arguments})
}

func (anthropic) message(w *stream, reason string, block, delta object) {
	w.event("message_start", object{"message": object{"id": w.id("msg"), "type": "message", "role": "assistant", "model": "scripted",
		"content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": object{"input_tokens": 1, "output_tokens": 1}}})
	w.event("content_block_start", object{"index": 0, "content_block": block})
	w.event("content_block_delta", object{"index": 0, "delta": delta})
	w.event("content_block_stop", object{"index": 0})
	w.event("message_delta", object{"delta": object{"stop_reason": reason, "stop_sequence": nil}, "usage": object{"output_tokens": 1}})
	w.event("message_stop", object{})
}
