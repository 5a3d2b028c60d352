package modelserver

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
)

// What the chat API says that a request took: so much for each message in it, and for
// its answer.
const (
	PromptTokens = 10
	AnswerTokens = 3
)

// Request is one that came, as it came.
type Request struct {
	Path, Key string // the key without what stands before it
	Body      []byte
}

// StartBare runs a model that obeys also where no tools are offered, as those who ask
// it a plain question do. `SAY words` makes it say just that, and `ECHO words` so that
// whoever is told it says it too; `PAUSE` begin and go on after Release, `FAIL 503 ONCE` or `TWICE` fail no more often, `AFTER 2` before it ask for
// two seconds' patience; `BREAK` breaks off amid its answer, `GARBAGE` is no answer, and
// `EMPTY` an empty one.
func StartBare() *Server {
	s := Start()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bare = true
	return s
}

// Requests are all that came so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *Server) keep(r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bare {
		key := bytes.TrimPrefix([]byte(r.Header.Get("Authorization")), []byte("Bearer "))
		s.requests = append(s.requests, Request{Path: r.URL.Path, Key: string(key), Body: body})
	}
}

// enough counts how often a prompt was refused, and reports whether that will do.
func (s *Server) enough(said string, times int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = map[string]int{}
	}
	s.failed[said]++
	return s.failed[said] > times
}

// faults are what a prompt asks to go wrong.
type faults struct {
	say                          string
	after, times                 int
	cut, garbage, empty, halting bool
}

var (
	sayForm   = regexp.MustCompile(`\b(?:SAY (.*)|(ECHO .*))`)
	afterForm = regexp.MustCompile(`\bAFTER (\d+)`)
	timesForm = regexp.MustCompile(`\b(ONCE|TWICE)\b`)
	faultForm = regexp.MustCompile(`\b(BREAK|GARBAGE|EMPTY|PAUSE)\b`)
)

func faultsOf(said string) (f faults) {
	if m := sayForm.FindStringSubmatch(said); m != nil {
		f.say = m[1] + m[2]
	}
	if m := afterForm.FindStringSubmatch(said); m != nil {
		f.after, _ = strconv.Atoi(m[1]) // digits
	}
	f.times = map[string]int{"ONCE": 1, "TWICE": 2}[timesForm.FindString(said)]
	fault := faultForm.FindString(said)
	f.cut, f.garbage, f.empty, f.halting = fault == "BREAK", fault == "GARBAGE", fault == "EMPTY", fault == "PAUSE"
	return f
}

func (f faults) header(h http.Header) {
	if f.after > 0 {
		h.Set("Retry-After", strconv.Itoa(f.after))
	}
}

func (f faults) broken() bool { return f.cut || f.garbage || f.empty || f.halting }

// spoil writes an answer that goes wrong, or waits half-way.
func (f faults) spoil(w *stream, api speaker) {
	c, ok := api.(chat)
	switch {
	case !ok || f.garbage:
		fmt.Fprint(w.w, "data: <html>It works!</html>\n\n")
	case f.empty:
		w.last()
		c.end(w, "stop")
	default:
		c.chunk(w, nil, object{"role": "assistant", "content": "Well, "})
		if f.cut || !w.wait(w.released) {
			return
		}
		w.last()
		c.chunk(w, nil, object{"content": "that is it."})
		c.end(w, "stop")
	}
}
