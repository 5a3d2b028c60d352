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
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley"
	"parley/client"
	"parley/internal/must"
	"parley/internal/testhome"
)

// overREST makes the call at the path of the document. A GET has its arguments in the
// query.
func overREST(t *testing.T, s *stage, p *play, c scene) ([]byte, bool) {
	t.Helper()
	method, path, _ := strings.Cut(cmp.Or(c.at, "POST /api/"+strings.ToLower(c.op)), " ")
	caller, base := p.line(t, s)
	address, body := base+path, c.args
	if method == http.MethodGet {
		address, body = address+"?"+asQuery(t, c.args), ""
	}

	req := must.Have(http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body)))(t)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}

	s.introduce(req, p, c.by)
	resp := must.Have(caller.Do(req))(t)
	defer resp.Body.Close()

	answer := must.Have(io.ReadAll(resp.Body))(t)

	if want := max(c.status, http.StatusOK); resp.StatusCode != want &&
		(c.status != 0 || resp.StatusCode != http.StatusOK) {
		t.Errorf("the status is %d, want %d", resp.StatusCode, want)
	}

	return answer, resp.StatusCode != http.StatusOK
}

func asQuery(t *testing.T, args string) string {
	t.Helper()
	var members map[string]any
	must.Do(t, json.Unmarshal([]byte(args), &members))
	q := url.Values{}
	for name, value := range members {
		q.Set(name, fmt.Sprint(value))
	}
	return q.Encode()
}

// line returns how the play reaches its daemon.
func (p *play) line(t *testing.T, s *stage) (caller *http.Client, base string) {
	t.Helper()
	if p.socket {
		return overSocket(t, s.info.Socket), "http://parley"
	}
	return http.DefaultClient, s.info.HTTP
}

// introduce proves who calls, as the document does. With api_key the proof is in the
// arguments.
func (s *stage) introduce(req *http.Request, p *play, by string) {
	switch {
	case by == "" && p.socket:
		req.Header.Set("Authorization", "Bearer "+operatorKey)
	case by == "":
	case p.proof == "bearer":
		req.Header.Set("Authorization", "Bearer "+s.keys[by])
	case p.proof == "agent_id":
		req.Header.Set("X-Agent-ID", s.kept[by])
	}
}

// overMCP makes the call as a tool call, without a session.
func overMCP(t *testing.T, s *stage, p *play, c scene) ([]byte, bool) {
	t.Helper()
	caller, base := p.line(t, s)
	body := strings.NewReader(toolCall(strings.ToLower(c.op), c.args))
	req := must.Have(http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", body))(t)

	for name, value := range map[string]string{
		"Content-Type":         "application/json",
		"Accept":               "application/json, text/event-stream",
		"MCP-Protocol-Version": "2025-06-18",
		"Mcp-Session-Id":       "mcp-session-" + uuid.NewString(),
	} {
		req.Header.Set(name, value)
	}

	s.introduce(req, p, c.by)
	resp := must.Have(caller.Do(req))(t)
	defer resp.Body.Close()

	answer := must.Have(io.ReadAll(resp.Body))(t)

	return toolAnswer(t, answer)
}

// toolCall returns the message of MCP that calls a tool.
func toolCall(name, arguments string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + arguments +
		`}}`
}

// toolAnswer returns the answer in a tool's result.
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
			Content           []struct{ Text string }
		}
	}

	if err := json.Unmarshal(body, &answer); err != nil || answer.Error != nil {
		t.Fatalf("MCP answered %s (%v)", body, err)
	}

	if structured := answer.Result.StructuredContent; structured != nil { // of an error
		return structured, answer.Result.IsError
	}

	return []byte(answer.Result.Content[0].Text), answer.Result.IsError
}

// overGo makes the call with the client's Dispatch, as for a model.
func overGo(t *testing.T, s *stage, p *play, c scene) ([]byte, bool) {
	t.Helper()
	o := client.Options{URL: s.info.HTTP, Key: s.keys[c.by]}
	if p.proof == "api_key" {
		o.Key = ""
	}
	if p.socket {
		o.URL, o.Socket = "", s.info.Socket
		o.Key = cmp.Or(o.Key, operatorKey)
	}

	cl := client.New(o)
	defer cl.Close()

	text := must.Have(cl.Dispatch(t.Context(), c.op, c.args))(t)

	var answer parley.Answer
	if err := json.Unmarshal([]byte(text), &answer); err != nil {
		t.Fatalf("%v in %s", err, text)
	}

	return []byte(text), !answer.Success
}

// database opens the daemon's database for reading.
func (s *stage) database(t *testing.T) *sql.DB {
	t.Helper()
	file := placeOf(s.home).Database()
	db := must.Have(sql.Open("sqlite", "file:"+file+"?_pragma=busy_timeout(5000)&_pragma=query_only(1)"))(t)

	t.Cleanup(func() { _ = db.Close() })

	return db
}

// inTime bounds a test's calls.
func inTime(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeoutCause(t.Context(), testhome.Patience, errors.New("the daemon does not answer"))
	t.Cleanup(cancel)
	return ctx
}

// get makes a GET request.
func (s *someone) get(t *testing.T) (int, []byte) {
	t.Helper()
	req := must.Have(http.NewRequestWithContext(t.Context(), http.MethodGet, s.base, nil))(t)

	for _, h := range s.headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}

	resp := must.Have(http.DefaultClient.Do(req))(t)
	defer resp.Body.Close()

	body := must.Have(io.ReadAll(resp.Body))(t)

	return resp.StatusCode, body
}

// tomorrow returns a deadline in the form of the contract.
func tomorrow() string { return time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339) }

// tryPost makes a POST request that may be refused before all of it is sent.
func (s *stage) tryPost(t *testing.T, path, body string) (int, []byte, error) {
	t.Helper()
	req := must.Have(http.NewRequestWithContext(inTime(t), http.MethodPost, s.info.HTTP+path,
		strings.NewReader(body)))(t)

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
