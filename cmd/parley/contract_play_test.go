package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/client"
)

// The documents that parley is made after show calls and answers. A play makes those
// calls word for word, one after the other, by every face, and compares the answers.

// scene is one call of a document and what it shows of the answer.
type scene struct {
	name   string
	by     string            // the agent that calls; "" for nobody
	op     string            // the tool, as the document writes it
	at     string            // over REST, such as "GET /api/inbox/check"; the regular route if it is ""
	args   string            // as written; {NAME} is a value that was kept
	want   string            // as shown: a string <like> "<uuid>" is a kind of value, other members may be there too
	status int               // over REST; 200 if it is 0
	keep   map[string]string // name → where in the answer, such as messages.0.message_id
	only   string            // the one face that has it
}

// play is a document on the stage: its agents at a daemon of its own.
type play struct {
	cast     []string          // mailboxes, registered before
	roles    map[string]string // name → JSON members of its registration
	gone     []string          // of these, the ones that are stopped before
	settings []string          // of the daemon, NAME=value
	proof    string            // how a caller says who it is: bearer, api_key or agent_id
	socket   bool              // on the unix socket instead of the port
	prepare  func(t *testing.T, s *stage)
	scenes   []scene
	after    func(t *testing.T, s *stage)
}

// stage is a daemon with the keys of those who play, and what was kept of answers.
type stage struct {
	home *home
	info parley.WorkspaceStatusResult
	keys map[string]string
	kept map[string]string
	boss *client.Client // the operator's
}

// faces are the ways to make a call.
var faces = map[string]func(t *testing.T, s *stage, p *play, c scene) (answer []byte, failed bool){
	"REST": overREST, "MCP": overMCP, "Go": overGo,
}

// perform plays a document by each face.
func (p *play) perform(t *testing.T) {
	for _, face := range slices.Sorted(maps.Keys(faces)) {
		t.Run(face, func(t *testing.T) {
			t.Parallel()
			s := p.stage(t)
			for _, c := range p.scenes {
				if c.only != "" && c.only != face {
					continue
				}
				ok := t.Run(c.name, func(t *testing.T) { s.act(t, p, face, c) })
				if !ok && len(c.keep) > 0 {
					t.Fatal("what follows needs that answer")
				}
			}
			if p.after != nil {
				p.after(t, s)
			}
		})
	}
}

// stage starts a daemon and brings everybody on.
func (p *play) stage(t *testing.T) *stage {
	t.Helper()
	h := newTestHome(t)
	h.env = append(h.env, p.settings...)
	if out, err := h.command("serve").CombinedOutput(); err != nil {
		t.Fatalf("parley serve: %v\n%s", err, out)
	}
	s := &stage{home: h, info: must[parley.WorkspaceStatusResult](t, h, "status"), keys: map[string]string{}, kept: map[string]string{}}
	s.boss = client.New(client.Options{Socket: s.info.Socket})
	t.Cleanup(s.boss.Close)
	for _, name := range p.cast {
		req := parley.RegisterAgentRequest{Username: name}
		if role := p.roles[name]; role != "" {
			if err := json.Unmarshal([]byte(role), &req); err != nil {
				t.Fatal(err)
			}
		}
		res, err := s.boss.RegisterAgent(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		s.keys[name], s.kept[name] = res.APIKey, res.AgentID
	}
	for _, name := range p.gone {
		if _, err := s.boss.StopAgent(t.Context(), parley.StopAgentRequest{Agent: name}); err != nil {
			t.Fatal(err)
		}
	}
	if p.prepare != nil {
		p.prepare(t, s)
	}
	return s
}

// filled puts what was kept, and the ids and keys of the cast, into a text.
func (s *stage) filled(text string) string {
	for name, value := range s.kept {
		text = strings.ReplaceAll(text, "{"+name+"}", value)
		text = strings.ReplaceAll(text, "{"+name+":8}", parley.Short(value))
	}
	for name, key := range s.keys {
		text = strings.ReplaceAll(text, "{key of "+name+"}", key)
	}
	return text
}

// act makes one call and compares its answer.
func (s *stage) act(t *testing.T, p *play, face string, c scene) {
	t.Helper()
	c.args = s.filled(cmp.Or(c.args, "{}"))
	body, failed := faces[face](t, s, p, c)
	answer := s.compare(t, body, c.want, c.keep)
	if success, _ := answer["success"].(bool); success == failed {
		t.Errorf("success is %v, but the face says %v", answer["success"], !failed)
	}
	if t.Failed() {
		t.Logf("%s %s", c.op, c.args)
	}
}

// compare holds an answer against what the document shows of it, and keeps of it what
// later calls need.
func (s *stage) compare(t *testing.T, body []byte, shows string, keep map[string]string) map[string]any {
	t.Helper()
	var answer map[string]any
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatalf("the answer is no JSON object: %v\n%s", err, body)
	}
	var want any
	if err := json.Unmarshal([]byte(s.filled(shows)), &want); err != nil {
		t.Fatalf("%v in %s", err, shows)
	}
	problems := differences("", want, answer)
	for _, problem := range problems {
		t.Error(problem)
	}
	if len(problems) > 0 {
		t.Logf("the answer is %s", body)
	}
	for name, path := range keep {
		value, ok := within(answer, path).(string)
		if !ok {
			t.Fatalf("there is no %s in %s", path, body)
		}
		s.kept[name] = value
		if path == "api_key" {
			s.keys[name] = value
		}
	}
	return answer
}

// within finds a value in an answer.
func within(v any, path string) any {
	for step := range strings.SplitSeq(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// kinds are the values that a document gives by their kind.
var kinds = map[string]func(any) bool{
	"<string>":  func(v any) bool { _, ok := v.(string); return ok },
	"<text>":    func(v any) bool { s, ok := v.(string); return ok && s != "" },
	"<bool>":    func(v any) bool { _, ok := v.(bool); return ok },
	"<int>":     func(v any) bool { n, ok := v.(float64); return ok && n == float64(int(n)) },
	"<share>":   func(v any) bool { n, ok := v.(float64); return ok && n >= 0 && n <= 1 },
	"<object>":  func(v any) bool { _, ok := v.(map[string]any); return ok },
	"<strings>": isStrings,
	"<uuid>":    like(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`),
	"<time>":    like(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$`),
}

func like(form string) func(any) bool {
	re := regexp.MustCompile(form)
	return func(v any) bool { s, ok := v.(string); return ok && re.MatchString(s) }
}

func isStrings(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(v any) bool { _, ok := v.(string); return !ok })
}

// differences says where an answer is not as a document shows it. An answer may say
// more: it is the union of what all documents show.
func differences(at string, want, got any) []string {
	wrong := []string{fmt.Sprintf("%s is %s, want %s", cmp.Or(strings.TrimPrefix(at, "."), "the answer"), shown(got), shown(want))}
	switch want := want.(type) {
	case map[string]any:
		in, ok := got.(map[string]any)
		if !ok {
			return wrong
		}
		var all []string
		for _, name := range slices.Sorted(maps.Keys(want)) {
			value, ok := in[name]
			if !ok {
				all = append(all, fmt.Sprintf("there is no %s", strings.TrimPrefix(at+"."+name, ".")))
				continue
			}
			all = append(all, differences(at+"."+name, want[name], value)...)
		}
		return all
	case []any:
		in, ok := got.([]any)
		if !ok || len(in) != len(want) {
			return wrong
		}
		var all []string
		for i := range want {
			all = append(all, differences(fmt.Sprintf("%s.%d", at, i), want[i], in[i])...)
		}
		return all
	case string:
		if is, ok := kinds[want]; ok {
			if is(got) {
				return nil
			}
			return wrong
		}
	}
	if want == got {
		return nil
	}
	return wrong
}

func shown(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// overREST makes the call at the path that the document gives. The parameters of a
// GET are its query.
func overREST(t *testing.T, s *stage, p *play, c scene) ([]byte, bool) {
	t.Helper()
	method, path, _ := strings.Cut(cmp.Or(c.at, "POST /api/"+strings.ToLower(c.op)), " ")
	caller, base := p.line(t, s)
	address, body := base+path, c.args
	if method == http.MethodGet {
		address, body = address+"?"+asQuery(t, c.args), ""
	}
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	s.introduce(req, p, c.by)
	resp, err := caller.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if want := max(c.status, http.StatusOK); resp.StatusCode != want && (c.status != 0 || resp.StatusCode != http.StatusOK) {
		t.Errorf("the status is %d, want %d", resp.StatusCode, want)
	}
	return answer, resp.StatusCode != http.StatusOK
}

func asQuery(t *testing.T, args string) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal([]byte(args), &members); err != nil {
		t.Fatal(err)
	}
	q := url.Values{}
	for name, value := range members {
		q.Set(name, fmt.Sprint(value))
	}
	return q.Encode()
}

// line is how the play reaches its daemon.
func (p *play) line(t *testing.T, s *stage) (caller *http.Client, base string) {
	t.Helper()
	if p.socket {
		return overSocket(t, s.info.Socket), "http://parley"
	}
	return http.DefaultClient, s.info.HTTP
}

// introduce says who calls, as the document does. With api_key that is in the
// arguments.
func (s *stage) introduce(req *http.Request, p *play, by string) {
	switch {
	case by == "":
	case p.proof == "bearer":
		req.Header.Set("Authorization", "Bearer "+s.keys[by])
	case p.proof == "agent_id":
		req.Header.Set("X-Agent-ID", s.kept[by])
	}
}

// overMCP makes the call as a tool call, without a session as clients of the newer
// protocol do.
func overMCP(t *testing.T, s *stage, p *play, c scene) ([]byte, bool) {
	t.Helper()
	caller, base := p.line(t, s)
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + strings.ToLower(c.op) + `","arguments":` + c.args + `}}`
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"MCP-Protocol-Version": "2025-06-18", "Mcp-Session-Id": "mcp-session-00000000-0000-4000-8000-000000000000"} {
		req.Header.Set(name, value)
	}
	s.introduce(req, p, c.by)
	resp, err := caller.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return toolAnswer(t, answer)
}

// toolAnswer takes the answer out of a tool's result.
func toolAnswer(t *testing.T, body []byte) ([]byte, bool) {
	t.Helper()
	if _, data, ok := bytes.Cut(body, []byte("data: ")); ok {
		body = data
	}
	var answer struct {
		Error  json.RawMessage
		Result struct {
			IsError           bool            `json:"isError"`
			StructuredContent json.RawMessage `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Error != nil {
		t.Fatalf("MCP answered %s (%v)", body, err)
	}
	return answer.Result.StructuredContent, answer.Result.IsError
}

// overGo lets the client dispatch the call as a model's.
func overGo(t *testing.T, s *stage, p *play, c scene) ([]byte, bool) {
	t.Helper()
	o := client.Options{URL: s.info.HTTP, Key: s.keys[c.by]}
	if p.proof == "api_key" {
		o.Key = ""
	}
	if p.socket {
		o.URL, o.Socket = "", s.info.Socket
	}
	cl := client.New(o)
	defer cl.Close()
	text, err := cl.Dispatch(t.Context(), c.op, c.args)
	if err != nil {
		t.Fatal(err)
	}
	var answer parley.Answer
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return []byte(text), !answer.Success
}

// database opens what the daemon of a stage keeps, to be read beside it.
func (s *stage) database(t *testing.T) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.home.workspace, stateDir, "parley.db")+"?_pragma=busy_timeout(5000)&_pragma=query_only(1)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// inTime bounds a test's calls.
func inTime(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), patience, errors.New("the daemon does not answer"))
	t.Cleanup(cancel)
	return ctx
}

// get reads what is at someone's address.
func (s *someone) get(t *testing.T) (int, []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range s.headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

// tomorrow is a deadline as the contract writes one.
func tomorrow() string { return time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339) }

// tryPost posts what may be refused before all of it is sent.
func (s *stage) tryPost(t *testing.T, path, body string) (int, []byte, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(inTime(t), http.MethodPost, s.info.HTTP+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.keys["asker"])
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}
