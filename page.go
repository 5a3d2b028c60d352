package parley

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"time"
)

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
