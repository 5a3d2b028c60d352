package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

// Strangers take no more connections than a daemon with few descriptors has to spare.
func TestStrangersLeaveDescriptors(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	serve := h.Command("serve")
	serve.Args = []string{"sh", "-c", "ulimit -n 64; exec parley serve"}
	serve.Path = "/bin/sh"
	if out, err := serve.CombinedOutput(); err != nil {
		t.Fatalf("serve: %v\n%s", err, out)
	}
	at := must.Have(url.Parse(testhome.Run[parley.WorkspaceStatusResult](t, h, "status").HTTP))(t)

	// They stay connected: each has sent only half of its request.
	for range 80 {
		conn := must.Have(net.Dial("tcp", at.Host))(t)
		defer conn.Close()
		_, _ = fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n", at.Host)
	}

	// One more is answered in words, and the operator's calls and agents have what they need.
	conn := must.Have(net.Dial("tcp", at.Host))(t)
	defer conn.Close()
	must.Do(t, conn.SetDeadline(time.Now().Add(testhome.Patience)))
	_, _ = fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", at.Host)
	res := must.Have(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a stranger got %d, want an answer, or to be told to wait", res.StatusCode)
	}

	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "bot", "--profile", "generic", "--", "cat")
	testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
}
