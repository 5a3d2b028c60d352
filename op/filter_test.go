package op_test

import (
	"encoding/json"
	"testing"
	"time"

	"parley/internal/must"
	"parley/op"
)

// The screen, the page and find_messages read a filter alike. It is the noon of a Monday.
func TestFilterIsReadAsItIsTyped(t *testing.T) {
	noon := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"":                              `{"begun":true}`,
		"from:":                         `{"begun":true}`,
		"from:wor to:you parser":        `{"query":"parser","begun":true,"from":"worker","to":"operator"}`,
		"is:held,unc state:pending x:y": `{"query":"x:y","begun":true,"states":["held","unconfirmed","queued","typing"]}`,
		"agent:asker,worker has:file":   `{"begun":true,"agents":["asker","worker"],"has":["file"]}`,
		"type:req priority:urgent thr":  `{"query":"thr","begun":true,"types":["request"],"priorities":["urgent"]}`,
		"since:2h until:today":          `{"begun":true,"since":"2026-01-05T10:00:00Z","until":"2026-01-05T23:59:59.999999999Z"}`,
		"on:2026-01-04 thread:1a2b3c4d": `{"begun":true,"thread":"1a2b3c4d","since":"2026-01-04T00:00:00Z","until":"2026-01-04T23:59:59.999999999Z"}`,
		"since:sunday":                  `{"begun":true,"since":"2026-01-04T00:00:00Z"}`,
		"is:nonsense":                   "is:nonsense is not known.",
		"on:2h":                         "on: wants a day such as today, monday or 2026-01-31.",
		"since:31.2.2026 from: thread:": "since: wants a time such as 2h, 3d, 09:30, today, monday or 2026-01-31.",
	} {
		f := op.ParseFilter(text, []string{"asker", "worker"}, noon)
		got := f.Problem
		if got == "" {
			got = string(must.Have(json.Marshal(f.Request))(t))
		}
		if got != want {
			t.Errorf("%q asks for %s, want %s", text, got, want)
		}
		if asks := text != "" && text != "from:"; f.Asks != asks {
			t.Errorf("%q has a condition: %v", text, f.Asks)
		}
	}
}
