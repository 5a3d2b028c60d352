package testpage

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// Session is a session of the page without a browser. It signs as the page does.
type Session struct {
	parley.PageSession
	Run     string         `json:"run"`
	Answers map[string]any `json:"answers"`

	Address string        `json:"-"` // of the daemon
	Ahead   time.Duration `json:"-"` // of its clock
	key     *ecdsa.PrivateKey
}

// NewSession returns a session with a key, that no daemon knows yet.
func NewSession(t testing.TB, address string) *Session {
	t.Helper()
	return &Session{Address: address, key: must.Have(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)}
}

// Enter turns a one-time code into a session.
func Enter(t testing.TB, address, code string) *Session {
	t.Helper()
	s := NewSession(t, address)
	res := must.Have(http.DefaultClient.Do(s.Request(t, http.MethodPost, "/session", s.Entry(t, code, ""))))(t)
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("a code was answered with %s", res.Status)
	}
	must.Do(t, json.NewDecoder(res.Body).Decode(s))
	return s
}

// Entry returns the body that asks for the session with a code, and with the first calls, if there are any.
func (s *Session) Entry(t testing.TB, code, calls string) string {
	t.Helper()
	hash := sha256.Sum256([]byte(code))
	id := code[:min(len(code), parley.KeyIDLength)]
	if calls == "" {
		calls = "{}"
	}
	return fmt.Sprintf(`{"code_id":%q,"proof":%q,"calls":%s}`, id, parley.PageProof(hash[:], s.PublicKey(t)), calls)
}

// PublicKey returns the public key as it is sent.
func (s *Session) PublicKey(t testing.TB) string {
	t.Helper()
	return base64.RawURLEncoding.EncodeToString(must.Have(s.key.PublicKey.Bytes())(t))
}

// Request returns a signed request.
func (s *Session) Request(t testing.TB, method, path, body string) *http.Request {
	t.Helper()
	r := must.Have(http.NewRequest(method, s.Address+path, bytes.NewReader([]byte(body))))(t)
	r.Header.Set("Content-Type", "application/json")
	s.Sign(t, r)
	return r
}

// Sign signs a request.
func (s *Session) Sign(t testing.TB, r *http.Request) {
	t.Helper()
	var body []byte
	if r.GetBody != nil {
		body = must.Have(io.ReadAll(must.Have(r.GetBody())(t)))(t)
	}
	base64url := base64.RawURLEncoding.EncodeToString
	sent := sha256.Sum256(body)
	run, now, nonce := s.Run, fmt.Sprint(time.Now().Add(s.Ahead).UnixMilli()), rand.Text()
	text := strings.Join([]string{"parley", r.Method, r.URL.Host, r.URL.RequestURI(), run, now, nonce,
		base64url(sent[:])},
		"\n")

	sum := sha256.Sum256([]byte(text))
	x, y, err := ecdsa.Sign(rand.Reader, s.key, sum[:])
	must.Do(t, err)
	raw := append(x.FillBytes(make([]byte, 32)), y.FillBytes(make([]byte, 32))...)
	r.Header.Set("Authorization", "Parley "+strings.Join([]string{s.PublicKey(t), run, now, nonce, base64url(raw)},
		"."))
}
