package modelserver

import (
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// How each provider refuses what is beyond a usage limit: its headers and its body.

func (w *stream) limit(header map[string]string, body object) {
	h := w.w.Header()
	h.Set("Content-Type", "application/json")
	for name, value := range header {
		h.Set(name, value)
	}
	w.w.WriteHeader(http.StatusTooManyRequests)
	w.w.Write(encode(body))
}

// limited refuses as Anthropic does for a subscription whose five hours are used up.
func (a anthropic) limited(w *stream, now time.Time, seconds int) {
	reset := strconv.FormatInt(now.Unix()+int64(seconds), 10)
	w.limit(map[string]string{
		"Anthropic-Ratelimit-Unified-Status":                  "rejected",
		"Anthropic-Ratelimit-Unified-Reset":                   reset,
		"Anthropic-Ratelimit-Unified-Representative-Claim":    "five_hour",
		"Anthropic-Ratelimit-Unified-5h-Status":               "rejected",
		"Anthropic-Ratelimit-Unified-5h-Reset":                reset,
		"Anthropic-Ratelimit-Unified-5h-Utilization":          "1.0",
		"Anthropic-Ratelimit-Unified-Overage-Status":          "rejected",
		"Anthropic-Ratelimit-Unified-Overage-Disabled-Reason": "org_level_disabled",
		"Retry-After":    strconv.Itoa(seconds),
		"X-Should-Retry": "true",
	}, a.failure(http.StatusTooManyRequests,
		"This request would exceed your account's rate limit. Please try again later."))
}

// limited refuses as ChatGPT does for Codex.
func (responses) limited(w *stream, now time.Time, seconds int) {
	reset := now.Unix() + int64(seconds)
	w.limit(map[string]string{
		"X-Codex-Primary-Used-Percent":   "100",
		"X-Codex-Primary-Window-Minutes": "300",
		"X-Codex-Primary-Reset-At":       strconv.FormatInt(reset, 10),
	}, object{"error": object{
		"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus",
		"resets_at": reset, "resets_in_seconds": seconds,
	}})
}

// limited refuses as OpenAI does when a key has used up its quota, and says nothing of its end but
// in a header.
func (chat) limited(w *stream, _ time.Time, seconds int) {
	w.limit(map[string]string{"Retry-After": strconv.Itoa(seconds)}, object{"error": object{
		"message": "You exceeded your current quota, please check your plan and billing details.",
		"type":    "insufficient_quota", "param": nil, "code": "insufficient_quota",
	}})
}

// limited refuses as Google does when the requests of a day are used up.
func (gemini) limited(w *stream, _ time.Time, seconds int) {
	const google = "type.googleapis.com/google.rpc."
	w.limit(nil, object{"error": object{
		"code": http.StatusTooManyRequests, "status": "RESOURCE_EXHAUSTED",
		"message": "You exceeded your current quota, please check your plan and billing details.",
		"details": []any{
			object{"@type": google + "QuotaFailure", "violations": []any{object{
				"quotaMetric": "generativelanguage.googleapis.com/generate_content_free_tier_requests",
				"quotaId":     "GenerateRequestsPerDayPerProjectPerModel-FreeTier",
			}}},
			object{"@type": google + "RetryInfo", "retryDelay": fmt.Sprint(seconds, "s")},
		},
	}})
}
