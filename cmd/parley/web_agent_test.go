package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

// tryPage tries to get at the page: $1 is the daemon's address, $2 a one-time code, $3 the key of a session, $4 that of
// one that may only look, $5 the directory for the answers.
const tryPage = `cd "$5"
ask() { curl -sS -m 20 -H 'Content-Type: application/json' "$@" 2>&1; }
ask -H "Origin: $1" -d '{"code":"'$2'"}' "$1/session" >code
ask -H "X-Forwarded-For: 192.0.2.7" -d '{"code":"'$2'"}' "$1/session" >forwarded
ask -H "Authorization: Bearer $3" -d '{"name":"x"}' "$1/api/issue_key" >session
ask -H "Authorization: Bearer $4" -d '{"query":"secret"}' "$1/api/find_messages" >watching
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
	operators, watchers := enterPage(t, address, link()), enterPage(t, address, link("--watch"))
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "sly", "--", "env", "-u", "PARLEY_KEY", "sh", "-c",
		`sh "$@"; exec sleep 1000`, "sh", script, address, code, operators.Key, watchers.Key, dir)
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
	if s := enterPage(t, address, code); s.Key == "" || s.Watch {
		t.Errorf("the person got %+v", s)
	}
}
