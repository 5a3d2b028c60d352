package httpapi

import (
	"net/http/httptest"
	"testing"

	"parley"
)

// A session is listed by what its browser says of itself, and by the address that it came from.
func TestADeviceIsNamed(t *testing.T) {
	for _, c := range []struct {
		agent, remote, forwarded string
		want                     parley.Device
	}{
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1",
			"192.0.2.7:5000", "", parley.Device{Browser: "Safari on an iPhone", Address: "192.0.2.7"}},
		{"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) CriOS/130.0 Mobile/15E148 Safari/604.1",
			"127.0.0.1:5000", "100.64.0.7", parley.Device{Browser: "Chrome on an iPhone", Address: "100.64.0.7"}},
		{"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile " +
			"Safari/537.36", "[::1]:5000", "10.0.0.1, 100.64.0.8", parley.Device{Browser: "Chrome on Android",
			Address: "100.64.0.8"}},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0",
			"[fd00::7]:5000", "", parley.Device{Browser: "Edge on Windows", Address: "fd00::7"}},
		{"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "127.0.0.1:5000", "<b>nonsense</b>",
			parley.Device{Browser: "Firefox on Linux", Address: "127.0.0.1"}},
		{"curl/8.5.0", "192.0.2.7:5000", "198.51.100.1", parley.Device{Address: "192.0.2.7"}}, // not by a proxy here
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		r.Header.Set("User-Agent", c.agent)
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := deviceOf(r); got != c.want {
			t.Errorf("%s from %s: got %+v, want %+v", c.agent, c.remote, got, c.want)
		}
	}
}
