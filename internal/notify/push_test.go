package notify

import (
	"bytes"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
)

func decode(t *testing.T, text string) []byte {
	t.Helper()
	return must.Have(base64.RawURLEncoding.DecodeString(text))(t)
}

// aBrowser is what subscribes, and reads what is pushed to it.
type aBrowser struct {
	key    *ecdh.PrivateKey
	secret []byte
}

func newBrowser(t *testing.T) aBrowser {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret)
	return aBrowser{must.Have(ecdh.P256().GenerateKey(rand.Reader))(t), secret}
}

func (b aBrowser) device(endpoint string) Device {
	return Device{Endpoint: endpoint, Public: encode(b.key.PublicKey().Bytes()), Secret: encode(b.secret), Session: "s"}
}

// The sizes of RFC 8291 and RFC 8188, in bytes: a body is the salt, the size of a record, the sender's key with its
// length, and one record.
const (
	saltBytes  = 16
	keyAt      = saltBytes + 4 + 1
	pointBytes = 65
)

// reads decrypts a body as a browser does, by RFC 8291.
func (b aBrowser) reads(t *testing.T, body []byte) (p pushed) {
	t.Helper()
	derive := func(input, salt []byte, info string, size int) []byte {
		return must.Have(hkdf.Key(sha256.New, input, salt, info, size))(t)
	}
	salt, from := body[:saltBytes], body[keyAt:keyAt+pointBytes]
	shared := must.Have(b.key.ECDH(must.Have(ecdh.P256().NewPublicKey(from))(t)))(t)
	input := derive(shared, b.secret, "WebPush: info\x00"+string(b.key.PublicKey().Bytes())+string(from), 32)
	block := must.Have(aes.NewCipher(derive(input, salt, "Content-Encoding: aes128gcm\x00", 16)))(t)
	nonce := derive(input, salt, "Content-Encoding: nonce\x00", 12)
	text := must.Have(must.Have(cipher.NewGCM(block))(t).Open(nil, nonce, body[keyAt+pointBytes:], nil))(t)
	text = bytes.TrimRight(text, "\x00") // the padding
	if text[len(text)-1] != 2 {
		t.Errorf("the record does not end as the last one does: %d", text[len(text)-1])
	}
	must.Do(t, json.Unmarshal(text[:len(text)-1], &p))
	return p
}

// devicesOf opens devices whose session s is alive.
func devicesOf(t *testing.T, path string) *Devices {
	t.Helper()
	d := must.Have(OpenDevices(path))(t)
	d.While(func(session string) bool { return session == "s" })
	return d
}

// pushTo returns a notifier that pushes to a server of the test, which a daemon refuses to call.
func pushTo(t *testing.T, devices *Devices, client *http.Client) *Notifier {
	opts := optionsOf(t, func(*Settings) {})
	n := NewPush(opts, devices, "mailto:ann@example.org")
	n.ways[0].sender = push{devices, client, "mailto:ann@example.org"}
	n.ways[0].retries = nil
	return n
}

func TestPushIsReadByTheBrowserAlone(t *testing.T) {
	var got []*http.Request
	var bodies [][]byte
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got, bodies = append(got, r), append(bodies, body)
		w.WriteHeader(http.StatusCreated)
	}))
	defer service.Close()

	devices, browser := devicesOf(t, filepath.Join(t.TempDir(), "devices.json")), newBrowser(t)
	devices.all = []Device{browser.device(service.URL + "/a-secret")}
	n := pushTo(t, devices, service.Client())
	long := question
	long.Dialog = &parley.Dialog{Question: strings.Repeat("\u4f60", 3000), Options: question.Dialog.Options}
	marks := question
	marks.Dialog = &parley.Dialog{Question: strings.Repeat("<", 3000), Options: question.Dialog.Options}
	marks.Agent = strings.Repeat("a", 32)
	for _, need := range []parley.Need{question, long, marks} {
		must.Do(t, n.ways[0].sender.send(context.Background(), n.notice([]parley.Need{need}, noon)))
	}

	if p := browser.reads(t, bodies[0]); p.Title != "shop: coder: dialog" || p.Text != "coder: May I?" ||
		p.Path != "/#/needs/coder" || p.Tag == "" {
		t.Errorf("it shows %+v", p)
	}
	if p := browser.reads(t, bodies[1]); !strings.HasSuffix(p.Text, "…") || len(bodies[1]) > 4096 {
		t.Errorf("a long question has %d bytes, and ends %q", len(bodies[1]), p.Text[len(p.Text)-9:])
	}
	if p := browser.reads(t, bodies[2]); !strings.Contains(p.Text, "<<<") || len(bodies[2]) > 4096 {
		t.Errorf("marks have %d bytes", len(bodies[2]))
	}
	h := got[0].Header
	if h.Get("Content-Encoding") != "aes128gcm" || h.Get("TTL") != "14400" || h.Get("Urgency") != "high" ||
		got[0].URL.Path != "/a-secret" {
		t.Errorf("it is sent to %s with %v", got[0].URL, h)
	}
	checkVAPID(t, h.Get("Authorization"), service.URL, must.Have(devices.PublicKey())(t))
}

// checkVAPID checks the sender's name as a push service does.
func checkVAPID(t *testing.T, header, origin, key string) {
	t.Helper()
	token, ok := strings.CutPrefix(header, "vapid t=")
	token, k, found := strings.Cut(token, ", k=")
	parts := strings.Split(token, ".")
	if !ok || !found || len(parts) != 3 || k != key {
		t.Fatalf("the sender is %q", header)
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	must.Do(t, json.Unmarshal(decode(t, parts[1]), &claims))
	if left := claims.Exp - time.Now().Unix(); claims.Aud != origin ||
		claims.Sub != "mailto:ann@example.org" || left <= 0 || left > 24*3600 {
		t.Errorf("the claims are %+v", claims)
	}
	public := must.Have(ecdsa.ParseUncompressedPublicKey(elliptic.P256(), decode(t, k)))(t)
	sum, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), decode(t, parts[2])
	if len(signature) != 64 ||
		!ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the signature is wrong")
	}
}

func TestDevicesThatAreGoneAreForgotten(t *testing.T) {
	status := http.StatusServiceUnavailable
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.WriteHeader(status)
	}))
	defer service.Close()
	path := filepath.Join(t.TempDir(), "devices.json")
	devices := devicesOf(t, path)
	devices.all = []Device{newBrowser(t).device(service.URL)}
	n := pushTo(t, devices, service.Client())

	if w := n.Test(t.Context()); w[0].Works || w[0].Problem != "it answered 503 Service Unavailable" ||
		devices.Count() != 1 {
		t.Errorf("a service that is busy: %+v, %d devices", w, devices.Count())
	}
	status = http.StatusGone
	if w := n.Test(t.Context()); !w[0].Works || devices.Count() != 0 {
		t.Errorf("a device that is gone: %+v, %d devices", w, devices.Count())
	}
}

func TestDevicesStayWithTheirKeyAndTheirSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "devices.json")
	devices := devicesOf(t, path)
	key := must.Have(devices.PublicKey())(t)
	for i := range maxDevices {
		must.Do(t, devices.Add(newBrowser(t).device("https://push.example.org/"+string(rune('a'+i)))))
	}
	must.Do(t, devices.Add(newBrowser(t).device("https://push.example.org/a"))) // again
	err := devices.Add(newBrowser(t).device("https://push.example.org/z"))
	if parley.ErrorCode(err) != parley.InvalidArgument {
		t.Errorf("one too many: %v", err)
	}
	if info := must.Have(os.Stat(path))(t); info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v", info.Mode())
	}

	again := devicesOf(t, path)
	if got := must.Have(again.PublicKey())(t); got != key || again.Count() != maxDevices {
		t.Errorf("after a start there are %d devices, and the key is %q, want %q", again.Count(), got, key)
	}
	must.Do(t, again.Remove("https://push.example.org/a"))
	if again.Count() != maxDevices-1 {
		t.Errorf("%d devices are left", again.Count())
	}
	again.While(func(string) bool { return false })
	if again.Count() != 0 {
		t.Error("a device outlives its session")
	}
}

// What a browser says leads the daemon to public servers only, and by https.
func TestNoDeviceLeadsInward(t *testing.T) {
	devices := devicesOf(t, filepath.Join(t.TempDir(), "devices.json"))
	for _, endpoint := range []string{
		"", "http://push.example.org/x", "https://", "https://ann@push.example.org/x",
		"https://push.example.org:8443/x", "file:///etc/passwd",
		"https://127.0.0.1/x", "https://[::1]/x", "https://10.0.0.1/", "https://[::ffff:192.168.0.1]/",
		"https://169.254.169.254/latest",
		"https://[fe80::1%25eth0]/", "https://push.example.org/#x", "https://push.example.org/" + strings.Repeat("x",
			maxEndpoint),
	} {
		if err := devices.Add(newBrowser(t).device(endpoint)); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("%.60s: %v", endpoint, err)
		}
	}
	for _, keys := range [][2]string{{"", ""}, {"BA", "AAAAAAAAAAAAAAAAAAAAAA"},
		{encode(newBrowser(t).key.PublicKey().Bytes()), "AA"}, {"!", "!"}} {
		d := Device{Endpoint: "https://push.example.org/x", Public: keys[0], Secret: keys[1], Session: "s"}
		if err := devices.Add(d); parley.ErrorCode(err) != parley.InvalidArgument {
			t.Errorf("the keys %q: %v", keys, err)
		}
	}

	for address, want := range map[string]bool{
		"127.0.0.1": true, "10.1.2.3": true, "172.16.0.1": true, "192.168.1.1": true, "169.254.1.1": true,
		"100.64.0.1": true, "0.0.0.0": true,
		"224.0.0.1": true, "255.255.255.255": true, "198.18.0.1": true, "::1": true, "::": true, "fe80::1": true,
		"fc00::1": true, "fec0::1": true,
		"::ffff:127.0.0.1": true, "::127.0.0.1": true, "64:ff9b::7f00:1": true, "64:ff9b::a00:1": true,
		"64:ff9b:1::1": true, "2002:7f00:1::": true,
		"2001::1": true, "2001:db8::1": true, "ff02::1": true,
		"8.8.8.8": false, "142.250.1.1": false, "2607:f8b0::1": false, "64:ff9b::808:808": false,
		"2002:808:808::1": false, "2a00:1450::1": false,
	} {
		if got := inward(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s leads inward: %v, want %v", address, got, want)
		}
	}
}

// A name may resolve to anything, and a server may send on to anywhere.
func TestTheDaemonCallsNoServerInward(t *testing.T) {
	called := make(chan string, 10)
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		called <- r.URL.Path
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer service.Close()
	devices := devicesOf(t, filepath.Join(t.TempDir(), "devices.json"))
	_, port, _ := strings.Cut(strings.TrimPrefix(service.URL, "https://"), ":")
	devices.all = []Device{newBrowser(t).device("https://localhost:" + port)}

	opts := optionsOf(t, func(*Settings) {})
	if w := NewPush(opts, devices, "mailto:ann@example.org").Test(t.Context()); w[0].Works ||
		w[0].Problem != errInward.Error() || len(called) != 0 {
		t.Errorf("a name of this machine: %+v, %d calls", w[0], len(called))
	}

	client := outward()
	client.Transport = service.Client().Transport
	devices.all[0].Endpoint = service.URL + "/first"
	if w := pushTo(t, devices, client).Test(t.Context()); w[0].Works || len(called) != 1 {
		t.Errorf("a server that sends on: %+v, %d calls", w[0], len(called))
	}
}
