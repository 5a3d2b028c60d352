package parley

import (
	"context"
	"strings"
)

// Caller is the caller of an operation. It comes from the credential of the connection,
// never from a parameter. The zero Caller is nobody.
type Caller struct {
	ID          string // the agent's id; the operator's own for the operator
	Name        string
	Kind        AgentKind // "" if not known
	Operator    bool      // the person at the keyboard
	Orchestrate bool      // an agent that may launch and stop others
	Seal        string    // the secret word in the footers of its own terminal; "" if it has none
	Address     string    // of a caller without a credential; "" within this process
	Unplaced    bool      // without a credential, a process of this user: neither the operator's nor an agent's
	Newcomer    bool      // an agent that the operator has not let in yet
	Invited     bool      // without a credential, but with a token of `parley invite`: it may register
	Network     bool      // the call came over the network: its file paths are not of this machine
	Remote      bool      // the service identifies the caller: credentials in the call are passed on to it
}

// Nobody reports whether the caller showed no credential.
func (c Caller) Nobody() bool { return c.ID == "" }

// Is reports whether ref names the caller: by id, by name, or by the first eight or more
// characters of the id.
func (c Caller) Is(ref string) bool {
	if c.Nobody() || ref == "" {
		return false
	}
	return ref == c.ID || strings.EqualFold(ref, c.Name) ||
		len(ref) >= ShortID && strings.HasPrefix(c.ID, strings.ToLower(ref))
}

type callerKey struct{}

// WithCaller returns a context in which c is the caller.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerFrom returns the caller in ctx, nobody if there is none.
func CallerFrom(ctx context.Context) Caller {
	c, _ := ctx.Value(callerKey{}).(Caller)
	return c
}

// Credentials are what a call itself says of its caller, in addition to the connection.
// A service that forwards calls passes them on to the service that identifies the caller.
type Credentials struct {
	Key    string   // the api_key parameter; "" if there is none
	Claims []string // ids or names that must name the caller
}

type credentialsKey struct{}

// WithCredentials returns a context that carries the credentials.
func WithCredentials(ctx context.Context, c Credentials) context.Context {
	return context.WithValue(ctx, credentialsKey{}, c)
}

// CredentialsFrom returns the credentials in ctx, none if there are none.
func CredentialsFrom(ctx context.Context) Credentials {
	c, _ := ctx.Value(credentialsKey{}).(Credentials)
	return c
}
