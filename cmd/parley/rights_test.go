package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/op"
)

// Who may call, from the widest to the narrowest.
const (
	anyone        = "anyone"
	agents        = "agents"
	orchestrators = "orchestrators"
	operatorOnly  = "operator"
)

// right is what a test expects of one operation.
type right struct {
	op, who, args string
	self          string // parameters by which a call names its own sender, with a space between
	noTool        bool   // nobody finds it among the tools of MCP
}

const nothing = `"ffffffff-0000-4000-8000-000000000000"`

// readRights returns the rights of every operation of parley, in the order of op.All.
func readRights(t *testing.T) (rights []right) {
	t.Helper()
	for _, block := range blocks(string(must.Have(os.ReadFile("testdata/contract/rights.txt"))(t))) {
		if strings.HasPrefix(block[0], "#") {
			continue
		}

		head, args, _ := strings.Cut(block[0], ": ")
		op, who, _ := strings.Cut(head, " ")
		r := right{op: op, who: who, args: args}
		for _, line := range block[1:] {
			names, isSelf := strings.CutPrefix(line, "self ")
			if isSelf {
				r.self = names
			}
			r.noTool = !isSelf
		}
		rights = append(rights, r)
	}
	return rights
}

// TestRightsNameEveryOperation fails when someone adds an operation, or a name by which
// a caller can say who it is, and writes down no right for it.
func TestRightsNameEveryOperation(t *testing.T) {
	named := map[string]right{}
	for _, r := range readRights(t) {
		named[r.op] = r
	}

	for _, op := range op.All {
		r, ok := named[op.Name]
		if !ok {
			t.Errorf("%s has no line in rights.txt: write down who may call it", op.Name)
		}

		delete(named, op.Name)
		if got, want := strings.Join(op.Self, " "), r.self; got != want {
			t.Errorf("%s: the caller is named by %q, and in rights.txt by %q", op.Name, got, want)
		}
	}

	for name := range named {
		t.Errorf("there is no operation %s", name)
	}
}

// someone calls the daemon in one way.
type someone struct {
	name    string
	rank    int // of the groups above, the narrowest that it belongs to; -1 for a stranger
	key     string
	headers []string // further ones, "Name: value"
	client  *http.Client
	base    string
}

// ranks are the groups in their order.
var ranks = []string{anyone, agents, orchestrators, operatorOnly}

// may returns what a call by someone must be refused with, "" if it must not be.
func (s *someone) may(r right) parley.Code {
	switch need := slices.Index(ranks, r.who); {
	case s.rank < 0:
		return parley.Unauthenticated
	case s.rank >= need:
		return ""
	case s.rank == 0:
		return parley.Unauthenticated
	}
	return parley.NotAuthorized
}

// post sends one request and returns the status and the body.
func (s *someone) post(t *testing.T, path, body string) (int, []byte) {
	t.Helper()
	req := must.Have(http.NewRequestWithContext(t.Context(), http.MethodPost, s.base+path, strings.NewReader(body)))(t)

	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("MCP-Protocol-Version", "2025-06-18")

	// A session proves nothing, and belongs to who first names it.
	req.Header.Set("Mcp-Session-Id", "mcp-session-"+uuid.NewString())
	if s.key != "" {
		req.Header.Set("Authorization", "Bearer "+s.key)
	}

	for _, h := range s.headers {
		name, value, _ := strings.Cut(h, ": ")
		if name == "Host" {
			req.Host = value
		}
		req.Header.Add(name, value)
	}

	resp, err := s.client.Do(req)
	if err != nil {
		t.Fatalf("%s by %s: %v", path, s.name, err)
	}
	defer resp.Body.Close()

	var answer bytes.Buffer
	must.Have(answer.ReadFrom(resp.Body))(t)

	return resp.StatusCode, answer.Bytes()
}

// outcome is how a call ended: its code, "" when it went well, and "NO_TOOL" where MCP
// knows no such tool.
type outcome struct {
	Code    parley.Code `json:"error_code"`
	Message string      `json:"error_message"`
}

const noTool parley.Code = "NO_TOOL"

func (s *someone) rest(t *testing.T, op, args string) outcome {
	t.Helper()
	_, body := s.post(t, "/api/"+op, args)
	var o outcome
	if err := json.Unmarshal(body, &o); err != nil {
		t.Fatalf("%s by %s answered %s", op, s.name, body)
	}
	return o
}

func (s *someone) mcp(t *testing.T, op, args string) outcome {
	t.Helper()
	status, body := s.post(t, "/mcp",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+op+`","arguments":`+args+`}}`)
	if status != http.StatusOK {
		var o outcome
		if json.Unmarshal(body, &o) != nil || o.Code == "" {
			t.Fatalf("%s by %s answered %d %s", op, s.name, status, body)
		}
		return o
	}

	if _, data, ok := bytes.Cut(body, []byte("data: ")); ok {
		body = data
	}

	var answer struct {
		Error *struct {
			Message string
		}
		Result *struct {
			StructuredContent outcome `json:"structuredContent"` // of an error
		}
	}

	if err := json.Unmarshal(body, &answer); err != nil || answer.Error == nil && answer.Result == nil {
		t.Fatalf("%s by %s answered %s: %v", op, s.name, body, err)
	}

	if answer.Error != nil {
		if !strings.Contains(answer.Error.Message, "not found") {
			t.Fatalf("%s by %s answered %s", op, s.name, body)
		}
		return outcome{Code: noTool}
	}

	return answer.Result.StructuredContent
}

// with adds members to a JSON object.
func with(args, members string) string {
	if args == "{}" {
		return "{" + members + "}"
	}
	return strings.TrimSuffix(args, "}") + "," + members + "}"
}

// shutOut tells the codes that say who may not call. Anything else means that the call
// was let in.
func shutOut(c parley.Code) bool { return c == parley.Unauthenticated || c == parley.NotAuthorized }

// checkRight compares how a call ended with what is expected.
func checkRight(t *testing.T, face string, s *someone, r right, got outcome, want parley.Code) {
	t.Helper()
	switch {
	case want != "" && got.Code != want:
		t.Errorf("%s: %s by %s ended with %q (%s), want %s", face, r.op, s.name, got.Code, got.Message, want)
	case want == "" && (shutOut(got.Code) || got.Code == noTool) && !isForPrograms(r.op, got.Message):
		t.Errorf("%s: %s by %s was refused: %s (%s)", face, r.op, s.name, got.Code, got.Message)
	}
}

// everyone is who calls: the daemon's agents are coder and reviewer, two mailboxes, and
// chief, which was launched to orchestrate.
func everyone(t *testing.T, h *testhome.Home) []*someone {
	t.Helper()
	coder := testhome.Run[parley.RegisterAgentResult](t, h, "register", "coder")
	testhome.Run[parley.RegisterAgentResult](t, h, "register", "reviewer")
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "chief", "--orchestrate", "--", "cat")
	chief := testhome.Run[parley.IssueKeyResult](t, h, "key", "issue", "chief")
	status := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	unix := overSocket(t, status.Socket)

	return []*someone{
		{name: "nobody", rank: 0, client: http.DefaultClient, base: status.HTTP},
		{name: "a stranger", rank: -1, key: "parley_wrong", client: http.DefaultClient, base: status.HTTP},
		{name: "a stranger on the socket", rank: -1, key: "parley_wrong", client: unix, base: "http://parley"},
		{name: "coder", rank: 1, key: coder.APIKey, client: http.DefaultClient, base: status.HTTP},
		{name: "coder on the socket", rank: 1, key: coder.APIKey, client: unix, base: "http://parley"},
		{name: "chief", rank: 2, key: chief.APIKey, client: http.DefaultClient, base: status.HTTP},
		{name: "the operator", rank: 3, key: operatorKey, client: unix, base: "http://parley"},
	}
}

// isForPrograms reports whether an operation was refused only because its caller has no terminal, or no program in one.
func isForPrograms(op, refusal string) bool {
	return op == "report_state" && strings.Contains(refusal, "terminal") ||
		op == "report_native_message" && strings.Contains(refusal, "has no program")
}

// overSocket calls a daemon on its unix socket.
func overSocket(t *testing.T, socket string) *http.Client {
	unix := &http.Client{
		Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", socket)
		}},
	}
	t.Cleanup(unix.CloseIdleConnections)
	return unix
}

// Every operation is tried by everyone over every face.
func TestEveryOperationIsForThoseItIsFor(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	callers, rights := everyone(t, h), readRights(t)
	for _, s := range callers {
		for _, r := range rights {
			if r.op == "shut_down" && s.may(r) == "" {
				continue
			}

			want := s.may(r)
			checkRight(t, "REST", s, r, s.rest(t, r.op, r.args), want)
			if r.noTool || r.who == operatorOnly {
				want = noTool
			}
			if s.rank < 0 {
				want = parley.Unauthenticated // at the door
			}

			checkRight(t, "MCP", s, r, s.mcp(t, r.op, r.args), want)
			if s.key == "" || s.rank < 0 || want == noTool {
				continue
			}

			keyless := *s
			keyless.key = ""
			keyed := with(r.args, `"api_key":"`+s.key+`"`)
			checkRight(t, "REST with api_key", s, r, keyless.rest(t, r.op, keyed), want)
			checkRight(t, "MCP with api_key", s, r, keyless.mcp(t, r.op, keyed), want)
		}
	}

	for _, s := range callers {
		if s.rank >= 0 {
			wrongAgent(t, s, rights)
		}
	}

	operator := callers[len(callers)-1]
	last := rights[len(rights)-1]
	checkRight(t, "REST", operator, last, operator.rest(t, last.op, last.args), "")
}

// wrongAgent tries every operation in another's name.
func wrongAgent(t *testing.T, s *someone, rights []right) {
	t.Helper()
	impostor := *s
	impostor.headers = []string{"X-Agent-ID: reviewer"}
	impostor.name += " as reviewer by header"
	want := parley.NotAuthorized
	if s.rank == 0 {
		want = parley.Unauthenticated // an id proves nothing
	}

	for _, r := range rights {
		checkRight(t, "REST", &impostor, r, impostor.rest(t, r.op, r.args), want)
		checkRight(t, "MCP", &impostor, r, impostor.mcp(t, r.op, r.args), want)
		for _, name := range strings.Fields(r.self) {
			claim := with(r.args, `"`+name+`":"reviewer"`)
			checkRight(t, "REST with "+name, s, r, s.rest(t, r.op, claim), want)
			checkRight(t, "MCP with "+name, s, r, s.mcp(t, r.op, claim), want)
		}
	}
}
