package responder

import (
	"regexp"
	"strings"

	"github.com/openai/openai-go/v3"

	"parley"
)

// manner is how a request is put to a server. All of them serve chat completions, but some refuse a part of
// what others want.
type manner struct {
	completionLimit bool // the longest answer goes as max_completion_tokens, not as max_tokens
	otherLimit      bool // it goes by the other name than at first, since the server asked for that
	unmeasured      bool // without stream_options
	whole           bool // without a stream
}

// place is what a manner is known for: a model of a server, by the manner that was tried first.
type place struct {
	base, model string
	first       manner
}

// mannerOf returns the manner of a first request.
func mannerOf(q *parley.ModelQuestion) manner {
	hosted := q.BaseURL == "" || strings.TrimSuffix(q.BaseURL, "/") == HostedURL // newer models refuse max_tokens
	return manner{completionLimit: hosted && q.LimitField == "" || q.LimitField == parley.LimitCompletionTokens}
}

// apply makes a body follow the manner.
func (m manner) apply(body *openai.ChatCompletionNewParams, maxTokens int) {
	var none openai.ChatCompletionNewParams
	body.MaxTokens, body.MaxCompletionTokens, body.StreamOptions = none.MaxTokens, none.MaxTokens, none.StreamOptions

	switch {
	case maxTokens == 0:
	case m.completionLimit:
		body.MaxCompletionTokens = openai.Int(int64(maxTokens))
	default:
		body.MaxTokens = openai.Int(int64(maxTokens))
	}

	if !m.unmeasured && !m.whole {
		body.StreamOptions.IncludeUsage = openai.Bool(true)
	}
}

var (
	objection = regexp.MustCompile(`(?i)unsupported|not support|no longer|unrecogni[sz]ed|unknown|unexpected|` +
		`extra (inputs|fields)|extra_forbidden|not (permitted|allowed)|additional propert|must be verified`)
	streaming = regexp.MustCompile(`(?i)\bstream(ing)?\b`)
)

// after returns the manner in which a refused request may be tried again, and reports whether there is one.
// Servers have no common code for what they refuse, so it reads their words.
func (m manner) after(e *apiError, limited bool) (manner, bool) {
	words := strings.Join([]string{e.Message, e.Type, e.Code, e.Param}, " ")
	sent, other := parley.LimitTokens, parley.LimitCompletionTokens
	if m.completionLimit {
		sent, other = other, sent
	}
	asked := strings.Contains(words, other) || strings.Contains(words, sent) && objection.MatchString(words)

	switch {
	case limited && !m.otherLimit && asked:
		m.completionLimit, m.otherLimit = !m.completionLimit, true
	case !m.unmeasured && (strings.Contains(words, "stream_options") || strings.Contains(words, "include_usage")):
		m.unmeasured = true
	case !m.whole && streaming.MatchString(words) && objection.MatchString(words):
		m.whole = true
	default:
		return m, false
	}

	return m, true
}
