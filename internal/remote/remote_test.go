package remote

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/wait"
)

func TestParseReadsWhatSSHAndSCPTake(t *testing.T) {
	for text, want := range map[string]Host{
		"box":                   {Address: "box"},
		"box:src/api":           {Address: "box", Workspace: "src/api"},
		"me@box:/srv/my api":    {Address: "me@box", Workspace: "/srv/my api"},
		"ssh://me@box:2222":     {Address: "ssh://me@box:2222"},
		"":                      {},
		":src":                  {},
		"-oProxyCommand=reboot": {},
		"box reboot":            {},
	} {
		got, err := Parse(text)
		if got.Address != want.Address || got.Workspace != want.Workspace {
			t.Errorf("%q is %+v, want %+v", text, got, want)
		}
		if refused := parley.ErrorCode(err) == parley.InvalidArgument; refused != (want.Address == "") {
			t.Errorf("%q gave %v", text, err)
		}
		if err == nil && got.String() != text {
			t.Errorf("%q is printed as %q", text, got)
		}
	}
}

func TestCommandQuotesForTheOtherShell(t *testing.T) {
	h := Host{Address: "box", Workspace: `it's "mine"; $(reboot)`}
	args := h.Command(t.Context(), false, "send", "a'b").Args
	if got := args[len(args)-2]; got != "box" || !slices.Contains(args, "-T") || args[len(args)-3] != "--" {
		t.Errorf("ssh gets %q", args)
	}
	want := `parley '--workspace' 'it'\''s "mine"; $(reboot)' 'send' 'a'\''b'`
	if line := args[len(args)-1]; !strings.HasSuffix(line, want) {
		t.Errorf("the shell gets %s, want at its end %s", line, want)
	}
}

// notInUse is how parley says that it is not in use.
const notInUse = `{"success":false,"error_code":"DAEMON_UNAVAILABLE",` +
	`"error_message":"parley is not in use in /x","suggested_action":"begin"}`

func TestGreetReadsToTheGreetingAndNoFurther(t *testing.T) {
	for name, c := range map[string]struct {
		said, version, rest string
		code                parley.Code
	}{
		"at once":             {said: greeting + "v1\nHTTP", version: "v1", rest: "HTTP"},
		"after noise":         {said: "welcome\r\n{}\n\n" + greeting + "v1\nHTTP", version: "v1", rest: "HTTP"},
		"an error over there": {said: "hi\n" + notInUse + "\n", code: parley.DaemonUnavailable},
		"after a title":       {said: "\x1b]0;box\a" + greeting + "v1\nHTTP", version: "v1", rest: "HTTP"},
		"an error in a line":  {said: "hi {you} " + notInUse + "\n", code: parley.DaemonUnavailable},
	} {
		r := strings.NewReader(c.said)
		version, err := greet(r)
		rest := string(must.Have(io.ReadAll(r))(t))
		if version != c.version || rest != c.rest || c.code != "" && parley.ErrorCode(err) != c.code {
			t.Errorf("%s: version %q, rest %q, %v", name, version, rest, err)
		}
	}

	if _, err := greet(strings.NewReader("welcome\n")); !errors.Is(err, io.EOF) {
		t.Errorf("without a greeting: %v, want the end", err)
	}
	if _, err := greet(endless{}); err == nil {
		t.Error("endless noise passes for parley")
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestServePassesBytesBothWays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l := must.Have(net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"}))(t)
	defer l.Close()
	got := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			got <- err.Error()
			return
		}
		asked, _ := io.ReadAll(conn)
		_, _ = io.WriteString(conn, "answer")
		_ = conn.Close()
		got <- string(asked)
	}()

	daemon := must.Have(net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"}))(t)
	var out strings.Builder
	must.Do(t, Serve(strings.NewReader("question"), &out, daemon, "v1"))
	if asked := <-got; asked != "question" || out.String() != greeting+"v1\nanswer" {
		t.Errorf("the daemon got %q, the other end %q", asked, out.String())
	}
}

// sshThat puts a program in place of ssh, and returns a host that uses it.
func sshThat(t *testing.T, does string) Host {
	t.Helper()
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "ssh"), []byte("#!/bin/sh\n"+does), 0o700))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return Host{Address: "box", Env: os.Environ()}
}

func TestDialSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ does, want, next string }{
		{"echo 'Warning: x' >&2; echo 'ssh: connection refused' >&2; exit 255",
			"box cannot be reached: ssh: connection refused", "ssh box"},
		{"echo 'sh: exec: parley: not found' >&2; exit 127", "parley is not installed on box", "Install it there"},
		{"exit 3", "box cannot be reached: exit status 3", "ssh box"},
		{"echo '" + notInUse + "'; exit 1", "parley is not in use in /x", "begin"},
	} {
		_, err := sshThat(t, c.does).Dial(t.Context())
		e := parley.AsError(err)
		if e.Code != parley.DaemonUnavailable || e.Message != c.want || !strings.Contains(e.Action, c.next) {
			t.Errorf("%s: %s %q %q, want %q", c.does, e.Code, e.Message, e.Action, c.want)
		}
	}
}

func TestDialEndsWithItsContext(t *testing.T) {
	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	h := sshThat(t, "echo asks for a passphrase >&2; exec sleep 1000")
	cancel(stopped)
	if _, err := h.Dial(ctx); !errors.Is(err, stopped) {
		t.Errorf("got %v, want %v", err, stopped)
	}
}

// TestDialEndsWhileSSHReadsItsSettings has a `Match exec` that hangs, and outlives ssh with its output
// until the test's directory is removed.
func TestDialEndsWhileSSHReadsItsSettings(t *testing.T) {
	stopped := errors.New("stopped")
	reads := filepath.Join(t.TempDir(), "reads")
	h := sshThat(t, `[ "$1" = -G ] || exit 255
echo > '`+reads+`'
while [ -e '`+reads+`' ]; do sleep 0.1; done & wait`)
	h.Control = "/run/parley-%C"

	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := h.Dial(ctx)
		ended <- err
	}()
	must.Do(t, wait.Until(t.Context(), 5*time.Millisecond, func() (bool, error) {
		_, err := os.Stat(reads)
		return err == nil, nil
	}))
	cancel(stopped)

	select {
	case err := <-ended:
		if !errors.Is(err, stopped) {
			t.Errorf("got %v, want %v", err, stopped)
		}
	case <-time.After(must.Patience):
		t.Error("ssh -G still runs, a minute after the end of the context")
	}
}

func TestConnectionsAreSharedUnlessTheUserSharesThem(t *testing.T) {
	for settings, want := range map[string]bool{
		"echo user me; echo controlpath none":     true,
		"echo user me":                            true,
		"echo controlpath /home/me/.ssh/%C":       false,
		"echo controlpath none; exit 255":         false,
		"echo 'Bad configuration option'; exit 1": false,
	} {
		h := sshThat(t, settings)
		h.Control = "/run/parley-%C"
		if got := slices.Contains(h.Command(t.Context(), false).Args, "ControlPath="+h.Control); got != want {
			t.Errorf("with %q it is %t that parley shares connections, want %t", settings, got, want)
		}
	}
}

func TestKeysAreKeptForTheUserAlone(t *testing.T) {
	k := Keys(filepath.Join(t.TempDir(), "new", "hosts.json"))
	if key, err := k.Of("box"); key != "" || err != nil {
		t.Errorf("before there is a file: %q %v", key, err)
	}

	must.Do(t, k.Set("box:b", "two"))
	must.Do(t, k.Set("box:a", "one"))
	must.Do(t, k.Set("box:c", "three"))
	must.Do(t, k.Set("box:c", ""))
	if hosts, err := k.Hosts(); err != nil || !slices.Equal(hosts, []string{"box:a", "box:b"}) {
		t.Errorf("the hosts are %q, %v", hosts, err)
	}
	if key, err := k.Of("box:b"); key != "two" || err != nil {
		t.Errorf("the key is %q, %v", key, err)
	}
	if mode := must.Have(os.Stat(string(k)))(t).Mode().Perm(); mode != 0o600 {
		t.Errorf("its mode is %o", mode)
	}

	must.Do(t, os.WriteFile(string(k), []byte("{"), 0o600))
	if err := k.Set("box", "x"); parley.ErrorCode(err) != parley.StorageUnavailable {
		t.Errorf("a damaged file is written over: %v", err)
	}
}
