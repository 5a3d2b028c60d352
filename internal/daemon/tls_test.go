package daemon

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/orchestrator/settings"
)

// writePair writes a certificate of its own for 127.0.0.1, and returns it.
func writePair(t *testing.T, dir string, serial int64) *x509.Certificate {
	t.Helper()
	key := must.Have(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0,
			0, 1)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der := must.Have(x509.CreateCertificate(rand.Reader, template, template, key.Public(), key))(t)
	private := must.Have(x509.MarshalPKCS8PrivateKey(key))(t)
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
	}
	return must.Have(x509.ParseCertificate(der))(t)
}

var pair = settings.PageSettings{Certificate: "cert.pem", CertificateKey: "key.pem"}

// One port speaks TLS, and plain HTTP with this machine; a renewed certificate counts at once.
func TestThePortSpeaksTLSToo(t *testing.T) {
	dir := t.TempDir()
	first := writePair(t, dir, 1)
	c := must.Have(certificateOf(&pair, dir))(t)
	l := secure(must.Have(net.Listen("tcp", "127.0.0.1:0"))(t), c)
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		_, _ = io.WriteString(w, "hello "+r.RemoteAddr[:9])
	})}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close(); <-ended })

	ask := func(scheme string, trusted *x509.Certificate) string {
		pool := x509.NewCertPool()
		pool.AddCert(trusted)
		client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
		}}
		res, err := client.Get(scheme + "://" + l.Addr().String())
		if err != nil {
			return err.Error()
		}
		defer res.Body.Close()
		return string(must.Have(io.ReadAll(res.Body))(t))
	}
	for _, scheme := range []string{"http", "https"} {
		if got := ask(scheme, first); got != "hello 127.0.0.1" {
			t.Errorf("%s: %s", scheme, got)
		}
	}

	must.Do(t, os.WriteFile(filepath.Join(dir, "key.pem"), []byte("half a renewal"), 0o600))
	if got := ask("https", first); got != "hello 127.0.0.1" {
		t.Errorf("in the middle of a renewal: %s", got)
	}
	second := writePair(t, dir, 2)
	must.Do(t, os.Chtimes(filepath.Join(dir, "cert.pem"), time.Time{}, time.Now().Add(time.Minute)))
	if got := ask("https", second); got != "hello 127.0.0.1" {
		t.Errorf("after it: %s", got)
	}
}

// elsewhere is a connection from another machine.
type elsewhereConn struct{ net.Conn }

func (elsewhereConn) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 168, 7, 9), Port: 5}
}

func TestPlainCallsFromElsewhereAreRefused(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	conn := &eitherConn{Conn: elsewhereConn{far}, config: &tls.Config{MinVersion: tls.VersionTLS12}}
	read := make(chan error, 1)
	go func() {
		_, err := conn.Read(make([]byte, 100))
		_ = conn.Close()
		read <- err
	}()
	go func() { _, _ = io.WriteString(near, "GET / HTTP/1.1\r\nAuthorization: Bearer x\r\n\r\n") }()
	res, err := http.ReadResponse(bufio.NewReader(near), nil)
	if err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("got %v, %v", res, err)
	}
	if err := <-read; err == nil {
		t.Error("what it sent was read")
	}
}

func TestACertificateIsChecked(t *testing.T) {
	dir := t.TempDir()
	if c, err := certificateOf(&settings.PageSettings{}, dir); c != nil || err != nil {
		t.Errorf("without one: %v, %v", c, err)
	}
	if _, err := certificateOf(&pair, dir); parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("without its files: %v", err)
	}
	for want, s := range map[string]settings.PageSettings{
		"certificate_key": {Certificate: "x"},
		"url":             {URL: "https://team.example/page"},
		"":                {URL: "https://team.example:8443"},
	} {
		err := s.Check("here")
		if want == "" && err != nil || want != "" && (err == nil || parley.AsError(err).Details["setting"] != want) {
			t.Errorf("%+v: %v", s, err)
		}
	}
}
