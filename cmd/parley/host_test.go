package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/daemon"
	"parley/internal/must"
	"parley/internal/place"
	"parley/internal/remote"
	"parley/internal/testhome"
	"parley/internal/wait"
)

// box is another machine as ssh sees it: a server of its own on loopback, which logs in to a home of
// the test's own. The machine's ssh, as the test's own home finds it, knows it under the name box.
type box struct {
	*testhome.Home
	here *testhome.Home
	dir  string
	sshd *exec.Cmd
}

func newBox(t *testing.T) *box {
	t.Helper()
	sshd := "/usr/sbin/sshd" // it must be started by its full path
	for _, program := range []string{sshd, "ssh", "ssh-keygen"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
	}
	if _, err := os.Stat("/run/sshd"); err != nil && os.Getuid() == 0 {
		t.Skip("sshd's directory /run/sshd does not exist")
	}

	b := &box{Home: testhome.New(t), here: testhome.New(t), dir: t.TempDir()}
	for _, name := range []string{"machine", "me"} {
		must.Have(exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(b.dir, name)).
			Output())(t)
	}
	must.Do(t, os.Rename(filepath.Join(b.dir, "me.pub"), filepath.Join(b.dir, "authorized")))

	port := freePort(t)
	b.write(t, "login", 0o700, "#!/bin/sh\necho welcome to the box\n"+b.exports()+
		`cd "$HOME" && eval "exec $SSH_ORIGINAL_COMMAND"`)
	b.write(t, "sshd_config", 0o600, fmt.Sprintf(`Port %s
ListenAddress 127.0.0.1
HostKey %[2]s/machine
AuthorizedKeysFile %[2]s/authorized
ForceCommand %[2]s/login
StrictModes no
UsePAM no
PidFile none
`, port, b.dir))
	b.write(t, "ssh_config", 0o600, fmt.Sprintf(`Host box
  HostName 127.0.0.1
  Port %s
  IdentityFile %s/me
  IdentitiesOnly yes
  UserKnownHostsFile %[2]s/known
  StrictHostKeyChecking accept-new
Host gone
  HostName 127.0.0.1
  Port 1
`, port, b.dir))
	client := must.Have(exec.LookPath("ssh"))(t)
	b.write(t, "ssh", 0o700, fmt.Sprintf("#!/bin/sh\nexec %s -F %s/ssh_config \"$@\"\n", client, b.dir))

	// Of the two homes one is that of the box: it has the daemon.
	b.here.Env = append(b.here.Env, "PATH="+b.dir+":"+os.Getenv("PATH"))
	b.serve(t, sshd, port)
	return b
}

// control returns the path at which parley shares connections.
func control(env []string) string {
	return filepath.Join(daemon.Environ(env).Get("XDG_RUNTIME_DIR"), "parley-ssh-%C")
}

func freePort(t *testing.T) string {
	t.Helper()
	l := must.Have(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	must.Do(t, err)
	return port
}

// exports sets the environment of the box's home, but for the operator's key.
func (b *box) exports() string {
	var lines strings.Builder
	for _, entry := range b.Env {
		if name, value, _ := strings.Cut(entry, "="); name != "PARLEY_OPERATOR_KEY" {
			fmt.Fprintf(&lines, "export %s='%s'\n", name, value)
		}
	}
	return lines.String()
}

func (b *box) write(t *testing.T, name string, mode os.FileMode, text string) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(b.dir, name), []byte(text), mode))
}

func (b *box) serve(t *testing.T, sshd, port string) {
	t.Helper()
	b.sshd = exec.Command(sshd, "-D", "-e", "-f", filepath.Join(b.dir, "sshd_config"))
	must.Do(t, b.sshd.Start())
	t.Cleanup(func() {
		leave := exec.Command(filepath.Join(b.dir, "ssh"), "-o", "ControlPath="+control(b.here.Env),
			"-O", "exit", "box")
		if out, err := leave.CombinedOutput(); err != nil {
			t.Errorf("end the shared connection: %s %v", out, err)
		}
		_ = b.sshd.Process.Kill()
		_ = b.sshd.Wait()
	})

	ctx, cancel := context.WithTimeout(t.Context(), testhome.Patience)
	defer cancel()
	must.Do(t, wait.Until(ctx, 20*time.Millisecond, func() (bool, error) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			return false, nil
		}
		return true, conn.Close()
	}))
}

// from runs parley here, for the box, and returns what it prints.
func (b *box) from(args ...string) (string, error) {
	out, err := b.here.Command(append([]string{"--host", "box"}, args...)...).CombinedOutput()
	return string(out), err
}

func TestHostReachesADaemonOverSSH(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	if out, err := b.from("agents"); err == nil || !strings.Contains(out, "parley is not in use") {
		t.Errorf("where parley was never used: %s %v", out, err)
	}

	testhome.Run[parley.LaunchAgentResult](t, b.Home, "launch", "coder", "--profile", "generic", "--", "cat")
	if out, err := b.from("agents"); err != nil || !strings.Contains(out, "coder") {
		t.Fatalf("its agents: %s %v", out, err)
	}
	if out, err := b.from("send", "coder", "--wait", "from afar"); err != nil {
		t.Errorf("a message: %s %v", out, err)
	}
	if out, err := b.from("screen", "coder"); err != nil || !strings.Contains(out, "from afar") {
		t.Errorf("its terminal: %s %v", out, err)
	}

	if out, err := b.from("status"); err != nil || !strings.Contains(out, b.Workspace) {
		t.Errorf("its status: %s %v", out, err)
	}
	for _, alone := range [][]string{{"up"}, {"launch", "other", "--", "cat"}} {
		if out, err := b.from(alone...); err == nil || !strings.Contains(out, "only on the machine of the daemon") {
			t.Errorf("%v works there alone: %s %v", alone, out, err)
		}
	}
	if out, err := b.from("attach", "coder"); err == nil || !strings.Contains(out, "attach needs a terminal") {
		t.Errorf("attach without a terminal: %s %v", out, err)
	}

	if out, err := b.from("backup", "copy.db"); err == nil ||
		!strings.Contains(out, "an absolute path on that machine") {
		t.Errorf("a copy without a place: %s %v", out, err)
	}
	there := filepath.Join(b.dir, "copy.db")
	if out, err := b.from("backup", there); err != nil || !strings.Contains(out, "Copied to "+there+" on box (") {
		t.Errorf("a copy there: %s %v", out, err)
	}

	b.filesGoBothWays(t)
	if out, err := b.from("log"); err != nil || !strings.Contains(out, "from afar") {
		t.Errorf("its log: %s %v", out, err)
	}

	withoutKey := *b.here
	withoutKey.Env = append(slices.Clone(b.here.Env), "PARLEY_OPERATOR_KEY=")
	out, err := withoutKey.Command("--host", "box", "send", "coder", "x").CombinedOutput()
	if err != nil {
		t.Errorf("without a key, by the user of that machine: %s %v", out, err)
	}

	// Another machine has 10 s to answer, and a machine full of tests may need many tries.
	must.Do(t, remote.Keys(place.HostsFile(daemon.Environ(b.here.Env))).Set("box", operatorKey))
	ctx, cancel := context.WithTimeout(t.Context(), 5*testhome.Patience)
	defer cancel()
	if err := wait.Until(ctx, 100*time.Millisecond, func() (bool, error) {
		out, err = withoutKey.Command("status", "--everywhere").CombinedOutput()
		return strings.Contains(string(out), "parley --host box") && strings.Contains(string(out), "1 idle"), err
	}); err != nil {
		t.Errorf("everywhere: %s %v", out, err)
	}

	gone, err := b.here.Command("--host", "gone", "agents").CombinedOutput()
	if err == nil || !strings.Contains(string(gone), "gone cannot be reached: ") {
		t.Errorf("a machine without ssh: %s %v", gone, err)
	}

	// Nothing was started or written in the directory here.
	if files, _ := os.ReadDir(b.here.Workspace); len(files) > 0 {
		t.Errorf("files here: %v", files)
	}
}

// filesGoBothWays sends a file of this machine, and fetches it again.
func (b *box) filesGoBothWays(t *testing.T) {
	t.Helper()
	file, back := filepath.Join(b.dir, "plan.txt"), filepath.Join(b.dir, "back.txt")
	must.Do(t, os.WriteFile(file, []byte("a plan"), 0o600))
	out, err := b.from("--json", "send-file", "coder", file)
	var sent parley.TransferFileResult
	if err != nil || json.Unmarshal([]byte(out), &sent) != nil {
		t.Fatalf("send a file: %s %v", out, err)
	}
	if out, err := b.from("get-file", sent.Data.FileID, "-o", back); err != nil {
		t.Fatalf("get it: %s %v", out, err)
	}
	if got := string(must.Have(os.ReadFile(back))(t)); got != "a plan" {
		t.Errorf("it came back as %q", got)
	}
}
