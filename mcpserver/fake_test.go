package mcpserver

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	official "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// fake is a service of two agents that holds what they send.
type fake struct {
	mu      sync.Mutex
	callers []parley.Caller
	keys    []string // that came in the calls
	sent    []parley.SendMessageRequest
	read    []parley.GetMessagesRequest
	hold    chan struct{} // check_inbox with wait_seconds waits for it
	waits   chan struct{} // a token for each that does
	gaveUp  chan struct{} // and for each that was cancelled

	events   []parley.Event
	happened chan struct{} // closed with the next event
}

func newFake() *fake {
	return &fake{hold: make(chan struct{}), waits: make(chan struct{}, 100), gaveUp: make(chan struct{}, 100),
		happened: make(chan struct{})}
}

// Do implements parley.Service.
func (f *fake) Do(ctx context.Context, operation string, request any) (any, error) {
	h := op.Handlers{}
	op.ReadEvents.Handle(h, f.ReadEvents)
	op.SendMessage.Handle(h, f.SendMessage)
	op.CheckInbox.Handle(h, f.CheckInbox)
	op.GetAgentStatus.Handle(h, f.GetAgentStatus)
	op.ListThreads.Handle(h, f.ListThreads)
	op.GetMessages.Handle(h, f.GetMessages)
	op.RegisterAgent.Handle(h, f.RegisterAgent)
	return h.Do(ctx, operation, request)
}

// happen adds an event to the record.
func (f *fake) happen(e parley.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	e.Seq = int64(len(f.events) + 1)
	f.events = append(f.events, e)
	close(f.happened)
	f.happened = make(chan struct{})
}

func (f *fake) ReadEvents(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	for {
		f.mu.Lock()
		last, next := int64(len(f.events)), f.happened
		res := &parley.ReadEventsResult{Answer: parley.OK, Next: last}
		if r.Last == 0 {
			res.Events = f.events[min(r.After, last):]
		}
		f.mu.Unlock()
		if len(res.Events) > 0 || r.WaitSeconds == 0 {
			return res, nil
		}

		select {
		case <-next:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (f *fake) SendMessage(ctx context.Context, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()

	caller := parley.CallerFrom(ctx)
	f.callers, f.keys = append(f.callers, caller), append(f.keys, parley.CredentialsFrom(ctx).Key)
	for _, claim := range parley.CredentialsFrom(ctx).Claims {
		if !caller.Is(claim) { // as the daemon does behind a bridge
			return nil, parley.Errorf(parley.NotAuthorized, "%s is not the caller", claim).
				Suggest("Leave sender_id out.")
		}
	}

	switch r.To[0] {
	case "nobody":
		return nil, parley.Errorf(parley.AgentNotFound, "there is no agent %q", r.To[0]).
			Suggest("get_agent_status lists them.")
	case "broken":
		return nil, io.ErrUnexpectedEOF
	case "crash":
		panic("a mistake in the service")
	}

	f.sent = append(f.sent, r)
	res := &parley.SendMessageResult{
		Answer:         parley.OK,
		MessageID:      "5f0c21aa",
		Message:        "Message sent to agent 11111111",
		DeliveryStatus: parley.SumUp([]parley.Delivery{{RecipientID: "1", State: parley.DeliverySubmitted}}),
		Deliveries: []parley.Delivery{
			{
				RecipientID: "1",
				State:       parley.DeliverySubmitted,
				Steps:       []parley.Step{{State: parley.DeliverySubmitted, At: time.Now()}},
			},
		},
		Object: &parley.Message{ID: "5f0c21aa", Text: r.Text, Data: r.Data},
	}

	if r.To[0] == "gone" {
		why := "it is terminated"
		res.Answer, res.ErrorCode, res.Action = parley.Answer{
			Error: &why,
		}, parley.AgentUnavailable, "Ask another agent."
	}

	return res, nil
}

func (f *fake) CheckInbox(ctx context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	if r.WaitSeconds > 0 {
		f.waits <- struct{}{}
		select {
		case <-f.hold:
		case <-ctx.Done():
			f.gaveUp <- struct{}{}
			return nil, ctx.Err()
		}
	}

	return &parley.CheckInboxResult{
		Answer:    parley.OK,
		CheckedAt: time.Now(),
		Messages:  []parley.InboxMessage{{Content: "a < b & c", Sender: "planner"}},
	}, nil
}

func (f *fake) GetAgentStatus(context.Context, parley.AgentStatusRequest) (*parley.AgentStatusResult, error) {
	return &parley.AgentStatusResult{
		Answer: parley.OK,
		Agents: []parley.AgentStatus{{Agent: parley.Agent{ID: coder.ID, Name: "coder"}}},
	}, nil
}

func (f *fake) ListThreads(context.Context, parley.ListThreadsRequest) (*parley.ListThreadsResult, error) {
	return &parley.ListThreadsResult{
		Answer:  parley.OK,
		Threads: []parley.Thread{{ID: "1a2b3c4d", Title: "the parser"}},
	}, nil
}

func (f *fake) GetMessages(_ context.Context, r parley.GetMessagesRequest) (*parley.GetMessagesResult, error) {
	switch r.ThreadID {
	case "nothere1":
		return nil, parley.Errorf(parley.ThreadNotFound, "there is no thread %s", r.ThreadID).
			Suggest("list_threads lists them.")
	case "private1":
		return nil, parley.Errorf(parley.NotAuthorized, "thread %s is not yours", r.ThreadID).
			Suggest("Ask to join it.")
	case "broken01":
		return nil, io.ErrUnexpectedEOF
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.read = append(f.read, r)
	return &parley.GetMessagesResult{
		Answer:   parley.OK,
		Messages: []parley.ContractMessage{{SenderName: "planner"}},
	}, nil
}

func (f *fake) RegisterAgent(_ context.Context, r parley.RegisterAgentRequest) (*parley.RegisterAgentResult, error) {
	return &parley.RegisterAgentResult{Answer: parley.OK, Username: r.Username, APIKey: "secret", Status: "active"}, nil
}

var (
	coder    = parley.Caller{ID: "11111111-2222-4333-8444-555555555555", Name: "coder"}
	chief    = parley.Caller{ID: "22222222-2222-4333-8444-555555555555", Name: "chief", Orchestrate: true}
	operator = parley.Caller{ID: "99999999-2222-4333-8444-555555555555", Name: parley.OperatorName, Operator: true}
)

// eras are the protocol versions that the official client can be held to.
var eras = []string{"2026-07-28", "2025-11-25", "2025-06-18"}

const latest, legacy = "2026-07-28", "2025-11-25"

// known knows the keys of coder and chief.
func known(_ context.Context, key string) (parley.Caller, bool) {
	switch key {
	case "coders-key":
		return coder, true
	case "chiefs-key":
		return chief, true
	}
	return parley.Caller{}, false
}

// as puts a caller into every request, as httpapi does.
func as(c parley.Caller, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(parley.WithCaller(r.Context(), c)))
	})
}

// web serves a handler on an address, so that another can take its place.
func web(t *testing.T, address string, h http.Handler) (url string, stop func()) {
	t.Helper()
	l := must.Have(net.Listen("tcp", address))(t)
	srv := &http.Server{Handler: h}
	served := make(chan struct{})
	go func() { defer close(served); srv.Serve(l) }()
	stop = sync.OnceFunc(func() { srv.Close(); <-served })
	t.Cleanup(stop)
	return "http://" + l.Addr().String(), stop
}

// handler is a Handler that is closed with the test.
func handler(t *testing.T, f *fake, progress time.Duration) *HTTPHandler {
	t.Helper()
	h := newHandler(Options{Service: f, Version: "test", Authenticate: known}, progress)
	t.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// overHTTP connects the official client to a server for a caller.
func overHTTP(
	t *testing.T, f *fake, c parley.Caller, version string, o *official.ClientOptions,
) *official.ClientSession {
	t.Helper()
	url, _ := web(t, "127.0.0.1:0", as(c, handler(t, f, progressEvery)))
	return connect(t, &official.StreamableClientTransport{Endpoint: url}, version, o)
}

// overStdio connects it through pipes.
func overStdio(
	t *testing.T, f *fake, c parley.Caller, version string, o *official.ClientOptions,
) *official.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan struct{})
	go func() {
		defer close(served)
		ServeStdio(ctx, Options{Service: f, Version: "test"}, in, out, c)
	}()
	t.Cleanup(func() { cancel(); toServer.Close(); fromServer.Close(); <-served })
	return connect(t, &official.IOTransport{Reader: fromServer, Writer: toServer}, version, o)
}

func connect(
	t *testing.T, transport official.Transport, version string, o *official.ClientOptions,
) *official.ClientSession {
	t.Helper()
	c := official.NewClient(&official.Implementation{Name: "test", Version: "1"}, o)
	s, err := c.Connect(t.Context(), transport, &official.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect with %s: %v", version, err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// everywhere runs a test over both transports and in every era.
func everywhere(t *testing.T, c parley.Caller, test func(t *testing.T, f *fake, s *official.ClientSession)) {
	for _, version := range eras {
		t.Run("http "+version, func(t *testing.T) { f := newFake(); test(t, f, overHTTP(t, f, c, version, nil)) })
		t.Run("stdio "+version, func(t *testing.T) { f := newFake(); test(t, f, overStdio(t, f, c, version, nil)) })
	}
}

// call calls a tool and returns its result and the text of it.
func call(t *testing.T, s *official.ClientSession, name string, args any) (*official.CallToolResult, string) {
	t.Helper()
	res, err := s.CallTool(t.Context(), &official.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	text := ""
	if len(res.Content) > 0 {
		if tc, ok := res.Content[0].(*official.TextContent); ok {
			text = tc.Text
		}
	}
	return res, text
}

// structured decodes the JSON of a result: its text, or what an error says in its structured part.
func structured[V any](t *testing.T, res *official.CallToolResult) V {
	t.Helper()
	var v V
	b, err := json.Marshal(res.StructuredContent)
	if text, ok := res.Content[0].(*official.TextContent); ok && res.StructuredContent == nil {
		b = []byte(text.Text)
	}
	if err == nil {
		err = json.Unmarshal(b, &v)
	}
	if err != nil {
		t.Fatalf("the result is %s: %v", b, err)
	}
	return v
}

type args = map[string]any
