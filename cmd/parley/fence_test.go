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

// showKey calls with a key of the operator's over each face, and writes each answer to a file: $1 is the daemon's
// address, $2 the key, $3 the directory.
const showKey = `cd "$3"
ask() { curl -sS -m 20 -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \
	-H 'MCP-Protocol-Version: 2025-06-18' -H 'Mcp-Session-Id: mcp-session-00000000-0000-4000-8000-000000000000' "$@"; }
tool() { echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pause_communication","arguments":{"reason":"x"'$1'}}}'; }
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
		if out, err := exec.Command("sh", script, address, key, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	})
	for _, face := range []string{"rest", "body"} {
		if !strings.Contains(said[face], "parley_") {
			t.Errorf("outside of an agent's terminal, %s: %q", face, said[face])
		}
	}
	if keys := testhome.Run[parley.ListKeysResult](t, h, "key", "list", "victim").Keys; len(keys) != 3 {
		t.Errorf("victim has %d keys, want the one from its registration and two that the operator issued", len(keys))
	}
}
