package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

// thief has the port of a daemon that is away, and keeps all that is sent there.
type thief struct {
	answer string // with 401; "" for 503

	mu     sync.Mutex
	stolen []*http.Request // their bodies can be had again
	server *http.Server
}

// steal takes a port.
func steal(t *testing.T, address, answer string) *thief {
	t.Helper()
	f := &thief{answer: answer}
	f.server = &http.Server{Handler: f}
	l := must.Have(net.Listen("tcp", strings.TrimPrefix(address, "http://")))(t)
	go func() { _ = f.server.Serve(l) }()
	t.Cleanup(func() { f.server.Close() })
	return f
}

func (f *thief) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(string(body))), nil }
	f.mu.Lock()
	f.stolen = append(f.stolen, r)
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if f.answer == "" {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = io.WriteString(w, f.answer)
}

// signed returns what the page has sent to act by.
func (f *thief) signed() (all []*http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.stolen {
		if r.Header.Get("Authorization") != "" {
			all = append(all, r)
		}
	}
	return all
}

// use tries all that was stolen at the daemon: as it came, with the name of its new port, and each part of it as a key.
func (f *thief) use(t *testing.T, address string) {
	t.Helper()
	ask := func(r *http.Request, host, authorization string) {
		t.Helper()
		again := must.Have(http.NewRequest(r.Method, address+r.RequestURI, must.Have(r.GetBody())(t)))(t)
		again.Host, again.Header = host, r.Header.Clone()
		again.Header.Del("Origin")
		again.Header.Set("Authorization", authorization)
		res := must.Have(http.DefaultClient.Do(again))(t)
		res.Body.Close()
		if res.StatusCode != http.StatusUnauthorized && res.StatusCode != http.StatusForbidden {
			t.Errorf("%s %s with %s at %s: %s", r.Method, r.RequestURI, authorization, host, res.Status)
		}
	}

	for _, r := range f.signed() {
		shown := r.Header.Get("Authorization")
		ask(r, r.Host, shown)
		ask(r, strings.TrimPrefix(address, "http://"), shown)
		for part := range strings.SplitSeq(strings.TrimPrefix(shown, "Parley "), ".") {
			ask(r, r.Host, "Bearer "+part)
		}
	}
}

// A process that has taken the socket of a daemon that was killed is sent nothing, and no key.
func TestAThiefOfTheSocket(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	must.Do(t, h.Command("serve").Run())
	info := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	must.Do(t, syscall.Kill(info.PID, syscall.SIGKILL))
	must.Become(t, "the daemon has ended", func() bool { return !testhome.Running(info.PID) })
	must.Do(t, os.Remove(info.Socket))
	l := must.Have(net.Listen("unix", info.Socket))(t)
	t.Cleanup(func() { l.Close() })
	heard := make(chan string, 100)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b, _ := io.ReadAll(conn)
			heard <- string(b)
		}
	}()

	cmd := h.Command("status")
	cmd.Env = append(cmd.Env, "PARLEY_OPERATOR_KEY="+testhome.OperatorKey)
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "is not the daemon, and was sent nothing") {
		t.Errorf("%v\n%s", err, out)
	}
	for len(heard) > 0 {
		if said := <-heard; said != "" {
			t.Errorf("it was sent %q", said)
		}
	}
}

// Another program takes the port while the daemon is away, and hears what open pages and a link send there. Nothing of
// it is good for anything at the next daemon, at the same port or at another one.
func TestAThiefOfThePort(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("a browser takes half a minute")
	}
	browser := testpage.Start(t)
	h := testhome.New(t)
	x := testpage.SignIn(t, h, browser, 360, 740)
	link := testhome.Run[parley.OpenPageResult](t, h, "web")
	heard := func(f *thief, n int) {
		t.Helper()
		testpage.JS[bool](x, "(window.dispatchEvent(new Event('online')), true)")
		must.Become(t, "the page asks the thief", func() bool { return len(f.signed()) >= n })
	}

	// The port is free again when the daemon comes: the page goes on with its session.
	must.Do(t, h.Command("down").Run())
	f := steal(t, link.Address, "")
	s := testpage.NewSession(t, link.Address)
	res := must.Have(http.DefaultClient.Do(s.Request(t, "POST", "/session", s.Entry(t, link.Code, `{"get_needs":{}}`))))(t)
	res.Body.Close()
	heard(f, 4)
	must.Do(t, f.server.Close())
	must.Do(t, h.Command("serve").Run())
	if now := testhome.Run[parley.WorkspaceStatusResult](t, h, "status").HTTP; now != link.Address {
		t.Fatalf("the daemon is at %s, and was at %s", now, link.Address)
	}
	f.use(t, link.Address)
	testpage.JS[bool](x, "(window.dispatchEvent(new Event('online')), true)")
	x.Until("document.querySelector('.dot.live')")

	// The port stays taken, and whoever has it asks for more signatures: the sessions end.
	must.Do(t, h.Command("down").Run())
	f = steal(t, link.Address, `{"success":false,"error_code":"UNAUTHENTICATED","details":{"run":"MINE","time":1}}`)
	heard(f, 2)
	must.Do(t, h.Command("serve").Run())
	now := testhome.Run[parley.WorkspaceStatusResult](t, h, "status").HTTP
	if now == link.Address {
		t.Fatal("two programs have one port")
	}
	f.use(t, now)
	type sessions struct{ Sessions []parley.Key }
	if left := testhome.Run[sessions](t, h, "web", "--sessions").Sessions; len(left) > 0 {
		t.Errorf("%d sessions are left", len(left))
	}
	out := string(must.Have(h.Command("needs").CombinedOutput())(t))
	if !strings.Contains(out, "is in use by another program of yours") {
		t.Errorf("parley needs says:\n%s", out)
	}
}
