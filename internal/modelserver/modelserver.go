// Package modelserver is a scripted model for tests and for profiles check --model. On loopback it speaks the APIs of
// Anthropic (messages), OpenAI (responses, chat completions) and Google
// (generateContent), remembers each prompt, and obeys commands in it. `SLEEP 3` keeps it
// silent for three seconds, `SLEEP 0.1` for a tenth of one, `WAIT` until Release. `STREAM 3` makes it send three words,
// one a second. `USE 1000 300 50 20` makes it say that it read 1000 tokens, 300 of them from a cache, and wrote 50,
// 20 of them to reason. `CALL tool {"a":1}` makes it call the offered tool whose name is or ends
// with that. `FAIL 429 words` or `FAIL 429 {json}` makes it then refuse with that status.
// `LIMIT 7200` refuses as the provider does when a usage limit ends in two hours.
// It answers other prompts by repeating their begin. StartBare has more commands.
package modelserver

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server is a running model.
type Server struct {
	URL string

	http   *http.Server
	served <-chan struct{} // closed when it has ended
	end    chan struct{}

	mu      sync.Mutex
	release chan struct{}
	open    int // requests that are being answered
	turns   int
	prompts []*prompt
	results []string
	system  string
	tools   []string
	turn    []byte // the last request with tools

	bare     bool // obey turns without tools, and remember requests
	requests []Request
	failed   map[string]int // failures by prompt
}

// Prompt is a text that a user submitted, and the time of the first request with it.
type Prompt struct {
	Text string
	At   time.Time
}

// prompt is a remembered Prompt. Programs send it again with each attempt until it has
// a complete answer.
type prompt struct {
	Prompt
	answered bool
}

// Start runs a model for a test, until Close.
func Start() *Server {
	s, err := Open()
	if err != nil {
		panic(err) // there is no loopback
	}
	return s
}

// Open runs a model until Close.
func Open() (*Server, error) {
	at, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("run a scripted model: %w", err)
	}

	s := &Server{URL: "http://" + at.Addr().String(), end: make(chan struct{}), release: make(chan struct{})}
	s.http = &http.Server{Handler: s, ReadHeaderTimeout: time.Minute}
	served := make(chan struct{})
	s.served = served
	go func() {
		defer close(served)
		_ = s.http.Serve(at) // until Close
	}()
	return s, nil
}

// Close ends the server and its open turns.
func (s *Server) Close() {
	close(s.end)
	_ = s.http.Close() // and its connections
	<-s.served
}

// Release lets waiting turns go on.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.release)
	s.release = make(chan struct{})
}

func (s *Server) opens(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += n
}

// Open returns how many requests are being answered. There are none once the program that sent them is gone.
func (s *Server) Open() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open
}

// Log returns the texts that users submitted so far, byte for byte, each as often as it
// was submitted. It counts neither the history that every request repeats, nor further
// attempts after a failed or broken turn.
func (s *Server) Log() []Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	log := make([]Prompt, len(s.prompts))
	for i, p := range s.prompts {
		log[i] = p.Prompt
	}
	return log
}

// Prompts returns the texts of the log.
func (s *Server) Prompts() []string {
	log := s.Log()
	texts := make([]string, len(log))
	for i, p := range log {
		texts[i] = p.Text
	}
	return texts
}

// Results returns the results of tools, once for each attempt.
func (s *Server) Results() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.results)
}

// Offered returns the instructions and the tools of the last turn.
func (s *Server) Offered() (system string, tools []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.system, slices.Clone(s.tools)
}

// tool is a tool that a request offers.
type tool struct{ namespace, name string }

func (t tool) String() string { return strings.TrimPrefix(t.namespace+"__"+t.name, "__") }

// turn is a parsed request.
type turn struct {
	texts   []string // the user's, since the model's last answer
	results []string // of tools, since then
	system  string
	tools   []tool
	whole   bool // wants the answer in one piece, not as a stream

	messages int // in the request
}

// speaker reads and answers requests in one of the APIs.
type speaker interface {
	read(r *http.Request, body []byte) (turn, error)
	say(w *stream, pieces []string)
	call(w *stream, t tool, arguments string)
	failure(status int, message string) object
	limited(w *stream, now time.Time, seconds int)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api := speakerFor(r.URL.Path)
	if api == nil || r.Method != http.MethodPost {
		serveOther(w, r)
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

	rec := s.record(t)
	s.keepTurn(t, body)
	s.keepRequest(r, body) // after record: a Release from now on concerns this turn
	s.opens(1)
	defer s.opens(-1)
	s.answer(api, t, &stream{
		recorded: rec, w: w, whole: t.whole, messages: t.messages,
		gone: s.gone(r), last: func() { s.markAnswered(rec.open) },
	})
}

// serveOther answers the other requests of programs.
func serveOther(w http.ResponseWriter, r *http.Request) {
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

// speakerFor returns the API that a path belongs to, nil if none does.
func speakerFor(path string) speaker {
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

// recorded is the memory of a turn.
type recorded struct {
	turn     int       // numbers the answers' ids, by which programs tell answers apart
	text     string    // the text to obey
	open     []*prompt // the prompts that it answers
	released <-chan struct{}
}

// record remembers a turn. A request without tools is the program's own, such as for a
// title, and is not remembered. Only the new prompts of a turn are obeyed: one that failed
// before stays in the history before its successor, or in one text with it.
func (s *Server) record(t turn) recorded {
	s.mu.Lock()
	defer s.mu.Unlock()

	s.turns++
	rec := recorded{turn: s.turns, released: s.release}
	if len(t.tools) == 0 && !s.bare {
		return rec
	}

	s.results = append(s.results, t.results...)
	s.system, s.tools = t.system, nil
	for _, tool := range t.tools {
		s.tools = append(s.tools, tool.String())
	}

	var fresh []string
	last := ""
	for _, text := range t.texts {
		text, rec.open = s.withoutEarlier(text, rec.open)
		last = text
		p := s.findUnanswered(text, rec.open)
		if p == nil {
			p = &prompt{Prompt: Prompt{text, time.Now()}}
			s.prompts, fresh = append(s.prompts, p), append(fresh, text)
		}
		rec.open = append(rec.open, p)
	}

	rec.text = cmp.Or(strings.Join(fresh, "\n"), last)

	return rec
}

// keepTurn remembers the request of a turn: with tools, unless it is the program's own.
func (s *Server) keepTurn(t turn, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(t.tools) > 0 {
		s.turn = body
	}
}

// Turn returns the last turn's request, in which the program repeats its history.
func (s *Server) Turn() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.turn)
}

// withoutEarlier returns a text without the prompts that its program has put before it, as Kimi Code does with those
// that failed, and adds them to the open ones.
func (s *Server) withoutEarlier(text string, open []*prompt) (string, []*prompt) {
	for _, p := range s.prompts {
		if rest, with := strings.CutPrefix(text, p.Text+"\n\n"); with && p.Text != "" && rest != "" && !p.answered {
			text, open = rest, append(open, p)
		}
	}
	return text, open
}

// findUnanswered returns the unanswered prompt with a text that is not in except, nil if
// there is none. Claude Code ends a prompt with a line break if another one follows.
func (s *Server) findUnanswered(text string, except []*prompt) *prompt {
	for _, p := range s.prompts {
		same := strings.TrimRight(p.Text, "\n") == strings.TrimRight(text, "\n")
		if same && !p.answered && !slices.Contains(except, p) {
			return p
		}
	}
	return nil
}

func (s *Server) markAnswered(open []*prompt) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range open {
		p.answered = true
	}
}

// gone returns a channel that is closed when the client or the server has gone.
func (s *Server) gone(r *http.Request) <-chan struct{} {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-s.end:
		case <-r.Context().Done(): // ends at the latest when the request is served
		}
	}()
	return gone
}

// object is a JSON object.
type object = map[string]any

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // v holds only strings, numbers, maps and lists
	}
	return b
}
