package modelserver

import (
	"encoding/json"
	"net/http"
	"strings"
)

// gemini speaks Google's generateContent API, streamed or not.
type gemini struct{}

func (gemini) read(r *http.Request, body []byte) (turn, error) {
	type content struct {
		Role  string `json:"role"`
		Parts []struct {
			Text             string
			FunctionResponse struct{ Response json.RawMessage }
		} `json:"parts"`
	}

	var req struct {
		SystemInstruction struct{ Parts parts } `json:"systemInstruction"`
		Contents          []content             `json:"contents"`
		Tools             []struct {
			FunctionDeclarations []struct{ Name string } `json:"functionDeclarations"`
		} `json:"tools"`
	}

	if err := json.Unmarshal(body, &req); err != nil {
		return turn{}, err
	}

	t := turn{system: req.SystemInstruction.Parts.join(), whole: strings.HasSuffix(r.URL.Path, ":generateContent")}
	for _, c := range req.Contents {
		if c.Role == "model" {
			t.texts, t.results = nil, nil
			continue
		}

		for _, p := range c.Parts {
			if p.FunctionResponse.Response != nil {
				t.results = append(t.results, string(p.FunctionResponse.Response))
				var response struct{ Output string }
				if json.Unmarshal(p.FunctionResponse.Response, &response) == nil {
					t.texts = append(t.texts, hooked(response.Output)...)
				}
			}

			if text, ok := userText(p.Text); ok {
				t.texts = append(t.texts, text)
			} else {
				t.system += p.Text // Gemini CLI sends its context as a user's text
			}
		}
	}

	for _, offered := range req.Tools {
		for _, f := range offered.FunctionDeclarations {
			t.tools = append(t.tools, tool{name: f.Name})
		}
	}

	return t, nil
}

func (g gemini) say(w *stream, pieces []string) {
	if w.whole {
		if w.speak(pieces, func(string) {}) {
			g.part(w, true, object{"text": strings.Join(pieces, "")})
		}
		return
	}
	n := 0
	w.speak(pieces, func(piece string) {
		n++
		g.part(w, n == len(pieces), object{"text": piece})
	})
}

func (g gemini) call(w *stream, t tool, arguments string) {
	g.part(w, true, object{"functionCall": object{"name": t.name, "args": json.RawMessage(arguments)}})
}

func (gemini) part(w *stream, last bool, part object) {
	candidate := object{"index": 0, "content": object{"role": "model", "parts": []any{part}}}
	if last {
		candidate["finishReason"] = "STOP"
	}
	w.data(object{"candidates": []any{candidate}, "modelVersion": "scripted", "responseId": w.id("answer"),
		"usageMetadata": w.geminiUse()})
}

func (gemini) failure(status int, message string) object {
	kind := "INTERNAL"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "RESOURCE_EXHAUSTED"
	case status == http.StatusServiceUnavailable:
		kind = "UNAVAILABLE"
	case status < http.StatusInternalServerError:
		kind = "INVALID_ARGUMENT"
	}
	return object{"error": object{"code": status, "message": message, "status": kind}}
}
