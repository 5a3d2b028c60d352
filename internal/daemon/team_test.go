package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestUnknownKeySuggestsKeysOfItsPart(t *testing.T) {
	for text, want := range map[string][2]string{ // a key of the part, and one of another
		"bogus: 1":                                        {"agents", "max_text"},
		"settings:\n  bogus: 1":                           {"max_text", "chain_hops"},
		"settings: {footer: full, bogus: 1}":              {"max_text", "chain_hops"},
		"conversation:\n  off: true\n  bogus: 1":          {"chain_hops", "max_text"},
		"agents:\n- name: a\n  bogus: 1":                  {"toolsets", "max_text"},
		"agents: [{name: a, bogus: 1}]":                   {"toolsets", "max_text"},
		"screen: {bogus: 1}":                              {"quiet_hours", "max_text"},
		"responders:\n- name: DM\n  model: m\n  bogus: 1": {"api_key_env", "max_text"},
	} {
		file := filepath.Join(t.TempDir(), "parley.yaml")
		must.Do(t, os.WriteFile(file, []byte(text+"\n"), 0o600))

		_, err := LoadTeam(file, true)
		if err == nil {
			t.Errorf("%s: no error", text)
			continue
		}

		action := parley.AsError(err).Action
		if !strings.Contains(action, want[0]) || strings.Contains(action, want[1]) {
			t.Errorf("%s: the advice is %q, want it to name %s and not %s", text, action, want[0], want[1])
		}
	}
}
