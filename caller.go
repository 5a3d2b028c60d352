package parley

import (
	"context"
	"strings"
)

// Caller is who asks. It comes from the connection's credential, never from a
// parameter. The zero Caller is nobody.
type Caller struct {
	ID          string // the agent's id; the operator's own for the operator
	Name        string
	Kind        AgentKind // how it is reached; "" where that is not known
	Operator    bool      // the person at the keyboard
	Orchestrate bool      // an agent that may launch and stop others
	Address     string    // where nobody in particular calls from, "" if from this process
	Network     bool      // it came over the network: what it calls its files are not this machine's
	Remote      bool      // who it really is, the service decides: what the call says goes on to it
}

// Nobody reports whether the caller showed no credential.
func (c Caller) Nobody() bool { return c.ID == "" }

// Is reports whether ref names the caller: its id, its name, or the first
// eight or more characters of its id.
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

// Credentials is what a call itself says of its caller, beside the connection.
// A service that passes calls on hands it to the one that decides.
type Credentials struct {
	Key    string   // the api_key parameter; "" when there is none
	Claims []string // ids or names that must be the caller's
}

type credentialsKey struct{}

// WithCredentials returns a context that carries them.
func WithCredentials(ctx context.Context, c Credentials) context.Context {
	return context.WithValue(ctx, credentialsKey{}, c)
}

// CredentialsFrom returns what the call says of its caller.
func CredentialsFrom(ctx context.Context) Credentials {
	c, _ := ctx.Value(credentialsKey{}).(Credentials)
	return c
}
