package parley

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

func TestEveryOperationIsDescribed(t *testing.T) {
	form := regexp.MustCompile(`^[a-z][a-z_]+$`)
	seen := map[string]bool{}
	for _, op := range Ops {
		if !form.MatchString(op.Name) || seen[op.Name] {
			t.Errorf("%q is no name, or is there twice", op.Name)
		}

		seen[op.Name] = true
		if len(op.Summary) < 20 || !strings.HasSuffix(op.Summary, ".") {
			t.Errorf("%s: the summary is %q", op.Name, op.Summary)
		}
		if FindOp(op.Name) != op {
			t.Errorf("FindOp does not find %s", op.Name)
		}

		for _, r := range op.Routes {
			if !strings.HasPrefix(r.Path, "/api/") || seen[r.Method+r.Path] {
				t.Errorf("%s: the route %s %s is wrong, or is there twice", op.Name, r.Method, r.Path)
			}
			seen[r.Method+r.Path] = true
		}
	}

	if FindOp("no_such_thing") != nil {
		t.Error("FindOp finds what is not there")
	}
}

func TestEveryParameterIsDescribed(t *testing.T) {
	for _, op := range Ops {
		names := slices.Clone(op.Self)
		for _, f := range op.Fields {
			if len(f.Doc) < 10 || !strings.HasSuffix(f.Doc, ".") {
				t.Errorf("%s.%s: the doc is %q", op.Name, f.Name, f.Doc)
			}
			if f.Required && f.Default != "" {
				t.Errorf("%s.%s is required and has a default", op.Name, f.Name)
			}
			if f.Type == "string" && f.Min != nil {
				t.Errorf("%s.%s: a string has no least value", op.Name, f.Name)
			}

			names = append(append(names, f.Name), f.Aliases...)
		}

		slices.Sort(names)
		if len(slices.Compact(slices.Clone(names))) != len(names) {
			t.Errorf("%s: a name means two things: %v", op.Name, names)
		}
	}
}

func TestDefaultsAreAllowed(t *testing.T) {
	for _, op := range Ops {
		for _, f := range op.Fields {
			if f.Enum != nil && f.Default != "" && !slices.Contains(f.Enum, f.Default) {
				t.Errorf("%s.%s: the default %q is not allowed", op.Name, f.Name, f.Default)
			}
		}
	}
}

func TestAllow(t *testing.T) {
	nobody, agent := Caller{}, Caller{ID: "1", Name: "coder"}
	chief, operator := Caller{
		ID:          "2",
		Name:        "chief",
		Orchestrate: true,
	}, Caller{
		ID:       "3",
		Name:     OperatorName,
		Operator: true,
	}

	for _, c := range []struct {
		op     string
		caller Caller
		want   Code
	}{
		{"register_agent", nobody, ""}, {"register_agent", agent, ""}, {"register_agent", operator, ""},
		{"send_message", nobody, Unauthenticated}, {"send_message", agent, ""}, {"send_message", chief,
			""}, {"send_message", operator, ""},
		{"stop_agent", nobody, Unauthenticated}, {"stop_agent", agent, NotAuthorized}, {"stop_agent", chief,
			""}, {"stop_agent", operator, ""},
		{"backup", nobody, Unauthenticated}, {"backup", agent, NotAuthorized}, {"backup", chief,
			NotAuthorized}, {"backup", operator, ""},
	} {
		if got := ErrorCode(FindOp(c.op).Allow(c.caller)); got != c.want {
			t.Errorf("%s by %q: got %q, want %q", c.op, c.caller.Name, got, c.want)
		}
	}
}

// inboxOnly answers check_inbox and nothing else.
type inboxOnly struct {
	Service
	calls []CheckInboxRequest
}

func (s *inboxOnly) CheckInbox(_ context.Context, r CheckInboxRequest) (*CheckInboxResult, error) {
	s.calls = append(s.calls, r)
	return &CheckInboxResult{Answer: OK}, nil
}

func TestCallChecksClaimsAboutTheCaller(t *testing.T) {
	caller := Caller{ID: "11111111-2222-4333-8444-555555555555", Name: "coder"}
	ctx := WithCaller(t.Context(), caller)
	for claim, want := range map[string]Code{
		``:                                       "",
		`"coder"`:                                "",
		`"CODER"`:                                "",
		`"11111111"`:                             "",
		`"11111111-2222-4333-8444-555555555555"`: "",
		`null`:                                   "",
		`"reviewer"`:                             NotAuthorized,
		`"1111111"`:                              NotAuthorized,
		`""`:                                     NotAuthorized,
		`"operator"`:                             NotAuthorized,
		`5`:                                      InvalidArgument,
	} {
		args := `{}`
		if claim != "" {
			args = `{"agent_id":` + claim + `}`
		}

		s := &inboxOnly{}
		inv, err := FindOp("check_inbox").Decode([]byte(args))
		if err == nil {
			_, err = inv.Call(ctx, s)
		}
		if got := ErrorCode(err); got != want {
			t.Errorf("%s: got %q (%v), want %q", args, got, err, want)
		}
		if called := len(s.calls) > 0; called != (want == "") {
			t.Errorf("%s: called is %v", args, called)
		}
	}
}

func TestCallRefusesBeforeItCalls(t *testing.T) {
	s := &inboxOnly{}
	inv := must.Have(FindOp("check_inbox").Decode(nil))(t)
	if _, err := inv.Call(t.Context(), s); ErrorCode(err) != Unauthenticated || len(s.calls) != 0 {
		t.Errorf("nobody's call gave %v after %d calls of the service", err, len(s.calls))
	}
}

// countedRequest adds 100 to its number each time it is validated.
type countedRequest struct {
	Number int `json:"number" required:"true" doc:"Any number but 13." max:"99"`
}

func (r *countedRequest) Validate() error {
	if r.Number == 13 {
		return Errorf(InvalidArgument, "number is 13")
	}
	r.Number += 100
	return nil
}

// A service relies on requests that were validated, once, before they reach it.
func TestDecodeValidatesARequestOnce(t *testing.T) {
	var got []countedRequest
	op := define("count", "Count.", func(_ Service, _ context.Context, r countedRequest) (*Answer, error) {
		got = append(got, r)
		return &OK, nil
	}, Public, Reads)

	inv := must.Have(op.Decode([]byte(`{"number": 12}`)))(t)
	must.Have(inv.Call(t.Context(), nil))(t)
	if want := []countedRequest{{112}}; !slices.Equal(got, want) {
		t.Errorf("the service got %+v, want %+v", got, want)
	}

	if _, err := op.Decode([]byte(`{"number": 13}`)); ErrorCode(err) != InvalidArgument {
		t.Errorf("a request that Validate refuses gave %v", err)
	}
}

// panicking panics in check_inbox.
type panicking struct{ Service }

func (panicking) CheckInbox(context.Context, CheckInboxRequest) (*CheckInboxResult, error) {
	panic("a mistake in the service")
}

func TestCallReturnsAPanicAsAnError(t *testing.T) {
	inv := must.Have(FindOp("check_inbox").Decode(nil))(t)

	result, err := inv.Call(WithCaller(t.Context(), Caller{ID: "1", Name: "coder"}), panicking{})
	got, ok := errors.AsType[*Panic](err)
	if !ok || result != nil || got.Error() != "the call crashed: a mistake in the service" ||
		!strings.Contains(string(got.Stack), "op_test.go") {
		t.Errorf("got %v, %v, want a panic with its stack", result, err)
	}
	if got := ErrorCode(err); got != Internal {
		t.Errorf("the code is %s, want %s", got, Internal)
	}
}

// A key that is revoked while a call waits must not get what the call waited for.
func TestCallChecksTheCredentialAgainAfterWaiting(t *testing.T) {
	ctx := WithCaller(t.Context(), Caller{ID: "1", Name: "coder"})
	revoked := Errorf(Unauthenticated, "the key was revoked")
	for op, want := range map[string]Code{
		"check_inbox":        Unauthenticated, // reads and can wait
		"check_new_messages": "",              // cannot wait
		"send_message":       "",              // has been done
	} {
		args := ""
		if op == "send_message" {
			args = `{"to":"reviewer","text":"hi"}`
		}

		inv := must.Have(FindOp(op).Decode([]byte(args)))(t)

		inv.Recheck(func(context.Context) error { return revoked })
		result, err := inv.Call(ctx, answersAll{})
		if got := ErrorCode(err); got != want || (result == nil) != (want != "") {
			t.Errorf("%s: got %v, %v, want code %q", op, result, err, want)
		}
	}
}

// answersAll answers the operations that the test of rechecks calls.
type answersAll struct{ Service }

func (answersAll) CheckInbox(context.Context, CheckInboxRequest) (*CheckInboxResult, error) {
	return &CheckInboxResult{Answer: OK}, nil
}

func (answersAll) CheckNewMessages(context.Context, CheckNewMessagesRequest) (*CheckNewMessagesResult, error) {
	return &CheckNewMessagesResult{Answer: OK}, nil
}

func (answersAll) SendMessage(context.Context, SendMessageRequest) (*SendMessageResult, error) {
	return &SendMessageResult{Answer: OK}, nil
}

func TestAgentIDNamesTheTargetOfGetAgentStatus(t *testing.T) {
	r := decoded[AgentStatusRequest](t, "get_agent_status", `{"agent_id":"coder"}`)
	if r.Agent != "coder" {
		t.Errorf("agent_id of get_agent_status gave %+v, want the agent asked for", r)
	}
}
