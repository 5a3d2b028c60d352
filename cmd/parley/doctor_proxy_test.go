package main

import (
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/modelserver"
	"parley/internal/must"
	"parley/internal/testhome"
)

// startProxy starts a proxy that leads to the servers of the hosts, and says 502 for all others.
func startProxy(t *testing.T, hosts map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		to, ok := hosts[req.Host]
		if !ok {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		if req.Method == http.MethodConnect {
			tunnel(w, to)
			return
		}

		req.URL.Host, req.RequestURI = to, ""
		res, err := http.DefaultTransport.RoundTrip(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer res.Body.Close()
		w.WriteHeader(res.StatusCode)
		_, _ = io.Copy(w, res.Body)
	}))
	t.Cleanup(s.Close)

	return s
}

// tunnel joins the caller's connection with one to a server, until one of them ends.
func tunnel(w http.ResponseWriter, to string) {
	server, err := net.Dial("tcp", to)
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer server.Close()

	hijacker, _ := w.(http.Hijacker)
	caller, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer caller.Close()

	_, _ = io.WriteString(caller, "HTTP/1.1 200 OK\r\n\r\n")
	go func() {
		_, _ = io.Copy(server, caller)
		server.Close()
	}()
	_, _ = io.Copy(caller, server)
}

// The doctor looks at responders on the way on which they are asked.
func TestDoctorReachesRespondersThroughTheProxy(t *testing.T) {
	t.Parallel()
	model := modelserver.StartBare()
	t.Cleanup(model.Close)
	secure := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(secure.Close)

	address := func(u string) string { return must.Have(url.Parse(u))(t).Host }
	proxy := startProxy(t, map[string]string{
		"model.test": address(model.URL), "example.com:443": address(secure.URL),
	})

	h := testhome.New(t)
	roots := filepath.Join(h.Dir, "roots.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}
	must.Do(t, os.WriteFile(roots, pem.EncodeToMemory(block), 0o600))
	h.Env = append(h.Env, "HTTP_PROXY="+proxy.URL, "HTTPS_PROXY="+proxy.URL, "NO_PROXY=direct.test",
		"SSL_CERT_FILE="+roots)
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(`responders:
  - {name: far, model: m, base_url: 'http://model.test/v1'}
  - {name: safe, model: m, base_url: 'https://example.com/v1'}
  - {name: near, model: m, base_url: '`+model.URL+`/v1'}
  - {name: lost, model: m, base_url: 'http://lost.test/v1'}
  - {name: hidden, model: m, base_url: 'https://hidden.test/v1'}
  - {name: direct, model: m, base_url: 'http://direct.test/v1'}
`), 0o600))
	must.Do(t, h.Command("trust", "--yes").Run())

	out, _ := h.Command("doctor").CombinedOutput()
	for _, line := range []string{
		"far: m at http://model.test/v1", "safe: m at https://example.com/v1", "near: m at " + model.URL,
		"cannot connect to http://lost.test/v1: through the proxy " + proxy.URL,
		"cannot connect to https://hidden.test/v1: through the proxy " + proxy.URL,
		"cannot connect to http://direct.test/v1: dial",
	} {
		if !strings.Contains(strings.Join(strings.Fields(string(out)), " "), line) {
			t.Errorf("the doctor does not say %q:\n%s", line, out)
		}
	}

	sent := testhome.Run[parley.SendMessageResult](t, h, "send", "far", "SAY hello")
	if sent.Reply == nil || sent.Reply.Text != "hello" {
		t.Errorf("got %+v", sent)
	}
}
