package responder

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/openai/openai-go/v3"

	"parley"
)

// response is the answer to one request.
type response struct {
	words, refusal strings.Builder
	calls          []*toolCall
	begun          bool   // there was a piece of an answer
	finish         string // the finish_reason; "" if there was none
	input, output  int    // tokens; 0 if the server did not say
	size           int    // of all that is kept, in bytes
}

// callSize is what a call takes besides its texts, in bytes; it takes less.
const callSize = 256

// toolCall is a call that the model asks for.
type toolCall struct {
	index     int64 // in the stream
	id, name  string
	arguments strings.Builder
}

func (r *response) text() string {
	if r.words.Len() == 0 {
		return r.refusal.String()
	}
	return r.words.String()
}

// check returns an error for a response without an answer.
func (r *response) check(round int) error {
	switch {
	case strings.TrimSpace(r.text()) != "":
		return nil
	case r.finish == "length":
		return parley.NoModelAnswer(parley.ModelMalformed, "the model used all of max_tokens before it wrote a word").
			Suggest("Ask the operator to raise max_tokens.")
	case r.finish == "content_filter":
		return parley.NoModelAnswer(parley.ModelRefused, "the model's server withheld the answer").
			Suggest("Say it in other words.")
	}

	if round > 0 {
		return parley.NoModelAnswer(parley.ModelMalformed, "the model's answer is empty after %d requests", round+1).
			Suggest("Ask again, in other words.")
	}

	return parley.NoModelAnswer(parley.ModelMalformed, "the model's answer is empty").
		Suggest("Ask again, in other words.")
}

// asMessage returns the calls as a message, which the tools' results must follow.
func (r *response) asMessage() openai.ChatCompletionMessageParamUnion {
	m := openai.AssistantMessage(r.words.String())
	for _, c := range r.calls {
		m.OfAssistant.ToolCalls = append(m.OfAssistant.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{
				ID: c.id,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: c.name, Arguments: c.arguments.String(),
				},
			},
		})
	}

	return m
}

// add adds a piece of the answer, and reports whether there is more text than before.
func (r *response) add(chunk *openai.ChatCompletionChunk) (more bool) {
	r.input = cmp.Or(tokens(chunk.Usage.JSON.PromptTokens.Raw()), r.input)
	r.output = cmp.Or(tokens(chunk.Usage.JSON.CompletionTokens.Raw()), r.output)

	before := r.words.Len()
	for i := range chunk.Choices {
		if choice := &chunk.Choices[i]; choice.Index == 0 {
			r.addChoice(choice)
		}
	}

	return r.words.Len() > before
}

// addChoice adds a piece, which has a delta; or a completion, which has a message and is whole.
func (r *response) addChoice(choice *openai.ChatCompletionChunkChoice) {
	r.finish = cmp.Or(choice.FinishReason, r.finish)
	r.begun = r.begun || r.finish != ""
	if choice.JSON.Delta.Valid() {
		r.begun = true
		r.addDelta(&choice.Delta)
		return
	}

	var message openai.ChatCompletionChunkChoiceDelta
	raw := choice.JSON.ExtraFields["message"].Raw()
	if !strings.HasPrefix(raw, "{") || message.UnmarshalJSON([]byte(raw)) != nil {
		return
	}

	for i := range message.ToolCalls {
		message.ToolCalls[i].Index = int64(i) // they have no numbers
	}
	r.begun, r.finish = true, cmp.Or(r.finish, "stop")
	r.addDelta(&message)
}

// tokens reads a number of tokens, which some servers write as a fraction or a text. It returns 0 for all
// that is none.
func tokens(raw string) int {
	n, err := strconv.ParseFloat(strings.Trim(raw, `"`), 64)
	if err != nil || !(n > 0 && n < 1<<40) {
		return 0
	}
	return int(n)
}

// addDelta adds text and calls. Calls come in pieces too, numbered.
func (r *response) addDelta(d *openai.ChatCompletionChunkChoiceDelta) {
	words := textOf(d.Content, d.JSON.Content.Raw())
	r.words.WriteString(words)
	r.refusal.WriteString(d.Refusal)
	r.size += len(words) + len(d.Refusal)

	for i := range d.ToolCalls {
		piece := &d.ToolCalls[i]
		arguments := piece.Function.Arguments
		if raw := piece.Function.JSON.Arguments.Raw(); strings.HasPrefix(raw, "{") { // not in a text
			arguments = raw
		}

		call := r.callOf(piece)
		r.size += len(piece.ID) + len(piece.Function.Name) + len(arguments)
		call.id = cmp.Or(piece.ID, call.id)
		call.name += piece.Function.Name
		call.arguments.WriteString(arguments)
	}
}

// textOf returns a content, which some servers give in parts.
func textOf(content, raw string) string {
	if !strings.HasPrefix(raw, "[") {
		return content
	}

	var parts []struct{ Type, Text string }
	_ = json.Unmarshal([]byte(raw), &parts) // what is no text is left out
	var text strings.Builder
	for _, p := range parts {
		if p.Type == "" || p.Type == "text" {
			text.WriteString(p.Text)
		}
	}

	return text.String()
}

// callOf returns the call that a piece belongs to: the last one with its number, or another one. Some
// servers give all calls the same number, so an id and a name of its own begin a call too.
func (r *response) callOf(piece *openai.ChatCompletionChunkChoiceDeltaToolCall) *toolCall {
	for _, call := range slices.Backward(r.calls) {
		if call.index == piece.Index {
			if call.id != "" && piece.ID != "" && piece.ID != call.id && piece.Function.Name != "" {
				break
			}
			return call
		}
	}

	call := &toolCall{index: piece.Index}
	r.calls = append(r.calls, call)
	r.size += callSize

	return call
}
