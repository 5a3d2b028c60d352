package httpapi

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"io"
	"math/big"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley"
)

// signatures check the requests of the page. A session is a key of ECDSA on P-256 that the browser does not give away:
// each request brings the public one, and a signature of what it asks for, where, and when. Whoever hears requests, as
// another program at the port of a daemon that is away, can repeat none: a later daemon is another run.
// Safe for concurrent use.
type signatures struct {
	run string // of this daemon, random
	now func() time.Time

	mu   sync.Mutex
	seen map[string]time.Time // the nonces of requests, with their times
}

// signedWithin bounds how far the time of a request may be from the daemon's. Its page follows the daemon's clock.
const signedWithin = time.Minute

// newSignatures returns the checks of one run of a daemon.
func newSignatures(now func() time.Time) *signatures {
	return &signatures{run: rand.Text(), now: now, seen: map[string]time.Time{}}
}

// signature is what a request shows: `Authorization: Parley KEY.RUN.TIME.NONCE.SIGNATURE`, all in base64url but the
// run, and the time, which is in milliseconds since 1970.
type signature struct{ key, run, time, nonce, sum string }

// signatureOf returns the signature of a request, if it has one.
func signatureOf(r *http.Request) (s signature, ok bool) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Parley ")
	parts := strings.Split(text, ".")
	if !ok || len(parts) != 5 {
		return signature{}, ok
	}
	return signature{parts[0], parts[1], parts[2], parts[3], parts[4]}, true
}

// good reports whether the key has signed the request, with a body of that digest.
func (s signature) good(r *http.Request, sent []byte) bool {
	text := strings.Join([]string{
		"parley", r.Method, r.Host, r.RequestURI, s.run, s.time, s.nonce, base64.RawURLEncoding.EncodeToString(sent),
	}, "\n")
	sum := sha256.Sum256([]byte(text))

	point, err := base64.RawURLEncoding.DecodeString(s.key)
	if err != nil {
		return false
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	raw, err2 := base64.RawURLEncoding.DecodeString(s.sum)
	if err != nil || err2 != nil || len(raw) != 64 {
		return false
	}
	return ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(raw[:32]), new(big.Int).SetBytes(raw[32:]))
}

// take lets a good signature count once, now, and for this run of the daemon. The error tells a page what to sign next.
func (c *signatures) take(s signature) error {
	c.mu.Lock()
	defer c.mu.Unlock()

	now := c.now()
	ms, err := strconv.ParseInt(s.time, 10, 64)
	at := time.UnixMilli(ms)
	_, again := c.seen[s.nonce]
	if err != nil || s.run != c.run || again || len(s.nonce) > 64 || now.Sub(at).Abs() > signedWithin {
		return parley.Errorf(parley.Unauthenticated, "the request was signed for another time, or for another daemon").
			With("run", c.run).With("time", now.UnixMilli()).
			Suggest("Sign it with this run and this time.")
	}

	c.seen[s.nonce] = at
	if len(c.seen)%1024 == 0 {
		for nonce, at := range c.seen {
			if now.Sub(at) > signedWithin {
				delete(c.seen, nonce)
			}
		}
	}

	return nil
}

type signedKey struct{}

// signedBy returns the public key that has signed a request, "" if none has.
func signedBy(ctx context.Context) string {
	key, _ := ctx.Value(signedKey{}).(string)
	return key
}

// signed checks the signatures of requests that have one. A link's code, which the proof of a new session is made of,
// counts in one run alone, so that the request for a session needs no other bond to it.
func (a *api) signed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s, ok := signatureOf(r)
		if !ok {
			next.ServeHTTP(w, r)
			return
		}

		sent, err := a.digestOf(w, r)
		entering := r.URL.Path == sessionPath
		switch {
		case err != nil:
		case !s.good(r, sent):
			err = parley.Errorf(parley.Unauthenticated, "the signature is not that of the request").
				Suggest("Sign in again: parley web")
		case !a.callers.atItsPort(r):
			_, port, _ := net.SplitHostPort(r.Host)
			err = parley.Errorf(parley.NotAuthorized, "this page is at port %s, and the daemon at another one",
				cmp.Or(port, "80 or 443")).
				Suggest("Forward the daemon's own port, or name the page's address as url below web: in your " +
					"parley.yaml.")
		case !entering:
			err = a.signatures.take(s)
		}
		if err != nil {
			a.fail(w, r, err)
			return
		}

		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), signedKey{}, s.key)))
	})
}

// digestOf returns the SHA-256 of a request's body, which can be read again. An upload is too large for that: its
// header has the digest, and its body ends with an error if it is another one.
func (a *api) digestOf(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if r.URL.Path == filesPath && r.ContentLength != 0 {
		text := strings.TrimSuffix(strings.TrimPrefix(r.Header.Get("Content-Digest"), "sha-256=:"), ":")
		digest, err := base64.StdEncoding.DecodeString(text)
		r.Body = &digested{ReadCloser: r.Body, sum: sha256.New(), want: digest}
		return digest, err
	}

	var body []byte
	var err error
	if r.ContentLength != 0 {
		body, err = a.readBody(w, r)
		r.Body = io.NopCloser(bytes.NewReader(body))
	}
	sum := sha256.Sum256(body)

	return sum[:], err
}

// digested is a body that must have a digest.
type digested struct {
	io.ReadCloser
	sum  hash.Hash
	want []byte
}

func (d *digested) Read(b []byte) (int, error) {
	n, err := d.ReadCloser.Read(b)
	_, _ = d.sum.Write(b[:n]) // a hash takes everything
	if err == io.EOF && !bytes.Equal(d.sum.Sum(nil), d.want) {
		err = parley.Errorf(parley.Unauthenticated, "the body is not the one that was signed").
			Suggest("Send it again.")
	}
	return n, err
}

// atItsPort reports whether a request was meant for the port that it came to: a page of another port, which another
// program has taken, cannot have its requests passed on. The names of the settings are those of proxies.
func (c *callers) atItsPort(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	_, here, _ := net.SplitHostPort(local.String())
	_, meant, _ := net.SplitHostPort(r.Host)
	return here == meant || slices.ContainsFunc(c.Hosts, func(h string) bool {
		return strings.EqualFold(h, hostOf(r.Host))
	})
}
