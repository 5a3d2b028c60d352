package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

// A body that stalls is given up, on a real connection, where the server would
// otherwise go on reading before it answers.
func TestAStalledBodyIsRefused(t *testing.T) {
	t.Parallel()
	a := newAPI(options(&stub{}))
	a.bodyWait = 50 * time.Millisecond
	d := serve(t, a.handler())
	conn := must.Have(net.Dial("tcp", strings.TrimPrefix(d.tcp, "http://")))(t)
	defer conn.Close()

	_ = conn.SetDeadline(time.Now().Add(time.Minute))
	must.Have(conn.Write([]byte("POST /api/check_inbox HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{")))(t)

	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer came: %v", err)
	}
	defer res.Body.Close()

	if res.StatusCode != http.StatusRequestTimeout {
		t.Errorf("got %s, want 408", res.Status)
	}
}

// A client that reads nothing before it has sent everything gets the answer too, whether it announces how much
// that is or not.
func TestAnOversizedBodyIsDrained(t *testing.T) {
	t.Parallel()
	const pieces, piece = 40, 512 << 10
	for name, c := range map[string]struct{ header, before, after, end string }{
		"announced": {header: fmt.Sprintf("Content-Length: %d", pieces*piece)},
		"in chunks": {"Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n", piece), "\r\n", "0\r\n\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAPI(options(&stub{}))
			a.drainWait = 5 * time.Minute // a busy machine takes half a minute to send it
			d := serve(t, a.handler())
			conn := must.Have(net.Dial("tcp", strings.TrimPrefix(d.tcp, "http://")))(t)
			defer conn.Close()

			_ = conn.SetDeadline(time.Now().Add(a.drainWait))
			must.Have(fmt.Fprintf(conn, "POST /api/send_message HTTP/1.1\r\nHost: localhost\r\n%s\r\n\r\n",
				c.header))(t)

			text := c.before + strings.Repeat("x", piece) + c.after
			for range pieces {
				time.Sleep(20 * time.Millisecond) // longer in all than a server waits for whom it has answered
				if _, err := io.WriteString(conn, text); err != nil {
					t.Fatalf("the body could not be sent: %v", err)
				}
			}
			must.Have(io.WriteString(conn, c.end))(t)

			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				t.Fatalf("no answer came: %v", err)
			}
			defer res.Body.Close()

			if res.StatusCode != http.StatusRequestEntityTooLarge {
				t.Errorf("got %s, want 413", res.Status)
			}
		})
	}
}

// What a bridge hands on is held against the connection: see parley.Credentials.
func TestEveryClaimMustNameTheCaller(t *testing.T) {
	d := serve(t, New(options(&stub{})))
	d.expect("both his", d.ask("POST", "/api/check_inbox", "", key, "X-Agent-ID: coder", "X-Agent-ID: "+coder.ID),
		http.StatusOK, "")
	d.expect("one another's", d.ask("POST", "/api/check_inbox", "", key, "X-Agent-ID: coder", "X-Agent-ID: reviewer"),
		http.StatusForbidden, parley.NotAuthorized)
}

// Who waits for a message does not get it with a key that has been revoked meanwhile.
func TestACallThatWaitedStillNeedsItsKey(t *testing.T) {
	s, revoked := &stub{}, false
	o := options(s)
	o.Authenticate = func(context.Context, string) (parley.Caller, bool) { return coder, !revoked }
	s.events = func(_ context.Context, r parley.ReadEventsRequest) (*parley.ReadEventsResult, error) {
		revoked = r.WaitSeconds > 0
		return &parley.ReadEventsResult{Answer: parley.OK}, nil
	}

	d := serve(t, New(o))
	d.expect("a key that is good", d.ask("GET", "/api/read_events", "", key), http.StatusOK, "")
	d.expect("one that was revoked while it waited", d.ask("GET", "/api/read_events?wait_seconds=1", "", key),
		http.StatusUnauthorized, parley.Unauthenticated)
}
