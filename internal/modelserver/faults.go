package modelserver

import (
	"bytes"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
)

// The usage that the chat API reports.
const (
	PromptTokens = 10 // for each message in the request
	AnswerTokens = 3  // for the answer
)

// Request is a received request.
type Request struct {
	Path, Key string // the key without "Bearer"
	Body      []byte
}

// StartBare runs a model that also obeys prompts without tools, and remembers requests.
// It knows more commands: `SAY words` answers with just these words, and `ECHO words` with
// "ECHO words", so that the next model says it too. `PAUSE` begins an answer and goes on
// after Release. `FAIL 503 ONCE` and `FAIL 503 TWICE` fail that often; `AFTER 2` with them
// asks for two seconds of patience. `BREAK` breaks off in an answer, `GARBAGE` sends no
// answer, and `EMPTY` an empty one.
func StartBare() *Server {
	s := Start()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bare = true
	return s
}

// Requests returns all requests so far, if the server was started with StartBare.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// keepRequest remembers a request.
func (s *Server) keepRequest(r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bare {
		key := bytes.TrimPrefix([]byte(r.Header.Get("Authorization")), []byte("Bearer "))
		s.requests = append(s.requests, Request{Path: r.URL.Path, Key: string(key), Body: body})
	}
}

// hasFailed counts the failures of a prompt, and reports whether there were more than
// times.
func (s *Server) hasFailed(text string, times int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.failed == nil {
		s.failed = map[string]int{}
	}
	s.failed[text]++
	return s.failed[text] > times
}

// faults are the faults that a prompt asks for.
type faults struct {
	say                        string // the answer's text; "": the default
	after                      int    // seconds, for Retry-After
	times                      int    // failures before a success; 0: always fail
	cut, garbage, empty, pause bool
}

var (
	sayForm   = regexp.MustCompile(`\b(?:SAY (.*)|(ECHO .*))`)
	afterForm = regexp.MustCompile(`\bAFTER (\d+)`)
	timesForm = regexp.MustCompile(`\b(ONCE|TWICE)\b`)
	faultForm = regexp.MustCompile(`\b(BREAK|GARBAGE|EMPTY|PAUSE)\b`)
)

func parseFaults(text string) (f faults) {
	if m := sayForm.FindStringSubmatch(text); m != nil {
		f.say = m[1] + m[2]
	}
	if m := afterForm.FindStringSubmatch(text); m != nil {
		f.after, _ = strconv.Atoi(m[1]) // digits
	}
	f.times = map[string]int{"ONCE": 1, "TWICE": 2}[timesForm.FindString(text)]
	fault := faultForm.FindString(text)
	f.cut, f.garbage, f.empty, f.pause = fault == "BREAK", fault == "GARBAGE", fault == "EMPTY", fault == "PAUSE"
	return f
}

func (f faults) header(h http.Header) {
	if f.after > 0 {
		h.Set("Retry-After", strconv.Itoa(f.after))
	}
}

// spoilsAnswer reports whether the answer itself goes wrong or pauses.
func (f faults) spoilsAnswer() bool { return f.cut || f.garbage || f.empty || f.pause }

// spoil writes an answer that goes wrong, or pauses half-way.
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
