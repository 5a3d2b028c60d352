package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
)

// stub answers what the tests ask for and remembers who asked.
type stub struct {
	mu      sync.Mutex
	callers []parley.Caller
	checked []parley.CheckInboxRequest
	sent    []parley.SendMessageRequest

	send   func(context.Context, parley.SendMessageRequest) (*parley.SendMessageResult, error)
	events func(context.Context, parley.ReadEventsRequest) (*parley.ReadEventsResult, error)
	status *parley.WorkspaceStatusResult
}

func (s *stub) GetWorkspaceStatus(
	context.Context, parley.WorkspaceStatusRequest,
) (*parley.WorkspaceStatusResult, error) {
	return s.status, nil
}

func (s *stub) Usage(context.Context, parley.UsageRequest) (*parley.UsageResult, error) {
	return &parley.UsageResult{
		Answer: parley.OK,
		Agents: []parley.AgentUsage{{Agent: "DM", Failures: map[string]int{"quota": 2},
			Spent: parley.Spent{Calls: 5, Answered: 3, Failed: 2, InputTokens: 70, OutputTokens: 9, LatencyMS: 1500}}},
		Budget: &parley.BudgetUse{Percent: 3},
		Programs: []parley.ProgramUsage{{Agent: "coder", Budget: &parley.BudgetUse{Percent: 125},
			Days: []parley.UsageDay{
				{Model: "m", Spending: parley.Spending{Tokens: parley.Tokens{Output: 7}, Cost: 0.25}},
				{Model: "m", Spending: parley.Spending{Tokens: parley.Tokens{Output: 2}, Cost: 0.5}},
				{Model: "free", Spending: parley.Spending{Tokens: parley.Tokens{Input: 4}}},
			}}},
	}, nil
}

// Do implements parley.Service.
func (s *stub) Do(ctx context.Context, operation string, request any) (any, error) {
	h := op.Handlers{}
	op.GetWorkspaceStatus.Handle(h, s.GetWorkspaceStatus)
	op.Usage.Handle(h, s.Usage)
	op.RegisterAgent.Handle(h, s.RegisterAgent)
	op.CheckInbox.Handle(h, s.CheckInbox)
	op.SendMessage.Handle(h, s.SendMessage)
	op.ReadEvents.Handle(h, s.ReadEvents)
	return h.Do(ctx, operation, request)
}

func (s *stub) note(ctx context.Context) {
	s.callers = append(s.callers, parley.CallerFrom(ctx))
}

func (s *stub) RegisterAgent(ctx context.Context, r parley.RegisterAgentRequest) (*parley.RegisterAgentResult, error) {
	return &parley.RegisterAgentResult{Answer: parley.OK, Username: r.Username}, nil
}

func (s *stub) CheckInbox(ctx context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.note(ctx)
	s.checked = append(s.checked, r)
	return &parley.CheckInboxResult{Answer: parley.OK, Messages: []parley.InboxMessage{{Content: "a < b & c"}}}, nil
}

func (s *stub) SendMessage(ctx context.Context, r parley.SendMessageRequest) (*parley.SendMessageResult, error) {
	s.mu.Lock()
	s.note(ctx)
	s.sent = append(s.sent, r)
	send := s.send
	s.mu.Unlock()
	if send != nil {
		return send(ctx, r)
	}
	return &parley.SendMessageResult{Answer: parley.OK, MessageID: "m1", DeliveryStatus: parley.SumUp(nil),
		Deliveries: []parley.Delivery{}, Object: &parley.Message{ID: "m1", Text: r.Text}}, nil
}

func (s *stub) ReadEvents(ctx context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
	return s.events(ctx, r)
}

var (
	coder    = parley.Caller{ID: "11111111-2222-4333-8444-555555555555", Name: "coder"}
	operator = parley.Caller{ID: "99999999-2222-4333-8444-555555555555", Name: parley.OperatorName, Operator: true}
)

// options are a listener's: coder's key is known, and a connection over a unix
// socket without a key is the operator's.
func options(s parley.Service) Options {
	return Options{Service: s,
		Authenticate: func(_ context.Context, key string) (parley.Caller, bool) {
			if key == "an-invitation" {
				return parley.Caller{Invited: true}, true
			}
			return coder, key == "coders-key"
		},
		Peer: func(r *http.Request) (parley.Caller, bool) {
			return operator, overUnix(r)
		},
		Agent: func(_ context.Context, ref string) (parley.Caller, bool) {
			if operator.Is(ref) {
				return operator, true
			}
			return coder, coder.Is(ref)
		}}
}

// daemon serves over TCP and over a unix socket.
type daemon struct {
	*testing.T
	tcp  string
	unix *http.Client
	end  context.CancelFunc // cancels the server's base context
	srv  *http.Server
}

func serve(t *testing.T, h http.Handler) *daemon {
	t.Helper()
	base, cancel := context.WithCancel(context.Background())
	srv := &http.Server{Handler: h, BaseContext: func(net.Listener) context.Context { return base }}
	socket := filepath.Join(t.TempDir(), "s")

	tcp := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t)

	unix := must.Have(net.Listen("unix", socket))(t)

	go srv.Serve(tcp)
	go srv.Serve(unix)
	t.Cleanup(func() { cancel(); srv.Close() })

	return &daemon{T: t, tcp: "http://" + tcp.Addr().String(), srv: srv, end: cancel,
		unix: &http.Client{
			Transport: &http.Transport{
				DisableKeepAlives: true,
				DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
					return (&net.Dialer{}).DialContext(ctx, "unix", socket)
				},
			},
		}}
}

// answer is a response, read.
type answer struct {
	status int
	header http.Header
	body   map[string]any
}

func (a answer) code() string { s, _ := a.body["error_code"].(string); return s }

// ask sends one request over TCP; headers are "Name: value".
func (d *daemon) ask(method, path, body string, headers ...string) answer {
	d.Helper()
	return d.over(http.DefaultClient, d.tcp, method, path, body, headers...)
}

func (d *daemon) askUnix(method, path, body string, headers ...string) answer {
	d.Helper()
	return d.over(d.unix, "http://parley", method, path, body, headers...)
}

func (d *daemon) over(c *http.Client, base, method, path, body string, headers ...string) answer {
	d.Helper()
	req := must.Have(http.NewRequest(method, base+path, strings.NewReader(body)))(d)

	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Add(name, value)
	}

	resp := must.Have(c.Do(req))(d)
	defer resp.Body.Close()

	b := must.Have(io.ReadAll(resp.Body))(d)

	a := answer{status: resp.StatusCode, header: resp.Header}
	if len(b) > 0 && json.Unmarshal(b, &a.body) != nil {
		d.Errorf("%s %s answered what is no JSON: %s", method, path, b)
	}

	return a
}

// expect compares status and code of an answer.
func (d *daemon) expect(what string, got answer, status int, code parley.Code) {
	d.Helper()
	if got.status != status || got.code() != string(code) {
		d.Errorf("%s: got %d %v, want %d %s", what, got.status, got.body, status, code)
	}
	if code != "" && got.body["suggested_action"] == "" {
		d.Errorf("%s: nothing is suggested: %v", what, got.body)
	}
}

const key = "Authorization: Bearer coders-key"

// afar is a caller who came over the network.
func afar(c parley.Caller) parley.Caller {
	c.Network = true
	return c
}

// invitation is the header with a token for registration.
const invitation = "Authorization: Bearer an-invitation"

// ownProcess takes every request for one of this user's processes.
func ownProcess(*http.Request) bool { return true }
