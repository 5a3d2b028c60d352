package responder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"parley"
)

// said is what one request brought.
type said struct {
	words, refusal strings.Builder
	calls          []*toolCall
	finish         string // why it ended; "" when it did not say
	measured       bool
}

// toolCall is what the model wants run.
type toolCall struct {
	id, name  string
	arguments strings.Builder
}

func (s *said) text() string {
	if s.words.Len() == 0 {
		return s.refusal.String()
	}
	return s.words.String()
}

// check refuses what is no answer.
func (s *said) check(round int) error {
	switch {
	case strings.TrimSpace(s.text()) != "":
		return nil
	case s.finish == "length":
		return parley.NoModelAnswer(parley.ModelMalformed, "the model used all of max_tokens before it wrote a word").
			Suggest("Ask the operator to raise max_tokens.")
	case s.finish == "content_filter":
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

// asMessage repeats the calls, to which the tools' answers follow.
func (s *said) asMessage() openai.ChatCompletionMessageParamUnion {
	m := openai.AssistantMessage(s.words.String())
	for _, c := range s.calls {
		m.OfAssistant.ToolCalls = append(m.OfAssistant.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &openai.ChatCompletionMessageFunctionToolCallParam{ID: c.id,
				Function: openai.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name:      c.name,
					Arguments: c.arguments.String(),
				}}})
	}
	return m
}

// ask sends one request, and again when it is refused before an answer has begun and
// there is time for it.
func (c *Client) ask(
	ctx context.Context,
	service *openai.ChatCompletionService,
	body openai.ChatCompletionNewParams,
	a *parley.ModelAnswer,
	partial func(string),
) (*said, error) {
	for try := 1; ; try++ {
		var res *http.Response
		a.Usage.Requests++
		s, err := c.once(ctx, service, body, &res, a, partial)
		if err == nil {
			return s, nil
		}

		f := failureOf(ctx, err, res)
		wait := c.pause(res, try)
		if !f.again || try == tries || !fits(ctx, wait) {
			return nil, f.error(wait)
		}

		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, failureOf(ctx, ctx.Err(), nil).error(0)
		}
	}
}

// fits reports whether there is time left after a pause.
func fits(ctx context.Context, wait time.Duration) bool {
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > wait
}

// errBroken says that a stream ended before the answer did.
var errBroken = errors.New("the answer broke off")

// once sends one request and reads its stream to the end.
func (c *Client) once(
	ctx context.Context,
	service *openai.ChatCompletionService,
	body openai.ChatCompletionNewParams,
	res **http.Response,
	a *parley.ModelAnswer,
	partial func(string),
) (*said, error) {
	stream := service.NewStreaming(ctx, body, option.WithResponseInto(res))
	defer stream.Close()

	s, begun := &said{}, false
	for stream.Next() {
		chunk := stream.Current()
		begun = true
		if chunk.JSON.Usage.Valid() &&
			chunk.Usage.TotalTokens+chunk.Usage.PromptTokens+chunk.Usage.CompletionTokens > 0 {
			s.measure(&a.Usage, chunk.Usage)
		}

		for _, choice := range chunk.Choices {
			if choice.Index != 0 {
				continue
			}

			s.add(&choice.Delta)
			if choice.FinishReason != "" {
				s.finish = choice.FinishReason
			}
			if choice.Delta.Content != "" && partial != nil {
				partial(s.words.String())
			}
		}

		if s.words.Len() > maxAnswer {
			return nil, errTooLong
		}
	}

	err := stream.Err()
	if !s.measured && worked(ctx, *res, err) {
		a.Usage.Unmeasured = true
	}
	if err != nil {
		return nil, err
	}

	switch {
	case s.finish != "":
		return s, nil
	case !begun && *res != nil: // a page of something else, where base_url is wrong
		return nil, fmt.Errorf("nothing of a stream in its %s", cmp.Or((*res).Header.Get("Content-Type"), "answer"))
	}

	return nil, errBroken
}

// worked reports whether the server may have worked on a request: it did not refuse it,
// or had it until the time was over.
func worked(ctx context.Context, res *http.Response, err error) bool {
	if res != nil {
		return res.StatusCode < http.StatusBadRequest
	}
	return ctx.Err() != nil && !unconnected(err)
}

var errTooLong = errors.New("the answer is too long")

// measure adds what the server says that the request took; the last word counts.
func (s *said) measure(u *parley.Usage, said openai.CompletionUsage) {
	if s.measured {
		return
	}
	s.measured = true
	u.InputTokens += int(said.PromptTokens)
	u.OutputTokens += int(said.CompletionTokens)
}

// add takes a piece of the answer. Calls come in pieces too, each with its number.
func (s *said) add(d *openai.ChatCompletionChunkChoiceDelta) {
	s.words.WriteString(d.Content)
	s.refusal.WriteString(d.Refusal)
	for _, piece := range d.ToolCalls {
		i := int(piece.Index)
		if i < 0 || i > len(s.calls) {
			i = len(s.calls)
		}
		if i == len(s.calls) {
			s.calls = append(s.calls, &toolCall{})
		}

		call := s.calls[i]
		if piece.ID != "" {
			call.id = piece.ID
		}

		call.name += piece.Function.Name
		call.arguments.WriteString(piece.Function.Arguments)
	}
}
