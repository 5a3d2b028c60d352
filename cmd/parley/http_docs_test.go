package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/legacy"

	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/testhome"
)

// workingDaemon starts a daemon with an agent named coder, in its own home.
func workingDaemon(t *testing.T) (*testhome.Home, daemon.Info) {
	t.Helper()
	h := testhome.New(t)
	for _, args := range [][]string{{"serve"}, {"register", "coder"}} {
		if out, err := h.Command(args...).CombinedOutput(); err != nil {
			t.Fatalf("parley %v: %v\n%s", args, err, out)
		}
	}

	b := must.Have(os.ReadFile(placeOf(h).Info()))(t)

	var info daemon.Info
	must.Do(t, json.Unmarshal(b, &info))

	return h, info
}

// The commands of the page on HTTP are run word for word, but for the port.
func TestCallsOfTheHTTPDocsWork(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}

	h, info := workingDaemon(t)
	page := strings.ReplaceAll(documents(t)["interfaces.md"], "http://127.0.0.1:PORT", info.HTTP)
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(page, -1)
	if len(blocks) < 5 {
		t.Fatalf("the page has only %d blocks of commands", len(blocks))
	}

	script := "set -e\ncurl() { command curl --silent --show-error --fail-with-body \"$@\" && echo; }\n"
	for _, block := range blocks {
		// Those of files have a test of their own.
		if strings.Contains(block[1], "curl ") && !strings.Contains(block[1], "/api/files") {
			script += block[1]
		}
	}

	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = h.Workspace, h.Env

	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v:\n%s", err, out)
	}

	for _, want := range []string{`"Message sent to coder!"`, `"unread_count":0`, `"openapi":"3.1.0"`, `"agent_id":`,
		`"with_agent":"visitor"`,
		`"type":"function"`, "event: agent_direct_message", "parley_messages_accepted_total 2",
		`parley_http_requests_total{operation="send_message",status="200"} 2`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("nothing shows %s:\n%s", want, out)
		}
	}
}

func TestTheWebSocketOfTheHTTPDocsWorks(t *testing.T) {
	t.Parallel()
	h, info := workingDaemon(t)
	out := must.Have(h.Command("register", "watcher").Output())(t)

	lines := strings.Fields(string(out))
	address := regexp.MustCompile(`ws://\S+`).FindString(documents(t)["interfaces.md"])
	address = strings.NewReplacer("http://127.0.0.1:PORT", info.HTTP, "127.0.0.1:PORT",
		strings.TrimPrefix(info.HTTP, "http://"), "KEY", lines[len(lines)-1]).
		Replace(address)
	ctx := inTime(t)
	conn, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()

	if out, err := h.Command("send", "watcher", "look here").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	for {
		_, b, err := conn.Read(ctx)
		if err != nil {
			t.Fatal(err)
		}

		if strings.Contains(string(b), `"agent_direct_message"`) &&
			strings.Contains(string(b), `"message_preview":"look here"`) {
			break
		}
	}

	begun := time.Now()
	if out, err := h.Command("down").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}

	for err == nil {
		_, _, err = conn.Read(ctx)
	}

	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("after %s: got %v, want the status going away", time.Since(begun), err)
	}
}

// The answers of a real daemon match its OpenAPI document, according to an independent
// library.
func TestAnswersAreAsTheOpenAPIDocsSay(t *testing.T) {
	t.Parallel()
	h, info := workingDaemon(t)
	over := &http.Client{
		Transport: &http.Transport{
			DisableKeepAlives: true,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", info.Socket)
			},
		},
	}

	fetch := func(r *http.Request) (*http.Response, []byte) {
		resp := must.Have(over.Do(r))(t)
		defer resp.Body.Close()

		b := must.Have(io.ReadAll(resp.Body))(t)

		return resp, b
	}

	request := func(method, path, body string) *http.Request {
		r := must.Have(http.NewRequest(method, "http://parley"+path, strings.NewReader(body)))(t)
		if body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		r.Header.Set("Authorization", "Bearer "+operatorKey)

		return r
	}

	_, b := fetch(request("GET", "/openapi.json", ""))
	document := must.Have(openapi3.NewLoader().LoadFromData(b))(t)

	document.Servers = openapi3.Servers{{URL: "http://parley"}}
	router := must.Have(legacy.NewRouter(document))(t)

	backup, _ := json.Marshal(map[string]string{"path": filepath.Join(h.Dir, "copy.db")})
	for _, c := range []struct {
		method, path, body string
		status             int
	}{
		{"POST", "/api/agents/register",
			`{"username":"other","agent_description":"x","capabilities":["go"],"groups":["all"]}`, 200},
		{"POST", "/api/agents/register", `{"username":"other"}`, 409},
		{"GET", "/api/agents", "", 200},
		{"POST", "/api/launch_agent", `{"name":"cat","profile":"generic","command":["cat"]}`, 200},
		{"POST", "/api/messages/send",
			`{"to":["coder"],"text":"one","data":{"a":1},"context_reference":"c","idempotency_key":"k"}`, 200},
		{"POST", "/api/messages/send", `{"to":["cat","coder"],"text":"two","priority":"urgent"}`, 200},
		{"POST", "/api/send_message", `{"to":["nobody"],"text":"three"}`, 404},
		{"POST", "/api/broadcast_message", `{"text":"all"}`, 200},
		{"POST", "/api/steer_agent", `{"agent":"cat","text":"go on"}`, 200},
		{"GET", "/api/inbox/check?include_read=true", "", 200},
		{"POST", "/api/get_messages", `{"limit":3}`, 200},
		{"POST", "/api/mark_message_read", `{"message_ids":["00000000"]}`, 200},
		{"GET", "/api/conversations/history?conversation_with=coder", "", 200},
		{"GET", "/api/events?after=0&limit=1000", "", 200},
		{"GET", "/api/terminal?agent=cat", "", 200},
		{"GET", "/api/attach?agent=cat", "", 200},
		{"POST", "/api/get_needs", `{}`, 200},
		{"GET", "/api/status", "", 200},
		{"POST", "/api/pause_communication", `{"paused":true}`, 200},
		{"POST", "/api/send_message", `{"to":["coder"],"text":"four"}`, 503},
		{"POST", "/api/backup", string(backup), 200},
		{"POST", "/api/stop_agent", `{"agent":"cat"}`, 200},
		{"GET", "/api/tools", "", 200},
		{"GET", "/healthz", "", 200},
		{"GET", "/metrics", "", 200},
		{"GET", "/api/messages/status?message_id=00000000", "", 404},
	} {
		route, params, err := router.FindRoute(request(c.method, c.path, c.body))
		if err != nil {
			t.Fatalf("%s %s: %v", c.method, c.path, err)
		}

		in := &openapi3filter.RequestValidationInput{
			Request:    request(c.method, c.path, c.body),
			Route:      route,
			PathParams: params,
			Options: &openapi3filter.Options{
				AuthenticationFunc:    openapi3filter.NoopAuthenticationFunc,
				IncludeResponseStatus: true,
			},
		}

		if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
			t.Errorf("%s %s: the request is not as the document says: %v", c.method, c.path, err)
		}

		resp, b := fetch(request(c.method, c.path, c.body))
		if resp.StatusCode != c.status {
			t.Errorf("%s %s: got %s, want %d:\n%s", c.method, c.path, resp.Status, c.status, b)
		}

		err = openapi3filter.ValidateResponse(
			t.Context(),
			&openapi3filter.ResponseValidationInput{RequestValidationInput: in,
				Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(b)),
				Options: in.Options},
		)
		if err != nil {
			t.Errorf("%s %s: the answer is not as the document says: %v\n%s", c.method, c.path, err, b)
		}
	}
}
