package parley

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strconv"
	"strings"
	"time"

	"parley/plain"
)

// KeyOrigin says how a key was made.
type KeyOrigin string

// The origins of keys.
const (
	KeyLaunched   KeyOrigin = "launched"   // made for the program of a launched agent; a restart replaces it
	KeyRegistered KeyOrigin = "registered" // returned by register_agent
	KeyIssued     KeyOrigin = "issued"     // made by the operator
	KeyInvitation KeyOrigin = "invitation" // only for registration, by whoever the operator gives it to
	KeyPage       KeyOrigin = "page"       // a session of the page, with the operator's rights
	KeyWatch      KeyOrigin = "watch"      // a session of the page that may only look
	KeyPageCode   KeyOrigin = "page_code"  // becomes a session, once
	KeyWatchCode  KeyOrigin = "watch_code" // becomes a session that may only look, once
)

// KeyIDLength is how many characters of a key are its id, which is not secret.
const KeyIDLength = 15

// Key describes an API key without its secret.
type Key struct {
	KeyID     string     `json:"key_id"` // the key's first 15 characters
	AgentID   string     `json:"agent_id"`
	Agent     string     `json:"agent"`
	Origin    KeyOrigin  `json:"origin"`
	CreatedAt time.Time  `json:"created_at"`
	LastUsed  *time.Time `json:"last_used,omitempty"`  // nil if never
	ExpiresAt *time.Time `json:"expires_at,omitempty"` // nil if it does not end by itself
	Device               // of a session of the page: what it was used on last, since the daemon began
}

// Device is where a session of the page is used.
type Device struct {
	Browser string `json:"device,omitempty"`  // and its system, as in "Chrome on Android"; what it says of itself
	Address string `json:"address,omitempty"` // of the network, without a port
}

// Words name the device and its address, as far as they are known.
func (d Device) Words() string {
	if d.Address == "" {
		return cmp.Or(d.Browser, "an unknown device")
	}
	return cmp.Or(d.Browser, "an unknown device") + " at " + d.Address
}

// Expired reports whether the key has ended by itself.
func (k *Key) Expired(now time.Time) bool {
	return k.ExpiresAt != nil && !now.Before(*k.ExpiresAt) || k.idle(now)
}

// The shortest and the longest life of a key that ends by itself.
const (
	minKeyLife = time.Minute
	maxKeyLife = 3650 * 24 * time.Hour
)

// KeyLife parses how long a key lives, in days (30d) or as a duration of Go (12h); 0 for "": without
// an end. The error is INVALID_ARGUMENT.
func KeyLife(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}

	life, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(days)
		life = time.Duration(max(0, min(n, 36500))) * 24 * time.Hour
	}
	if err != nil || life < minKeyLife || life > maxKeyLife {
		return 0, Errorf(InvalidArgument, "expires is %q", plain.CleanLine(plain.Truncate(text,
			60))).With("parameter", "expires").
			Suggest("Give days or hours, such as 30d or 12h: a minute at least, 3650 days at most.")
	}

	return life, nil
}

// IssueKeyRequest names the agent that the key is for.
type IssueKeyRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id of the agent."`
	Expires string `json:"expires,omitempty" doc:"When the key ends: after days or hours, such as 30d or 12h; never by default." max:"20"`
}

// Validate checks how long the key lives.
func (r *IssueKeyRequest) Validate() error {
	_, err := KeyLife(r.Expires)
	return err
}

// RotateKeyRequest names the agent whose keys are replaced.
type RotateKeyRequest struct {
	Agent   string `json:"agent" alias:"name,agent_id" required:"true" doc:"Name or id of the agent."`
	Expires string `json:"expires,omitempty" doc:"When the new key ends: after days or hours, such as 30d or 12h; never by default." max:"20"`
}

// Validate checks how long the key lives.
func (r *RotateKeyRequest) Validate() error {
	_, err := KeyLife(r.Expires)
	return err
}

// IssueKeyResult contains the key, which is shown only this once.
type IssueKeyResult struct {
	Answer
	AgentID string   `json:"agent_id"`
	Agent   string   `json:"agent"`
	KeyID   string   `json:"key_id"`
	APIKey  string   `json:"api_key"`
	Ended   []string `json:"ended"` // ids of the keys that were revoked
	Message string   `json:"message"`

	ExpiresAt *time.Time `json:"expires_at,omitempty"` // nil if it does not end by itself
}

// InviteRequest asks for an invitation.
type InviteRequest struct{}

// InviteResult contains the invitation, which is shown only this once. Whoever has it may register
// until it expires, is revoked, or the operator's keys are rotated.
type InviteResult struct {
	Answer
	KeyID     string    `json:"key_id"`
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
	Message   string    `json:"message"`
}

// RevokeKeyRequest names one key, or an agent whose keys are all revoked.
type RevokeKeyRequest struct {
	Agent string `json:"agent,omitempty" alias:"name,agent_id" doc:"Name or id of the agent." filled:"true"`
	KeyID string `json:"key_id,omitempty" doc:"The key's id: its first 15 characters. By default all keys of the agent." filled:"true"`
}

// Validate checks that a key or an agent is named.
func (r *RevokeKeyRequest) Validate() error {
	if r.Agent == "" && r.KeyID == "" {
		return Errorf(InvalidArgument, "neither a key nor an agent was named").With("parameter", "key_id").
			Suggest("Give key_id for one key, or agent for all of its keys; list_keys shows them.")
	}
	return nil
}

// RevokeKeyResult lists the keys that were revoked.
type RevokeKeyResult struct {
	Answer
	Revoked []string `json:"revoked"`
	Message string   `json:"message"`
}

// Said says what was done.
func (r *RevokeKeyResult) Said() string { return r.Message }

// ListKeysRequest asks for the keys of one agent, or of all agents.
type ListKeysRequest struct {
	Agent string `json:"agent,omitempty" alias:"name,agent_id" doc:"Name or id of one agent; all by default."`
}

// ListKeysResult lists keys by agent, the oldest first.
type ListKeysResult struct {
	Answer
	Keys []Key `json:"keys"`
}

// Caller is the caller of an operation. It comes from the credential of the connection,
// never from a parameter. The zero Caller is nobody.
type Caller struct {
	ID          string // the agent's id; the operator's own for the operator
	Name        string
	Kind        AgentKind // "" if not known
	Operator    bool      // the person at the keyboard
	Orchestrate bool      // an agent that may launch and stop others
	Sandboxed   bool      // an agent that runs behind a boundary of the kernel
	Seal        string    // the secret word in the footers of its own terminal; "" if it has none
	Address     string    // of a caller without a credential; "" within this process
	Unplaced    bool      // without a credential, a process of this user: neither the operator's nor an agent's
	Watches     string    // for a session of the page that may only look: the id of the operator
	// Program names the programs by which the operator calls from no terminal and without a key, the outermost
	// first, such as "cron > sh > parley"; "" for all others.
	Program  string
	Session  string // the id of the session of the page with the operator's rights, "" if it is none
	Newcomer bool   // an agent that the operator has not let in yet
	Invited  bool   // without a credential, but with a token of `parley invite`: it may register
	Network  bool   // the call came over the network: its file paths are not of this machine
	Remote   bool   // the service identifies the caller: credentials in the call are passed on to it
}

// Nobody reports whether the caller showed no credential.
func (c Caller) Nobody() bool { return c.ID == "" }

// OnPage reports whether a session of the page calls, also one that may only look.
func (c Caller) OnPage() bool { return c.Session != "" || c.Watches != "" }

// Label names the caller for the record, with the program by which the operator calls from no terminal.
func (c Caller) Label() string {
	if c.Program == "" {
		return c.Name
	}
	return c.Name + " (" + c.Program + ")"
}

// Viewer returns the operator as the caller of what only reads, in place of a process that may read the same.
func (c Caller) Viewer() Caller {
	c.ID, c.Name, c.Kind, c.Operator = c.Watches, OperatorName, KindHuman, true
	return c
}

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

// The life of what opens the page.
const (
	PageCodeLife = 5 * time.Minute // of a one-time code that nobody has used
	PageIdle     = 24 * time.Hour  // of a session without a call
)

// OfPage reports whether the key opens the page, or is a session of it.
func (o KeyOrigin) OfPage() bool { return o.IsSession() || o.IsCode() }

// IsSession reports whether the key is a session of the page.
func (o KeyOrigin) IsSession() bool { return o == KeyPage || o == KeyWatch }

// IsCode reports whether the key is a one-time code for a session. It is good for nothing else.
func (o KeyOrigin) IsCode() bool { return o == KeyPageCode || o == KeyWatchCode }

// Session returns what a one-time code becomes.
func (o KeyOrigin) Session() KeyOrigin {
	if o == KeyWatchCode {
		return KeyWatch
	}
	return KeyPage
}

// idle reports whether a session of the page has not been used for too long.
func (k *Key) idle(now time.Time) bool {
	used := k.CreatedAt
	if k.LastUsed != nil && k.LastUsed.After(used) {
		used = *k.LastUsed
	}
	return k.Origin.IsSession() && now.Sub(used) >= PageIdle
}

// OpenPageRequest asks for a one-time code for the page.
type OpenPageRequest struct {
	Watch bool `json:"watch,omitempty" doc:"The session may only look: for somebody else."`
}

// OpenPageResult contains the code, which is shown only this once. It becomes one session.
type OpenPageResult struct {
	Answer
	KeyID     string    `json:"key_id"`
	Code      string    `json:"code"`
	Address   string    `json:"address"`             // of the page on this machine, without the code
	Elsewhere string    `json:"elsewhere,omitempty"` // the address of the settings, by which it is reached from elsewhere
	Watch     bool      `json:"watch"`
	ExpiresAt time.Time `json:"expires_at"`
}

// URL returns the link that opens the page. The code stands in the fragment, which no browser sends.
func (r *OpenPageResult) URL() string { return r.Address + "/#" + r.Code }

// FarURL returns the link for another machine, such as a phone; "" if the settings name no address.
func (r *OpenPageResult) FarURL() string {
	if r.Elsewhere == "" {
		return ""
	}
	return r.Elsewhere + "/#" + r.Code
}

// PageEntry asks for a session with the code of a link. The code itself is not sent: whoever answers at an old address
// would have it.
type PageEntry struct {
	CodeID    string // the code's first characters
	Proof     string // what PageProof makes of the code
	PublicKey string // of the session, in base64url: what the browser signs with stays there
	From      Device
}

// PageProof proves that whoever asks for a session has the code with a hash. It is good for this session alone.
func PageProof(codeHash []byte, publicKey string) string {
	sum := hmac.New(sha256.New, codeHash)
	_, _ = sum.Write([]byte("session\n" + publicKey)) // a hash takes everything
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil))
}

// PageSession is a session of the page.
type PageSession struct {
	Answer
	KeyID     string `json:"key_id"`
	Watch     bool   `json:"watch"`
	Workspace string `json:"workspace"`
}

// PageCodeSpent refuses a code that has been used, has expired, or never was one.
func PageCodeSpent() error {
	return Errorf(Unauthenticated, "this link has been used, or is too old").
		Suggest("Make another one: parley web")
}

// AnswerCodeSpent refuses a code of a notice that has been used, has expired, or never was one.
func AnswerCodeSpent() error {
	return Errorf(Unauthenticated, "this answer has been used, or is too old").
		Suggest("Open the page, or run parley needs: there is what is asked now.")
}

// NoKeyForThePage refuses what outlives a session of the page.
func NoKeyForThePage() error {
	return Errorf(NotAuthorized, "a session of the page makes no key, link or invitation").
		Suggest("Run it in a terminal of yours: parley key, parley web, parley invite or parley register.")
}

// Watching refuses what changes something to a session that may only look.
func Watching() error {
	return Errorf(NotAuthorized, "this session may only look").
		Suggest("The operator makes one that may do more: parley web")
}
