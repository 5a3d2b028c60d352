package daemon

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"parley/internal/must"
)

// Every variable and flag that decides something is taken from the operator's last start, and never from what
// somebody else brings; the same is no news.
func TestOnlyTheOperatorDecidesHowADaemonBegins(t *testing.T) {
	operators := Environ{"HOME=/home/a", "PATH=/bin", "PARLEY_HTTP_PORT=4000", "API_KEY=s3cret",
		"PARLEY_DATABASE=postgres://a:b@c/d"}
	begun := startOf(operators, map[string]string{"max_text": "9", databaseSetting: "postgres://e:f@g/h"})
	text := string(must.Have(json.Marshal(begun))(t))
	for _, secret := range []string{"s3cret", "a:b@", "e:f@"} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is stored: %s", secret, text)
		}
	}

	same := beginAs(&begun, operators, map[string]string{"max_text": "9", databaseSetting: "postgres://e:f@g/h"})
	for _, entry := range operators {
		name, value, _ := strings.Cut(entry, "=")
		if got := same.Env.Get(name); got != value {
			t.Errorf("%s is %q, want %q", name, got, value)
		}
	}
	if len(same.Ignored) > 0 || same.Flags[databaseSetting] == "" {
		t.Errorf("of the same start, %v is ignored, and the flags are %v", same.Ignored, same.Flags)
	}

	decide := []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", TrustHashes, OperatorKey, operatorHash}
	for _, f := range SettingFields() {
		decide = append(decide, settingVariable(f.Name))
	}
	for _, last := range []*start{nil, &begun} {
		for _, name := range decide {
			b := beginAs(last, Environ{name + "=/evil", "API_KEY=other", "TERM=x"}, nil)
			if b.Env.Get(name) == "/evil" || !slices.Equal(b.Ignored, []string{name}) {
				t.Errorf("%s: it is %q, and ignored is %v", name, b.Env.Get(name), b.Ignored)
			}
			if last != nil && b.Env.Get("API_KEY") != "" {
				t.Error("another key counts")
			}
		}
		for _, f := range SettingFields() {
			b := beginAs(last, nil, map[string]string{f.Name: "evil"})
			if slices.Contains(slices.Collect(maps.Values(b.Flags)), "evil") || len(b.Ignored) != 1 {
				t.Errorf("--%s: the flags are %v, and ignored is %v", f.Name, b.Flags, b.Ignored)
			}
		}
	}
}
