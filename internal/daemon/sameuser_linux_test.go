package daemon

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"parley/internal/must"
)

// dialled is the variable with the address that this test program dials as another user.
const dialled = "TEST_DIAL"

// TestDial is not a test of its own: TestProcessesOfAnotherUserAreTold runs it as another user.
func TestDial(t *testing.T) {
	address := os.Getenv(dialled)
	if address == "" {
		t.Skip("it is run by another test")
	}
	res := must.Have(http.Get("http://" + address))(t)
	res.Body.Close()
}

func TestProcessesOfAnotherUserAreTold(t *testing.T) {
	own := make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { own <- sameUser(r) }))
	defer server.Close()

	res := must.Have(http.Get(server.URL))(t)
	res.Body.Close()
	if !<-own {
		t.Error("a process of this user counts as another's")
	}

	if os.Getuid() != 0 {
		t.Skip("only root can act as another user")
	}

	const nobody = 65534
	cmd := exec.Command("/proc/self/exe", "-test.run", "^TestDial$")
	cmd.Dir = "/"
	cmd.Env = []string{dialled + "=" + strings.TrimPrefix(server.URL, "http://")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if <-own {
		t.Error("a process of another user counts as this user's")
	}
}

func TestConnectionIsFoundInTheTable(t *testing.T) {
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000  1000        0 4711 1 0 20 4 30 10 -1
   1: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        0 4712 1 0 20 4 30 10 -1
   2: 0200007F:9C41 0100007F:1F90 04 00000000:00000000 00:00000000 00000000     0        0 0 1 0 20 4 30 10 -1
   3: 0000000000000000FFFF00000100007F:9C42 0000000000000000FFFF00000100007F:1F90 01 0:0 0:0 0  1000  0 4713 1
`
	to := netip.MustParseAddrPort("127.0.0.1:8080")
	for _, test := range []struct {
		from string
		uid  int
		want bool
	}{
		{"127.0.0.1:40000", 1001, true},
		{"127.0.0.1:40000", 1000, false}, // the other end's user
		{"127.0.0.2:40001", 0, false},    // closed by its process
		{"127.0.0.1:40002", 1000, true},  // as IPv6
		{"127.0.0.1:40003", 1000, false},
	} {
		s, ok := socketIn(table, netip.MustParseAddrPort(test.from), to)
		if got := ok && s.uid == test.uid; got != test.want {
			t.Errorf("%s by %d: got %v", test.from, test.uid, got)
		}
	}
}
