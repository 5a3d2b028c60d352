package modelserver

import "encoding/json"

// responses is the API of that name.
type responses struct{}

func (responses) read(body []byte) (turn, error) {
	var req struct {
		Instructions string `json:"instructions"`
		Input        []struct {
			Type    string `json:"type"`
			Role    string `json:"role"`
			Content parts  `json:"content"`
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
			t.texts = nil
		case item.Role == "developer":
			t.system += item.Content.join()
		case item.Role == "user":
			for _, p := range item.Content {
				if text, ok := userText(p.Text); ok {
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

func (r responses) say(w *stream, text string) {
	r.answer(w, object{"type": "message", "id": w.id("msg"), "role": "assistant", "status": "completed",
		"content": []any{object{"type": "output_text", "text": text, "annotations": []any{}}}})
}

func (r responses) call(w *stream, t tool, arguments string) {
	item := object{"type": "function_call", "id": w.id("fc"), "call_id": w.id("call"), "name": t.name, "arguments": arguments, "status": "completed"}
	if t.namespace != "" {
		item["namespace"] = t.namespace
	}
	r.answer(w, item)
}

func (responses) answer(w *stream, item object) {
	response := func(status string, output ...any) object {
		return object{"response": object{"id": w.id("resp"), "object": "response", "created_at": 1, "model": "scripted", "status": status,
			"output": append([]any{}, output...), "usage": object{"input_tokens": 1, "input_tokens_details": object{"cached_tokens": 0},
				"output_tokens": 1, "output_tokens_details": object{"reasoning_tokens": 0}, "total_tokens": 2}}}
	}
	w.event("response.created", response("in_progress"))
	w.event("response.output_item.done", object{"output_index": 0, "item": item})
	w.event("response.completed", response("completed", item))
}
