package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
	"parley/internal/testhome"
)

// showKey calls with a key of the operator's over each face, and writes each answer to a file: $1 is the daemon's
// address, $2 the key, $3 the directory.
const showKey = `cd "$3"
ask() { n=$((n+1)); curl -sS -m 20 -H 'Content-Type: application/json' \
	-H 'Accept: application/json, text/event-stream' -H 'MCP-Protocol-Version: 2025-06-18' \
	-H "Mcp-Session-Id: mcp-session-00000000-0000-4000-8000-$(printf %08d%04d $$ $n)" "$@"; }
tool() { echo '{"jsonrpc":"2.0","id":1,"method":"tools/call",' \
	'"params":{"name":"pause_communication","arguments":{"reason":"x"'$1'}}}'; }
ask -H "Authorization: Bearer $2" -d '{"agent":"victim"}' "$1/api/issue_key" >rest 2>&1
ask -d '{"agent":"victim","api_key":"'$2'"}' "$1/api/issue_key" >body 2>&1
ask -H "Authorization: Bearer $2" -d "$(tool)" "$1/mcp" >mcp 2>&1
ask -d "$(tool ',"api_key":"'$2'"')" "$1/mcp" >argument 2>&1
PARLEY_KEY=$2 parley --json key issue victim >command 2>&1
touch end
`

// A program in an agent's terminal may have a key of the operator's: nothing that it shows it to believes it.
func TestOperatorsKeyCountsNowhereInAnAgentsTerminal(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	h := testhome.New(t)
	testhome.Run[parley.RegisterAgentResult](t, h, "register", "victim")
	key := testhome.Run[parley.IssueKeyResult](t, h, "key", "issue", "operator").APIKey
	address := testhome.Run[parley.WorkspaceStatusResult](t, h, "status").HTTP

	script := filepath.Join(t.TempDir(), "show")
	must.Do(t, os.WriteFile(script, []byte(showKey), 0o600))
	shown := func(run func(dir string)) map[string]string {
		dir := t.TempDir()
		run(dir)
		waitFor(filepath.Join(dir, "end"))
		said := map[string]string{}
		for _, face := range []string{"rest", "body", "mcp", "argument", "command"} {
			text, _ := os.ReadFile(filepath.Join(dir, face))
			said[face] = string(text)
		}
		return said
	}

	clean := []string{"env", "-u", "PARLEY_KEY", "-u", "PARLEY_AGENT", "-u", "PARLEY_AGENT_ID"}
	for _, agent := range []string{"careless", "sly", "gone"} {
		said := shown(func(dir string) {
			args, command := []string{"launch", agent, "--"}, `sh "$@"; exec sleep 1000`
			if agent != "careless" {
				args = append(args, clean...)
			}
			if agent == "gone" {
				command = `(setsid sh "$@" &); exec sleep 1000`
			}
			args = append(args, "sh", "-c", command, "sh", script, address, key, dir)
			testhome.Run[parley.LaunchAgentResult](t, h, args...)
		})
		for face, text := range said {
			if !strings.Contains(text, string(parley.NotAuthorized)) {
				t.Errorf("%s, %s: it printed %q, want %s", agent, face, text, parley.NotAuthorized)
			}
		}
	}

	said := shown(func(dir string) {
		cmd := exec.Command("sh", script, address, key, dir)
		cmd.Env = h.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
	for _, face := range []string{"rest", "body", "command"} {
		if !strings.Contains(said[face], "parley_") {
			t.Errorf("outside of an agent's terminal, %s: %q", face, said[face])
		}
	}
	if keys := testhome.Run[parley.ListKeysResult](t, h, "key", "list", "victim").Keys; len(keys) != 4 {
		t.Errorf("victim has %d keys, want the one from its registration and three that the operator issued", len(keys))
	}
}

// An agent can end the daemon and start another one: that takes nothing from it that decides something, and tells
// the operator.
func TestAgentThatStartsTheDaemonDecidesNothing(t *testing.T) {
	t.Parallel()
	h := testhome.New(t)
	h.Env = append(h.Env, "PARLEY_MAX_TEXT=4321")
	testhome.Run[parley.RegisterAgentResult](t, h, "register", "victim")
	status := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	file := "settings: {open_registration: true, trust_local_agent_id: true}\nnotify: {command: [touch, " + h.Dir +
		"/ran]}\n"
	must.Do(t, os.WriteFile(filepath.Join(h.Workspace, "parley.yaml"), []byte(file), 0o600))

	dir := t.TempDir()
	script := `while [ ! -e $2/go ]; do sleep 0.1; done; kill -9 $1; while kill -0 $1; do sleep 0.1; done
PARLEY_TRUST=$(sha256sum parley.yaml | cut -c1-64) PARLEY_TRUST_LOCAL_AGENT_ID=true PARLEY_MAX_TEXT=1 \
	XDG_CONFIG_HOME=/nowhere parley agents >$2/out 2>&1; touch $2/end; exec sleep 1000`
	testhome.Run[parley.LaunchAgentResult](t, h, "launch", "evil", "--", "sh", "-c", script, "sh",
		strconv.Itoa(status.PID), dir)
	must.Do(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	waitFor(filepath.Join(dir, "end"))

	out, _ := os.ReadFile(filepath.Join(dir, "out"))
	now := testhome.Run[parley.WorkspaceStatusResult](t, h, "status")
	if now.PID == status.PID {
		t.Fatalf("the agent started no daemon: %s", out)
	}
	want := []string{"PARLEY_MAX_TEXT", "PARLEY_TRUST", "PARLEY_TRUST_LOCAL_AGENT_ID", "XDG_CONFIG_HOME"}
	if !slices.Equal(now.Ignored, want) {
		t.Errorf("it ignores %v, want %v", now.Ignored, want)
	}

	needs := testhome.Run[parley.GetNeedsResult](t, h, "needs").Needs
	if !slices.ContainsFunc(needs, func(n parley.Need) bool { return n.Kind == parley.NeedStart }) {
		t.Errorf("the operator is not told: %+v", needs)
	}

	req := must.Have(http.NewRequest(http.MethodGet, now.HTTP+"/api/inbox/check", nil))(t)
	req.Header.Set("X-Agent-ID", "evil")
	res := must.Have(http.DefaultClient.Do(req))(t)
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("a name alone is answered with %d", res.StatusCode)
	}
	long := h.Command("send", "evil", strings.Repeat("a", 4000))
	if out, err := long.CombinedOutput(); err != nil {
		t.Errorf("the operator's setting does not count: %s", out)
	}
}
