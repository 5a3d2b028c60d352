package transcript

import (
	"time"

	"parley"
)

// synthetic is the model that Claude Code names for what it wrote in a model's place.
const synthetic = "<synthetic>"

// claude reads Claude Code's lines. One response may have several, with the same message and rising
// numbers; a fork copies them.
func claude(line []byte, _ *State) (*Record, error) {
	var l struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		RequestID string    `json:"requestId"`
		Message   struct {
			ID    string `json:"id"`
			Model string `json:"model"`
			Usage *struct {
				Input      *int64 `json:"input_tokens"`
				CacheWrite *int64 `json:"cache_creation_input_tokens"`
				CacheRead  *int64 `json:"cache_read_input_tokens"`
				Output     *int64 `json:"output_tokens"`
				Details    struct {
					Thinking int64 `json:"thinking_tokens"`
				} `json:"output_tokens_details"`
			} `json:"usage"`
		} `json:"message"`
	}
	if err := decode(line, &l); err != nil || l.Type != "assistant" || l.Message.Model == synthetic {
		return nil, err
	}

	u, missing := l.Message.Usage, false
	if u == nil {
		return nil, ErrUnknown
	}
	tokens := parley.Tokens{
		Input: number(u.Input, &missing), Cached: orZero(u.CacheRead), CacheWrite: orZero(u.CacheWrite),
		Output: number(u.Output, &missing), Reasoning: u.Details.Thinking,
	}
	if missing {
		return nil, ErrUnknown
	}

	return &Record{l.Message.ID + l.RequestID, l.Timestamp, l.Message.Model, tokens}, nil
}

// codex reads Codex's lines. The model is named by the turn's context. The running totals of
// token_count have a fork's parent in them; a version that has only those is not known.
func codex(line []byte, s *State) (*Record, error) {
	var l struct {
		Type      string    `json:"type"`
		Timestamp time.Time `json:"timestamp"`
		Payload   struct {
			Type       string `json:"type"`
			Model      string `json:"model"`
			TurnID     string `json:"turn_id"`
			ResponseID string `json:"response_id"`
			Info       any    `json:"info"`
			Usage      *struct {
				Input      *int64 `json:"input_tokens"` // with both of the cache
				Cached     *int64 `json:"cached_input_tokens"`
				CacheWrite *int64 `json:"cache_write_input_tokens"`
				Output     *int64 `json:"output_tokens"` // with reasoning
				Reasoning  *int64 `json:"reasoning_output_tokens"`
			} `json:"usage"`
		} `json:"payload"`
	}
	if err := decode(line, &l); err != nil {
		return nil, err
	}

	p, missing := &l.Payload, false
	switch {
	case l.Type == "turn_context":
		s.Model = p.Model
		return nil, nil
	case l.Type == "event_msg" && p.Type == "token_count" && p.Info != nil && s.Records == 0:
		return nil, ErrUnknown
	case l.Type != "token_usage_record":
		return nil, nil
	case p.Usage == nil:
		return nil, ErrUnknown
	}

	tokens := parley.Tokens{
		Cached: orZero(p.Usage.Cached), CacheWrite: orZero(p.Usage.CacheWrite),
		Output: number(p.Usage.Output, &missing), Reasoning: orZero(p.Usage.Reasoning),
	}
	tokens.Input = number(p.Usage.Input, &missing) - tokens.Cached - tokens.CacheWrite
	if missing || p.ResponseID == "" {
		return nil, ErrUnknown
	}

	return &Record{p.TurnID + p.ResponseID, l.Timestamp, s.Model, tokens}, nil
}

// copilot reads the events of GitHub Copilot CLI.
func copilot(line []byte, _ *State) (*Record, error) {
	var l struct {
		Type      string    `json:"type"`
		ID        string    `json:"id"`
		Timestamp time.Time `json:"timestamp"`
		Data      struct {
			Usage *struct {
				Model      string `json:"model"`
				Input      *int64 `json:"inputTokens"` // with both of the cache
				Output     *int64 `json:"outputTokens"`
				CacheRead  *int64 `json:"cacheReadTokens"`
				CacheWrite *int64 `json:"cacheWriteTokens"`
				Reasoning  *int64 `json:"reasoningTokens"`
			} `json:"usage"`
		} `json:"data"`
	}
	if err := decode(line, &l); err != nil || l.Type != "session.usage_record" {
		return nil, err
	}

	u, missing := l.Data.Usage, false
	if u == nil {
		return nil, ErrUnknown
	}
	tokens := parley.Tokens{
		Cached: orZero(u.CacheRead), CacheWrite: orZero(u.CacheWrite),
		Output: number(u.Output, &missing), Reasoning: orZero(u.Reasoning),
	}
	tokens.Input = number(u.Input, &missing) - tokens.Cached - tokens.CacheWrite
	if missing {
		return nil, ErrUnknown
	}

	return &Record{l.ID, l.Timestamp, u.Model, tokens}, nil
}

// gemini reads Gemini CLI's lines. A line that repeats the history has no type of its own.
func gemini(line []byte, _ *State) (*Record, error) {
	var l struct {
		Type      string    `json:"type"`
		ID        string    `json:"id"`
		Timestamp time.Time `json:"timestamp"`
		Model     string    `json:"model"`
		Tokens    *struct {
			Input    *int64 `json:"input"` // with what was cached
			Output   *int64 `json:"output"`
			Cached   int64  `json:"cached"`
			Thoughts int64  `json:"thoughts"` // not in the output
			Tool     int64  `json:"tool"`     // not in the input
		} `json:"tokens"`
	}
	// It writes a message first without its tokens, and again with them.
	if err := decode(line, &l); err != nil || l.Type != "gemini" || l.Tokens == nil {
		return nil, err
	}

	missing := false
	tokens := parley.Tokens{
		Input:  number(l.Tokens.Input, &missing) - l.Tokens.Cached + l.Tokens.Tool,
		Cached: l.Tokens.Cached, Reasoning: l.Tokens.Thoughts,
		Output: number(l.Tokens.Output, &missing) + l.Tokens.Thoughts,
	}
	if missing {
		return nil, ErrUnknown
	}

	return &Record{l.ID, l.Timestamp, l.Model, tokens}, nil
}

// qwen reads Qwen Code's lines. Whether the thoughts are in the output depends on the model's server;
// the total tells.
func qwen(line []byte, _ *State) (*Record, error) {
	var l struct {
		Type      string    `json:"type"`
		UUID      string    `json:"uuid"`
		Timestamp time.Time `json:"timestamp"`
		Model     string    `json:"model"`
		Usage     *struct {
			Prompt   *int64 `json:"promptTokenCount"` // with what was cached
			Output   *int64 `json:"candidatesTokenCount"`
			Thoughts int64  `json:"thoughtsTokenCount"`
			Cached   int64  `json:"cachedContentTokenCount"`
			Total    *int64 `json:"totalTokenCount"`
		} `json:"usageMetadata"`
	}
	if err := decode(line, &l); err != nil || l.Type != "assistant" {
		return nil, err
	}

	u, missing := l.Usage, false
	if u == nil {
		return nil, ErrUnknown
	}
	prompt, output, total := number(u.Prompt, &missing), number(u.Output, &missing), number(u.Total, &missing)
	switch {
	case missing:
		return nil, ErrUnknown
	case total == prompt+output+u.Thoughts:
		output += u.Thoughts
	case total != prompt+output:
		return nil, ErrUnknown
	}

	return &Record{l.UUID, l.Timestamp, l.Model, parley.Tokens{
		Input: prompt - u.Cached, Cached: u.Cached, Output: output, Reasoning: u.Thoughts,
	}}, nil
}
