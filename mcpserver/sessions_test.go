package mcpserver

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

// initializeWith is an initialize with a name of so many bytes.
func initializeWith(bytes int) string {
	return strings.Replace(initialize, `"name":"x"`, `"name":"`+strings.Repeat("x", bytes)+`"`, 1)
}

func TestInitializeIsSmall(t *testing.T) {
	url, _ := web(t, "127.0.0.1:0", as(parley.Caller{}, handler(t, newFake(), progressEvery)))
	if status, _, body := raw(t, url, "POST", "",
		initializeWith(1_000_000)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("got %d %.200s, want 413", status, body)
	}
	if status, _, body := raw(t, url, "POST", "", initializeWith(1000)); status != http.StatusOK {
		t.Errorf("got %d %.200s, want 200", status, body)
	}
}

// Sessions that nobody uses take bounded memory, and still work when they are used again.
func TestSessionsTakeBoundedMemory(t *testing.T) {
	h := handler(t, newFake(), progressEvery)
	url, _ := web(t, "127.0.0.1:0", as(coder, h))
	_, header, _ := raw(t, url, "POST", "", initialize)
	first := header.Get("Mcp-Session-Id")

	before := heap()
	large := initializeWith(30_000)
	const calls = 2 * maxSessions // without a bound they hold 22 MB
	for range calls {
		raw(t, url, "POST", "", large)
	}
	if n := len(h.sessions.used); n != maxSessions || h.sessions.owners[coder.ID].Len() != maxSessions {
		t.Errorf("%d sessions are known, want %d", n, maxSessions)
	}
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("%d calls hold %d bytes", calls, grown)
	}

	if status, _, body := raw(t, url, "POST", first, ping); status != http.StatusOK {
		t.Errorf("a forgotten session: got %d %s, want 200", status, body)
	}
}

// by puts the caller into each request that the header X-Test-Caller names.
func by(callers map[string]parley.Caller, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		caller := callers[r.Header.Get("X-Test-Caller")]
		h.ServeHTTP(w, r.WithContext(parley.WithCaller(r.Context(), caller)))
	})
}

// To another caller, the id of a session is worth nothing: it neither calls in it nor ends it.
func TestASessionBelongsToItsCaller(t *testing.T) {
	callers := map[string]parley.Caller{"coder": coder, "chief": chief}
	h := handler(t, newFake(), progressEvery)
	url, _ := web(t, "127.0.0.1:0", by(callers, h))
	ask := func(caller, method, session, body string) (int, http.Header) {
		t.Helper()
		req := must.Have(http.NewRequest(method, url, strings.NewReader(body)))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		req.Header.Set("Mcp-Session-Id", session)
		req.Header.Set("X-Test-Caller", caller)
		resp := must.Have(http.DefaultClient.Do(req))(t)
		defer resp.Body.Close()
		return resp.StatusCode, resp.Header
	}

	const called = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"send_message","arguments":{"to":"a","text":"b"}}}`
	const cancelled = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`
	for _, owner := range []string{"coder", "chief", ""} {
		_, header := ask(owner, "POST", "", initialize)
		session := header.Get("Mcp-Session-Id")
		for _, other := range []string{"coder", "chief", ""} {
			want := http.StatusNotFound
			if other == owner {
				want = http.StatusOK
			}

			for _, body := range []string{ping, called} {
				if got, _ := ask(other, "POST", session, body); got != want {
					t.Errorf("%q in the session of %q: %d, want %d", other, owner, got, want)
				}
			}
			if other == owner {
				continue
			}
			for method, body := range map[string]string{"DELETE": "", "POST": cancelled} {
				if got, _ := ask(other, method, session, body); got != want {
					t.Errorf("%s of %q in the session of %q: %d, want %d", method, other, owner, got, want)
				}
			}
		}

		if got, _ := ask(owner, "DELETE", session, ""); got != http.StatusOK {
			t.Errorf("%q ends its own session: %d", owner, got)
		}
		if got, _ := ask(owner, "POST", session, ping); got != http.StatusNotFound {
			t.Errorf("a session that %q has ended: %d", owner, got)
		}
	}
}

// Whoever begins many sessions pushes out its own: those without a key first, then those of who has most.
func TestManySessionsPushOutNobodyElses(t *testing.T) {
	s := newSessions()
	begin := func(owner string, n int) (ids []string) {
		for range n {
			ids = append(ids, ownSessions{s, owner}.Generate())
		}
		return ids
	}
	known := func(ids []string) (n int) {
		for _, id := range ids {
			if s.used[id] != nil {
				n++
			}
		}
		return n
	}

	own := begin("coder", 3)
	strangers := begin("", 2*maxSessions)
	s.takeOld()
	if known(own) != 3 || known(strangers) != maxSessions-3 || known(strangers[:maxSessions]) != 0 {
		t.Errorf("after many strangers %d of 3, and %d strangers", known(own), known(strangers))
	}

	many := begin("chief", 2*maxSessions)
	s.takeOld()
	if known(own) != 3 || known(strangers) != 0 || known(many) != maxSessions-3 || known(many[len(many)-1:]) != 1 {
		t.Errorf("after many of one %d of 3, %d strangers, and %d of its own", known(own), known(strangers),
			known(many))
	}
	if len(s.used) != maxSessions || len(s.owners) != 2 {
		t.Errorf("%d sessions of %d are known", len(s.used), len(s.owners))
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
