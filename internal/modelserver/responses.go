package modelserver

import (
	"encoding/json"
	"maps"
	"net/http"
	"strings"
)

// responses speaks OpenAI's responses API.
type responses struct{}

func (responses) read(_ *http.Request, body []byte) (turn, error) {
	var req struct {
		Instructions string `json:"instructions"`
		Input        []struct {
			Type    string `json:"type"`
			Role    string `json:"role"`
			Content parts  `json:"content"`
			Output  parts  `json:"output"` // of a tool
		} `json:"input"`
		Tools []struct {
			Type, Name string
			Tools      []struct{ Name string }
		} `json:"tools"`
	}

	if err := json.Unmarshal(body, &req); err != nil {
		return turn{}, err
	}

	t := turn{system: req.Instructions}
	for _, item := range req.Input {
		switch {
		case item.Role == "assistant", item.Type == "function_call", item.Type == "reasoning":
			t.texts, t.results = nil, nil
		case item.Type == "function_call_output":
			t.results = append(t.results, item.Output.join())
		case item.Role == "developer":
			t.system += item.Content.join()
			t.texts = append(t.texts, hooked(strings.TrimSpace(item.Content.join()))...)
		case item.Role == "user":
			for _, p := range item.Content {
				if texts := hooked(p.Text); strings.HasPrefix(p.Text, "<hook_prompt ") {
					t.texts = append(t.texts, texts...)
				} else if text, ok := userText(p.Text); ok {
					t.texts = append(t.texts, text)
				}
			}
		}
	}

	for _, offered := range req.Tools {
		if offered.Type != "namespace" {
			t.tools = append(t.tools, tool{name: offered.Name})
		}
		for _, inner := range offered.Tools {
			t.tools = append(t.tools, tool{namespace: offered.Name, name: inner.Name})
		}
	}

	return t, nil
}

func (r responses) say(w *stream, pieces []string) {
	item := func(status string, content ...any) object {
		return object{"type": "message", "id": w.id("msg"), "role": "assistant", "status": status,
			"content": append([]any{}, content...)}
	}

	part := func(text string) object {
		return object{"type": "output_text", "text": text, "annotations": []any{}}
	}

	place := object{"item_id": w.id("msg"), "output_index": 0, "content_index": 0}
	with := func(key string, value any) object {
		o := maps.Clone(place)
		o[key] = value
		return o
	}

	w.event("response.created", r.response(w, "in_progress"))
	w.event("response.output_item.added", object{"output_index": 0, "item": item("in_progress")})
	w.event("response.content_part.added", with("part", part("")))
	if !w.speak(pieces, func(piece string) { w.event("response.output_text.delta", with("delta", piece)) }) {
		return
	}

	text := strings.Join(pieces, "")
	w.event("response.output_text.done", with("text", text))
	r.done(w, item("completed", part(text)))
}

func (r responses) call(w *stream, t tool, arguments string) {
	item := object{
		"type":      "function_call",
		"id":        w.id("fc"),
		"call_id":   w.id("call"),
		"name":      t.name,
		"arguments": arguments,
		"status":    "completed",
	}

	if t.namespace != "" {
		item["namespace"] = t.namespace
	}

	w.event("response.created", r.response(w, "in_progress"))
	r.done(w, item)
}

func (r responses) done(w *stream, item object) {
	w.event("response.output_item.done", object{"output_index": 0, "item": item})
	w.event("response.completed", r.response(w, "completed", item))
}

func (responses) response(w *stream, status string, output ...any) object {
	return object{"response": object{
		"id": w.id("resp"), "object": "response", "created_at": 1, "model": "scripted", "status": status,
		"output": append([]any{}, output...),
		"usage":  w.responsesUse(),
	}}
}

func (responses) failure(status int, message string) object { return chat{}.failure(status, message) }
