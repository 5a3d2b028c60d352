package parley

import (
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"runtime/debug"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// Access says who may call an operation.
type Access int

// From the widest to the narrowest.
const (
	Public        Access = iota // no credential needed
	Team                        // every agent, and the operator
	Orchestrators               // the operator, and agents launched with orchestrate
	OperatorOnly                // the person at the keyboard
)

// Effect says what an operation does to the world; MCP clients ask their user
// before anything but reading.
type Effect int

// The effects.
const (
	Reads    Effect = iota // changes nothing
	Adds                   // adds something, undoes nothing
	Marks                  // changes something, and again changes nothing more
	Destroys               // ends something that may be missed
)

// Route is an HTTP route beside the regular POST /api/<operation>.
type Route struct{ Method, Path string }

// Op is one operation: its name, who may call it, what it takes and gives. All
// faces are read off it.
type Op struct {
	Name    string
	Summary string
	Access  Access
	Effect  Effect
	Routes  []Route
	Self    []string // the seeds' names for the caller's own id; checked, never believed
	Program bool     // programs call it, and no model: it is not a tool
	Fields  []Field  // the parameters
	Input   *jsonschema.Schema
	Output  *jsonschema.Schema

	newRequest func() any
	call       func(context.Context, Service, any) (any, error)
}

// Invocation is a decoded call that waits for its service.
type Invocation struct {
	op      *Op
	request any
	claims  map[string]string           // parameter → the id or name it says the caller has
	recheck func(context.Context) error // see Recheck; nil: the credential is not looked at again
}

// Decode reads the arguments of a call: a JSON object, or nothing. It is
// strict: what it does not know, it refuses with the nearest right name, and
// every error is an INVALID_ARGUMENT that names the parameter.
func (o *Op) Decode(args []byte) (*Invocation, error) {
	raw, err := object(args)
	if err != nil {
		return nil, err
	}
	return o.decode(raw)
}

// DecodeQuery reads the arguments of a call from a URL's query.
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

	given, err := o.fold(raw)
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
func (inv *Invocation) Call(ctx context.Context, s Service) (any, error) {
	caller := CallerFrom(ctx)
	if err := inv.op.Allow(caller); err != nil {
		return nil, err
	}
	if err := inv.checkClaims(caller); err != nil {
		return nil, err
	}

	if caller.Remote && len(inv.claims) > 0 {
		credentials := CredentialsFrom(ctx)
		credentials.Claims = slices.Sorted(maps.Values(inv.claims))
		ctx = WithCredentials(ctx, credentials)
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

// checkClaims compares what the call says of its caller with the caller. For a remote
// caller the service that decides does so.
func (inv *Invocation) checkClaims(caller Caller) error {
	for name, claim := range inv.claims {
		if caller.Remote || caller.Is(claim) {
			continue
		}
		return Errorf(NotAuthorized, "%s is %q, but the call comes from %s", name, CleanLine(claim), caller.Name).
			With("parameter", name).
			Suggest("Leave %s out: who calls is known from the connection.", name)
	}
	return nil
}

// guardedCall makes the call and turns a panic into an error.
func (inv *Invocation) guardedCall(ctx context.Context, s Service) (result any, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Panic{value, debug.Stack()}
		}
	}()
	return inv.op.call(ctx, s, inv.request)
}

// Waits reports whether a call can be told to wait.
func (o *Op) Waits() bool {
	return slices.ContainsFunc(o.Fields, func(f Field) bool { return f.Name == "wait_seconds" })
}

// Allow returns nil when c may call the operation, else UNAUTHENTICATED or
// NOT_AUTHORIZED.
func (o *Op) Allow(c Caller) error {
	switch {
	case o.Access == Public:
		return nil
	case c.Nobody():
		return Errorf(Unauthenticated, "%s needs to know who calls", o.Name).
			Suggest("Send your API key as `Authorization: Bearer KEY`; register_agent gives you one.")
	case c.Operator, o.Access == Team, o.Access == Orchestrators && c.Orchestrate:
		return nil
	}
	return Errorf(NotAuthorized, "%s is not for agent %s", o.Name, c.Name).
		Suggest("Ask the operator: send a message to %q.", OperatorName)
}

// Answer is what every result begins with: success, and an error that is null.
// Failures are not results but *Error values, which say the same in their form.
type Answer struct {
	Success bool    `json:"success"`
	Error   *string `json:"error"`
}

// OK is the Answer of whatever went well.
var OK = Answer{Success: true}

// FindOp returns the operation of that name, or nil.
func FindOp(name string) *Op {
	for _, o := range Ops {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// define makes an Op of a service method. The request's struct tags give its
// parameters: json, doc, required, alias, enum, min, max, default, unpack.
func define[Req, Res any](name, summary string, method func(Service, context.Context, Req) (*Res, error),
	access Access, effect Effect, options ...func(*Op)) *Op {
	o := &Op{Name: name, Summary: summary, Access: access, Effect: effect,
		Fields:     fieldsOf[Req](),
		newRequest: func() any { return new(Req) },
		call: func(ctx context.Context, s Service, req any) (any, error) {
			res, err := method(s, ctx, *req.(*Req))
			if err != nil {
				return nil, err
			}
			return res, nil
		},
	}

	o.Input, o.Output = inputSchema[Req](o.Fields), outputSchema[Res]()
	for _, option := range options {
		option(o)
	}

	return o
}

func route(method, path string) func(*Op) {
	return func(o *Op) { o.Routes = append(o.Routes, Route{method, path}) }
}

func self(names ...string) func(*Op) {
	return func(o *Op) { o.Self = names }
}

// programsOnly marks what models are not offered.
func programsOnly(o *Op) { o.Program = true }
