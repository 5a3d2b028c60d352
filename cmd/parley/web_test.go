package main

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

func TestSessionsOfThePageAreListedAndRevoked(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	type sessions struct{ Sessions []parley.Key }
	list := func() (all []string) {
		for _, k := range testhome.Run[sessions](t, h, "web", "--sessions").Sessions {
			all = append(all, k.KeyID+" "+string(k.Origin))
		}
		return all
	}

	link := testhome.Run[parley.OpenPageResult](t, h, "web")
	if got := list(); len(got) != 1 || got[0] != link.KeyID+" page_code" {
		t.Errorf("before the link is opened: %q", got)
	}
	s := testpage.Enter(t, link.Address, link.Code)
	testhome.Run[parley.IssueKeyResult](t, h, "key", "issue", "operator") // which is no session
	if got := list(); len(got) != 1 || got[0] != s.KeyID+" page" {
		t.Errorf("after it: %q", got)
	}

	for id, want := range map[string]string{s.KeyID: "", "parley_nothing": "there is no session"} {
		out, err := h.Command("web", "--revoke", id).CombinedOutput()
		if (err != nil) != (want != "") || !strings.Contains(string(out), want) {
			t.Errorf("web --revoke %s: %v\n%s", id, err, out)
		}
	}
	if got := list(); len(got) != 0 {
		t.Errorf("after it was revoked: %q", got)
	}

	res := must.Have(http.DefaultClient.Do(s.Request(t, http.MethodPost, "/api/get_agent_status", "{}")))(t)
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a revoked session is answered with %s", res.Status)
	}
}

// tailscale is one that serves nothing: it says which name this machine has, and notes what it is told.
const tailscale = `#!/bin/sh
case $1 in
status) echo '{"BackendState": "Running", "Self": {"DNSName": "box.tail1234.ts.net."}}' ;;
*) echo "$@" >>"$0.told" ;;
esac
`

func TestAPhoneReachesThePageByTailscale(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	if out, err := h.Command("web", "--phone", "--yes").CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "there is no way from here to a phone") {
		t.Errorf("without Tailscale: %v\n%s", err, out)
	}
	before := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")

	program := filepath.Join(t.TempDir(), "tailscale")
	must.Do(t, os.WriteFile(program, []byte(tailscale), 0o700))
	h.Env = append(h.Env, "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	if out, err := h.Command("web", "--phone").CombinedOutput(); err == nil || !strings.Contains(string(out), "--yes") {
		t.Errorf("nobody was asked: %v\n%s", err, out)
	}
	link := testhome.Run[parley.OpenPageResult](t, h, "web", "--phone", "--yes")
	_, port, _ := strings.Cut(strings.TrimPrefix(before.HTTP, "http://"), ":")
	if want := "https://box.tail1234.ts.net:" + port; link.Elsewhere != want || link.Address != before.HTTP {
		t.Errorf("the page is at %s and %s, want %s and %s", link.Address, link.Elsewhere, before.HTTP, want)
	}
	told := string(must.Have(os.ReadFile(program + ".told"))(t))
	if want := "serve --bg --https=" + port + " " + before.HTTP + "\n"; told != want {
		t.Errorf("Tailscale was told %q, want %q", told, want)
	}

	// What Tailscale passes on is answered; another name of its network is not this machine.
	for host, want := range map[string]int{"box.tail1234.ts.net:" + port: 200, "other.tail1234.ts.net:" + port: 403} {
		s := testpage.NewSession(t, link.Address)
		r := must.Have(http.NewRequest(http.MethodGet, link.Address, nil))(t)
		if want == http.StatusOK { // it signs for the name that it sees
			body := s.Entry(t, link.Code, "")
			r = must.Have(http.NewRequest(http.MethodPost, link.Address+"/session", strings.NewReader(body)))(t)
			r.Header.Set("Content-Type", "application/json")
			r.URL.Host = host
			s.Sign(t, r)
			r.URL.Host = strings.TrimPrefix(link.Address, "http://")
		}
		r.Host = host
		r.Header.Set("Origin", "https://"+host)
		r.Header.Set("X-Forwarded-For", "100.64.0.7")
		res := must.Have(http.DefaultClient.Do(r))(t)
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("as %s: %s, want %d", host, res.Status, want)
		}
	}

	again := testhome.Run[parley.OpenPageResult](t, h, "web", "--phone") // it is there, so nothing is asked
	if again.Elsewhere != link.Elsewhere {
		t.Errorf("again it is at %s", again.Elsewhere)
	}
}

func TestQRCodeIsBlackOnWhite(t *testing.T) {
	code := must.Have(qrText("http://127.0.0.1:41093/#parley_" + strings.Repeat("x", 43)))(t)
	lines := strings.Split(strings.TrimRight(code, "\n"), "\n")
	if len(lines) > 23 {
		t.Errorf("it has %d lines", len(lines))
	}
	for i, line := range lines {
		text := strings.TrimSuffix(strings.TrimPrefix(line, "\x1b[30;107m"), "\x1b[0m")
		if len(text) == len(line) || len([]rune(text)) > 79 {
			t.Errorf("line %d is %q", i, line)
		}
		if blank := strings.Trim(text, " ") == ""; blank != (i == 0) && i < len(lines)-1 {
			t.Errorf("line %d: blank is %v", i, blank)
		}
	}
}

// tryPage tries to get at the page: $1 is the daemon's address, $2 and $3 what asks for a session with the code of a
// link, and its signature, $4 a signature of a session, $5 that of one that may only look, $6 the directory for the
// answers.
const tryPage = `cd "$6"
ask() { curl -sS -m 20 -H 'Content-Type: application/json' "$@" 2>&1; }
ask -H "Origin: $1" -H "Authorization: $3" -d "$2" "$1/session" >code
ask -H "X-Forwarded-For: 192.0.2.7" -H "Authorization: $3" -d "$2" "$1/session" >forwarded
ask -H "Authorization: $4" -d '{}' "$1/api/get_needs" >session
ask -H "Authorization: $5" -d '{}' "$1/api/get_needs" >watching
parley --json web >command 2>&1
ask "$1/" >page
touch end
`

// An agent that finds a link, or the key of a session, gets nowhere with it; nor does it get a link.
func TestAgentGetsNoSession(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	h := testhome.New(t)
	link := func(args ...string) string {
		return testhome.Run[parley.OpenPageResult](t, h, append([]string{"web"}, args...)...).Code
	}
	code := link()
	address := testhome.Run[parley.WorkspaceStatusResult](t, h, "status").HTTP

	dir := t.TempDir()
	script := filepath.Join(t.TempDir(), "try")
	must.Do(t, os.WriteFile(script, []byte(tryPage), 0o600))
	shown := func(s *testpage.Session, path, body string) string {
		s.Ahead = 30 * time.Second // a launch takes a while
		return s.Request(t, http.MethodPost, path, body).Header.Get("Authorization")
	}
	stolen := testpage.NewSession(t, address)
	entry := stolen.Entry(t, code, "")
	operators, watchers := testpage.Enter(t, address, link()), testpage.Enter(t, address, link("--watch"))
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "sly", "--", "env", "-u", "PARLEY_KEY", "sh", "-c",
		`sh "$@"; exec sleep 1000`, "sh", script, address, entry, shown(stolen, "/session", entry),
		shown(operators, "/api/get_needs", "{}"), shown(watchers, "/api/get_needs", "{}"), dir)
	waitFor(filepath.Join(dir, "end"))
	for _, way := range []string{"code", "forwarded", "session", "watching", "command"} {
		said := string(must.Have(os.ReadFile(filepath.Join(dir, way)))(t))
		if !strings.Contains(said, string(parley.NotAuthorized)) {
			t.Errorf("%s: the agent got %q, want %s", way, said, parley.NotAuthorized)
		}
	}

	// The page itself has no secret, and the code is still good for the person.
	page := string(must.Have(os.ReadFile(filepath.Join(dir, "page")))(t))
	if !strings.Contains(page, "<html") || strings.Contains(page, "parley_") {
		t.Errorf("the agent read the page %q", page)
	}
	if s := testpage.Enter(t, address, code); s.KeyID == "" || s.Watch {
		t.Errorf("the person got %+v", s)
	}
}

// Without Tailscale the daemon listens at an address of the machine too, by a certificate for that alone, and tells its
// fingerprint. --local ends that.
func TestAPhoneReachesThePageInItsNetwork(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	for _, address := range []string{"127.0.0.1", "::1", "0.0.0.0", "nowhere"} {
		if out, err := h.Command("web", "--phone", "--yes", "--near", address).CombinedOutput(); err == nil {
			t.Errorf("a phone is sent to %s:\n%s", address, out)
		}
	}

	addresses := must.Have(net.InterfaceAddrs())(t)
	i := slices.IndexFunc(addresses, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast()
	})
	if i < 0 {
		t.Skip("this machine is in no network")
	}
	near := addresses[i].(*net.IPNet).IP.String()
	out := string(must.Have(h.Command("web", "--phone", "--yes", "--near", near).CombinedOutput())(t))
	link := testhome.Run[parley.OpenPageResult](t, h, "web")
	if host := strings.TrimPrefix(link.Elsewhere, "https://"); !strings.HasPrefix(host, near+":") ||
		!strings.HasPrefix(link.Address, "http://127.0.0.1:") {
		t.Fatalf("the page is at %s and %s", link.Address, link.Elsewhere)
	}

	conn := must.Have(tls.Dial("tcp", strings.TrimPrefix(link.Elsewhere, "https://"),
		&tls.Config{InsecureSkipVerify: true}))(t) // what it shows is compared here
	shown := conn.ConnectionState().PeerCertificates[0]
	conn.Close()
	told := strings.ReplaceAll(strings.Join(strings.Fields(out), ""), ":", "")
	if print := fmt.Sprintf("%X", sha256.Sum256(shown.Raw)); !strings.Contains(told, print) {
		t.Errorf("its certificate has %s, and it says\n%s", print, out)
	}
	if shown.VerifyHostname(near) != nil || shown.VerifyHostname("127.0.0.1") == nil || shown.IsCA {
		t.Errorf("its certificate is for %v", shown.IPAddresses)
	}
	keys := must.Have(filepath.Glob(filepath.Join(h.Dir, "s", "parley", "*", "page-key.pem")))(t)
	if len(keys) != 1 || must.Have(os.Stat(keys[0]))(t).Mode().Perm() != 0o600 {
		t.Errorf("its key is in %q", keys)
	}

	must.Do(t, h.Command("web", "--local").Run())
	if link := testhome.Run[parley.OpenPageResult](t, h, "web"); link.Elsewhere != "" {
		t.Errorf("it is still at %s", link.Elsewhere)
	}
}
