package op

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"parley"
	"parley/internal/when"
	"parley/plain"
)

// Access says who may call an operation.
type Access int

// The accesses, from the widest to the narrowest.
const (
	Public        Access = iota // no credential needed
	Team                        // every agent, and the operator
	Orchestrators               // the operator, and agents launched with orchestrate
	OperatorOnly                // the person at the keyboard
)

// Effect says what an operation changes. MCP clients ask their user before a call of
// anything that does not only read.
type Effect int

// The effects.
const (
	Reads    Effect = iota // changes nothing
	Adds                   // adds something, removes nothing
	Marks                  // changes something; calling it again changes nothing more
	Destroys               // ends or deletes something
)

// Route is an HTTP route in addition to POST /api/<operation>.
type Route struct{ Method, Path string }

// Op describes one operation: its name, who may call it, its parameters and its result.
// MCP, REST, the CLI and their documents are derived from it.
type Op struct {
	Name     string
	Summary  string
	Access   Access
	Effect   Effect
	Routes   []Route
	Self     []string // parameters that name the caller: checked, never trusted
	Program  bool     // only programs call it: it is not a tool for models
	Glance   bool     // any process of this user may call it on the daemon's socket: it tells no text of a message
	GivesKey bool     // its result is good for later calls: no session of the page gets one
	Fields   []Field  // the parameters

	input, output func() *jsonschema.Schema
	newRequest    func() any    // a pointer
	value         func(any) any // what such a pointer points to
	newResult     func() any    // a pointer
}

// Input returns the schema of the parameters. It is made when it is first asked for: those of all
// operations take longer than everything else that a command does.
func (o *Op) Input() *jsonschema.Schema { return o.input() }

// Output returns the schema of the result.
func (o *Op) Output() *jsonschema.Schema { return o.output() }

// NewResult returns a pointer to an empty result.
func (o *Op) NewResult() any { return o.newResult() }

// Invocation is a call whose arguments were decoded and validated.
type Invocation struct {
	op      *Op
	request any
	claims  map[string]string           // the id or name of the caller that the call states, by parameter
	recheck func(context.Context) error // see Recheck; may be nil
}

// Decode decodes and validates the arguments of a call: a JSON object, or nothing. It is
// strict: for an unknown parameter its error names the nearest known one. Every error is
// an INVALID_ARGUMENT that names the parameter.
func (o *Op) Decode(args []byte) (*Invocation, error) {
	raw, err := parseObject(args)
	if err != nil {
		return nil, err
	}
	return o.decode(raw)
}

// DecodeQuery is Decode for arguments in the query of a URL.
func (o *Op) DecodeQuery(q url.Values) (*Invocation, error) {
	raw, err := o.fromStrings(q)
	if err != nil {
		return nil, err
	}
	return o.decode(raw)
}

func (o *Op) decode(raw map[string]json.RawMessage) (*Invocation, error) {
	inv := &Invocation{op: o, request: o.newRequest()}
	var err error
	if inv.claims, err = o.takeClaims(raw); err != nil {
		return nil, err
	}

	given, err := o.resolveAliases(raw)
	if err != nil {
		return nil, err
	}
	if err := o.fill(inv.request, raw, given); err != nil {
		return nil, err
	}

	if v, ok := inv.request.(interface{ Validate() error }); ok {
		if err := v.Validate(); err != nil {
			return nil, err
		}
	}

	return inv, nil
}

// Recheck has Call look at the caller's credential once more after an operation that
// only reads and may have waited: its key may have been revoked meanwhile. check
// returns an error when the credential no longer holds, and Call returns that error
// instead of the result.
func (inv *Invocation) Recheck(check func(context.Context) error) { inv.recheck = check }

// Call checks that the caller in ctx may make this call and makes it. When the service
// panics, Call returns a *Panic.
func (inv *Invocation) Call(ctx context.Context, s parley.Service) (any, error) {
	caller := parley.CallerFrom(ctx)
	if err := inv.op.Allow(caller); err != nil {
		return nil, err
	}
	if caller.Watches != "" && inv.op.Access != Public {
		if !inv.reads() {
			return nil, parley.Watching()
		}
		caller = caller.Viewer()
		ctx = parley.WithCaller(ctx, caller)
	}
	if err := inv.checkClaims(caller); err != nil {
		return nil, err
	}

	if caller.Remote && len(inv.claims) > 0 {
		credentials := parley.CredentialsFrom(ctx)
		credentials.Claims = slices.Sorted(maps.Values(inv.claims))
		ctx = parley.WithCredentials(ctx, credentials)
	}

	result, err := inv.guardedCall(ctx, s)
	if err == nil && inv.recheck != nil && inv.op.Effect == Reads && inv.op.Waits() {
		err = inv.recheck(ctx)
	}
	if err != nil {
		return nil, err
	}

	return result, nil
}

// OnlyReads is a request of an operation that changes something, in a form that does not.
type OnlyReads interface{ OnlyReads() bool }

// mayRead reports whether some calls of the operation only read.
func (o *Op) mayRead() bool {
	_, some := o.newRequest().(OnlyReads)
	return o.Effect == Reads || some
}

// reads reports whether this call only reads.
func (inv *Invocation) reads() bool {
	r, some := inv.request.(OnlyReads)
	return inv.op.Effect == Reads || some && r.OnlyReads()
}

// checkClaims checks what the call states about its caller. For a remote caller, the
// service that identifies it does that.
func (inv *Invocation) checkClaims(caller parley.Caller) error {
	for name, claim := range inv.claims {
		if caller.Remote || caller.Is(claim) {
			continue
		}
		return parley.Errorf(parley.NotAuthorized, "%s is %q, but the call comes from %s", name,
			plain.CleanLine(claim), caller.Name).
			With("parameter", name).
			Suggest("Leave %s out: the connection says who calls.", name)
	}
	return nil
}

// guardedCall makes the call and turns a panic into an error.
func (inv *Invocation) guardedCall(ctx context.Context, s parley.Service) (result any, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &parley.Panic{Value: value, Stack: debug.Stack()}
		}
	}()
	return s.Do(ctx, inv.op.Name, inv.op.value(inv.request))
}

// Waits reports whether the operation has the parameter wait_seconds.
func (o *Op) Waits() bool {
	return slices.ContainsFunc(o.Fields, func(f Field) bool { return f.Name == "wait_seconds" })
}

// Allow returns nil when c may call the operation, else UNAUTHENTICATED or
// NOT_AUTHORIZED.
func (o *Op) Allow(c parley.Caller) error {
	switch {
	case o.GivesKey && c.Session != "":
		return parley.NoKeyForThePage()
	case o.Access == Public, c.Unplaced && o.Glance, c.Watches != "" && o.mayRead():
		return nil
	case c.Watches != "":
		return parley.Watching()
	case c.Unplaced:
		return parley.Errorf(parley.Unauthenticated,
			"this process comes from the terminal of an agent that this workspace does "+
				"not have, or that has lost it").
			Suggest("Run it in a terminal of your own, or in that of an agent.")
	case c.Nobody():
		return parley.Errorf(parley.Unauthenticated, "%s needs to know who calls", o.Name).
			Suggest("Send your API key as `Authorization: Bearer KEY`, or as api_key; register_agent gives you one.")
	case c.Newcomer:
		return parley.Errorf(parley.NotAuthorized, "%s waits for the operator to let it in", c.Name).
			Suggest("Try again later. The operator runs: parley approve %s", c.Name)
	case c.Operator, o.Access == Team, o.Access == Orchestrators && c.Orchestrate:
		return nil
	}
	return parley.Errorf(parley.NotAuthorized, "%s is not for agent %s", o.Name, c.Name).
		Suggest("Ask the operator: send a message to %q.", parley.OperatorName)
}

// KeyNotHere refuses a key of the operator's that an agent's process shows, or one that cannot be found.
func KeyNotHere() *parley.Error {
	return parley.Errorf(parley.NotAuthorized,
		"a key of the operator does not count here: parley sees an agent's process behind "+
			"it, or cannot see which process shows it").
		Suggest("Call through the daemon's socket from outside of the agents' terminals, as the parley command does. " +
			"An agent uses its own key.")
}

// Find returns the operation with the name, or nil.
func Find(name string) *Op {
	for _, o := range All {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// Operation is an operation with the types of its request and its result.
type Operation[Req, Res any] struct{ *Op }

// Call calls the operation. It takes a request that is valid, see parley.Service.
func (o Operation[Req, Res]) Call(ctx context.Context, s parley.Service, r Req) (*Res, error) {
	result, err := s.Do(ctx, o.Name, r)
	if err != nil {
		return nil, err
	}
	return result.(*Res), nil
}

// Handle has h answer the operation by calling f.
func (o Operation[Req, Res]) Handle(h Handlers, f func(context.Context, Req) (*Res, error)) {
	h[o.Name] = func(ctx context.Context, request any) (any, error) {
		result, err := f(ctx, request.(Req))
		if err != nil {
			return nil, err
		}
		return result, nil
	}
}

// Handlers is a service: what answers each operation, by its name.
type Handlers map[string]func(ctx context.Context, request any) (result any, err error)

// Do implements parley.Service.
func (h Handlers) Do(ctx context.Context, operation string, request any) (any, error) {
	f := h[operation]
	if f == nil {
		return nil, fmt.Errorf("nothing answers %s here", operation)
	}
	return f(ctx, request)
}

// define adds an operation to All. The struct tags of the request describe the parameters; see Field.
func define[Req, Res any](
	name, summary string, access Access, effect Effect, options ...func(*Op),
) Operation[Req, Res] {
	o := describe[Req, Res](name, summary, access, effect, options...)
	All = append(All, o.Op)
	return o
}

func describe[Req, Res any](
	name, summary string, access Access, effect Effect, options ...func(*Op),
) Operation[Req, Res] {
	o := &Op{
		Name: name, Summary: summary, Access: access, Effect: effect, Fields: fieldsOf[Req](),
		newRequest: func() any { return new(Req) },
		value:      func(request any) any { return *request.(*Req) },
		newResult:  func() any { return new(Res) },
		output:     sync.OnceValue(outputSchema[Res]),
	}
	o.input = sync.OnceValue(func() *jsonschema.Schema { return inputSchema[Req](o.Fields) })
	for _, option := range options {
		option(o)
	}
	return Operation[Req, Res]{o}
}

func route(method, path string) func(*Op) {
	return func(o *Op) { o.Routes = append(o.Routes, Route{method, path}) }
}

func self(names ...string) func(*Op) {
	return func(o *Op) { o.Self = names }
}

// glance marks an operation that a status bar calls, which has no terminal.
func glance(o *Op) { o.Glance = true }

// givesKey marks an operation whose result is good for later calls.
func givesKey(o *Op) { o.GivesKey = true }

// programsOnly marks an operation that is not offered to models.
func programsOnly(o *Op) { o.Program = true }

// readTimes replaces a time in any form by the same one of RFC 3339, in the value of a parameter and in the
// members of an object. What is no time stays.
func readTimes(t reflect.Type, raw json.RawMessage, now time.Time, ahead bool) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	if t == reflect.TypeFor[time.Time]() {
		text := string(bytes.TrimSpace(raw))
		if json.Unmarshal(raw, &text) != nil && !json.Valid(raw) {
			return raw
		}
		if at, ok := when.Parse(text, now, ahead); ok {
			raw, _ = at.MarshalJSON()
		}
		return raw
	}

	var members map[string]json.RawMessage
	if t.Kind() != reflect.Struct || json.Unmarshal(raw, &members) != nil {
		return raw
	}

	changed := false
	for _, field := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value, given := members[name]; given && field.Type == reflect.TypeFor[*time.Time]() &&
			string(value) != "null" {
			members[name], changed = readTimes(field.Type, value, now, field.Tag.Get("ahead") == "true"), true
		}
	}
	if changed {
		raw, _ = json.Marshal(members)
	}

	return raw
}
