package responder

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"parley"
)

// chatRequest is the body of a request for a chat completion. What is left out has the server's default.
type chatRequest struct {
	Model       string        `json:"model"`
	Messages    []chatMessage `json:"messages"`
	Tools       []parley.Tool `json:"tools,omitempty"`
	Temperature *float64      `json:"temperature,omitempty"`

	MaxTokens           int `json:"max_tokens,omitempty"`
	MaxCompletionTokens int `json:"max_completion_tokens,omitempty"`

	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// chatMessage is one turn of the conversation.
type chatMessage struct {
	Role       string     `json:"role"` // system, user, assistant or tool
	Content    string     `json:"content"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"` // of a tool's result
}

// chatCall is a call of a function, or a piece of one in a stream.
type chatCall struct {
	Index    int          `json:"index,omitempty"` // only in a stream
	ID       string       `json:"id"`
	Type     string       `json:"type"` // function
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// chatChunk is a piece of a streamed answer.
type chatChunk struct {
	Choices []chatChoice    `json:"choices"`
	Usage   *chatUsage      `json:"usage"`
	Error   json.RawMessage `json:"error"` // in place of the rest, if the server fails amid the answer
}

type chatChoice struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	FinishReason string    `json:"finish_reason"`
}

type chatDelta struct {
	Content   string     `json:"content"`
	Refusal   string     `json:"refusal"`
	ToolCalls []chatCall `json:"tool_calls"`
}

type chatUsage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`
}

// apiError is what a server says with an error status.
type apiError struct {
	Message string `json:"message"`
	Type    string `json:"type"`
	Code    any    `json:"code"` // a string, with some servers a number
}

func (e *apiError) Error() string { return e.Message }

// endpoint is a server of chat completions.
type endpoint struct {
	client *http.Client
	url    string // of its API, without a slash at the end
	key    string // "" for none
}

// maxErrorBody is how much of an error's body is read, in bytes.
const maxErrorBody = 1 << 20

// post sends a request. The response has no error status; the caller closes its body. With an
// error that the server gave, the response is returned too, closed.
func (e endpoint) post(ctx context.Context, body *chatRequest) (*http.Response, error) {
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}

	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+"/chat/completions", bytes.NewReader(encoded))
	if err != nil {
		return nil, err
	}

	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	req.Header.Set("User-Agent", "parley")
	if e.key != "" {
		req.Header.Set("Authorization", "Bearer "+e.key)
	}

	res, err := e.client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode < http.StatusBadRequest {
		return res, nil
	}

	defer res.Body.Close()
	text, _ := io.ReadAll(io.LimitReader(res.Body, maxErrorBody)) // a part of it will do

	failed := readError(text)
	failed.Message = e.withoutKey(failed.Message)

	return res, failed
}

// withoutKey returns the words of a server without the key, which some repeat. All who ask are told them.
func (e endpoint) withoutKey(text string) string {
	if e.key == "" {
		return text
	}
	return strings.ReplaceAll(text, e.key, "***")
}

// failedAmid returns the error of a server that fails amid an answer.
func (e endpoint) failedAmid(failed json.RawMessage) error {
	words := parley.CleanLine(parley.Truncate(e.withoutKey(string(failed)), 200))
	return fmt.Errorf("the server failed amid the answer: %s", words)
}

// readError reads the body of an error: {"error": {…}}, with some servers {"error": "…"}, with others what
// stands for {…}.
func readError(body []byte) *apiError {
	var whole struct{ Error json.RawMessage }
	_ = json.Unmarshal(body, &whole) // another kind of page has no words of its own
	if whole.Error == nil {
		whole.Error = body
	}
	e := &apiError{}
	if json.Unmarshal(whole.Error, e) != nil {
		*e = apiError{}
		_ = json.Unmarshal(whole.Error, &e.Message)
	}
	return e
}

// maxLine is the longest line of a stream in bytes, and the longest event.
const maxLine = 32 << 20

// readChunks yields the chunks of a stream of server-sent events until it ends.
func readChunks(body io.Reader, yield func(*chatChunk) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxLine)

	var data []byte
	for lines.Scan() {
		line := lines.Bytes()
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, bytes.TrimPrefix(value, []byte(" "))...), '\n')
			if len(data) > maxLine {
				return errTooLong
			}
			continue
		}
		if len(line) > 0 { // another field
			continue
		}

		if done, err := readEvent(data, yield); done || err != nil {
			return err
		}
		data = nil
	}

	switch err := lines.Err(); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errBroken
	case err == nil && json.Valid(data): // the last event, without the empty line that ends it
		_, err = readEvent(data, yield)
		return err
	default:
		return err
	}
}

// readEvent yields the chunk in the data of an event, and reports whether it is the last of the stream.
func readEvent(data []byte, yield func(*chatChunk) error) (done bool, err error) {
	data = bytes.TrimSpace(data)
	switch string(data) {
	case "": // it keeps the connection open
		return false, nil
	case "[DONE]":
		return true, nil
	}

	chunk := &chatChunk{}
	if err := json.Unmarshal(data, chunk); err != nil {
		return false, fmt.Errorf("read the stream: %w", err)
	}
	return false, yield(chunk)
}
