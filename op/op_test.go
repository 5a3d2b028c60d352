package op

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestEveryOperationIsDescribed(t *testing.T) {
	form := regexp.MustCompile(`^[a-z][a-z_]+$`)
	seen := map[string]bool{}
	for _, op := range All {
		if !form.MatchString(op.Name) || seen[op.Name] {
			t.Errorf("%q is no name, or is there twice", op.Name)
		}

		seen[op.Name] = true
		if len(op.Summary) < 20 || !strings.HasSuffix(op.Summary, ".") {
			t.Errorf("%s: the summary is %q", op.Name, op.Summary)
		}
		if Find(op.Name) != op {
			t.Errorf("Find does not find %s", op.Name)
		}

		for _, r := range op.Routes {
			if !strings.HasPrefix(r.Path, "/api/") || seen[r.Method+r.Path] {
				t.Errorf("%s: the route %s %s is wrong, or is there twice", op.Name, r.Method, r.Path)
			}
			seen[r.Method+r.Path] = true
		}
	}

	if Find("no_such_thing") != nil {
		t.Error("Find finds what is not there")
	}
}

func TestEveryParameterIsDescribed(t *testing.T) {
	for _, op := range All {
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
	for _, op := range All {
		for _, f := range op.Fields {
			if f.Enum != nil && f.Default != "" && !slices.Contains(f.Enum, f.Default) {
				t.Errorf("%s.%s: the default %q is not allowed", op.Name, f.Name, f.Default)
			}
		}
	}
}

func TestAllow(t *testing.T) {
	nobody, agent := parley.Caller{}, parley.Caller{ID: "1", Name: "coder"}
	chief, operator := parley.Caller{
		ID:          "2",
		Name:        "chief",
		Orchestrate: true,
	}, parley.Caller{
		ID:       "3",
		Name:     parley.OperatorName,
		Operator: true,
	}

	for _, c := range []struct {
		op     string
		caller parley.Caller
		want   parley.Code
	}{
		{"register_agent", nobody, ""}, {"register_agent", agent, ""}, {"register_agent", operator, ""},
		{"send_message", nobody, parley.Unauthenticated}, {"send_message", agent, ""}, {"send_message", chief,
			""}, {"send_message", operator, ""},
		{"stop_agent", nobody, parley.Unauthenticated}, {"stop_agent", agent, parley.NotAuthorized}, {"stop_agent",
			chief,
			""}, {"stop_agent", operator, ""},
		{"backup", nobody, parley.Unauthenticated}, {"backup", agent, parley.NotAuthorized}, {"backup", chief,
			parley.NotAuthorized}, {"backup", operator, ""},
	} {
		if got := parley.ErrorCode(Find(c.op).Allow(c.caller)); got != c.want {
			t.Errorf("%s by %q: got %q, want %q", c.op, c.caller.Name, got, c.want)
		}
	}
}

// inboxOnly answers check_inbox and nothing else, and keeps what it was asked.
func inboxOnly() (s Handlers, calls *[]parley.CheckInboxRequest) {
	s, calls = Handlers{}, new([]parley.CheckInboxRequest)
	CheckInbox.Handle(s, func(_ context.Context, r parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
		*calls = append(*calls, r)
		return &parley.CheckInboxResult{Answer: parley.OK}, nil
	})
	return s, calls
}

func TestCallChecksClaimsAboutTheCaller(t *testing.T) {
	caller := parley.Caller{ID: "11111111-2222-4333-8444-555555555555", Name: "coder"}
	ctx := parley.WithCaller(t.Context(), caller)
	for claim, want := range map[string]parley.Code{
		``:                                       "",
		`"coder"`:                                "",
		`"CODER"`:                                "",
		`"11111111"`:                             "",
		`"11111111-2222-4333-8444-555555555555"`: "",
		`null`:                                   "",
		`"reviewer"`:                             parley.NotAuthorized,
		`"1111111"`:                              parley.NotAuthorized,
		`""`:                                     parley.NotAuthorized,
		`"operator"`:                             parley.NotAuthorized,
		`5`:                                      parley.InvalidArgument,
	} {
		args := `{}`
		if claim != "" {
			args = `{"agent_id":` + claim + `}`
		}

		s, calls := inboxOnly()
		inv, err := Find("check_inbox").Decode([]byte(args))
		if err == nil {
			_, err = inv.Call(ctx, s)
		}
		if got := parley.ErrorCode(err); got != want {
			t.Errorf("%s: got %q (%v), want %q", args, got, err, want)
		}
		if called := len(*calls) > 0; called != (want == "") {
			t.Errorf("%s: called is %v", args, called)
		}
	}
}

func TestCallRefusesBeforeItCalls(t *testing.T) {
	s, calls := inboxOnly()
	inv := must.Have(Find("check_inbox").Decode(nil))(t)
	if _, err := inv.Call(t.Context(), s); parley.ErrorCode(err) != parley.Unauthenticated || len(*calls) != 0 {
		t.Errorf("nobody's call gave %v after %d calls of the service", err, len(*calls))
	}
}

// countedRequest adds 100 to its number each time it is validated.
type countedRequest struct {
	Number int `json:"number" required:"true" doc:"Any number but 13." max:"99"`
}

func (r *countedRequest) Validate() error {
	if r.Number == 13 {
		return parley.Errorf(parley.InvalidArgument, "number is 13")
	}
	r.Number += 100
	return nil
}

// A service relies on requests that were validated, once, before they reach it.
func TestDecodeValidatesARequestOnce(t *testing.T) {
	var got []countedRequest
	op := describe[countedRequest, parley.Answer]("count", "Count.", Public, Reads)
	s := Handlers{}
	op.Handle(s, func(_ context.Context, r countedRequest) (*parley.Answer, error) {
		got = append(got, r)
		return &parley.OK, nil
	})

	inv := must.Have(op.Decode([]byte(`{"number": 12}`)))(t)
	must.Have(inv.Call(t.Context(), s))(t)
	if want := []countedRequest{{112}}; !slices.Equal(got, want) {
		t.Errorf("the service got %+v, want %+v", got, want)
	}

	if _, err := op.Decode([]byte(`{"number": 13}`)); parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("a request that Validate refuses gave %v", err)
	}
}

func TestCallReturnsAPanicAsAnError(t *testing.T) {
	inv := must.Have(Find("check_inbox").Decode(nil))(t)

	panicking := Handlers{}
	CheckInbox.Handle(panicking, func(context.Context, parley.CheckInboxRequest) (*parley.CheckInboxResult, error) {
		panic("a mistake in the service")
	})
	result, err := inv.Call(parley.WithCaller(t.Context(), parley.Caller{ID: "1", Name: "coder"}), panicking)
	got, ok := errors.AsType[*parley.Panic](err)
	if !ok || result != nil || got.Error() != "the call crashed: a mistake in the service" ||
		!strings.Contains(string(got.Stack), "op_test.go") {
		t.Errorf("got %v, %v, want a panic with its stack", result, err)
	}
	if got := parley.ErrorCode(err); got != parley.Internal {
		t.Errorf("the code is %s, want %s", got, parley.Internal)
	}
}

// A key that is revoked while a call waits must not get what the call waited for.
func TestCallChecksTheCredentialAgainAfterWaiting(t *testing.T) {
	ctx := parley.WithCaller(t.Context(), parley.Caller{ID: "1", Name: "coder"})
	revoked := parley.Errorf(parley.Unauthenticated, "the key was revoked")
	for op, want := range map[string]parley.Code{
		"check_inbox":        parley.Unauthenticated, // reads and can wait
		"check_new_messages": "",                     // cannot wait
		"send_message":       "",                     // has been done
	} {
		args := ""
		if op == "send_message" {
			args = `{"to":"reviewer","text":"hi"}`
		}

		inv := must.Have(Find(op).Decode([]byte(args)))(t)

		inv.Recheck(func(context.Context) error { return revoked })
		result, err := inv.Call(ctx, answersAll{})
		if got := parley.ErrorCode(err); got != want || (result == nil) != (want != "") {
			t.Errorf("%s: got %v, %v, want code %q", op, result, err, want)
		}
	}
}

// answersAll answers the operations with empty results.
type answersAll struct{}

func (answersAll) Do(_ context.Context, operation string, _ any) (any, error) {
	return Find(operation).NewResult(), nil
}

func TestAgentIDNamesTheTargetOfGetAgentStatus(t *testing.T) {
	r := decoded[parley.AgentStatusRequest](t, "get_agent_status", `{"agent_id":"coder"}`)
	if r.Agent != "coder" {
		t.Errorf("agent_id of get_agent_status gave %+v, want the agent asked for", r)
	}
}
