// Package modelserver is the scripted model of the tests: it speaks the streaming
// APIs of Anthropic (messages) and OpenAI (responses) on loopback, remembers each
// prompt that it was sent, and obeys what the prompt says. `SLEEP 3` keeps it
// silent for three seconds, `CALL tool {"a":1}` makes it call the offered tool whose
// name ends so; anything else it answers with a few words.
package modelserver

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
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
	turns   int
	prompts []string
	system  string
	tools   []string
}

// Start runs a model until Close.
func Start() *Server {
	s := &Server{end: make(chan struct{})}
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

// Prompts are the texts that were submitted by users so far, each as often as
// it was.
func (s *Server) Prompts() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.prompts)
}

// Offered are the instructions and the tools of the last turn.
func (s *Server) Offered() (system string, tools []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.system, slices.Clone(s.tools)
}

// tool is one that a request offers.
type tool struct{ namespace, name string }

// turn is one request, read.
type turn struct {
	texts  []string // of the user, since the model last spoke
	system string
	tools  []tool
}

// speaker answers in one of the APIs.
type speaker interface {
	read(body []byte) (turn, error)
	say(w *stream, text string)
	call(w *stream, t tool, arguments string)
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	api := speakers(r.URL.Path)
	if api == nil || r.Method != http.MethodPost {
		w.Header().Set("Content-Type", "application/json")
		if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models") {
			fmt.Fprint(w, `{"object":"list","data":[],"models":[],"has_more":false}`)
			return
		}
		http.Error(w, `{"error":{"type":"not_found_error","message":"not here"}}`, http.StatusNotFound)
		return
	}
	var body json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t, err := api.read(body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	n := s.note(t)
	w.Header().Set("Content-Type", "text/event-stream")
	s.act(r, api, &stream{w: w, turn: n}, t)
}

// note remembers a turn; a request without tools is the program's own business,
// such as finding a title. It returns a number for ids.
func (s *Server) note(t turn) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns++
	if len(t.tools) == 0 {
		return s.turns
	}
	s.prompts = append(s.prompts, t.texts...)
	s.system, s.tools = t.system, nil
	for _, tool := range t.tools {
		s.tools = append(s.tools, strings.TrimPrefix(tool.namespace+"__"+tool.name, "__"))
	}
	return s.turns
}

var (
	sleepForm = regexp.MustCompile(`SLEEP (\d+)`)
	callForm  = regexp.MustCompile(`CALL (\S+) (\{.*\})`)
)

func (s *Server) act(r *http.Request, api speaker, w *stream, t turn) {
	said := strings.Join(t.texts, "\n")
	if len(t.tools) == 0 {
		said = ""
	}
	if m := sleepForm.FindStringSubmatch(said); m != nil {
		w.flush()
		seconds, _ := strconv.Atoi(m[1]) // digits
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-r.Context().Done():
			return
		case <-s.end:
			return
		}
	}
	m := callForm.FindStringSubmatch(said)
	if m == nil {
		api.say(w, "Understood.")
		return
	}
	for _, tool := range t.tools {
		if strings.HasSuffix(tool.namespace+"__"+tool.name, "__"+m[1]) {
			api.call(w, tool, m[2])
			return
		}
	}
	api.say(w, "There is no tool "+m[1])
}

// stream writes server-sent events.
type stream struct {
	w    http.ResponseWriter
	turn int // programs tell answers by their ids
	n    int // events so far
}

func (w *stream) id(kind string) string { return fmt.Sprintf("%s_%d", kind, w.turn) }

func (w *stream) flush() {
	if f, ok := w.w.(http.Flusher); ok {
		f.Flush()
	}
}

// object is a JSON object.
type object = map[string]any

func (w *stream) event(name string, o object) {
	o["type"], o["sequence_number"] = name, w.n
	w.n++
	b, _ := json.Marshal(o) // made of strings, numbers, maps and lists
	fmt.Fprintf(w.w, "event: %s\ndata: %s\n\n", name, b)
	w.flush()
}

var reminder = regexp.MustCompile(`(?s)<system-reminder>.*?</system-reminder>\n?`)

// userText drops what programs put around and beside what was submitted.
func userText(text string) (string, bool) {
	text = reminder.ReplaceAllString(text, "")
	return text, strings.TrimSpace(text) != "" && !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "# AGENTS.md")
}

func speakers(path string) speaker {
	switch {
	case strings.HasSuffix(path, "/messages"):
		return anthropic{}
	case strings.HasSuffix(path, "/responses"):
		return responses{}
	}
	return nil
}
