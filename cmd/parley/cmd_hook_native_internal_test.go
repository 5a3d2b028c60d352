package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley"
	"parley/internal/must"
)

// What Claude Code and Qwen Code write about a session, shortened.
func TestHookFindsTheSessionsThatARecipientMayMean(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"1.json": `{"pid":11,"sessionId":"aa","name":"ws-6f","peerFeatures":["x"],` +
			`"messagingSocketPath":"/run/cc-socks/11.sock"}`,
		"2.json": `{"pid":22,"sessionId":"bb","name":"ws-6f","ipcPath":"/run/qwen-socks/22.sock"}`,
		"3.json": `{"pid":33,"sessionId":"cc","name":"ws-8d"}`,
		"4.json": `no JSON`,
		"5.key":  `{"name":"ws-8d"}`,
	} {
		must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}

	for _, c := range []struct {
		to       string
		sessions []string
	}{
		{"ws-8d", []string{"cc"}}, {"ws-8d [57c5bc]", []string{"cc"}}, {"ws-6f", []string{"aa", "bb"}},
		{"bb", []string{"bb"}}, {"uds:/run/cc-socks/11.sock", []string{"aa"}},
		{"/run/qwen-socks/22.sock", []string{"bb"}},
		{"main", nil}, {"x", nil}, {"[", nil},
	} {
		req := parley.NativeMessageRequest{To: c.to}
		addSessions(&req, dir)
		if diff := cmp.Diff(c.sessions, req.Sessions); diff != "" || len(req.PIDs) != len(c.sessions) {
			t.Errorf("%q: %v (-want +got):\n%s", c.to, req.PIDs, diff)
		}
	}
}
