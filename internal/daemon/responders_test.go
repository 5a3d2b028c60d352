package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley"
	"parley/internal/must"
)

func TestInvalidResponderIsRefused(t *testing.T) {
	for text, says := range map[string]string{
		"responders: [{name: DM, model: m, base_url: localhost}]":                            "base_url",
		"responders: [{name: DM, model: m}, {name: dm, model: m}]":                           "two agents",
		"responders: [{name: DM}]":                                                           "model_id",
		"responders: [{name: DM, model: m, additional_config: {promptFormat: nothing}}]":     "promptFormat",
		"responders: [{name: DM, model: m, additional_config: {promptformat: '{message}'}}]": "promptFormat",
		"settings: {model_timeout: 2h}":                                                      "model_timeout",
		"settings: {model_calls: 1001}":                                                      "model_calls",
	} {
		file := filepath.Join(t.TempDir(), "parley.yaml")
		must.Do(t, os.WriteFile(file, []byte(text+"\n"), 0o600))

		_, err := LoadTeam(file, true)
		if err == nil || !strings.Contains(err.Error()+parley.AsError(err).Action, says) {
			t.Errorf("%s: got %v, want it to name %s", text, err, says)
		}
	}
}
