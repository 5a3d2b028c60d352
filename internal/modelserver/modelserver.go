// Package modelserver is the scripted model of the tests: on loopback it speaks the
// APIs of Anthropic (messages), OpenAI (responses, chat completions) and Google
// (generateContent), remembers each prompt that it was sent, and obeys what the
// prompt says. `SLEEP 3` keeps it silent for three seconds, `WAIT` until Release,
// `STREAM 3` makes it speak a word a second, `CALL tool {"a":1}` makes it call the offered tool whose name is
// or ends so, `FAIL 429 words` or `FAIL 429 {json}` makes it refuse with that status
// when that is over; anything else it answers by repeating how the prompt began. See
// faults.go for the ways in which a model can fail.
package modelserver

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a running model.
type Server struct {
	URL string

	http *httptest.Server
	end  chan struct{}

	mu      sync.Mutex
	release chan struct{}
	turns   int
	prompts []*prompt
	results []string
	system  string
	tools   []string

	bare     bool // turns without tools are obeyed too
	requests []Request
	failed   map[string]int // how often a prompt was refused
}

// Prompt is a text that a user submitted, and when the first request came with it.
type Prompt struct {
	Text string
	At   time.Time
}

// prompt is one that is remembered. While it has no whole answer it is sent again
// with every attempt at one.
type prompt struct {
	Prompt
	answered bool
}

// Start runs a model until Close.
func Start() *Server {
	s := &Server{end: make(chan struct{}), release: make(chan struct{})}
	s.http = httptest.NewServer(s)
	s.URL = s.http.URL
	return s
}

// Close ends it and the turns that it has open.
func (s *Server) Close() {
	close(s.end)
	s.http.CloseClientConnections()
	s.http.Close()
}

// Release lets the turns go on that wait.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.release)
	s.release = make(chan struct{})
}

// Log is what was submitted by users so far, to the byte as it came, each text as
// often as it was submitted: neither the history that every request repeats counts,
// nor another attempt at a turn that failed or was broken off.
func (s *Server) Log() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := make([]Prompt, len(s.prompts))
	for i, p := range s.prompts {
		log[i] = p.Prompt
	}
	return log
}

// Prompts are the texts of the log.
func (s *Server) Prompts() []string {
	log := s.Log()
	texts := make([]string, len(log))
	for i, p := range log {
		texts[i] = p.Text
	}
	return texts
}

// Results are what tools have answered the model, again with every attempt.
func (s *Server) Results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.results)
}

// Offered are the instructions and the tools of the last turn.
func (s *Server) Offered() (system string, tools []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.system, slices.Clone(s.tools)
}

// tool is one that a request offers.
type tool struct{ namespace, name string }

func (t tool) String() string { return strings.TrimPrefix(t.namespace+"__"+t.name, "__") }

// turn is one request, read.
type turn struct {
	texts   []string // of the user, since the model last spoke
	results []string // of tools, since then
	system  string
	tools   []tool
	whole   bool // the answer is to come in one piece, not as a stream

	messages int // in the request
}

// speaker answers in one of the APIs.
type speaker interface {
	read(r *http.Request, body []byte) (turn, error)
	say(w *stream, pieces []string)
	call(w *stream, t tool, arguments string)
	failure(status int, message string) object
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api := speakers(r.URL.Path)
	if api == nil || r.Method != http.MethodPost {
		aside(w, r)
		return
	}

	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	t, err := api.read(r, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}

	n := s.note(t)
	s.keep(r, body) // once Release concerns it
	s.act(
		&stream{w: w, noted: n, whole: t.whole, asked: t.messages, gone: s.gone(r), last: func() { s.answer(n.open) }},
		api,
		t,
	)
}

// aside answers what programs ask besides.
func aside(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}],"models":[],"has_more":false}`)
	case strings.HasSuffix(r.URL.Path, "/count_tokens"), strings.HasSuffix(r.URL.Path, ":countTokens"):
		fmt.Fprint(w, `{"input_tokens":1,"totalTokens":1}`)
	default:
		http.Error(w, `{"error":{"type":"not_found_error","message":"not here"}}`, http.StatusNotFound)
	}
}

func speakers(path string) speaker {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	case strings.HasSuffix(path, "/chat/completions"):
		return chat{}
	case strings.HasSuffix(path, ":generateContent"), strings.HasSuffix(path, ":streamGenerateContent"):
		return gemini{}
	}
	return nil
}

// noted is what is remembered of a turn.
type noted struct {
	turn     int       // programs tell answers by their ids
	said     string    // what there is to obey
	open     []*prompt // what it answers
	released <-chan struct{}
}

// note remembers a turn; a request without tools is the program's own business,
// such as finding a title. Of several prompts the new ones are obeyed: one that
// failed before stands before its successor for good.
func (s *Server) note(t turn) noted {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.turns++
	n := noted{turn: s.turns, released: s.release}
	if len(t.tools) == 0 && !s.bare {
		return n
	}

	s.results = append(s.results, t.results...)
	s.system, s.tools = t.system, nil
	for _, tool := range t.tools {
		s.tools = append(s.tools, tool.String())
	}

	var fresh []string
	for _, text := range t.texts {
		p := s.unanswered(text, n.open)
		if p == nil {
			p = &prompt{Prompt: Prompt{text, time.Now()}}
			s.prompts, fresh = append(s.prompts, p), append(fresh, text)
		}
		n.open = append(n.open, p)
	}

	if len(fresh) == 0 && len(t.texts) > 0 {
		fresh = t.texts[len(t.texts)-1:]
	}

	n.said = strings.Join(fresh, "\n")

	return n
}

// unanswered finds a prompt that comes again. Claude Code ends it with a line break
// when another follows.
func (s *Server) unanswered(text string, but []*prompt) *prompt {
	for _, p := range s.prompts {
		if strings.TrimRight(p.Text, "\n") == strings.TrimRight(text, "\n") && !p.answered && !slices.Contains(but, p) {
			return p
		}
	}
	return nil
}

func (s *Server) answer(open []*prompt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range open {
		p.answered = true
	}
}

// gone tells when there is nobody to answer any more.
func (s *Server) gone(r *http.Request) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-s.end:
		case <-r.Context().Done(): // at the latest when the request was served
		}
	}()
	return gone
}

// object is a JSON object.
type object = map[string]any

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // made of strings, numbers, maps and lists
	}
	return b
}
