package modelserver

import "strconv"

// use is what an answer says that it used. Cached is a part of read, and reasoned of written.
type use struct{ read, cached, written, reasoned int }

func parseUse(digits []string) *use {
	n := make([]int, len(digits))
	for i := range digits {
		n[i], _ = strconv.Atoi(digits[i])
	}
	return &use{n[0], n[1], n[2], n[3]}
}

// used returns what the answer says that it used.
func (w *stream) used() use {
	if w.use == nil {
		return use{read: 1, written: 1}
	}
	return *w.use
}

func (w *stream) anthropicUse() object {
	u := w.used()
	o := object{"input_tokens": u.read - u.cached, "output_tokens": u.written}
	if w.use != nil {
		o["cache_read_input_tokens"], o["cache_creation_input_tokens"] = u.cached, 0
	}
	return o
}

func (w *stream) responsesUse() object {
	u := w.used()
	return object{
		"input_tokens": u.read, "input_tokens_details": object{"cached_tokens": u.cached},
		"output_tokens": u.written, "output_tokens_details": object{"reasoning_tokens": u.reasoned},
		"total_tokens": u.read + u.written,
	}
}

func (w *stream) geminiUse() object {
	u := w.used()
	o := object{
		"promptTokenCount": u.read, "candidatesTokenCount": u.written - u.reasoned,
		"totalTokenCount": u.read + u.written,
	}
	if w.use != nil {
		o["cachedContentTokenCount"], o["thoughtsTokenCount"] = u.cached, u.reasoned
	}
	return o
}

func (u *use) ofChat() object {
	return object{
		"prompt_tokens": u.read, "prompt_tokens_details": object{"cached_tokens": u.cached},
		"completion_tokens": u.written, "completion_tokens_details": object{"reasoning_tokens": u.reasoned},
		"total_tokens": u.read + u.written,
	}
}
