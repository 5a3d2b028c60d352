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

	// They stay connected. Some are told why they are not welcome, and the others are closed.
	answers := map[int]int{}
	for range 80 {
		conn := must.Have(net.Dial("tcp", at.Host))(t)
		defer conn.Close()
		must.Do(t, conn.SetDeadline(time.Now().Add(testhome.Patience)))
		_, _ = fmt.Fprintf(conn, "GET /healthz HTTP/1.1\r\nHost: %s\r\n\r\n", at.Host)
		if res, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
			answers[res.StatusCode]++
		}
	}
	if answers[http.StatusOK] != 5 || answers[http.StatusTooManyRequests] == 0 {
		t.Errorf("answers by status: %v, want 5 that are welcome, and some that are told", answers)
	}

	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "bot", "--", "cat")
	testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
}
