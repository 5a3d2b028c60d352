package modelserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// chat speaks OpenAI's chat completions API.
type chat struct{}

func (chat) read(_ *http.Request, body []byte) (turn, error) {
	var req struct {
		Stream   bool `json:"stream"`
		Messages []struct {
			Role    string `json:"role"`
			Content parts  `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Function struct{ Name string } `json:"function"`
		} `json:"tools"`
		Choice json.RawMessage `json:"tool_choice"` // an object names the tool that must be called
	}

	if err := json.Unmarshal(body, &req); err != nil {
		return turn{}, err
	}

	t := turn{whole: !req.Stream, messages: len(req.Messages)}
	for _, m := range req.Messages {
		switch m.Role {
		case "assistant":
			t.texts, t.results = nil, nil
		case "tool":
			t.results = append(t.results, m.Content.join())
			t.texts = append(t.texts, hooked(m.Content.join())...)
		case "system", "developer":
			t.system += m.Content.join()
		case "user":
			for _, p := range m.Content {
				text, ok := userText(p.Text)
				if texts := hooked(p.Text); texts != nil && !strings.HasPrefix(text, "[") {
					t.texts = append(t.texts, texts...)
				} else if ok {
					t.texts = append(t.texts, text)
				}
			}
		}
	}

	if bytes.HasPrefix(req.Choice, []byte("{")) {
		return t, nil // the program's own, such as for a title
	}
	for _, offered := range req.Tools {
		t.tools = append(t.tools, tool{name: offered.Function.Name})
	}

	return t, nil
}

func (c chat) say(w *stream, pieces []string) {
	if w.whole {
		if w.speak(pieces, func(string) {}) {
			c.message(w, "stop", object{"role": "assistant", "content": strings.Join(pieces, "")})
		}
		return
	}
	c.chunk(w, nil, object{"role": "assistant", "content": ""})
	if w.speak(pieces, func(piece string) { c.chunk(w, nil, object{"content": piece}) }) {
		c.end(w, "stop")
	}
}

func (c chat) call(w *stream, t tool, arguments string) {
	function := object{"name": t.name, "arguments": arguments}
	calls := []any{object{"index": 0, "id": w.id("call"), "type": "function", "function": function}}
	if w.whole {
		c.message(w, "tool_calls", object{"role": "assistant", "content": nil, "tool_calls": calls})
		return
	}

	c.chunk(w, nil, object{"role": "assistant", "content": "", "tool_calls": calls})
	c.end(w, "tool_calls")
}

func (chat) message(w *stream, reason string, message object) {
	w.data(object{"id": w.id("chat"), "object": "chat.completion", "created": 1, "model": "scripted",
		"choices": []any{object{"index": 0, "message": message, "finish_reason": reason}}, "usage": w.usage()})
}

func (chat) chunk(w *stream, reason any, delta object) {
	w.data(object{"id": w.id("chat"), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
		"choices": []any{object{"index": 0, "delta": delta, "finish_reason": reason}}})
}

func (c chat) end(w *stream, reason string) {
	c.chunk(w, reason, object{})
	w.data(object{"id": w.id("chat"), "object": "chat.completion.chunk", "created": 1, "model": "scripted",
		"choices": []any{}, "usage": w.usage()})
	fmt.Fprint(w.w, "data: [DONE]\n\n")
	w.flush()
}

// usage returns the usage that a request with so many messages has.
func (w *stream) usage() object {
	if w.use != nil {
		return w.use.ofChat()
	}
	in := PromptTokens * w.messages
	return object{"prompt_tokens": in, "completion_tokens": AnswerTokens, "total_tokens": in + AnswerTokens}
}

func (chat) failure(status int, message string) object {
	kind, code := "server_error", any(nil)
	switch {
	case status == http.StatusTooManyRequests:
		kind, code = "requests", "rate_limit_exceeded"
	case status < http.StatusInternalServerError:
		kind = "invalid_request_error"
	}
	return object{"error": object{"message": message, "type": kind, "param": nil, "code": code}}
}
