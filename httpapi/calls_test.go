package httpapi

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/op"
)

func TestEveryOperationHasItsRoutes(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	for _, o := range op.All {
		want := http.StatusUnauthorized // it is found, and asks who calls
		code := parley.Unauthenticated
		paths := append([]op.Route{{Method: "POST", Path: "/api/" + o.Name}}, o.Routes...)
		if o.Effect == op.Reads {
			paths = append(paths, op.Route{Method: "GET", Path: "/api/" + o.Name})
		} else {
			d.expect("GET "+o.Name, d.ask("GET", "/api/"+o.Name, ""), http.StatusMethodNotAllowed,
				parley.InvalidArgument)
		}

		for _, r := range paths {
			d.expect(r.Method+" "+r.Path, d.ask(r.Method, r.Path, ""), want, code)
		}
	}
}

func TestCallReadsBodyAndQuery(t *testing.T) {
	s := &stub{}
	d := serve(t, New(options(s)))
	for _, got := range []answer{
		d.ask("POST", "/api/check_inbox", `{"limit":7,"sender":"a"}`, key),
		d.ask("POST", "/api/check_inbox", `{"limit":7,"sender":"a"}`, key,
			"Content-Type: application/json; charset=utf-8"),
		d.ask("GET", "/api/check_inbox?limit=7&sender=a", "", key),
		d.ask("GET", "/api/inbox/check?limit=7&filter_by_sender=a", "", key),
		d.ask("POST", "/api/check_inbox", `{"limit":7,"sender":"a","api_key":"coders-key"}`),
		d.ask("GET", "/api/check_inbox?limit=7&sender=a&api_key=coders-key", ""),
		d.ask("POST", "/api/check_inbox?api_key=coders-key", `{"limit":7,"sender":"a"}`),
	} {
		d.expect("check_inbox", got, http.StatusOK, "")
	}

	for i, r := range s.checked {
		if r.Limit != 7 || r.Sender != "a" || s.callers[i] != afar(coder) {
			t.Errorf("call %d was %+v by %+v", i, r, s.callers[i])
		}
	}

	if len(s.checked) != 7 {
		t.Errorf("%d calls came, want 7", len(s.checked))
	}
}

func TestAnswersArePlainJSON(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	got := d.ask("POST", "/api/check_inbox", "", key)
	if got.body["success"] != true || got.body["error"] != nil {
		t.Errorf("the answer is %v", got.body)
	}
	if typ := got.header.Get("Content-Type"); typ != "application/json" {
		t.Errorf("its type is %s", typ)
	}
	if a := d.ask("GET", "/healthz", ""); a.status != http.StatusOK || a.body["status"] != "ok" {
		t.Errorf("healthz answers %+v", a)
	}
	if a := d.ask("HEAD", "/api/check_inbox", "", key); a.status != http.StatusOK {
		t.Errorf("HEAD answers %d", a.status)
	}
}

func TestUnknownPathsNameTheNearest(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	for path, want := range map[string]string{
		"/api/send-message": "Did you mean /api/send_message?",
		"/api/sendmessage":  "Did you mean /api/send_message?",
		"/api/inbox/chek":   "Did you mean /api/inbox/check?",
		"/api/check_inbox/": "Did you mean /api/check_inbox?",
		"/api/zzzzzzzzzzzz": "Call POST /api/<operation>",
		"/api/files/..":     "Call POST /api/<operation>",
		"/api/./x/../y":     "Call POST /api/<operation>",
		"//api/check_inbox": "Did you mean /api/check_inbox?",
		"/":                 "Call POST",
		"/send_message":     "Did you mean /api/send_message?",
		"/mcp":              "Call POST",
	} {
		got := d.ask("POST", path, "{}", key)
		d.expect(path, got, http.StatusNotFound, parley.InvalidArgument)
		if action, _ := got.body["suggested_action"].(string); !strings.Contains(action, want) {
			t.Errorf("%s: %q is suggested, want %q", path, action, want)
		}
	}

	got := d.ask("DELETE", "/api/check_inbox", "", key)
	d.expect("DELETE", got, http.StatusMethodNotAllowed, parley.InvalidArgument)
	if allow := got.header.Get("Allow"); allow != "GET, POST" {
		t.Errorf("Allow is %q", allow)
	}
}

func TestBadArgumentsAreExplained(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	got := d.ask("POST", "/api/send_message", `{"to":"a","text":"hi","cc":"b"}`, key)
	d.expect("cc", got, http.StatusBadRequest, parley.InvalidArgument)
	if !strings.Contains(fmt.Sprint(got.body), `no parameter "cc"`) {
		t.Errorf("the answer is %v", got.body)
	}

	d.expect("no JSON", d.ask("POST", "/api/send_message", `{"to"`, key), http.StatusBadRequest, parley.InvalidArgument)
	d.expect("a list", d.ask("POST", "/api/send_message", `[]`, key), http.StatusBadRequest, parley.InvalidArgument)
	d.expect("a query with a POST", d.ask("POST", "/api/send_message?priority=high", `{"to":"a","text":"hi"}`, key),
		http.StatusBadRequest, parley.InvalidArgument)

	d.expect("a bad query", d.ask("GET", "/api/check_inbox?limit=%zz", ``, key), http.StatusBadRequest,
		parley.InvalidArgument)

	d.expect("a form",
		d.ask("POST", "/api/send_message", `to=a&text=hi`, key, "Content-Type: application/x-www-form-urlencoded"),
		http.StatusUnsupportedMediaType, parley.InvalidArgument)

	d.expect("text", d.ask("POST", "/api/send_message", `{"to":"a","text":"hi"}`, key, "Content-Type: text/plain"),
		http.StatusUnsupportedMediaType, parley.InvalidArgument)
}

func TestBodiesAreLimited(t *testing.T) {
	s := &stub{}
	d := serve(t, New(options(s)))
	body := `{"to":"a","text":"` + strings.Repeat("x", MaxBody-100) + `"}`
	d.expect("just below", d.ask("POST", "/api/send_message", body, key), http.StatusOK, "")
	d.expect("above", d.ask("POST", "/api/send_message", body+strings.Repeat(" ", 100), key),
		http.StatusRequestEntityTooLarge, parley.MessageTooLong)

	for _, path := range []string{"/api/send_message", "/api/messages/send", "/api/register_agent"} {
		d.expect("ten megabytes to "+path, d.ask("POST", path, `{"text":"`+strings.Repeat("x", 10<<20)+`"}`, key),
			http.StatusRequestEntityTooLarge, parley.MessageTooLong)
	}

	if len(s.sent) != 1 {
		t.Errorf("%d messages were sent, want 1", len(s.sent))
	}
}

// What stands in the body of a GET would be ignored without a word.
func TestBodyOfAGetHasNoParameters(t *testing.T) {
	s := &stub{}
	d := serve(t, New(options(s)))
	d.expect("parameters", d.ask("GET", "/api/check_inbox", `{"limit": 1}`, key),
		http.StatusBadRequest, parley.InvalidArgument)
	if len(s.checked) > 0 {
		t.Errorf("it was called with %+v", s.checked)
	}

	for _, none := range []string{"", "{}", " null\n"} {
		d.expect(none, d.ask("GET", "/api/check_inbox", none, key), http.StatusOK, "")
	}
}

func TestTextThatIsNotUTF8IsRefused(t *testing.T) {
	s := &stub{}
	d := serve(t, New(options(s)))
	d.expect("in a body", d.ask("POST", "/api/send_message", "{\"to\":\"a\",\"text\":\"h\xff\"}", key),
		http.StatusBadRequest, parley.InvalidArgument)

	d.expect("in a query", d.ask("GET", "/api/check_inbox?filter_by_sender=%ff", "", key), http.StatusBadRequest,
		parley.InvalidArgument)

	if len(s.sent)+len(s.checked) != 0 {
		t.Errorf("%d calls came through", len(s.sent)+len(s.checked))
	}
}

func TestEveryCodeHasAStatus(t *testing.T) {
	file := must.Have(parser.ParseFile(token.NewFileSet(), "../parley.go", nil, 0))(t)

	codes := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if ok && fmt.Sprint(spec.Type) == "Code" {
			codes++
			code := strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)
			if _, ok := statuses[parley.Code(code)]; !ok {
				t.Errorf("%s has no status", code)
			}
		}

		return true
	})

	if codes != len(statuses) {
		t.Errorf("%d codes and %d statuses", codes, len(statuses))
	}
}

func TestErrorsBecomeStatuses(t *testing.T) {
	s := &stub{}
	d := serve(t, New(options(s)))
	for code, status := range statuses {
		s.send = func(context.Context, parley.SendMessageRequest) (*parley.SendMessageResult, error) {
			return nil, fmt.Errorf("send: %w", parley.Errorf(code, "no").With("n", 1).Suggest("Do this."))
		}
		got := d.ask("POST", "/api/send_message", `{"to":"a","text":"hi"}`, key)
		d.expect(string(code), got, status, code)
		if got.body["success"] != false || got.body["error_message"] != "no" || got.body["detail"] != "no" {
			t.Errorf("%s: the answer is %v", code, got.body)
		}
	}
}

func TestAResultThatReportsAFailureIsAConflict(t *testing.T) {
	s := &stub{send: func(context.Context, parley.SendMessageRequest) (*parley.SendMessageResult, error) {
		return &parley.SendMessageResult{
			MessageID: "m1",
			ErrorCode: parley.AgentUnavailable,
			Action:    "Ask another.",
		}, nil
	}}
	got := serve(t, New(options(s))).ask("POST", "/api/send_message", `{"to":"a","text":"hi"}`, key)
	if got.status != http.StatusConflict || got.body["message_id"] != "m1" || got.body["success"] != false {
		t.Errorf("got %+v", got)
	}
}

func TestInternalErrorsAreLoggedOnce(t *testing.T) {
	var log strings.Builder
	s := &stub{send: func(context.Context, parley.SendMessageRequest) (*parley.SendMessageResult, error) {
		return nil, errors.New("the disk is on fire")
	}}

	o := options(s)
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	d := serve(t, New(o))
	got := d.ask("POST", "/api/send_message", `{"to":"a","text":"hi"}`, key)
	d.expect("send_message", got, http.StatusInternalServerError, parley.Internal)
	if got.body["detail"] != "the disk is on fire" {
		t.Errorf("detail is %v", got.body["detail"])
	}

	d.ask("POST", "/api/send_message", `{}`, key)
	if n := strings.Count(log.String(), "\n"); n != 1 || !strings.Contains(log.String(), "on fire") {
		t.Errorf("the log has %d lines, want 1:\n%s", n, &log)
	}
}

func TestAPanicIsAnInternalError(t *testing.T) {
	var log strings.Builder
	s := &stub{send: func(context.Context, parley.SendMessageRequest) (*parley.SendMessageResult, error) {
		panic("a mistake in the service")
	}}

	o := options(s)
	o.Log = slog.New(slog.NewTextHandler(&log, nil))
	got := serve(t, New(o)).ask("POST", "/api/send_message", `{"to":"a","text":"hi"}`, key)
	if got.status != http.StatusInternalServerError ||
		got.body["detail"] != "the call crashed: a mistake in the service" {
		t.Errorf("got %+v", got)
	}

	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "calls_test.go") {
		t.Errorf("the log does not say once where:\n%s", &log)
	}
}

func TestALongPollEndsWithTheServer(t *testing.T) {
	waiting := make(chan struct{})
	s := &stub{send: func(ctx context.Context, _ parley.SendMessageRequest) (*parley.SendMessageResult, error) {
		close(waiting)
		<-ctx.Done()
		return nil, ctx.Err()
	}}

	d := serve(t, New(options(s)))
	done := make(chan struct{})
	go func() {
		defer close(done)

		d.expect("the call that was cut short",
			d.ask("POST", "/api/send_message", `{"to":"a","text":"hi","wait_seconds":60}`, key),
			http.StatusServiceUnavailable, parley.DaemonUnavailable)
	}()

	must.Come(t, "the call's beginning", waiting)
	d.end()
	must.Come(t, "the end of the long poll", done)
}
