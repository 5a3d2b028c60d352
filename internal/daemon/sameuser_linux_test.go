package daemon

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"slices"
	"strconv"
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

// The kernel tells of the one connection: on IPv4, on IPv6, and where one is mapped into the other; not of the
// socket that listens, nor of an end that is closed.
func TestKernelTellsWhoseAConnectionIs(t *testing.T) {
	for listen, dial := range map[string]string{
		"127.0.0.1:0": "127.0.0.1", "[::1]:0": "::1", "[::]:0": "127.0.0.1", "0.0.0.0:0": "127.0.0.5",
	} {
		l, err := net.Listen("tcp", listen)
		if err != nil {
			t.Logf("this machine has no %s: %v", listen, err)
			continue
		}
		defer l.Close()

		port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
		near := must.Have(net.Dial("tcp", net.JoinHostPort(dial, port)))(t)
		far := must.Have(l.Accept())(t)
		defer far.Close()
		from, to := netip.MustParseAddrPort(far.RemoteAddr().String()),
			netip.MustParseAddrPort(far.LocalAddr().String())

		s, ok := findSocket(from, to)
		if !ok || s.uid != os.Getuid() {
			t.Errorf("%s at %s: got %+v, %t", dial, listen, s, ok)
		}
		if pids, _ := holders(from, to); !slices.Equal(pids, []int{os.Getpid()}) {
			t.Errorf("%s at %s: it is held by %v", dial, listen, pids)
		}

		near.Close()
		if s, ok := findSocket(from, to); ok {
			t.Errorf("%s at %s, closed: got %+v", dial, listen, s)
		}
		if s, ok := findSocket(to, netip.AddrPortFrom(to.Addr(), 1)); ok {
			t.Errorf("the socket that listens at %s: got %+v", listen, s)
		}
	}
}
