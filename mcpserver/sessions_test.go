package mcpserver

import (
	"net/http"
	"runtime"
	"strings"
	"testing"

	"parley"
)

// initializeWith is an initialize with a name of so many bytes.
func initializeWith(bytes int) string {
	return strings.Replace(initialize, `"name":"x"`, `"name":"`+strings.Repeat("x", bytes)+`"`, 1)
}

func TestInitializeIsSmall(t *testing.T) {
	url, _ := web(t, "127.0.0.1:0", as(parley.Caller{}, handler(t, newFake(), progressEvery)))
	if status, _, body := raw(t, url, "POST", "", initializeWith(1_000_000)); status != http.StatusRequestEntityTooLarge {
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
	if n := h.sessions.last.Len(); n != maxSessions || len(h.sessions.used) != maxSessions {
		t.Errorf("%d sessions are known, want %d", n, maxSessions)
	}
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("%d calls hold %d bytes", calls, grown)
	}

	if status, _, body := raw(t, url, "POST", first, ping); status != http.StatusOK {
		t.Errorf("a forgotten session: got %d %s, want 200", status, body)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
