package responder

import (
	"bytes"
	"encoding/json"
	"io"
	"mime"
	"net/http"
)

// maxCompletion is the largest ordinary completion in bytes: an answer of maxAnswer with its
// escapes, and what servers add to it.
const maxCompletion = 8 * maxAnswer

// streamOf returns the body of an answer as a stream: an ordinary completion is one of a single
// piece. Some servers, and gateways in front of them, answer with one although a stream was asked
// for.
func streamOf(res *http.Response) io.Reader {
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind != "application/json" {
		return res.Body
	}

	body, _ := io.ReadAll(io.LimitReader(res.Body, maxCompletion)) // what is cut off is no completion
	if piece, ok := asChunk(body); ok {
		body = append(append([]byte("data: "), piece...), "\n\ndata: [DONE]\n\n"...)
	}

	return bytes.NewReader(body)
}

// asChunk returns a completion as the only chunk of a stream: its message is the delta, and its
// calls are numbered. An error stays as it is. It reports false for anything else.
func asChunk(body []byte) ([]byte, bool) {
	var completion map[string]any
	if json.Unmarshal(body, &completion) != nil {
		return nil, false
	}

	choices, _ := completion["choices"].([]any)
	for _, c := range choices {
		choice, _ := c.(map[string]any)
		message, ok := choice["message"].(map[string]any)
		if !ok {
			return nil, false
		}

		calls, _ := message["tool_calls"].([]any)
		for i, c := range calls {
			if call, ok := c.(map[string]any); ok {
				call["index"] = i
			}
		}

		choice["delta"] = message
		delete(choice, "message")
	}

	completion["object"] = "chat.completion.chunk"
	chunk, err := json.Marshal(completion)

	return chunk, err == nil && (len(choices) > 0 || completion["error"] != nil)
}
