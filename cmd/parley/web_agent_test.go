package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
	"parley/internal/testpage"
)

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
